"""`python -m covary` is the command `covary`."""

import sys

from covary.cli import main

if __name__ == "__main__":
    sys.exit(main())
