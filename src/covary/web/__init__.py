"""The web application: a judge's way through a study, and the researcher's pages."""
