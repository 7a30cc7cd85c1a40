"""Measurements: speed with its parts, start-up, and what each tool's query costs. Ratios and counts, never a verdict.

``python -m benchmarks`` runs all; each module of ``corpus``, ``build``, ``startup`` and ``tools`` runs by itself too.
"""
