"""The study as a value: read, check and write its folder."""
