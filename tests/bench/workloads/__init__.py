"""The workloads, by subject; lib/*.cpp has the same in C++, by the same names, numba_forms.py as loops."""
from workloads.base import Workload, distinct, distinct_source, listed, uniform
from workloads.data import DATA
from workloads.elementwise import ELEMENTWISE
from workloads.images import IMAGES
from workloads.linear import LINEAR
from workloads.reductions import REDUCTIONS
from workloads.simulation import SIMULATION
from workloads.stencils import STENCILS

WORKLOADS = ELEMENTWISE + SIMULATION + STENCILS + REDUCTIONS + DATA + IMAGES + LINEAR

__all__ = ["WORKLOADS", "Workload", "distinct", "distinct_source", "listed", "uniform"]
