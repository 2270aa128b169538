// A hidden Markov model of a dice player who cheats: the likeliest path by Viterbi, the chances
// forwards and backwards.
#include <numjit/np.h>

namespace np = numjit;

namespace viterbi {

std::tuple<np::array, np::array, np::array, np::array> inputs() {
  auto start = np::array{0.8, 0.2};
  auto move = np::array{{0.92, 0.08}, {0.15, 0.85}};
  auto loaded_die = np::array{0.1, 0.1, 0.1, 0.1, 0.1, 0.5};
  auto show = np::stack({np::full(6, 1.0 / 6), loaded_die});
  auto rng = np::random::default_rng(33);
  auto fair = rng.integers(0, 6, 25);
  auto loaded = rng.choice(6, 20, {.p = loaded_die});
  return {np::concatenate({fair, loaded}), start, move, show};
}

std::vector<np::array> run(const np::array& seen, const np::array& start, const np::array& move,
                           const np::array& show) {
  auto log_move = np::log(move), log_show = np::log(show);
  const auto steps = seen.len(), states = start.len();
  auto shown = [&](std::int64_t t) -> np::array { return log_show(np::_, seen(t)); };
  auto score = np::log(start) + shown(0);
  auto came_from = np::zeros({steps, states}, np::int64);
  auto forward = np::zeros({steps, states});
  forward(0) = score;
  for (std::int64_t t = 1; t < steps; ++t) {
    auto options = score(np::_, np::newaxis) + log_move;
    came_from(t) = np::argmax(options, {.axis = 0});
    score = np::max(options, {.axis = 0}) + shown(t);
    auto chances = forward(t - 1)(np::_, np::newaxis) + log_move;
    forward(t) = np::logaddexp(chances(0), chances(1)) + shown(t);
  }
  auto path = np::zeros(steps, np::int64);
  path(-1) = np::argmax(score);
  for (std::int64_t t = steps - 2; t >= 0; --t) path(t) = came_from(t + 1, path(t + 1));
  auto backward = np::zeros({steps, states});
  for (std::int64_t t = steps - 2; t >= 0; --t) {
    auto chances = log_move + shown(t + 1) + backward(t + 1);
    backward(t) = np::logaddexp(chances(np::_, 0), chances(np::_, 1));
  }
  auto evidence = np::logaddexp(forward(-1, 0), forward(-1, 1));
  return {path, np::max(score), evidence, np::exp(forward + backward - evidence)};
}

}  // namespace viterbi
