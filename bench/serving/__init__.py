"""Serving under load: covary beside a server that does nothing but commit each save."""
