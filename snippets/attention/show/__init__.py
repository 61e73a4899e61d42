"""Show numbers: as tables, plots, heat maps and diagrams, with labels in every language of the site."""

from .figure import Figure
from .flow import Box, Flow
from .heat import Heat
from .maps import Maps
from .plot import Line, Plot
from .table import Table
from .together import Together

__all__ = ["Box", "Figure", "Flow", "Heat", "Line", "Maps", "Plot", "Table", "Together"]
