"""Studies to begin from, one folder each, and the code that makes their items."""
