"""The study as a value: read, check and write its folder."""

from covary.study.model import Study
from covary.study.read import read_study
from covary.study.templates.write import TEMPLATES, Template, write_template

__all__ = ["TEMPLATES", "Study", "Template", "read_study", "write_template"]
