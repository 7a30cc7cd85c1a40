"""The parts of the screens, one to a module."""
