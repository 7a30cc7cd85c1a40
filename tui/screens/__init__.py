"""The screens and dialogs, one to a module."""
