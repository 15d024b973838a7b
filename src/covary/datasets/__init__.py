"""Real ratings that ship with covary, as frequency tables, and what papers print about them.

>>> names()
('flickr8k-experts', 'qgstec-original', 'qgstec-reevaluated', 'latin-square-example')
"""

from covary.datasets.printed import printed
from covary.datasets.published import paper, papers
from covary.datasets.tables import describe, load, names

__all__ = ["describe", "load", "names", "paper", "papers", "printed"]
