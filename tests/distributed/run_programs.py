"""What tests/distributed/python_test.py starts on several ranks: `run_programs.py FOLDER RESULTS NAME...`. Rank 0 writes results."""
import importlib
import sys
from pathlib import Path

import numpy

from numjit import distributed

sys.path.insert(0, sys.argv[1])
results = Path(sys.argv[2])
for name in sys.argv[3:]:
    made = [numpy.asarray(x) for x in importlib.import_module(name).run()]
    if distributed.world().rank == 0:
        results.mkdir(parents=True, exist_ok=True)
        numpy.savez(results / f"{name}.npz", *made)
