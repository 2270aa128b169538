// Programs over arrays whose axes lie in another order than C's: results keep it, in graphs as by themselves.
#include "harness.h"

#define SUITE MemoryOrder

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

namespace {

/// The same shape, 4 x 3 x 5, in another order of axes in each round.
np::array permuted(int round) {
  switch (round % 4) {
    case 0: return np::transpose(wave(60).reshape(5, 3, 4), {2, 1, 0});
    case 1: return np::transpose(wave(60).reshape(3, 5, 4), {2, 0, 1});
    case 2: return np::transpose(wave(60).reshape(3, 4, 5), {1, 0, 2});
    default: return wave(60).reshape(4, 3, 5);
  }
}

}  // namespace

PROGRAM(fortran_order_goes_through_a_chain) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    auto d = x - 2 * y;
    auto e = np::exp(-d * d) + d;
    return std::tuple(e, np::where(d > 0, d, x), e.T(), np::sqrt(np::abs(d)).reshape(-1), np::ravel(e));
  });
  auto x = wave(12).reshape(3, 4).T();
  p.show("both", f(x, ramp(12).reshape(3, 4).T()));
  p.show("a row", f(x, ramp(3)));
  p.show("a column", f(x, ramp(4).reshape(4, 1)));
  p.show("another order", f(x, ramp(12).reshape(4, 3)));
}

PROGRAM(orders_that_change_from_call_to_call) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    auto d = x * y;
    return std::tuple(d, d + y, d > x, np::transpose(d, {1, 2, 0}) + 1);
  });
  const auto x = permuted(p.round), y = permuted(p.round + 1);
  p.show("alike", f(x, x));
  p.show("with another", f(x, y));
  p.show("reversed", f(x(np::slice(np::none, np::none, -1)), x(np::_, np::_, np::slice(np::none, np::none, -1))));
  p.show("parts", f(x(np::_, np::slice(1, np::none)), x(np::_, np::slice(0, 2))));
}

PROGRAM(views_of_values_that_are_never_stored) {
  auto f = p.compile([](const np::array& x) {
    auto d = x * 2.0;
    auto inner = d(np::slice(1, np::none), np::_, np::slice(np::none, np::none, 2));
    auto turned = np::transpose(x + 1.0, {2, 0, 1})(np::slice(np::none, np::none, -1));
    return std::tuple(inner + 1.0, np::sum(turned * turned, {.axis = 1}), turned(1) - 3.0);
  });
  p.show("f", f(permuted(p.round)));
}

PROGRAM(reductions_keep_the_order_of_what_stays) {
  auto f = p.compile([](const np::array& x) {
    auto c = x - np::mean(x, {.axis = 1, .keepdims = true});
    return std::tuple(np::sum(x, {.axis = 0}), np::max(c, {.axis = 2}), np::sum(c * c, {.axis = 1, .keepdims = true}),
                      np::argmax(x, {.axis = 1}), np::cumsum(x, {.axis = 1}), np::any(c > 0, {.axis = 0}),
                      np::prod(x, {.axis = {0, 2}}), np::var(x, {.axis = 2}));
  });
  p.show("f", f(permuted(p.round)));
}

PROGRAM(rows_of_large_arrays) {
  auto f = p.compile([](const np::array& x, const np::array& y) {
    auto d = x - np::max(x, {.axis = 1, .keepdims = true});
    auto e = np::exp(d);
    auto s = e / np::sum(e, {.axis = 1, .keepdims = true});
    return std::tuple(s, np::sum(s * y, {.axis = 0}), s + y);
  });
  const auto x = wave(300 * 200).reshape(200, 300).T(), y = wave(300 * 200).reshape(300, 200);
  p.show("fortran", f(x, x));
  p.show("mixed", f(x, y));
  p.show("c", f(y, y));
}

PROGRAM(lengths_that_data_decides) {
  auto f = p.compile([](const np::array& x, const np::array& mask) {
    auto rows = x(mask);
    auto turned = rows.T() * 2;
    return std::tuple(turned, turned + np::sum(rows), rows + 1);
  });
  auto x = wave(24).reshape(6, 4);
  p.show("some", f(x, x(np::_, 0) > 0.1 * p.round));
  p.show("one", f(x, np::arange(6) == p.round % 6));
  p.show("none", f(x, x(np::_, 0) > 100));
}

PROGRAM(stores_and_targets_stay_where_they_are) {
  auto f = p.compile([](np::array x, np::array target) {
    np::add(x, 1, {.out = target});
    target(0) = x(1) * 2;
    x *= target;
    return std::tuple(target * 2, x - 1);
  });
  auto x = wave(12).reshape(3, 4).T(), target = np::zeros({4, 3});
  p.show("f", f(x, target));
  p.show("x", x);
  p.show("target", target);
  p.shared("x, target", x, target);
}
