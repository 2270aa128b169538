// Stencils on an OpenCL device: the bits of the host, by kernels that keep tiles in shared memory where that pays.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <device/on_device.h>

namespace {

namespace np = numjit;
using np::slice;
using numjit::testing::device_kind;
using numjit::testing::expect_same;
using numjit::testing::numbers;

class OpenClStencils : public numjit::testing::OnOpenCl {};

np::array field(std::initializer_list<std::int64_t> shape, const np::dtype& type = np::float64) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  np::array x = numbers(n);
  if (type.kind() == 'c') x = x + np::cos(np::arange(static_cast<double>(n))) * std::complex<double>(0.0, 1.0);
  if (type.kind() == 'u' || type.kind() == 'i') x = np::absolute(x) * 40.0;
  if (type.kind() == 'b') return np::reshape(x > 0.5, np::dims(shape));
  return np::reshape(x.astype(type), np::dims(shape));
}

/// What kernels of a function on arrays of the device are, one after the other.
template <class F, class... Arrays>
std::string schedules(const F& f, Arrays&&... there) {
  std::string all;
  for (const auto& kernel : np::explain(f)(there...).kernels) all += (all.empty() ? "" : ", ") + kernel.schedule;
  return all;
}

/// The same bits as on the host, by one kernel of this template.
template <class F, class... Arrays>
void expect_by(const std::string& schedule, const F& f, const Arrays&... arrays) {
  const auto there = std::tuple(np::array(arrays.to(device_kind()))...);
  numjit::testing::expect_there(f, arrays...);
  auto compiled = np::compile(f);
  (void)std::apply(compiled, there);
  EXPECT_EQ(std::apply([&](const auto&... a) { return schedules(compiled, a...); }, there),
            schedule + " on " + numjit::testing::device_name());
}

const slice inner(1, -1), before(0, -2), after(2, np::none);
const auto heat = [](const np::array& u) {
  return u(inner, inner) +
         0.1 * (u(before, inner) + u(after, inner) + u(inner, before) + u(inner, after) - 4.0 * u(inner, inner));
};
/// The point and 24 around it.
const auto box = [](const np::array& u) {
  const std::int64_t rows = u.shape(0) - 4, columns = u.shape(1) - 4;
  np::array sum = u(slice(0, rows), slice(0, columns)) / 25.0;
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = i == 0 ? 1 : 0; j < 5; ++j) sum = sum + u(slice(i, rows + i), slice(j, columns + j));
  return sum;
};
/// Few neighbours of what costs something to compute.
const auto hot = [](const np::array& u) {
  return np::exp(u(before, inner)) + np::exp(u(after, inner)) + np::exp(u(inner, before)) + np::exp(u(inner, after)) -
         4.0 * np::exp(u(inner, inner));
};

TEST_F(OpenClStencils, TilesOfAllSizes) {
  for (const auto& [rows, columns] : {std::pair{34, 34}, {35, 66}, {67, 41}, {100, 200}, {10, 34}, {131, 99}}) {
    SCOPED_TRACE(std::to_string(rows) + " by " + std::to_string(columns));
    expect_by("gpu_stencil", hot, field({rows, columns}));
    expect_by("gpu_stencil", box, field({rows + 2, columns + 2}, np::float32));
  }
}

TEST_F(OpenClStencils, OfOtherDtypes) {
  for (const np::dtype& type :
       {np::dtype(np::bool_), np::dtype(np::int16), np::dtype(np::uint64), np::dtype(np::float16), np::dtype(np::complex64)}) {
    SCOPED_TRACE(std::string(type.name()));
    expect_by("gpu_stencil", box, field({40, 71}, type));
  }
}

TEST_F(OpenClStencils, OfMoreThanOneArrayAndResult) {
  const auto laplacian = [](const np::array& u) { return np::array(hot(u)); };
  const np::array u = field({50, 70}), v = np::cos(field({50, 70}));
  const auto gray_scott = [&](const np::array& a, const np::array& b) {
    const np::array middle = a(inner, inner), other = b(inner, inner), r = middle * other * other;
    return middle + 0.16 * laplacian(a) - r + 0.06 * (1.0 - middle);
  };
  expect_by("gpu_stencil", gray_scott, u, v);
  const auto wave = [&](const np::array& now, const np::array& past) {
    return 2.0 * now(inner, inner) - past(inner, inner) + 0.2 * laplacian(now);
  };
  expect_by("gpu_stencil", wave, u, v);
  // Two results of one kernel, one of them the other array's step.
  auto both = np::compile([&](const np::array& a, const np::array& b) {
    return std::tuple(a(inner, inner) + 0.1 * laplacian(a), b(inner, inner) + 0.2 * laplacian(b) * a(inner, inner));
  });
  const auto [x, y] = both(u, v);
  const auto [p, q] = both(u.to(device_kind()), v.to(device_kind()));
  expect_same(x, p);
  expect_same(y, q);
  EXPECT_THAT(schedules(both, u.to(device_kind()), v.to(device_kind())), ::testing::HasSubstr("gpu_stencil"));
}

/// A costly function of what is read is computed once a point; a cast or the flux between two neighbours is not.
TEST_F(OpenClStencils, OfComputedValues) {
  const auto sobel = [](const np::array& image) {
    const np::array x = image.astype(np::float32);
    const np::array gx = (x(before, after) + 2.0 * x(inner, after) + x(after, after)) -
                         (x(before, before) + 2.0 * x(inner, before) + x(after, before));
    const np::array gy = (x(after, before) + 2.0 * x(after, inner) + x(after, after)) -
                         (x(before, before) + 2.0 * x(before, inner) + x(before, after));
    return np::sqrt(gx * gx + gy * gy);
  };
  expect_by("gpu_elementwise", sobel, field({70, 90}, np::uint8));
  // The flux between neighbours, written out at each of them.
  const auto flux = [](const np::array& a, const np::array& b) { return (a - b) / (1.0 + (a - b) * (a - b)); };
  const auto diffusion = [&](const np::array& u) {
    const np::array m = u(inner, inner);
    return m +
           0.1 * (flux(u(before, inner), m) - flux(m, u(after, inner)) + flux(u(inner, before), m) - flux(m, u(inner, after)));
  };
  expect_by("gpu_elementwise", diffusion, field({45, 67}));
  const auto of_roots = [](const np::array& u) {
    return np::exp(u(before, inner)) + np::exp(u(after, inner)) + np::exp(u(inner, before)) + np::exp(u(inner, after)) +
           np::sin(u(inner, inner));
  };
  expect_by("gpu_stencil", of_roots, field({45, 67}));
}

TEST_F(OpenClStencils, OfOtherLayouts) {
  const auto transposed = [](const np::array& u) { return hot(u.T()); };
  expect_by("gpu_stencil", transposed, field({61, 43}));
  const auto every_second = [](const np::array& u) { return hot(u(slice(np::none, np::none, 2), slice(np::none, np::none, 2))); };
  expect_by("gpu_stencil", every_second, field({90, 80}));
  const auto backwards = [](const np::array& u) { return hot(u(slice(np::none, np::none, -1), slice(np::none, np::none, -1))); };
  expect_by("gpu_stencil", backwards, field({44, 80}));
  // Colours of a picture stand beside each other; pictures of a stack behind each other.
  const auto colours = [](const np::array& u) { return box(u); };
  expect_by("gpu_stencil", colours, field({40, 50, 3}, np::float32));
  const auto stack = [](const np::array& u) {
    return np::exp(u(np::_, before, inner)) + np::exp(u(np::_, after, inner)) + np::exp(u(np::_, inner, before)) -
           np::exp(u(np::_, inner, after));
  };
  expect_by("gpu_stencil", stack, field({5, 37, 50}));
  // Neighbours along the first and the last axis, none along the one between.
  const auto outer = [](const np::array& u) {
    return np::sin(u(before, np::_, inner)) + np::sin(u(after, np::_, before)) -
           np::sin(u(inner, np::_, after)) * np::sin(u(inner, np::_, inner));
  };
  expect_by("gpu_stencil", outer, field({37, 4, 50}));
  const auto solid = [](const np::array& u) {
    const auto e = [](const np::array& v) { return np::exp(v); };
    return e(u(before, inner, inner)) + e(u(after, inner, inner)) + e(u(inner, before, inner)) + e(u(inner, after, inner)) +
           e(u(inner, inner, before)) + e(u(inner, inner, after)) - 6.0 * e(u(inner, inner, inner));
  };
  expect_by("gpu_stencil", solid, field({19, 21, 45}));
  const auto with_row = [](const np::array& u, const np::array& row) { return hot(u) * row(inner) + row(before); };
  expect_by("gpu_stencil", with_row, field({40, 50}), field({50}));
}

/// Far neighbours: tiles that have no room in shared memory are not made.
TEST_F(OpenClStencils, OfManyAndFarNeighbours) {
  const auto wide = [](const np::array& u) {
    const std::int64_t rows = u.shape(0) - 13, columns = u.shape(1) - 13;
    np::array sum = u(slice(0, rows), slice(6, -7)) * 0.5;
    for (std::int64_t d = 1; d <= 13; ++d)
      sum = sum + u(slice(d, rows + d), slice(6, -7)) + u(slice(6, -7), slice(d, columns + d));
    return sum;
  };
  expect_by("gpu_stencil", wide, field({50, 77}));
}

TEST_F(OpenClStencils, WhereItDoesNotPayThereAreNoTiles) {
  const auto line = [](const np::array& u) { return u(before) - 2.0 * u(inner) + u(after); };
  expect_by("gpu_elementwise", line, field({500}));
  expect_by("gpu_elementwise", heat, field({50, 60}));
  const auto along_x = [](const np::array& u) { return u(np::_, before) - 2.0 * u(np::_, inner) + u(np::_, after); };
  expect_by("gpu_elementwise", along_x, field({50, 60}));
  const auto two = [](const np::array& u) { return u(before, inner) - u(after, inner); };
  expect_by("gpu_elementwise", two, field({50, 60}));
  expect_by("gpu_elementwise", hot, field({50, 20}));
  const auto others = [](const np::array& a, const np::array& b, const np::array& c) { return a + b * c; };
  expect_by("gpu_elementwise", others, field({40, 50}), field({40, 50}), field({40, 50}));
}

/// Steps in place, and arrays that take turns: what a kernel reads is never what it writes.
TEST_F(OpenClStencils, OverTime) {
  auto in_place = np::compile([](np::array& u) {
    u(inner, inner) += 0.1 * (u(before, inner) + u(after, inner) + u(inner, before) + u(inner, after) - 4.0 * u(inner, inner));
  });
  const np::array start = field({60, 90});
  np::array here = start.copy(), there = start.to(device_kind());
  for (int i = 0; i < 7; ++i) in_place(here), in_place(there);
  expect_same(here, there);
  auto turns = np::compile([](const np::array& u, np::array& v) { v(inner, inner) = 0.1 * hot(u); });
  np::array a = start.copy(), b = start.copy(), c = start.to(device_kind()), d = start.to(device_kind());
  for (int i = 0; i < 9; ++i) {
    turns(a, b), turns(c, d);
    std::swap(a, b), std::swap(c, d);
  }
  expect_same(a, c);
  EXPECT_THAT(schedules(turns, c, d), ::testing::HasSubstr("gpu_stencil"));
}

/// What is read around each point is computed by the kernel that reads it, tile by tile, and never stored.
TEST_F(OpenClStencils, OfWhatAnotherKernelWouldStore) {
  const std::string on = " on " + numjit::testing::device_name(), pair = "in the next kernel" + on + ", gpu_stencil" + on;
  const auto expect_kernels = [](const std::string& wanted, const auto& f, const auto&... arrays) {
    numjit::testing::expect_there(f, arrays...);
    auto compiled = np::compile(f);
    const auto there = std::tuple(np::array(arrays.to(device_kind()))...);
    for (int i = 0; i < 3; ++i) (void)std::apply(compiled, there);
    EXPECT_EQ(std::apply([&](const auto&... a) { return schedules(compiled, a...); }, there), wanted);
  };
  const np::array u = field({70, 101});
  const auto twice = [](const np::array& x) { return heat(heat(x)); };
  expect_kernels(pair, twice, u);
  const auto four_times = [](const np::array& x) { return heat(heat(heat(heat(x)))); };
  expect_kernels(pair + ", " + pair, four_times, u);
  const auto blurred_grey = [](const np::array& r, const np::array& g, const np::array& b) {
    return heat(0.3 * r + 0.59 * g + 0.11 * b);
  };
  expect_kernels(pair, blurred_grey, u, field({70, 101}) * 0.5, np::cos(u));
  const auto turned = [](const np::array& x, const np::array& y) { return heat(np::sqrt(np::absolute(x.T())) + y); };
  expect_kernels(pair, turned, u, field({101, 70}));
  // Stored in columns, as its operand is: not in the order of its reader's tiles.
  const auto in_columns = [](const np::array& x) { return heat(np::sqrt(np::absolute(x.T())) + 1.0); };
  expect_kernels("gpu_elementwise" + on + ", gpu_elementwise" + on, in_columns, u);
  const auto with_numbers = [](const np::array& x, const np::array& row) { return heat(x * 0.25 + row - 3.0) * 0.5 + 7.0; };
  expect_kernels(pair, with_numbers, u, field({101}));
  // Stored all the same where somebody else wants it: a result, another kernel.
  const auto kept = np::compile([](const np::array& x) {
    const np::array v = x * x + 1.0;
    return std::tuple(v, heat(v));
  });
  const auto [a, b] = kept(u);
  const auto [c, d] = kept(u.to(device_kind()));
  expect_same(a, c);
  expect_same(b, d);
  const auto read_twice = [](const np::array& x) {
    const np::array v = np::sqrt(np::absolute(x)) * 2.0, w = heat(v);
    return np::sum(w, {.axis = 1}) + np::sum(np::cumsum(v, {.axis = 0})(inner, inner), {.axis = 1});
  };
  numjit::testing::expect_there(read_twice, u);
  // In place: what it is made from is overwritten by the result.
  auto in_place = np::compile([](np::array& x) { x(slice(2, -2), slice(2, -2)) = heat(heat(x)); });
  np::array here = u.copy(), there = u.to(device_kind());
  for (int i = 0; i < 5; ++i) in_place(here), in_place(there);
  expect_same(here, there);
  // Written between: the first kernel has read before.
  auto between = np::compile([](np::array& x) {
    const np::array v = x * 3.0 + 1.0;
    x += 1.0;
    return heat(v);
  });
  here = u.copy(), there = u.to(device_kind());
  for (int i = 0; i < 3; ++i) {
    const np::array p = between(here), q = between(there);
    expect_same(p, q);
    expect_same(here, there);
  }
}

/// Arrays of the host that a scope moves in: only what the views show goes there, so that corners may be missing.
TEST_F(OpenClStencils, OfArraysOfTheHost) {
  const np::array u = field({60, 90});
  auto f = np::compile(hot);
  auto g = np::compile(box);
  np::array x, y;
  {
    np::device scope(device_kind());
    x = f(u);
    y = g(u);
  }
  expect_same(hot(u), x);
  expect_same(box(u), y);
  // A view whose corners lie outside of the memory that it is part of: 34 rows of 40 behind one element, less one.
  const np::array flat = field({40 * 40});
  const auto inside = [](const np::array& all) {
    const np::array v = np::reshape(all(slice(0, 40 * 40)), {40, 40});
    return hot(v);
  };
  expect_by("gpu_stencil", inside, flat);
}

// ---- neighbours across the border: arrays that np.roll and others put together are not made ----

np::array periodic(const np::array& u) {
  return u + 0.1 * (np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1) - 4.0 * u);
}

np::array hot_periodic(const np::array& u) {
  const auto e = [&](int steps, int axis) { return np::exp(np::roll(u, steps, axis)); };
  return e(1, 0) + e(-1, 0) + e(1, 1) + e(-1, 1) - 4.0 * np::exp(u);
}

/// The same bits as on the host, the last kernel in pieces of this template.
template <class F, class... Arrays>
void expect_in_pieces(const std::string& schedule, const F& f, const Arrays&... arrays) {
  const auto there = std::tuple(np::array(arrays.to(device_kind()))...);
  numjit::testing::expect_there(f, arrays...);
  const std::string all = std::apply([&](const auto&... a) { return schedules(np::compile(f), a...); }, there);
  EXPECT_THAT(all, ::testing::EndsWith(schedule + " in pieces on " + numjit::testing::device_name()));
}

TEST_F(OpenClStencils, SeeThroughRolls) {
  for (const auto& [rows, columns] : {std::pair{64, 64}, {100, 70}, {67, 333}}) {
    SCOPED_TRACE(std::to_string(rows) + " by " + std::to_string(columns));
    expect_in_pieces("gpu_elementwise", periodic, field({rows, columns}));
    expect_in_pieces("gpu_stencil", hot_periodic, field({rows, columns}));
  }
  expect_in_pieces("gpu_elementwise", [](const np::array& u) { return np::roll(u, 3, 0) - u; }, field({5000}));
  expect_in_pieces(
      "gpu_elementwise", [](const np::array& u) { return np::roll(np::roll(u, 2, 0), -5, 1) * 2.0f - np::roll(u, 1, 1); },
      field({80, 90}, np::float32));
  expect_in_pieces(
      "gpu_elementwise", [](const np::array& u) { return np::array(np::roll(u, 1, 0)(slice(2, 50))) + u(slice(0, 48)); },
      field({80, 90}));
  expect_in_pieces(
      "gpu_elementwise", [](const np::array& u) { return np::roll(u, 1, 1).T() + np::roll(u, -1, 0).T(); }, field({80, 90}));
  expect_in_pieces(
      "gpu_elementwise", [](const np::array& u) { return np::roll(u, 1, 0)(7) * np::roll(u, 1, 1); }, field({80, 90}));
  expect_in_pieces(
      "gpu_elementwise",
      [](const np::array& u) { return np::roll(u, 1, 2) + np::roll(u, 1, 1) + np::roll(u, -1, 0) + np::roll(u, -1, 1); },
      field({20, 40, 50}, np::complex64));
  expect_in_pieces(
      "gpu_elementwise",
      [](const np::array& u, const np::array& v) {
        return np::concatenate({u, v * 2.0}, {.axis = 1}) + 1.0;
      },
      field({60, 60}), field({60, 80}));
}

/// Whatever asks for them has them made, and so does whatever overwrites what they consist of.
TEST_F(OpenClStencils, MakeJoinsThatOthersRead) {
  const np::array u = field({80, 90}), v = np::cos(u);
  using numjit::testing::expect_there;
  expect_there([](const np::array& a) { return np::sum(np::roll(a, 1, 0), {.axis = 1}); }, u);
  expect_there([](const np::array& a) { return np::cumsum(np::roll(a, 1, 0), {.axis = 1}) + np::roll(a, 1, 1); }, u);
  expect_there([](const np::array& a) { const np::array r = np::roll(a, 1, 0); return r + np::sort(r, 1); }, u);
  expect_there([](const np::array& a) { return np::roll(a, 7) * 2.0 + a; }, u);  // over rows that are joined to one
  expect_there(
      [](const np::array& a) {
        return np::roll(a, 1, 0)(slice(np::none, np::none, 2)) + np::flip(np::roll(a, 1, 1))(slice(0, 40));
      },
      u);
  expect_there([](const np::array& a) { return np::roll(np::exp(a), 1, 0) + np::roll(np::exp(a), 1, 1) * a; }, u);
  expect_there(
      [](const np::array& a) { return np::roll(np::roll(np::roll(a, 1, 0), 2, 1), 3, 0) - np::roll(np::roll(a, 40, 0), 45, 1); },
      u);
  expect_there([](const np::array& a) { return periodic(periodic(periodic(a))); }, u);
  expect_there([](const np::array& a,
                  const np::array& b) { return np::where(np::roll(a, 1, 0) > b, np::roll(b, -1, 1), np::roll(a, -2, 0)); },
               u, v);
  const auto stored = [](const np::array& a) {
    np::array b = a.copy();
    const np::array r = np::roll(b, 1, 0), s = np::roll(b, 1, 1);
    b(slice(10, 20)) = -1.0;
    b += r * 0.5;
    b(inner, inner) = (r + s)(inner, inner);
    return b + r;
  };
  expect_there(stored, u);
  // In place, from the array itself.
  auto step = np::compile([](np::array& a) {
    for (int i = 0; i < 3; ++i) a += 0.1 * (np::roll(a, 1, 0) - 2.0 * a + np::roll(a, -1, 0));
    a(inner) = np::roll(a, 1, 1)(inner) * 0.5;
  });
  np::array here = u.copy(), there = u.to(device_kind());
  for (int i = 0; i < 5; ++i) step(here), step(there);
  expect_same(here, there);
}

/// 20 random programs of rolls, joins, steps and stores.
TEST_F(OpenClStencils, RandomProgramsOfRolls) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = [seed](const np::array& x, const np::array& y) {
      std::mt19937 random(seed);
      const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
      std::vector<np::array> values{x.copy(), y * 1.0};
      const auto any = [&]() -> np::array& {
        return values[static_cast<std::size_t>(below(static_cast<unsigned>(values.size())))];
      };
      for (int i = 0; i < 9; ++i) {
        const np::array a = any(), b = any();
        switch (below(7)) {
          case 0: values.push_back(np::roll(a, below(9) - 4, below(2))); break;
          case 1: values.push_back(np::roll(np::roll(a, 1, 0), -1, 1)); break;
          case 2: values.push_back(a * 0.5 + np::roll(b, 1, 0) - 0.25 * np::roll(b, -1, 1)); break;
          case 3:
            values.push_back(np::concatenate({np::array(a(slice(0, 30))), np::array(b(slice(30, np::none)))}, {.axis = 0}));
            break;
          case 4: any()(slice(below(10), 60)) = np::array(b(slice(0, 60)))(slice(below(10), np::none))(0) * 0.5; break;
          case 5: any() += 0.125 * np::roll(b, 2, 1); break;
          default: values.push_back(np::maximum(a, b - np::mean(np::roll(a, 1, 0), {.axis = 0}))); break;
        }
      }
      np::array all = values[0] * 1.0;
      for (std::size_t i = 1; i < values.size(); ++i) all = all + values[i] * static_cast<double>(i);
      return all;
    };
    numjit::testing::expect_there(program, field({70, 66}), np::cos(field({70, 66})));
  }
}

}  // namespace
