// The connected parts of a picture: labels spread until nothing changes; sizes, centres and boxes
// of the largest parts.
#include <numjit/np.h>

namespace np = numjit;

namespace connected_components {

std::tuple<np::array> inputs() {
  auto rng = np::random::default_rng(15);
  return {rng.random({18, 24}) < 0.5};
}

std::vector<np::array> run(const np::array& picture) {
  const auto h = picture.shape(0), w = picture.shape(1);
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  auto label = np::where(picture, np::arange(1, h * w + 1).reshape(h, w), 0);
  while (true) {
    auto old = label;
    auto wide = np::pad(label, 1);
    auto near = np::maximum(np::maximum(wide(before, in), wide(behind, in)),
                            np::maximum(wide(in, before), wide(in, behind)));
    label = np::where(picture, np::maximum(label, near), 0);
    if (np::all(label == old)) break;  // a break per round
  }
  auto [names, first, number, sizes] = np::unique_all(label);
  number = number.reshape(h, w);
  auto grid = np::indices({h, w});
  std::vector<np::array> sums;
  for (int axis = 0; axis < 2; ++axis)
    sums.push_back(np::bincount(number.ravel(), grid(axis).ravel()));
  auto centre = np::stack(sums, {.axis = 1}) / sizes(np::_, np::newaxis);
  const auto parts = np::slice(1, np::none);
  np::array largest = np::argsort(-sizes(parts))(np::slice(3)) + 1;
  auto boxes = np::zeros({3, 4}, np::int64);
  for (int i = 0; i < 3; ++i) {
    auto inside = number == largest(i);
    auto rows = np::flatnonzero(np::any(inside, {.axis = 1}));
    auto columns = np::flatnonzero(np::any(inside, {.axis = 0}));
    boxes(i) = np::stack({np::min(rows), np::max(rows), np::min(columns), np::max(columns)});
  }
  return {number, sizes(parts), centre(largest), boxes, names(-1)};
}

}  // namespace connected_components
