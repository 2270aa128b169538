"""Discrete Fourier transforms."""
from ._functions.fft import *  # noqa: F401,F403
