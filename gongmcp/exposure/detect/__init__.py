"""Detectors of personal data in speech and other free text; ``gongmcp.exposure.masking`` runs them."""
