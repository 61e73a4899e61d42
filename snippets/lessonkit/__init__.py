"""What lessons show with: tables, plots, heat maps, diagrams, and what real models answered."""

from .figure import Figure
from .flow import Box, Flow
from .heat import Heat
from .maps import Maps
from .plot import Line, Plot
from .recordings import recording
from .table import Table
from .texts import Labels
from .together import Together

__all__ = ["Box", "Figure", "Flow", "Heat", "Labels", "Line", "Maps", "Plot", "Table", "Together", "recording"]
