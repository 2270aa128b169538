"""A Kalman filter follows a moving thing by noisy positions, and smooths its path backwards (Rauch, Tung, Striebel)."""
import numjit as np


def inputs():
    rng = np.random.default_rng(12)
    t = 0.2 * np.arange(20)
    path = np.column_stack([t, np.sin(t)])
    return (path + rng.normal(0, 0.15, path.shape),)


def run(seen, dt=0.2):
    half = np.array([[1, dt], [0, 1]])
    move = np.kron(half, np.eye(2))                        # position, then velocity
    drift = 0.05 * np.kron(np.array([[dt ** 3 / 3, dt ** 2 / 2], [dt ** 2 / 2, dt]]), np.eye(2))
    look = np.eye(2, 4)
    noise = 0.15 ** 2 * np.eye(2)
    state, spread = np.zeros(4), 10 * np.eye(4)
    states, spreads, ahead_states, ahead_spreads = [], [], [], []
    likelihood = 0.0
    for z in seen:
        state, spread = move @ state, move @ spread @ move.T + drift
        ahead_states.append(state)
        ahead_spreads.append(spread)
        surprise = z - look @ state
        s = look @ spread @ look.T + noise
        gain = np.linalg.solve(s, look @ spread).T
        state = state + gain @ surprise
        spread = (np.eye(4) - gain @ look) @ spread
        likelihood = likelihood - 0.5 * (surprise @ np.linalg.solve(s, surprise) + np.linalg.slogdet(2 * np.pi * s)[1])
        states.append(state)
        spreads.append(spread)
    smooth = states[-1]
    path = [smooth]
    for k in range(len(states) - 2, -1, -1):
        gain = np.linalg.solve(ahead_spreads[k + 1], move @ spreads[k]).T
        smooth = states[k] + gain @ (smooth - ahead_states[k + 1])
        path.append(smooth)
    return np.stack(states), np.stack(path[::-1]), spread, likelihood
