"""Files of the outside world in and out; one file per format."""

from covary.formats.read import read

__all__ = ["read"]
