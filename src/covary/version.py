"""The version, in a place that every room may know."""

__version__ = "0.1.0"
"""The version of covary, which every signature names."""
