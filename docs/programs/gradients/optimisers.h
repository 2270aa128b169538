// Gradient descent, momentum, Adam and L-BFGS for trees of arrays: vectors, tuples, and structs
// with NUMJIT_FIELDS.
#pragma once

#include <numjit/np.h>

namespace np = numjit;

namespace optimisers {

template <class Tree>
Tree zeros_like(const Tree& tree) {
  return np::tree::map([](auto& x) { return np::zeros_like(x); }, tree);
}

template <class Tree>
np::array dot(const Tree& a, const Tree& b) {
  const auto x = np::tree::leaves(a), y = np::tree::leaves(b);
  auto sum = np::sum(x[0] * y[0]);
  for (std::size_t i = 1; i < x.size(); ++i) sum = sum + np::sum(x[i] * y[i]);
  return sum;
}

template <class Tree, class Length>
Tree along(const Tree& p, const Length& length, const Tree& way) {
  return np::tree::map([&](auto& p, auto& w) { return p + length * w; }, p, way);
}

/// start(p) gives the state, step(p, g, state) the next p: so of all optimisers here.
struct sgd {
  double rate;

  int start(const auto&) const { return 0; }
  template <class Tree>
  Tree step(const Tree& p, const Tree& g, int) const {
    return along(p, -rate, g);
  }
};

struct momentum {
  double rate, keep = 0.9;

  auto start(const auto& p) const { return zeros_like(p); }
  template <class Tree>
  Tree step(const Tree& p, const Tree& g, Tree& speed) const {
    speed = np::tree::map([&](auto& v, auto& g) { return keep * v - rate * g; }, speed, g);
    return along(p, 1.0, speed);
  }
};

struct adam {
  double rate, keep = 0.9, keep_square = 0.999;

  template <class Tree>
  struct state {
    int count;
    Tree mean, square;
  };
  template <class Tree>
  state<Tree> start(const Tree& p) const {
    return {0, zeros_like(p), zeros_like(p)};
  }
  template <class Tree>
  Tree step(const Tree& p, const Tree& g, state<Tree>& now) const {
    auto& [count, mean, square] = now;
    ++count;
    mean = np::tree::map([this](auto& m, auto& g) { return keep * m + (1 - keep) * g; }, mean, g);
    auto mixed = [this](auto& s, auto& g) { return keep_square * s + (1 - keep_square) * g * g; };
    square = np::tree::map(mixed, square, g);
    // Both means began at zero.
    const double even = 1 - std::pow(keep, count), even_square = 1 - std::pow(keep_square, count);
    auto stepped = [&](auto& p, auto& m, auto& s) {
      return p - rate * (m / even) / (np::sqrt(s / even_square) + 1e-8);
    };
    return np::tree::map(stepped, p, mean, square);
  }
};

/// Where the loss is small, and the losses on the way there.
template <class Loss, class Tree, class Optimiser>
std::pair<Tree, np::array> minimise(Loss loss, Tree p, const Optimiser& optimiser, int steps) {
  auto state = optimiser.start(p);
  auto losses = np::empty(steps);
  for (int i = 0; i < steps; ++i) {
    auto [value, g] = np::value_and_grad(loss)(p);
    losses(i) = value;
    p = optimiser.step(p, g, state);
  }
  return {p, losses};
}

/// The same by Newton's direction, from the last moves and how the gradient changed; halved until
/// the loss falls (a break each time).
template <class Loss, class Tree>
std::pair<Tree, np::array> lbfgs(Loss loss, Tree p, int steps, std::size_t memory = 8) {
  struct change {
    Tree move, turn;
    np::array bend;
  };
  auto [value, slope] = np::value_and_grad(loss)(p);
  std::vector<change> past;
  std::vector<np::array> losses{value};
  for (int step = 0; step < steps; ++step) {
    Tree way = slope;
    std::vector<np::array> shares(past.size());
    for (auto i = past.size(); i-- > 0;) {
      shares[i] = dot(past[i].move, way) / past[i].bend;
      way = along(way, -shares[i], past[i].turn);
    }
    // No scale is known at first: a step of length 1 at most.
    auto scale = past.empty() ? 1 / (1 + np::sqrt(dot(slope, slope)))
                              : past.back().bend / dot(past.back().turn, past.back().turn);
    way = np::tree::map([&](auto& w) { return -scale * w; }, way);
    for (std::size_t i = 0; i < past.size(); ++i)
      way = along(way, -shares[i] - dot(past[i].turn, way) / past[i].bend, past[i].move);
    auto fall = dot(slope, way);
    double length = 1;
    Tree ahead = along(p, length, way);
    auto there = np::value_and_grad(loss)(ahead);
    for (int halved = 0; !(there.first <= value + 1e-4 * length * fall); ++halved) {
      if (halved == 20) return {p, np::stack(losses)};  // nothing falls any more
      length *= 0.5;
      ahead = along(p, length, way);
      there = np::value_and_grad(loss)(ahead);
    }
    change last{along(ahead, -1.0, p), along(there.second, -1.0, slope), {}};
    last.bend = dot(last.move, last.turn);
    // Otherwise the curvature is not that of a minimum.
    if (last.bend > 1e-12 * dot(last.turn, last.turn)) {
      if (past.size() == memory) past.erase(past.begin());
      past.push_back(last);
    }
    p = ahead, value = there.first, slope = there.second;
    losses.push_back(value);
  }
  return {p, np::stack(losses)};
}

}  // namespace optimisers
