// A Kalman filter follows a moving thing by noisy positions, and smooths its path backwards (Rauch,
// Tung, Striebel).
#include <numjit/np.h>

namespace np = numjit;

namespace kalman_filter {

std::tuple<np::array> inputs() {
  auto rng = np::random::default_rng(12);
  auto t = 0.2 * np::arange(20);
  auto path = np::column_stack({t, np::sin(t)});
  return {path + rng.normal(0, 0.15, path.shape())};
}

std::vector<np::array> run(const np::array& seen) {
  using np::matmul;
  const double dt = 0.2;
  auto half = np::array{{1.0, dt}, {0.0, 1.0}};
  auto move = np::kron(half, np::eye(2));  // position, then velocity
  auto jolt = np::array{{dt * dt * dt / 3, dt * dt / 2}, {dt * dt / 2, dt}};
  auto drift = 0.05 * np::kron(jolt, np::eye(2));
  auto look = np::eye(2, 4);
  auto noise = 0.15 * 0.15 * np::eye(2);
  auto state = np::zeros(4), spread = 10 * np::eye(4), likelihood = np::array(0.0);
  std::vector<np::array> states, spreads, ahead_states, ahead_spreads;
  for (std::int64_t k = 0; k < seen.len(); ++k) {
    state = matmul(move, state);
    spread = matmul(matmul(move, spread), move.T()) + drift;
    ahead_states.push_back(state);
    ahead_spreads.push_back(spread);
    auto surprise = seen(k) - matmul(look, state);
    auto s = matmul(matmul(look, spread), look.T()) + noise;
    auto gain = np::linalg::solve(s, matmul(look, spread)).T();
    state = state + matmul(gain, surprise);
    spread = matmul(np::eye(4) - matmul(gain, look), spread);
    likelihood = likelihood - 0.5 * (matmul(surprise, np::linalg::solve(s, surprise)) +
                                     np::linalg::slogdet(2 * np::pi * s).logabsdet);
    states.push_back(state);
    spreads.push_back(spread);
  }
  auto smooth = states.back();
  std::vector<np::array> path{smooth};
  for (std::size_t k = states.size() - 1; k-- > 0;) {
    auto gain = np::linalg::solve(ahead_spreads[k + 1], matmul(move, spreads[k])).T();
    smooth = states[k] + matmul(gain, smooth - ahead_states[k + 1]);
    path.push_back(smooth);
  }
  return {np::stack(states), np::flip(np::stack(path), 0), spread, likelihood};
}

}  // namespace kalman_filter
