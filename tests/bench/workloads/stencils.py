"""Workloads on grids with neighbours: heat, waves, reaction and diffusion, Maxwell's equations."""
import numpy as np

from workloads.base import Workload, uniform

LAPLACIAN = "{0}n + {0}s + {0}w + {0}e - 4 * {0}c"


def laplacian(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def neighbours(name, u):
    """The views that LAPLACIAN names."""
    return {name + "c": u[1:-1, 1:-1], name + "n": u[:-2, 1:-1], name + "s": u[2:, 1:-1],
            name + "w": u[1:-1, :-2], name + "e": u[1:-1, 2:]}


def heat_inner(u):
    return u[1:-1, 1:-1] + 0.1 * laplacian(u)


def heat(xp, u, following):
    following[1:-1, 1:-1] = heat_inner(u)
    return following


def heat_jax(xp, u, following):  # arrays can't be written to: the step makes a new grid
    return following.at[1:-1, 1:-1].set(heat_inner(u))


def heat_numexpr(evaluate, u, following):
    evaluate(f"uc + 0.1 * ({LAPLACIAN.format('u')})", neighbours("u", u), out=following[1:-1, 1:-1])
    return following


def heat_data(rng):
    u = rng.uniform(0, 1, (2000, 2000))
    return [u, u.copy()]


def wave_inner(u, before):
    return 2 * u[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.25 * laplacian(u)


def wave(xp, u, before, following):
    following[1:-1, 1:-1] = wave_inner(u, before)
    return following


def wave_jax(xp, u, before, following):
    return following.at[1:-1, 1:-1].set(wave_inner(u, before))


def wave_numexpr(evaluate, u, before, following):
    evaluate(f"2 * uc - b + 0.25 * ({LAPLACIAN.format('u')})", neighbours("u", u) | {"b": before[1:-1, 1:-1]},
             out=following[1:-1, 1:-1])
    return following


def wave_data(rng):
    u = rng.uniform(0, 1, (1500, 1500))
    return [u, u * 0.9, u.copy()]


def gray_scott(xp, u, v):
    a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
    reaction = a * b * b
    return (a + 0.16 * laplacian(u) - reaction + 0.06 * (1 - a), b + 0.08 * laplacian(v) + reaction - 0.122 * b)


def gray_scott_numexpr(evaluate, u, v):
    d = neighbours("u", u) | neighbours("v", v)
    return (evaluate(f"uc + 0.16 * ({LAPLACIAN.format('u')}) - uc * vc * vc + 0.06 * (1 - uc)", d),
            evaluate(f"vc + 0.08 * ({LAPLACIAN.format('v')}) + uc * vc * vc - 0.122 * vc", d))


def fdtd_fields(ez, hx, hy):
    new_hx = hx - 0.5 * (ez[:, 1:] - ez[:, :-1])
    new_hy = hy + 0.5 * (ez[1:] - ez[:-1])
    curl = new_hy[1:, 1:-1] - new_hy[:-1, 1:-1] - new_hx[1:-1, 1:] + new_hx[1:-1, :-1]
    return new_hx, new_hy, 0.5 * curl


def fdtd(xp, ez, hx, hy):
    new_hx, new_hy, change = fdtd_fields(ez, hx, hy)
    new_ez = xp.copy(ez)
    new_ez[1:-1, 1:-1] += change
    return new_ez, new_hx, new_hy


def fdtd_jax(xp, ez, hx, hy):
    new_hx, new_hy, change = fdtd_fields(ez, hx, hy)
    return ez.at[1:-1, 1:-1].add(change), new_hx, new_hy


def fdtd_numexpr(evaluate, ez, hx, hy):
    new_hx = evaluate("h - 0.5 * (a - b)", {"h": hx, "a": ez[:, 1:], "b": ez[:, :-1]})
    new_hy = evaluate("h + 0.5 * (a - b)", {"h": hy, "a": ez[1:], "b": ez[:-1]})
    new_ez = ez.copy()
    evaluate("e + 0.5 * (a - b - c + d)",
             {"e": ez[1:-1, 1:-1], "a": new_hy[1:, 1:-1], "b": new_hy[:-1, 1:-1], "c": new_hx[1:-1, 1:],
              "d": new_hx[1:-1, :-1]}, out=new_ez[1:-1, 1:-1])
    return new_ez, new_hx, new_hy


def time_loop(xp, start):
    u = xp.copy(start)
    for _ in range(2000):
        u[1:-1, 1:-1] += 0.1 * laplacian(u)
    return u


def time_loop_jax(xp, start):
    from jax import lax
    return lax.fori_loop(0, 2000, lambda _, u: u.at[1:-1, 1:-1].add(0.1 * laplacian(u)), start)


def time_loop_numexpr(evaluate, start):
    u, following = start.copy(), start.copy()
    for _ in range(2000):
        heat_numexpr(evaluate, u, following)
        u, following = following, u
    return u


def periodic(xp, start):
    u = start
    for _ in range(10):
        u = u + 0.1 * (xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1) - 4 * u)
    return u


def periodic_numexpr(evaluate, start):
    u = start
    for _ in range(10):
        near = {"u": u, "a": np.roll(u, 1, 0), "b": np.roll(u, -1, 0), "c": np.roll(u, 1, 1), "d": np.roll(u, -1, 1)}
        u = evaluate("u + 0.1 * (a + b + c + d - 4 * u)", near)
    return u


def reaction(xp, first, second):
    u, v = xp.copy(first), xp.copy(second)
    for _ in range(10):
        a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
        around_u, around_v, made = laplacian(u), laplacian(v), a * b * b
        a += 0.16 * around_u - made + 0.06 * (1 - a)
        b += 0.08 * around_v + made - 0.122 * b
    return u, v


def reaction_jax(xp, first, second):
    u, v = first, second
    for _ in range(10):
        new_u, new_v = gray_scott(xp, u, v)
        u, v = u.at[1:-1, 1:-1].set(new_u), v.at[1:-1, 1:-1].set(new_v)
    return u, v


def reaction_numexpr(evaluate, first, second):
    u, v = first.copy(), second.copy()
    for _ in range(10):
        u[1:-1, 1:-1], v[1:-1, 1:-1] = gray_scott_numexpr(evaluate, u, v)
    return u, v


STENCILS = [
    Workload("heat", "heat step, 2000x2000 float64", heat, heat_data, written=1,
             numexpr=heat_numexpr, jax=heat_jax),
    Workload("wave", "wave step, 1500x1500 float64", wave, wave_data, written=1,
             numexpr=wave_numexpr, jax=wave_jax),
    Workload("gray_scott", "Gray-Scott step, 1000x1000 float64", gray_scott,
             uniform((0, 1, (1000, 1000)), (0, 1, (1000, 1000))), numexpr=gray_scott_numexpr),
    Workload("fdtd", "FDTD step of three fields, 1000x1000 float64", fdtd,
             uniform((0, 1, (1000, 1000)), (0, 1, (1000, 999)), (0, 1, (999, 1000))),
             numexpr=fdtd_numexpr, jax=fdtd_jax),
    # torch.compile would unroll the loop: its users compile the step (peers.py).
    Workload("time_loop", "2,000 heat steps in place, 256x256 float64", time_loop, uniform((0, 1, (256, 256))),
             rtol=1e-9, bound="compute", numexpr=time_loop_numexpr, jax=time_loop_jax),
    Workload("periodic", "10 heat steps with periodic borders by roll, 1000x1000 float64", periodic,
             uniform((0, 1, (1000, 1000))), bound="compute", numexpr=periodic_numexpr),
    Workload("reaction", "10 Gray-Scott steps in place, 1000x1000 float64", reaction,
             uniform((0, 1, (1000, 1000)), (0, 1, (1000, 1000))), rtol=1e-9, bound="compute",
             numexpr=reaction_numexpr, jax=reaction_jax),
]
