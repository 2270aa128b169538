"""A small synthesizer: oscillators, an envelope, vibrato, an echo and a chord, mixed into 16-bit samples."""
from collections import namedtuple
from functools import partial, reduce

import numpy as np
from numpy import pi, sin

RATE = 4000
A4 = 440.0
Song = namedtuple("Song", "pcm checksum rms peak crossings samples")


def inputs():
    melody = [("A4", 0.10), ("C5", 0.10), (None, 0.05), ("E5", 0.15)]
    return melody, {"attack": 0.02, "decay": 0.02, "sustain": 0.6, "release": 0.03}


def frequency(name):
    semitone = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}[name[0]]
    return A4 * 2 ** (semitone / 12 + int(name[-1]) - 4)


def sine(f, t, vibrato=0.0):
    return sin(2 * pi * f * t + vibrato * sin(2 * pi * 5 * t))


def square(f, t, harmonics=5):
    n = 2 * np.arange(harmonics) + 1
    return 4 / pi * np.sum(sin(2 * pi * f * np.outer(n, t)) / n[:, None], axis=0)


def saw(f, t):
    return 2 * ((f * t + 0.25) % 1) - 1


def adsr(n, attack, decay, sustain, release):
    points = np.array([0, attack, attack + decay, n / RATE - release, n / RATE])
    return np.interp(np.arange(n) / RATE, points, [0, 1, sustain, sustain, 0])


def tone(osc, name, seconds, **envelope):
    n = int(round(seconds * RATE))
    if name is None:
        return np.zeros(n)
    t = np.arange(n) / RATE
    return osc(frequency(name), t) * adsr(n, **envelope)


def mix(*tracks):
    longest = max(len(t) for t in tracks)
    return reduce(np.add, (np.pad(t, (0, longest - len(t))) for t in tracks)) / len(tracks)


def echo(signal, delay, gain=0.4):
    d = int(delay * RATE)
    out = np.concatenate([signal, np.zeros(2 * d)])
    out[d:-d] += gain * signal
    out[2 * d:] += gain ** 2 * signal
    return out


def run(melody, envelope):
    voices = {"lead": partial(sine, vibrato=0.3), "bass": lambda f, t: 0.5 * square(f / 2, t), "pad": saw}
    tracks = {k: np.concatenate([tone(osc, n, s, **envelope) for n, s in melody]) for k, osc in voices.items()}
    song = echo(mix(*tracks.values()), 0.04)
    song /= np.abs(song).max()
    pcm = np.round(song * 32000).astype("<i2")
    raw = pcm.view(np.uint8)
    assert np.array_equal(np.frombuffer(raw.tobytes(), dtype=pcm.dtype), pcm)
    checksum = int(raw.sum(dtype=np.uint64))
    rms = {k: float(np.sqrt(np.mean(v * v))) for k, v in tracks.items()}
    spectrum = np.abs(np.fft.rfft(tracks["lead"][:400] * np.hanning(400)))
    peak = np.fft.rfftfreq(400, 1 / RATE)[spectrum.argmax()]
    clipped = np.clip(song, -0.5, 0.5, out=song)
    crossings = np.flatnonzero(np.diff(np.signbit(clipped[:200]))).size
    return Song(pcm, checksum, rms, peak, crossings, samples=clipped[::50])
