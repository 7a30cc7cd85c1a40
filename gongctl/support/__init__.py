"""What may be sent to somebody who helps: figures and settings, nothing of customers."""
