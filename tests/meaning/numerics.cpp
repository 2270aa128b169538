// Numerical programs as NumPy users write them: statistics, linear algebra, stencils, filters, simulations.
#include "harness.h"

#define SUITE Numerics

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PURE_PROGRAM(softmax_over_rows) {
  auto f = p.compile([](const np::array& x) {
    auto e = np::exp(x - np::max(x, {.axis = -1, .keepdims = true}));
    return e / np::sum(e, {.axis = -1, .keepdims = true});
  });
  p.show("a", f(wave(12).reshape(3, 4)));
  p.show("b", f(wave(10 + p.round).reshape(1, -1)));
}

PURE_PROGRAM(standard_score_and_covariance) {
  auto f = p.compile([](const np::array& x) {
    auto centred = x - np::mean(x, {.axis = 0});
    auto scaled = centred / np::std(x, {.axis = 0});
    return std::tuple(scaled, np::matmul(centred.T(), centred) / (x.shape(0) - 1), np::var(x));
  });
  p.show("a", f(wave(20).reshape(5, 4)));
  p.show("b", f(wave(21).reshape(7, 3)));
}

PURE_PROGRAM(nearest_centre) {
  auto f = p.compile([](const np::array& points, const np::array& centres) {
    auto d = points(np::_, np::newaxis) - centres(np::newaxis);
    auto distance = np::sum(d * d, {.axis = -1});
    return std::pair(np::argmin(distance, {.axis = 1}), np::sqrt(np::min(distance, {.axis = 1})));
  });
  p.show("a", f(wave(30).reshape(10, 3), wave(9, 1).reshape(3, 3)));
  p.show("b", f(wave(8).reshape(4, 2), wave(4, 1).reshape(2, 2)));
}

PROGRAM(k_means) {
  auto f = p.compile([&](const np::array& points, np::array centres) {
    int rounds = 0;
    for (; rounds < 20; ++rounds) {
      auto d = points(np::_, np::newaxis) - centres(np::newaxis);
      auto nearest = np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
      auto moved = centres.copy();
      for (std::int64_t k = 0; k < centres.len(); ++k) {
        auto mine = nearest == k;
        if (bool(np::any(mine))) moved(k) = np::mean(points(mine), {.axis = 0});
      }
      if (np::array_equal(moved, centres)) break;
      centres = moved;
    }
    p.out << "rounds " << rounds << "\n";
    return centres;
  });
  auto points = np::concatenate({wave(12).reshape(6, 2) * 0.1, wave(12, 1).reshape(6, 2) * 0.1 + 5});
  p.show("centres", f(points, points(np::array{0, 1})));
}

PURE_PROGRAM(pairwise_distances) {
  auto f = p.compile([](const np::array& x) {
    auto square = np::sum(x * x, {.axis = 1});
    auto d = square(np::_, np::newaxis) + square(np::newaxis) - 2 * np::matmul(x, x.T());
    return np::sqrt(np::maximum(d, 0));
  });
  p.show("d", f(wave(12).reshape(4, 3)));
}

PURE_PROGRAM(heat_on_a_plate) {
  auto f = p.compile([](np::array u, int steps) {
    auto inner = np::slice(1, -1), up = np::slice(np::none, -2), down = np::slice(2, np::none);
    for (int s = 0; s < steps; ++s)
      u(inner, inner) += 0.1 * (u(up, inner) + u(down, inner) + u(inner, up) + u(inner, down) - 4 * u(inner, inner));
    return np::max(u);
  });
  for (int steps : {1, 6, 6}) {
    auto u = wave(30).reshape(5, 6);
    p.show("max", f(u, steps));
    p.show("u", u);
  }
}

PURE_PROGRAM(game_of_life) {
  auto f = p.compile([](np::array z) {
    auto n = np::zeros_like(z);
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        if (dy != 1 || dx != 1)
          n(np::slice(1, -1), np::slice(1, -1)) +=
              z(np::slice(dy, z.shape(0) - 2 + dy), np::slice(dx, z.shape(1) - 2 + dx));
    auto birth = (n == 3) & (z == 0), survive = ((n == 2) | (n == 3)) & (z == 1);
    z(np::_) = 0;
    z(birth | survive) = 1;
  });
  auto z = np::zeros({7, 7}, np::int32);
  z(3, np::slice(2, 5)) = 1;
  z(2, 4) = 1;
  z(1, 3) = 1;
  for (int i = 0; i < 4; ++i) f(z);
  p.show("z", z);
}

PURE_PROGRAM(mandelbrot_by_masks) {
  auto f = p.compile([](const np::array& re, const np::array& im) {
    auto x = np::zeros_like(re), y = np::zeros_like(im), count = np::zeros(re.shape(), np::int64);
    for (int i = 0; i < 12; ++i) {
      auto inside = x * x + y * y < 4;
      auto next = x * x - y * y + re;
      y = np::where(inside, 2 * x * y + im, y);
      x = np::where(inside, next, x);
      count += inside;
    }
    return count;
  });
  auto x = np::linspace(-2, 0.5, 9), y = np::linspace(-1, 1, 5);
  auto grid = np::meshgrid({x, y});
  p.show("count", f(grid[0], grid[1]));
}

PURE_PROGRAM(black_scholes) {
  auto f = p.compile([](const np::array& s, const np::array& k, double t, double r, double v) {
    auto cnd = [](const np::array& d) {
      auto l = np::abs(d), q = 1 / (1 + 0.2316419 * l);
      auto poly = q * (0.31938153 + q * (-0.356563782 + q * (1.781477937 + q * (-1.821255978 + q * 1.330274429))));
      auto w = 1 - 0.39894228040143 * np::exp(-l * l / 2) * poly;
      return np::where(d < 0, 1 - w, w);
    };
    auto d1 = (np::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t));
    auto d2 = d1 - v * std::sqrt(t);
    return s * cnd(d1) - k * std::exp(-r * t) * cnd(d2);
  });
  p.show("a", f(ramp(6) * 10 + 50, np::full(6, 80.0), 1.0, 0.02, 0.3));
  p.show("b", f(ramp(3) * 10 + 50, ramp(3) + 60, 0.5, 0.01, 0.2));
}

PURE_PROGRAM(horner_and_derivative) {
  auto f = p.compile([](const np::array& x, const std::vector<double>& c) {
    auto value = np::zeros_like(x), slope = np::zeros_like(x);
    for (double a : c) {
      slope = slope * x + value;
      value = value * x + a;
    }
    return std::pair(value, slope);
  });
  p.show("cubic", f(wave(5), {1.0, -2.0, 0.5, 3.0}));
  p.show("other cubic", f(wave(5), {2.0, 0.0, 0.5, -1.0}));
  p.show("line", f(wave(5), {2.0, 1.0}));
}

PURE_PROGRAM(jacobi_sweeps) {
  auto f = p.compile([](const np::array& a, const np::array& b, int sweeps) {
    auto d = np::diag(a), x = np::zeros_like(b);
    auto r = a - np::diag(d);
    for (int i = 0; i < sweeps; ++i) x = (b - np::matmul(r, x)) / d;
    return x;
  });
  p.show("x", f(np::array{{4.0, 1.0, 0.0}, {1.0, 5.0, 2.0}, {0.0, 2.0, 6.0}}, ramp(3) + 1, 8));
}

PURE_PROGRAM(gram_schmidt) {
  auto f = p.compile([](np::array a) {
    const std::int64_t n = a.shape(1);
    auto q = np::zeros_like(a), r = np::zeros({n, n});
    for (std::int64_t k = 0; k < n; ++k) {
      auto norm = np::sqrt(np::sum(a(np::_, k) * a(np::_, k)));
      r(k, k) = norm;
      q(np::_, k) = a(np::_, k) / norm;
      for (std::int64_t j = k + 1; j < n; ++j) {
        r(k, j) = np::sum(q(np::_, k) * a(np::_, j));
        a(np::_, j) -= q(np::_, k) * r(k, j);
      }
    }
    return std::pair(q, r);
  });
  p.show("qr", f(wave(12).reshape(4, 3)));
}

PURE_PROGRAM(cholesky_by_elements) {
  auto f = p.compile([](np::array a) {
    for (std::int64_t j = 0; j < a.len(); ++j) {
      a(j, j) = np::sqrt(a(j, j) - np::sum(a(j, np::slice(j)) * a(j, np::slice(j))));
      for (std::int64_t i = j + 1; i < a.len(); ++i)
        a(i, j) = (a(i, j) - np::sum(a(i, np::slice(j)) * a(j, np::slice(j)))) / a(j, j);
    }
    return np::tril(a);
  });
  auto m = wave(9).reshape(3, 3);
  p.show("l", f(np::matmul(m, m.T()) + np::eye(3)));
}

PROGRAM(lu_with_pivoting) {
  auto f = p.compile([&](np::array a) {
    const std::int64_t n = a.len();
    std::vector<std::int64_t> order;
    for (std::int64_t k = 0; k + 1 < n; ++k) {
      const auto pivot = k + np::argmax(np::abs(a(np::slice(k, np::none), k))).item<std::int64_t>();
      order.push_back(pivot);
      if (pivot != k) {
        auto row = a(k).copy();
        a(k) = a(pivot);
        a(pivot) = row;
      }
      auto below = np::slice(k + 1, np::none);
      a(below, k) /= a(k, k);
      a(below, below) -= np::outer(a(below, k), a(k, below));
    }
    return order;
  });
  auto a = wave(16).reshape(4, 4);
  p.show("order", f(a));
  p.show("lu", a);
}

PURE_PROGRAM(shortest_paths) {
  auto f = p.compile([](np::array d) {
    for (std::int64_t k = 0; k < d.len(); ++k)
      d(np::_) = np::minimum(d, d(np::_, k)(np::_, np::newaxis) + d(k)(np::newaxis));
  });
  auto d = np::abs(wave(25)).reshape(5, 5);
  f(d);
  p.show("d", d);
}

PURE_PROGRAM(n_body_step) {
  auto f = p.compile([](np::array position, np::array velocity, const np::array& mass, double dt) {
    auto d = position(np::newaxis) - position(np::_, np::newaxis);
    auto r2 = np::sum(d * d, {.axis = -1}) + 0.01;
    auto weight = mass(np::newaxis) / (r2 * np::sqrt(r2));
    auto force = np::sum(d * weight(np::_, np::_, np::newaxis), {.axis = 1});
    velocity += force * dt;
    position += velocity * dt;
    return 0.5 * np::sum(mass * np::sum(velocity * velocity, {.axis = 1}));
  });
  auto x = wave(12).reshape(4, 3), v = np::zeros({4, 3});
  for (int i = 0; i < 4; ++i) p.show("energy", f(x, v, ramp(4) + 1, 0.01));
  p.show("x", x);
  p.show("v", v);
}

PURE_PROGRAM(moving_average_and_differences) {
  auto f = p.compile([](const np::array& x, int window) {
    auto sums = np::concatenate({np::zeros(1), np::cumsum(x)});
    auto average = (sums(np::slice(window, np::none)) - sums(np::slice(np::none, -window))) / window;
    return std::tuple(average, np::diff(x), np::diff(x, 2), np::gradient(x), np::trapezoid(x, 0.5));
  });
  p.show("a", f(wave(9), 3));
  p.show("b", f(wave(12), 4));
}

PURE_PROGRAM(convolution_by_slices) {
  auto f = p.compile([](const np::array& image, const np::array& kernel) {
    const auto h = image.shape(0) - kernel.shape(0) + 1, w = image.shape(1) - kernel.shape(1) + 1;
    auto out = np::zeros({h, w}, image.dtype());
    for (std::int64_t i = 0; i < kernel.shape(0); ++i)
      for (std::int64_t j = 0; j < kernel.shape(1); ++j)
        out += kernel(i, j) * image(np::slice(i, i + h), np::slice(j, j + w));
    return out;
  });
  p.show("a", f(wave(30).reshape(5, 6), wave(9).reshape(3, 3)));
  p.show("b", f(wave(30).reshape(6, 5).astype(np::float32), np::ones({2, 2}, np::float32)));
}

PURE_PROGRAM(two_layer_network) {
  auto f = p.compile([](const np::array& x, const np::array& w1, const np::array& b1, const np::array& w2) {
    auto h = np::maximum(np::matmul(x, w1) + b1, 0);
    auto z = np::matmul(h, w2);
    auto e = np::exp(z - np::max(z, {.axis = 1, .keepdims = true}));
    return np::log(e / np::sum(e, {.axis = 1, .keepdims = true}));
  });
  p.show("y", f(wave(8).reshape(4, 2), wave(6).reshape(2, 3), wave(3), wave(6, 1).reshape(3, 2)));
}

PURE_PROGRAM(histogram_and_bins) {
  auto f = p.compile([](const np::array& x) {
    auto bins = np::floor(np::clip((x + 3) * 2, 0, 11)).astype(np::int64);
    auto [counts, edges] = np::histogram(x, 4);
    return std::tuple(np::bincount(bins, {}, 12), counts, edges, np::digitize(x, np::array{-1.0, 0.0, 1.0}));
  });
  p.show("all", f(wave(20)));
}

PURE_PROGRAM(sorting_and_ranks) {
  auto f = p.compile([](const np::array& x) {
    auto order = np::argsort(x), sorted = np::sort(x);
    auto ranks = np::empty_like(order);
    ranks(order) = np::arange(x.size());
    return std::tuple(sorted, order, ranks, np::median(x), np::percentile(x, 30), np::searchsorted(sorted, 0.5));
  });
  p.show("a", f(wave(9)));
  p.show("b", f(wave(4)));
}

PURE_PROGRAM(einsum_and_tensordot) {
  auto f = p.compile([](const np::array& a, const np::array& b) {
    return std::tuple(np::einsum("ij,jk->ik", {a, b}), np::einsum("ij->j", {a}), np::einsum("ij,ji->", {a, b}),
                      np::tensordot(a, b, 1), np::inner(a, b.T()), np::kron(a, np::eye(2)));
  });
  p.show("all", f(wave(6).reshape(2, 3), wave(6, 1).reshape(3, 2)));
}

PURE_PROGRAM(complex_fourier_by_matrix) {
  auto f = p.compile([](const np::array& x) {
    auto n = np::arange(x.size());
    auto w = np::exp(np::outer(n, n) * std::complex<double>(0, -2 * np::pi / static_cast<double>(x.size())));
    auto y = np::matmul(w, x.astype(np::complex128));
    return std::tuple(np::abs(y), np::real(y), np::imag(y), np::angle(y + 1));
  });
  p.show("all", f(wave(6)));
}

PURE_PROGRAM(bit_tricks) {
  auto f = p.compile([](np::array n) {
    auto bits = (n(np::_, np::newaxis) >> np::arange(8)) & 1;
    auto gray = n ^ (n >> 1);
    n |= n >> 1;
    n |= n >> 2;
    n |= n >> 4;
    return std::tuple(bits, gray, np::bitwise_count(n), ~n & 255);
  });
  p.show("all", f(np::arange(0, 200, 23)));
}

PURE_PROGRAM(crossing_thresholds) {
  auto f = p.compile([](const np::array& x, double level) {
    auto above = x > level;
    auto rises = ~above(np::slice(np::none, -1)) & above(np::slice(1, np::none));
    return std::tuple(np::sum(rises), np::any(above), np::all(above), np::cumsum(above), np::count_nonzero(rises));
  });
  for (double level : {0.0, 1.0, -9.0}) p.show("all", f(wave(15), level));
}

PURE_PROGRAM(interpolation_and_rounding) {
  auto f = p.compile([](const np::array& x, const np::array& xp, const np::array& fp) {
    return std::tuple(np::interp(x, xp, fp), np::round(x, 1), np::trunc(x), np::rint(x * 2), np::nan_to_num(x / (x - x)));
  });
  p.show("all", f(wave(7), ramp(5) - 2, wave(5)));
}

PROGRAM(conjugate_gradient) {
  auto f = p.compile([&](const np::array& a, const np::array& b) {
    auto x = np::zeros_like(b), r = b - np::matmul(a, x), d = r;
    auto rho = np::dot(r, r);
    int i = 0;
    for (; i < 10 && bool(rho > 1e-18); ++i) {
      auto q = np::matmul(a, d), alpha = rho / np::dot(d, q);
      x += alpha * d;
      r -= alpha * q;
      auto next = np::dot(r, r);
      d = r + next / rho * d;
      rho = next;
    }
    p.out << "steps " << i << "\n";
    return x;
  });
  auto m = wave(16).reshape(4, 4);
  p.show("x", f(np::matmul(m, m.T()) + np::eye(4), ramp(4)));
}

PROGRAM(gradient_descent_with_line_search) {
  auto f = p.compile([&](np::array w, const np::array& x, const np::array& y) {
    auto loss = [&](const np::array& at) { return np::mean(np::square(np::matmul(x, at) - y)); };
    double value = loss(w).item<double>();
    for (int i = 0; i < 5; ++i) {
      auto gradient = 2 * np::matmul(x.T(), np::matmul(x, w) - y) / x.shape(0);
      double step = 1;
      np::array candidate;
      for (;; step /= 2) {
        candidate = w - step * gradient;
        const double now = loss(candidate).item<double>();
        if (now < value || step < 1e-6) {
          value = now;
          break;
        }
      }
      w = candidate;
      p.out << i << ": step " << step << "\n";
    }
    return w;
  });
  p.show("w", f(np::zeros(2), wave(12).reshape(6, 2), wave(6, 1)));
}

PURE_PROGRAM(sieve_of_primes) {
  auto f = p.compile([](int n) {
    auto prime = np::ones(n, np::bool_);
    prime(np::slice(2)) = false;
    for (int i = 2; i * i < n; ++i) prime(np::slice(i * i, np::none, i)) = false;
    return prime;
  });
  p.show("prime", f(40));
  p.show("prime", f(10));
}

PURE_PROGRAM(exercise_collection) {
  auto f = p.compile([](np::array z) {
    auto border = np::ones({4, 4});
    border(np::slice(1, -1), np::slice(1, -1)) = 0;
    auto checker = np::zeros({4, 4}, np::int64);
    checker(np::slice(1, np::none, 2), np::slice(np::none, np::none, 2)) = 1;
    checker(np::slice(np::none, np::none, 2), np::slice(1, np::none, 2)) = 1;
    z((z > 3) & (z < 8)) *= -1;
    auto polar = np::hypot(z, z + 1), angle = np::arctan2(z, z + 1);
    auto nearest = np::take(z, np::argmin(np::abs(z - 4.2)));
    auto centred = z - np::mean(z);
    return std::tuple(border, checker, polar, angle, nearest, centred, np::tile(checker(np::slice(2)), {1, 2}),
                      np::roll(z, 2), np::repeat(z, 2));
  });
  auto z = ramp(11);
  p.show("all", f(z));
  p.show("z", z);
}
