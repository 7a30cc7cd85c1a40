"""What tools exist: one module a family, each tool one declaration."""
