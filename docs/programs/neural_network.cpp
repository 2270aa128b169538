// A neural network with one hidden layer learns two spirals: forward, backward and Adam's steps by
// hand.
#include <numjit/np.h>

namespace np = numjit;

namespace neural_network {

using arrays = std::vector<np::array>;

std::tuple<np::array, np::array, arrays, int> inputs() {
  auto t = np::linspace(0.3, 1, 30) * 2 * np::pi;
  auto arm = np::column_stack({t * np::cos(t), t * np::sin(t)}) / 6;
  auto x = np::concatenate({arm, -0.9 * arm});
  auto y = np::repeat(np::arange(2), 30);
  auto rng = np::random::default_rng(1);
  arrays weights{rng.normal(0, 1, {2, 12}), np::zeros(12), rng.normal(0, 0.3, {12, 2}),
                 np::zeros(2)};
  return {x, y, weights, 25};
}

struct layers {
  np::array hidden, chances;
};

layers forward(const np::array& x, const arrays& p) {
  auto hidden = np::tanh(np::matmul(x, p[0]) + p[1]);
  auto scores = np::matmul(hidden, p[2]) + p[3];
  auto chances = np::exp(scores - np::max(scores, {.axis = 1, .keepdims = true}));
  return {hidden, chances / np::sum(chances, {.axis = 1, .keepdims = true})};
}

std::tuple<np::array, np::array, np::array> run(const np::array& x, const np::array& y,
                                                arrays parameters, int epochs) {
  const double rate = 0.05;
  arrays mean, square;
  for (const auto& p : parameters) {
    mean.push_back(np::zeros_like(p));
    square.push_back(np::zeros_like(p));
  }
  auto truth = (y(np::_, np::newaxis) == np::arange(2)).astype(np::float64);
  auto losses = np::empty(epochs);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    auto [hidden, chances] = forward(x, parameters);
    losses(epoch) = -np::mean(np::log(chances(np::arange(y.len()), y)));
    auto error = (chances - truth) / y.len();
    auto back = np::matmul(error, parameters[2].T()) * (1 - np::square(hidden));
    const arrays gradients{np::matmul(x.T(), back), np::sum(back, {.axis = 0}),
                           np::matmul(hidden.T(), error), np::sum(error, {.axis = 0})};
    const double m_share = 1 - std::pow(0.9, epoch + 1), s_share = 1 - std::pow(0.999, epoch + 1);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      mean[i] += 0.1 * (gradients[i] - mean[i]);
      square[i] += 0.001 * (np::square(gradients[i]) - square[i]);
      parameters[i] -= rate * (mean[i] / m_share) / (np::sqrt(square[i] / s_share) + 1e-8);
    }
  }
  auto chances = forward(x, parameters).chances;
  return {losses, chances, np::mean(np::argmax(chances, {.axis = 1}) == y)};
}

}  // namespace neural_network
