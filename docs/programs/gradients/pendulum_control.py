"""A pendulum swings up by a motor that is too weak to lift it: the best torques by the gradient through all time steps."""
from optimisers import lbfgs

import numjit as np

LIMIT, H = 0.4, 0.15                                           # gravity pulls with 1


def inputs():
    return 0.3 * np.sin(H * np.arange(100)), 60                # wobbles: hanging straight down, no torque is better than any


def swing(torques):
    """Angle and speed over time; 0 is down."""
    angle, speed, path = np.zeros(()), np.zeros(()), []
    for torque in torques:
        speed = speed + H * (torque - np.sin(angle))
        angle = angle + H * speed
        path.append(np.stack([angle, speed]))
    return np.stack(path)


def run(wish, rounds):
    def loss(wish):
        torques = LIMIT * np.tanh(wish)
        path = swing(torques)
        return 10 * np.sum((1 + np.cos(path[-10:, 0])) + path[-10:, 1] ** 2) + 0.1 * np.sum(torques ** 2)

    wish, losses = lbfgs(loss, wish, rounds)
    torques = LIMIT * np.tanh(wish)
    return losses, torques, swing(torques)


def check(losses, torques, path):
    angle, speed = path.T
    assert losses[-1] < 0.02 * losses[0]
    assert np.all(np.abs(torques) <= LIMIT)
    assert np.all(np.cos(angle[-5:]) < -0.98) and np.all(np.abs(speed[-5:]) < 0.1)       # stands on its head
    assert np.sum(np.diff(np.sign(speed[speed != 0])) != 0) >= 2                         # after swinging to and fro
