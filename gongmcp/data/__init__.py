"""Data files of the package: names that differ from tenant to tenant, as overridable defaults."""
