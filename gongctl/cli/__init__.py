"""The ``gongctl`` command: one module a command group, loaded only when used."""
