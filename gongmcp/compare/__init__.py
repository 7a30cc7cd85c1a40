"""What differs between two surfaces that agents could be offered, and between what two presets show."""
