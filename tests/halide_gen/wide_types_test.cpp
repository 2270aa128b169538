// Every loop with float16 or complex elements as a kernel for three instruction sets, against the eager
// loop: the same bits, for special values and random ones; some of them also strided and standing still.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <compiler.h>
#include <lower_ops.h>
#include <numjit/base/config.h>
#include <numjit/eager/loop_table.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/graph/loop_text.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/launch/launch.h>
#include <support/element_bits.h>

namespace numjit::testing {
namespace {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

bool is_wide(dtype_id type) { return type == dtype_id::float16 || dtype(type).kind() == 'c'; }

/// Reals that functions are sensitive to, then random ones of every size.
std::vector<double> reals(std::size_t count, unsigned seed) {
  std::vector<double> list;
  for (double x : {0.0, 5e-324, 1e-310, 6e-8, 1e-5, 0.25, 0.5, 0.7, 0.999, 1.0, 1.0009765625, 1.5, 2.0,
                   3.0, 10.0, 22.5, 99.0, 100.0, 709.5, 1023.0, 2048.0, 65504.0, 65519.9, 65520.0, 1e15,
                   1e30, 1e300, std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::quiet_NaN()})
    list.insert(list.end(), {x, -x});
  std::mt19937_64 random(seed);
  while (list.size() < count) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    switch (random() % 4) {
      case 0: list.push_back(unit * 2); break;
      case 1: list.push_back(std::floor(unit * 12)); break;
      case 2: list.push_back(unit * 800); break;
      default: list.push_back(std::ldexp(unit, static_cast<int>(random() % 60) - 40));
    }
  }
  return list;
}

/// n elements of a type: pairs of the special reals first.
std::vector<char> elements(dtype_id type, std::size_t n, unsigned seed) {
  const std::vector<double> values = reals(4000, seed);
  const std::size_t special = 58;
  std::mt19937_64 random(seed + 1);
  std::vector<char> bytes(n * dtype(type).itemsize());
  for (std::size_t i = 0; i < n; ++i) {
    const bool pairs = i < special * special;
    const double re = pairs ? values[(i / special + seed) % special] : values[random() % values.size()];
    const double im = pairs ? values[i % special] : values[random() % values.size()];
    visit_dtype(type, [&]<class T>() {
      T v;
      if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>)
        v = T(static_cast<decltype(T{}.re)>(re), static_cast<decltype(T{}.re)>(im));
      else if constexpr (std::is_integral_v<T>)
        v = static_cast<T>(random());
      else
        v = static_cast<T>(im);
      std::memcpy(bytes.data() + i * sizeof(T), &v, sizeof(T));
    });
  }
  return bytes;
}

/// A kernel of one node, called as kernels/abi.h says.
class OneNode {
 public:
  OneNode(const KernelNode& node, const std::vector<dtype_id>& in, const std::string& target,
          const std::vector<std::uint8_t>& classes) {
    spec_.operand_types = in;
    for (std::size_t i = 0; i < in.size(); ++i)
      spec_.nodes.push_back({KernelNodeKind::operand, {}, 0, in[i], static_cast<std::uint16_t>(i), {}});
    spec_.nodes.push_back(node);
    spec_.outputs.push_back(static_cast<std::uint16_t>(in.size()));
    runtime::KernelVariant variant{"elementwise", classes, 0, false};
    const std::vector<char> object = halide_gen::HalideCompiler().compile(spec_, variant, "nj_wide", target);
    library_ = runtime::open_kernel(runtime::kernel_image(object, "nj_wide"), "nj_wide");
  }
  ~OneNode() { runtime::close_kernel(library_.handle); }
  OneNode(const OneNode&) = delete;
  OneNode& operator=(const OneNode&) = delete;

  void run(const std::vector<char*>& arrays, const std::vector<std::int64_t>& strides, std::int64_t n) {
    runtime::detail::CallBlock block;
    block.init(spec_.operand_types, {}, 0, runtime::detail::output_types(spec_), 2, 2);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const bool input = i < spec_.operand_types.size();
      runtime::kernel_buffer& buffer = input ? block.in(static_cast<int>(i)) : block.out(0);
      buffer.host = arrays[i];
      block.set_stride(buffer, 0, strides[i]);
      buffer.dim[0].extent = static_cast<std::int32_t>(n);
    }
    ASSERT_EQ(library_.entry(block.argv()), 0);
  }

 private:
  KernelSpec spec_;
  runtime::KernelLibrary library_;
};

std::vector<std::string> targets() {
  std::vector<std::string> list;
  for (const char* target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    if (eager::loops_for(std::string_view(target).substr(7))) list.push_back(target);
  return list;
}

std::string shown(dtype_id type, const char* p) {
  std::string text = dtype(type).name().data();
  for (std::size_t i = dtype(type).itemsize(); i-- > 0;) {
    const char* digits = "0123456789abcdef";
    text += i % 4 == 3 ? " " : "";
    text += digits[static_cast<unsigned char>(p[i]) >> 4];
    text += digits[static_cast<unsigned char>(p[i]) & 15];
  }
  return text;
}

/// The kernel of one node against an eager loop, per target and (where asked for) class of strides.
void check(const std::string& name, const KernelNode& node, const std::vector<dtype_id>& in, eager::loop_fn loop,
           bool strided) {
  constexpr std::size_t most = 6000;
  struct Case {
    std::vector<std::int64_t> stride;  // of all operands, of the output
    std::vector<std::int64_t> lengths;
  };
  const std::vector<Case> cases = {{{1, 1}, {0, 1, 7, 6000}}, {{2, 1}, {1, 999}}, {{-1, 3}, {5, 1000}}, {{0, 1}, {9}}};
  std::vector<std::vector<char>> inputs;
  for (std::size_t i = 0; i < in.size(); ++i)
    inputs.push_back(elements(in[i], 2 * most, static_cast<unsigned>(7 + 20 * i)));
  const auto out_size = static_cast<std::int64_t>(dtype(node.type).itemsize());
  for (const std::string& target : targets()) {
    for (const Case& c : cases) {
      if (c.stride[0] != 1 && (!strided || target != targets().back())) continue;
      std::vector<std::uint8_t> classes;
      std::vector<std::int64_t> strides;
      for (std::size_t i = 0; i <= in.size(); ++i) {
        strides.push_back(c.stride[i == in.size()]);
        classes.push_back(strides.back() == 1 ? 1 : strides.back() == 0 ? 0 : 2);
      }
      OneNode kernel(node, in, target, classes);
      for (std::int64_t n : c.lengths) {
        std::vector<char> got(static_cast<std::size_t>(3 * (n + 1) * out_size), 0x55), want = got;
        std::vector<char*> arrays;
        std::vector<std::int64_t> bytes;
        for (std::size_t i = 0; i < in.size(); ++i) {
          const auto size = static_cast<std::int64_t>(dtype(in[i]).itemsize());
          arrays.push_back(inputs[i].data() + (strides[i] < 0 ? n * size : 0));
          bytes.push_back(strides[i] * size);
        }
        arrays.push_back(got.data());
        bytes.push_back(strides.back() * out_size);
        kernel.run(arrays, strides, n);
        arrays.back() = want.data();
        loop(arrays.data(), bytes.data(), n);
        int wrong = 0;
        for (std::int64_t k = 0; k < 3 * n && wrong < 3; ++k)
          if (!same_element_bits(node.type, got.data() + k * out_size, want.data() + k * out_size)) {
            ++wrong;
            std::string text;
            for (std::size_t i = 0; i < in.size() && strides[i] != 0; ++i)
              text += shown(in[i], arrays[i] + k / strides.back() * bytes[i]) + "; ";
            ADD_FAILURE() << name << " on " << target << ", strides " << c.stride[0] << ", element " << k << " of "
                          << n << ": f(" << text << ") is " << shown(node.type, got.data() + k * out_size)
                          << " in the kernel, " << shown(node.type, want.data() + k * out_size) << " in the loop";
          }
        if (wrong) return;
      }
    }
  }
}

/// All loops of all ufuncs with an element type for which `wanted` holds.
template <class F>
void check_ufuncs(F wanted) {
  for (int i = 0; i < op_count; ++i) {
    const op_id op = static_cast<op_id>(i);
    const op_info& row = info(op);
    if (row.kind != op_kind::ufunc || !graph::has_kernel_form(op)) continue;
    for (std::size_t l = 0; l < row.loops.size(); ++l) {
      const op_loop& loop = row.loops[l];
      std::vector<dtype_id> in(loop.in, loop.in + row.arity);
      if (!wanted(in.back())) continue;
      ASSERT_NE(halide_gen::find_apply(op, static_cast<int>(l)), nullptr) << row.name;
      KernelNode node{KernelNodeKind::op, op, static_cast<std::uint8_t>(l), loop.out, 0, {0, 1, 2}};
      check(std::string(row.name) + "." + graph::loop_text(op, static_cast<int>(l)), node, in,
            eager::loops().ufunc[i][l], i % 4 == 0);
    }
  }
}

TEST(WideTypes, UfuncsOfFloat16) {
  check_ufuncs([](dtype_id type) { return type == dtype_id::float16; });
}
TEST(WideTypes, UfuncsOfComplex64) {
  check_ufuncs([](dtype_id type) { return type == dtype_id::complex64; });
}
TEST(WideTypes, UfuncsOfComplex128) {
  check_ufuncs([](dtype_id type) { return type == dtype_id::complex128; });
}

TEST(WideTypes, Casts) {
  for (int from = 0; from < dtype_count; ++from)
    for (int to = 0; to < dtype_count; ++to) {
      const auto a = static_cast<dtype_id>(from), b = static_cast<dtype_id>(to);
      if (from == to || (!is_wide(a) && !is_wide(b))) continue;
      check("cast " + std::string(dtype(a).name()) + " to " + std::string(dtype(b).name()),
            {KernelNodeKind::cast, {}, 0, b, 0, {0, 0, 0}}, {a}, eager::loops().cast[from][to], true);
    }
}

}  // namespace
}  // namespace numjit::testing
