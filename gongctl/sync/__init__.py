"""Gong's API -> the cache: resumable steps that store a page and how far they are in one transaction."""
