"""Schrodinger's equation by split steps: a wave packet tunnels through a barrier; the norm stays, the parts are measured."""
import numjit as np


def inputs():
    x = np.linspace(-20, 20, 128, endpoint=False)
    return x, np.where(np.abs(x) < 0.5, 2.6, 0.0), 0.05, 60


def run(x, barrier, dt, steps):
    dx = x[1] - x[0]
    k = 2 * np.pi * np.fft.fftfreq(len(x)) / dx
    psi = np.exp(-((x + 6) ** 2) / 4 + 2j * x)
    psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
    half_kick, drift = np.exp(-0.5j * dt * barrier), np.exp(-0.5j * dt * k ** 2)
    place = np.zeros(steps)
    for step in range(steps):
        psi = half_kick * np.fft.ifft(drift * np.fft.fft(half_kick * psi))
        place[step] = np.sum(x * np.abs(psi) ** 2) * dx
    density = psi.real ** 2 + psi.imag ** 2
    through = np.trapezoid(np.where(x > 0.5, density, 0), dx=1.0) * dx
    phase = np.unwrap(np.angle(psi[52:76]))
    momentum = np.sum((np.conj(psi) * np.fft.ifft(k * np.fft.fft(psi))).real) * dx
    return density, place, through, phase, momentum, np.abs(np.sum(density) * dx - 1) < 1e-12
