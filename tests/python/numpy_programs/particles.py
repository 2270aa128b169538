"""Particles on springs in a box that bounces them, with their state in a dataclass and velocity Verlet's steps."""
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.linalg import norm

GRAVITY = np.array([0.0, -1.0])
BOX = 4.0


@dataclass
class State:
    pos: np.ndarray
    vel: np.ndarray
    mass: np.ndarray
    time: float = 0.0
    bounces: int = 0
    log: list = field(default_factory=list)

    @property
    def kinetic(self):
        return 0.5 * np.sum(self.mass * np.sum(self.vel ** 2, axis=1))

    @property
    def momentum(self):
        return self.mass @ self.vel


@dataclass
class Springs:
    ends: np.ndarray
    rest: np.ndarray
    k: float = 30.0


def inputs():
    pos = np.stack(np.meshgrid(np.arange(3) * 0.5 + 1, np.arange(3) * 0.5 + 2), axis=-1).reshape(-1, 2)
    i, j = np.triu_indices(len(pos), 1)
    near = norm(pos[i] - pos[j], axis=1) < 0.75
    ends = np.stack([i, j], axis=1)[near]
    rest = norm(pos[ends[:, 0]] - pos[ends[:, 1]], axis=1)
    vel = np.full(pos.shape, [1.5, 0.3])
    return State(pos, vel, np.linspace(1, 2, len(pos))), Springs(ends, rest), 0.01, 160


def forces(state, springs, out):
    np.multiply(state.mass[:, None], GRAVITY, out=out)
    a, b = springs.ends.T
    d = state.pos[b] - state.pos[a]
    length = norm(d, axis=1, keepdims=True)
    f = springs.k * (length - springs.rest[:, None]) * d / length
    np.add.at(out, a, f)
    np.subtract.at(out, b, f)
    return out


def bounce(state, damping=0.9):
    for low, outside in ((0.0, state.pos < 0), (BOX, state.pos > BOX)):
        if not outside.any():
            continue
        state.pos[outside] = 2 * low - state.pos[outside]
        state.vel[outside] *= -damping
        state.bounces += int(outside.sum())


def run(state, springs, dt, steps):
    f = np.empty_like(state.pos)
    forces(state, springs, f)
    for n in range(steps):
        state.vel += 0.5 * dt * f / state.mass[:, None]
        state.pos += dt * state.vel
        bounce(state)
        forces(state, springs, out=f)
        state.vel += 0.5 * dt * f / state.mass[:, None]
        state.time += dt
        if n % 40 == 0:
            state.log.append(state.kinetic)
    stretch = norm(np.diff(state.pos[springs.ends], axis=1)[:, 0], axis=1) - springs.rest
    potential = 0.5 * springs.k * float(stretch @ stretch)
    frozen = replace(state, vel=np.zeros_like(state.vel), log=[])
    return state, state.momentum, potential, frozen
