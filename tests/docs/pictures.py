"""Draws what the programs of docs/programs/gradients found, into its pictures/: `./dev python tests/docs/pictures.py [NAME...]`."""
import sys
from importlib import import_module
from pathlib import Path

import numjit as np

FOLDER = Path(__file__).resolve().parents[2] / "docs/programs/gradients"
# From dark blue over teal to yellow.
STOPS = np.array([[0.07, 0.04, 0.25], [0.19, 0.27, 0.53], [0.13, 0.57, 0.55], [0.45, 0.79, 0.36], [0.99, 0.91, 0.14]])


def coloured(values):
    """Bytes of red, green and blue, (height, width, 3)."""
    low, high = np.min(values), np.max(values)
    at = (values - low) / (high - low) * (len(STOPS) - 1)
    channels = [np.interp(at.ravel(), np.arange(len(STOPS)), STOPS[:, c]).reshape(values.shape) for c in range(3)]
    return np.round(255 * np.stack(channels, axis=-1)).astype(np.uint8)


def draw(name):
    program = import_module(name)
    values = program.picture(*program.run(*program.inputs()))
    scale = max(1, 480 // values.shape[1])
    large = np.repeat(np.repeat(coloured(values), scale, axis=0), scale, axis=1)
    path = FOLDER / "pictures" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    return np.show(large, path)


if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    programs = [path.stem for path in sorted(FOLDER.glob("*.py")) if "\ndef picture(" in path.read_text()]
    for program in sys.argv[1:] or programs:
        print(draw(program))
