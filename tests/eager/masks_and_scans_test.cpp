// Stores under masks and scans, at the lengths where the way through memory changes, against plain loops.
#include <gtest/gtest.h>

#include <random>

#include <numjit/base/config.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

std::vector<std::uint8_t> mask_of(std::int64_t n, int one_in) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n) + 7);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(n));
  for (std::uint8_t& m : mask) m = random() % static_cast<std::uint64_t>(one_in) == 0;
  return mask;
}
std::vector<double> ramp(std::int64_t n, double step) {
  std::vector<double> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(i % 1000) * step;
  return v;
}
array as(const array& a, dtype_id t) { return run(op_id::astype, {a}, layout::type_params(t)); }

const std::int64_t lengths[] = {1, 7, 63, 64, 65, 1023, 1024, 1025, 70000, 200003};

TEST(masked_store, values_and_numbers_of_every_dtype_at_every_density) {
  for (const std::int64_t n : lengths)
    for (const int one_in : {1, 2, 50, 1000000})
      for (int t = 0; t < dtype_count; ++t) {
        const dtype_id type = static_cast<dtype_id>(t);
        if (n > 2000 && type != dtype_id::float64 && type != dtype_id::uint8) continue;
        const std::vector<std::uint8_t> mask = mask_of(n, one_in);
        const array value = doubles(ramp(n, 0.25)), one = as(doubles({3}), dtype_id::float64);
        const array old = as(doubles(ramp(n, 1)), type), stored = as(value, type), number = as(one, type);
        const std::int64_t size = static_cast<std::int64_t>(old.itemsize());
        std::string expected = bytes(old), expected_one = expected;
        const std::string values = bytes(stored), single = bytes(number);
        for (std::size_t i = 0; i < mask.size(); ++i) {
          if (!mask[i]) continue;
          const std::size_t place = i * static_cast<std::size_t>(size), count = static_cast<std::size_t>(size);
          expected.replace(place, count, values, place, count);
          expected_one.replace(place, count, single);
        }
        SCOPED_TRACE(std::string(dtype(type).name()) + " " + std::to_string(n) + " one in " + std::to_string(one_in));
        array a = contiguous(old), b = contiguous(old), c = contiguous(old);
        run(op_id::masked_store, {a, stored, bools(mask)});
        EXPECT_EQ(bytes(a), expected);
        run(op_id::masked_store, {b, number, bools(mask)});
        EXPECT_EQ(bytes(b), expected_one);
        run(op_id::masked_store, {c, value, bools(mask)});  // cast on the way
        EXPECT_EQ(bytes(c), expected);
      }
}

TEST(mask_put, values_go_in_order_on_any_number_of_threads) {
  for (const std::int64_t n : lengths) {
    const std::vector<std::uint8_t> mask = mask_of(n, 3);
    std::vector<double> expected = ramp(n, 1), put;
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (mask[i]) put.push_back(expected[i] = -static_cast<double>(put.size()));
    for (const std::int64_t threads : {1, 2, 7}) {
      config_scope scope({.threads = threads});
      array a = doubles(ramp(n, 1));
      run(op_id::mask_put, {a, bools(mask), doubles(put)});
      EXPECT_EQ(values<double>(a), expected) << n << " threads " << threads;
    }
  }
}

// docs/numerics.md, "Scans", written down once more.
std::vector<double> scan(const std::vector<double>& x) {
  std::vector<double> out(x.size());
  double before = 0, local = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t segment = i / 128;
    if (i % 128 == 0 && segment > 0) before = segment == 1 ? local : before + local;
    local = i % 128 == 0 ? x[i] : local + x[i];
    out[i] = segment == 0 ? local : before + local;
  }
  return out;
}

TEST(scan, order_of_addition_is_the_documented_one_at_every_length_and_stride) {
  for (const std::int64_t n : {1, 127, 128, 129, 256, 1023, 1024, 1025, 1152, 2047, 2048, 5000, 65536, 65537, 66000}) {
    std::vector<double> x = ramp(n, 0.1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 1e-3 + 1.0 / static_cast<double>(i + 1);
    const std::vector<double> expected = scan(x);
    std::vector<double> spread(2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) spread[2 * i] = x[i];
    op_params params = layout::axis_params(0);
    EXPECT_EQ(values<double>(run(op_id::cumsum, {doubles(x)}, params)), expected) << n;
    const array every_other = slice(doubles(spread), 0, 2 * n, 2);
    EXPECT_EQ(values<double>(run(op_id::cumsum, {every_other}, params)), expected) << n;
    // float16 is scanned in float32 and rounded once, when stored.
    const array halves = as(doubles(x), dtype_id::float16), strided = as(doubles(spread), dtype_id::float16);
    EXPECT_EQ(bytes(run(op_id::cumsum, {halves}, params)),
              bytes(run(op_id::cumsum, {slice(strided, 0, 2 * n, 2)}, params))) << n;
  }
}

TEST(scan, long_rows_give_the_same_bits_on_any_number_of_threads) {
  for (const std::int64_t n : {(1 << 18) - 1, 1 << 18, (1 << 18) + 1, 300007, 131072 * 3, 131072 * 3 + 128}) {
    std::vector<double> x = ramp(n, 0.1);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 1e-3 + 1.0 / static_cast<double>(i + 1);
    const std::vector<double> expected = scan(x);
    const op_params params = layout::axis_params(0);
    for (const dtype_id type : {dtype_id::float64, dtype_id::float32, dtype_id::float16, dtype_id::int64,
                                dtype_id::uint8, dtype_id::complex64}) {
      const array a = as(doubles(x), type);
      for (const op_id op : {op_id::cumsum, op_id::cumprod}) {
        std::string first;
        for (const std::int64_t threads : {1, 2, 7}) {
          config_scope scope({.threads = threads});
          const std::string found = bytes(run(op, {a}, params));
          if (threads == 1) first = found;
          EXPECT_EQ(found == first, true) << dtype(type).name() << " " << n << " threads " << threads;
          if (op == op_id::cumsum && type == dtype_id::float64) {
            EXPECT_EQ(found == bytes(doubles(expected)), true) << n << " threads " << threads;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace numjit::testing
