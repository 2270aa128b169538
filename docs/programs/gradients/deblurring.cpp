// A blurred and noisy picture is made sharp: the picture that blurs to what was seen and has the
// least total variation.
#include "expect.h"
#include "optimisers.h"

namespace deblurring {

np::array blur(np::array picture) {
  auto weights = np::exp(-0.5 * np::square(np::arange(-4, 5) / 1.5));
  weights = weights / np::sum(weights);
  for (int axis : {0, 1}) {
    auto wide = axis == 0 ? np::pad(picture, {{4, 4}, {0, 0}}, {.mode = "edge"})
                          : np::pad(picture, {{0, 0}, {4, 4}}, {.mode = "edge"});
    picture = np::matmul(np::lib::stride_tricks::sliding_window_view(wide, {9}, axis), weights);
  }
  return picture;
}

std::tuple<np::array, np::array> inputs() {
  auto y = np::arange(32)(np::_, np::newaxis), x = np::arange(32);
  auto disc = np::square(x - 20) + np::square(y - 11) < 50;
  auto box = (x > 4) & (x < 13) & (y > 14) & (y < 28);
  auto sharp = 0.2 + 0.6 * disc + 0.4 * box;
  return {sharp, blur(sharp) + np::random::default_rng(16).normal(0, 0.01, sharp.shape())};
}

std::tuple<np::array, np::array, np::array, np::array> run(const np::array& sharp,
                                                           const np::array& seen) {
  const auto rest = np::slice(1, np::none), but_last = np::slice(np::none, -1);
  auto loss = [&](const np::array& picture) {
    auto corner = picture(but_last, but_last);
    auto down = picture(rest, but_last) - corner, right = picture(but_last, rest) - corner;
    auto variation = np::sum(np::sqrt(np::square(down) + np::square(right) + 1e-6));
    return 0.5 * np::sum(np::square(blur(picture) - seen)) + 2e-3 * variation;
  };
  auto [found, losses] = optimisers::minimise(loss, seen, optimisers::adam{0.02}, 150);
  return {losses, np::mean(np::square(seen - sharp)), np::mean(np::square(found - sharp)), found};
}

void check(const np::array& losses, const np::array& before, const np::array& after,
           const np::array&) {
  expect(losses(-1) < 0.5 * losses(0), "the loss falls");
  expect(after < 0.3 * before, "5 dB nearer to the sharp picture");
}

}  // namespace deblurring
