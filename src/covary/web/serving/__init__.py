"""How the pages are served: by one process or several, with health and metrics."""
