"""The version, in a place that every room may know."""

__version__ = "0.2.0"
"""The version of covary, which every signature names."""
