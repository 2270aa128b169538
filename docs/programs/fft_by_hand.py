"""The fast Fourier transform of Cooley and Tukey, by recursion over slices, and a convolution made with it."""
import numjit as np


def inputs():
    t = np.arange(32) / 32
    signal = np.sin(2 * np.pi * 3 * t) + 0.5 * np.cos(2 * np.pi * 7 * t)
    return np.stack([signal, np.sqrt(t)]), np.array([0.25, 0.5, 0.25])


def fft(x):
    n = x.shape[-1]
    if n == 1:
        return x.astype(np.complex128)
    even, odd = fft(x[..., ::2]), fft(x[..., 1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned], axis=-1)


def inverse(x):
    return np.conj(fft(np.conj(x))) / x.shape[-1]


def run(x, kernel):
    spectrum = fft(x)
    padded = np.zeros_like(x[0])
    padded[:len(kernel)] = kernel
    smooth = inverse(spectrum * fft(padded)).real
    direct = np.zeros_like(x)
    for i in range(len(kernel)):
        direct += kernel[i] * np.roll(x, i, axis=-1)
    right = np.max(np.abs(spectrum - np.fft.fft(x))) < 1e-12
    return np.abs(spectrum), smooth, right, np.max(np.abs(smooth - direct)) < 1e-14
