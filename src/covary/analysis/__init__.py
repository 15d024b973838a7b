"""One file per question that a researcher asks; statistics put together."""
