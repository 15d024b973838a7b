"""Files of the outside world in and out; one file per format."""

from covary.formats.catalogue import FORMATS, Format
from covary.formats.files import read, write

__all__ = ["FORMATS", "Format", "read", "write"]
