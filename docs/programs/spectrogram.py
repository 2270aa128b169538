"""A spectrogram of a rising tone: windows, short Fourier transforms, the tone's path, and the signal put together again."""
import numjit as np


def inputs():
    t = np.arange(1024) / 1024
    rng = np.random.default_rng(59)
    return np.sin(2 * np.pi * (60 * t + 70 * t ** 2)) + 0.2 * rng.standard_normal(1024), 128, 64


def run(signal, length, hop):
    window = np.hanning(length + 1)[:-1]
    frames = np.lib.stride_tricks.sliding_window_view(signal, length)[::hop] * window
    spectrum = np.fft.rfft(frames, axis=1)
    power = np.abs(spectrum) ** 2 / np.sum(window ** 2)
    decibels = 10 * np.log10(np.maximum(power, 1e-10))
    peak = np.argmax(power, axis=1)
    frequency = np.fft.rfftfreq(length, 1 / 1024)
    rise = np.polyfit(np.arange(len(peak)) * hop / 1024, frequency[peak], 1)
    centroid = power @ frequency / np.sum(power, axis=1)
    # Overlap and add; Hann windows half overlapping sum to one.
    back = np.zeros_like(signal)
    for i, frame in enumerate(np.fft.irfft(spectrum, length, axis=1)):
        back[i * hop:i * hop + length] += frame
    inner = slice(hop, -hop)
    return decibels[::3, ::4], peak, rise, centroid, np.max(np.abs(back[inner] - signal[inner])) < 1e-12
