// The three suites of ./dev test bits.
#include <cstring>
#include <memory>
#include <random>

#include <numjit/ops/bind.h>
#include <support/random_program.h>

#include "case.h"
#include "reduction_cases.h"

namespace bits {
namespace {

using np::dtype_id;

// ---- the op matrix ----

constexpr std::int64_t rows = 37, columns = 331;  // above what threads share, and no multiple of a vector

template <class T>
std::vector<T> special_numbers() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T(0), -T(0), T(1), T(-1), limits::quiet_NaN(), limits::infinity(), -limits::infinity(),
            limits::denorm_min(), -limits::denorm_min(), limits::min(), -limits::min(), limits::max(),
            limits::lowest(), limits::min() - limits::denorm_min(), 1 + limits::epsilon(),
            1 - limits::epsilon() / 2, T(0.5), T(-0.5), T(1.5), T(2), T(-2.5), T(3), T(0.1), T(1e-8), T(1e10),
            T(1.5707963267948966), T(-3.141592653589793), T(88.8), T(710.5), T(-745.5), T(1e22), T(9007199254740993.0)};
  else
    return {T(0), T(1), limits::max(), limits::min(), static_cast<T>(limits::min() + 1), static_cast<T>(limits::max() - 1),
            static_cast<T>(-1), T(2), T(3), T(7), static_cast<T>(-7), T(10), T(100), T(64), T(31), T(32)};
}

/// Any bits, numbers of moderate size, or small ones: all kinds occur in every array.
template <class T>
T random_number(std::mt19937_64& random) {
  const std::uint64_t bits = random();
  if constexpr (std::is_floating_point_v<T>) {
    if (bits % 3 == 0) {
      T v;
      const std::uint64_t raw = random();
      std::memcpy(&v, &raw, sizeof v);
      return v;
    }
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<T>((unit - 0.5) * (bits % 3 == 1 ? 2.5 : 200));
  } else {
    return static_cast<T>(bits % 2 ? random() : random() % 256);
  }
}

/// Values of one operand: pairs of operands meet every pair of specials first.
template <class T>
std::vector<T> numbers(std::int64_t n, int operand, std::uint64_t seed) {
  const std::vector<T> specials = special_numbers<T>();
  const auto count = static_cast<std::int64_t>(specials.size());
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(operand) * 77);
  std::vector<T> v;
  std::int64_t divisor = 1;
  for (int k = 0; k < operand; ++k) divisor *= count;
  for (std::int64_t i = 0; i < n; ++i)
    v.push_back(i < count * count ? specials[static_cast<std::size_t>(i / divisor % count)] : random_number<T>(random));
  return v;
}

template <class T>
np::array filled(dtype_id type, const std::vector<T>& v) {
  np::array a = np::zeros({rows, columns}, {.dtype = np::dtype(type)});
  std::memcpy(a.raw_data(), v.data(), v.size() * sizeof(T));
  return a;
}

np::array operand_values(dtype_id type, int operand) {
  constexpr std::int64_t n = rows * columns;
  const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(type);
  switch (type) {
    case dtype_id::bool_: {
      std::vector<std::uint8_t> v = numbers<std::uint8_t>(n, operand, seed);
      for (std::uint8_t& b : v) b = b % 2;
      return filled(type, v);
    }
    case dtype_id::float16: return filled(dtype_id::float32, numbers<float>(n, operand, seed)).astype(np::float16);
    case dtype_id::complex64: return filled(type, numbers<float>(2 * n, operand, seed));
    case dtype_id::complex128: return filled(type, numbers<double>(2 * n, operand, seed));
    default:
      return np::visit_dtype(type, [&]<class T>() -> np::array {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return filled(type, numbers<T>(n, operand, seed));
        else return np::array();
      });
  }
}

/// Integers are shifted by 0 to 70 places (a negative count means nothing), and raised to no negative power.
np::array fitting(np::op_id op, dtype_id type, int operand, np::array a) {
  const bool integer = np::dtype(type).kind() == 'i' || np::dtype(type).kind() == 'u';
  if (!integer || operand != 1) return a;
  if (op == np::op_id::left_shift || op == np::op_id::right_shift) return np::remainder(a, 71);
  if (op == np::op_id::power) return np::remainder(a, 100);
  return a;
}

std::string loop_text(const np::op_info& row, std::size_t loop) {
  std::string text;
  for (int k = 0; k < row.arity; ++k) text += np::dtype(row.loops[loop].in[k]).character();
  return text;
}

/// One row on some of its loops: all results come out of one function, so that kernels of mixed dtypes are made.
Case matrix_case(np::op_id op, std::size_t first, std::size_t end) {
  const np::op_info& row = np::info(op);
  Case c;
  c.name = std::string(row.name) + " " + loop_text(row, first) + (end - first > 1 ? ".." + loop_text(row, end - 1) : "");
  for (std::size_t l = first; l < end; ++l) {
    c.labels.push_back(std::string(row.name) + "." + loop_text(row, l));
    for (int k = 0; k < row.arity; ++k)
      c.arguments.push_back(fitting(op, row.loops[l].in[k], k, operand_values(row.loops[l].in[k], k)));
  }
  c.run = [op, arity = row.arity](std::vector<np::array> in) {
    Outcome out;
    for (std::size_t i = 0; i < in.size(); i += static_cast<std::size_t>(arity)) {
      std::vector<np::operand> operands(in.begin() + static_cast<std::ptrdiff_t>(i),
                                        in.begin() + static_cast<std::ptrdiff_t>(i) + arity);
      out.values.push_back(np::bind({op, operands, nullptr, nullptr, nullptr, np::location::here()}));
    }
    return out;
  };
  return c;
}

/// Casts between all dtypes: one case a source.
Case cast_case(dtype_id from) {
  Case c;
  c.name = std::string("astype from ") + std::string(np::dtype(from).name());
  c.arguments = {operand_values(from, 0)};
  for (int t = 0; t < np::dtype_count; ++t) c.labels.push_back(std::string(np::dtype(static_cast<dtype_id>(t)).name()));
  c.run = [](std::vector<np::array> in) {
    Outcome out;
    for (int t = 0; t < np::dtype_count; ++t) out.values.push_back(in[0].astype(np::dtype(static_cast<dtype_id>(t))));
    return out;
  };
  return c;
}

}  // namespace

Suite matrix_suite() {
  struct Piece {
    np::op_id op;
    std::size_t first, end;
  };
  auto pieces = std::make_shared<std::vector<Piece>>();
  for (int i = 0; i < np::op_count; ++i) {
    const auto op = static_cast<np::op_id>(i);
    if (np::info(op).kind != np::op_kind::ufunc) continue;
    // Pieces end at a change of kind of dtype: integers, floats, complex.
    const auto& loops = np::info(op).loops;
    auto kind = [&](std::size_t l) {
      const char k = np::dtype(loops[l].in[np::info(op).arity - 1]).kind();
      return k == 'f' || k == 'c' ? k : 'i';
    };
    for (std::size_t first = 0, l = 1; l <= loops.size(); ++l)
      if (l == loops.size() || kind(l) != kind(first) || l - first == 8) pieces->push_back({op, first, l}), first = l;
  }
  return {static_cast<std::int64_t>(pieces->size()) + np::dtype_count, [pieces](std::int64_t i) {
            if (i < np::dtype_count) return cast_case(static_cast<dtype_id>(i));
            const Piece& p = (*pieces)[static_cast<std::size_t>(i - np::dtype_count)];
            return matrix_case(p.op, p.first, p.end);
          }};
}

Suite reduction_suite() {
  auto cases = std::make_shared<std::vector<ReductionCase>>();
  for (int t = 0; t < np::dtype_count; ++t)
    for (const ReductionCase& c : reduction_cases(static_cast<dtype_id>(t))) cases->push_back(c);
  return {static_cast<std::int64_t>(cases->size()), [cases](std::int64_t i) {
            const ReductionCase& r = (*cases)[static_cast<std::size_t>(i)];
            Case c;
            c.name = r.name();
            c.arguments = reduction_arguments(r);
            c.labels = reduction_names(r);
            c.run = [r](std::vector<np::array> in) { return Outcome{run_reductions(r, in), "", false}; };
            c.reference = [r] {
              Outcome out;
              for (const reference::Tensor& t : reference_reductions(r, reduction_arguments(r))) {
                np::dims shape;
                for (std::int64_t extent : t.shape) shape.push_back(extent);
                np::array a = np::zeros(shape, {.dtype = np::dtype(t.type)});
                if (!t.bytes.empty()) std::memcpy(a.raw_data(), t.bytes.data(), t.bytes.size());
                out.values.push_back(a);
              }
              return out;
            };
            return c;
          }};
}

Suite program_suite(std::uint64_t seed, std::int64_t count) {
  return {count, [seed](std::int64_t i) {
            const fuzz::Program program = fuzz::make_program(seed + static_cast<std::uint64_t>(i), fuzz::Purpose::bits);
            Case c;
            c.name = "program " + std::to_string(program.seed);
            c.arguments = fuzz::make_arguments(program, static_cast<int>(program.seed % 4));
            c.text = fuzz::to_text(program);
            c.run = [program](std::vector<np::array> in) {
              Outcome out;
              out.values = fuzz::run(program, std::move(in), out.error);
              return out;
            };
            return c;
          }};
}

}  // namespace bits
