"""REINFORCE on a corridor: a policy learns from discounted rewards to walk to the right end."""
import numpy as np
from _helpers import softmax

N_STATES = 6
ACTIONS = np.array([-1, 1])
REWARDS = np.where(np.arange(N_STATES) == N_STATES - 1, 1.0, -0.02)


def inputs():
    return 5, 60, 0.95, 0.5


def discount_rewards(r, gamma):
    """From the last reward to the first."""
    out = np.zeros_like(r)
    running = 0.0
    for t in range(r.size - 1, -1, -1):
        running = running * gamma + r[t]
        out[t] = running
    return out


def play(theta, rng, memory, limit=40):
    """One episode; what happened is appended to the memory's lists."""
    s = 0
    for _ in range(limit):
        p = softmax(theta[s])
        a = 1 if rng.random() < p[1] else 0
        nxt = int(np.clip(s + ACTIONS[a], 0, N_STATES - 1))
        memory["state"].append(s)
        memory["action"].append(a)
        memory["reward"].append(REWARDS[nxt])
        s = nxt
        if s == N_STATES - 1:
            return True
    return False


def run(seed, episodes, gamma, lr):
    rng = np.random.default_rng(seed)
    theta = np.zeros((N_STATES, 2))
    visits = np.zeros(N_STATES, dtype=np.int64)
    lengths, running = [], None
    wins = 0
    for ep in range(episodes):
        memory = {"state": [], "action": [], "reward": []}
        wins += play(theta, rng, memory)
        states, actions = np.array(memory["state"]), np.array(memory["action"])
        rewards = np.vstack(memory["reward"]).ravel()
        advantage = discount_rewards(rewards, gamma)
        if len(advantage) > 1:
            advantage -= advantage.mean()
            advantage /= advantage.std() + 1e-8
        # gradient of log softmax: one-hot minus probabilities
        grad = -softmax(theta[states])
        grad[np.arange(len(actions)), actions] += 1.0
        np.add.at(theta, states, lr * grad * advantage[:, None] / len(states))
        np.add.at(visits, states, 1)
        lengths.append(len(states))
        total = float(rewards.sum())
        running = total if running is None else 0.9 * running + 0.1 * total
    policy = softmax(theta)
    # How long a walk takes by the policy learned, by solving for the expected times
    P = np.zeros((N_STATES - 1, N_STATES - 1))
    for s in range(N_STATES - 1):
        for a, step in enumerate(ACTIONS):
            nxt = max(s + step, 0)
            if nxt < N_STATES - 1:
                P[s, nxt] += policy[s, a]
    times = np.linalg.solve(np.eye(N_STATES - 1) - P, np.ones(N_STATES - 1))
    return policy, visits, lengths, running, wins, times
