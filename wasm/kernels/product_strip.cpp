// Writes the strip of matrix products for machines with relaxed SIMD.
#include "product_strip.h"

#include <numjit/base/error.h>
#include <numjit/runtime/kernels/library.h>

#include "function.h"
#include "simd.h"

extern "C" {
/// The host's: is this a module that it can run? Says nothing where it is not.
int nj_validate(const char* bytes, int size);
}

namespace numjit::wasm_gen {
namespace {

constexpr int rows = 4, vectors = 2, register_bytes = 16;
/// Multiplications of a product that pays for the module: some 0.1 ms, once.
constexpr double least_work = 32 * 32 * 32;

/// Parameters in the order of ProductStrip, then locals.
class StripWriter {
 public:
  explicit StripWriter(bool doubles) : doubles_(doubles) {
    k_ = f_.local(Wasm::i32);
    right_row_ = f_.local(Wasm::i32);
    for (int& row : left_row_) row = f_.local(Wasm::i32);
    for (auto& row : sums_)
      for (int& sum : row) sum = f_.local(Wasm::v128);
    for (int& right : right_) right = f_.local(Wasm::v128);
    left_ = f_.local(Wasm::v128);
  }

  std::vector<char> write() {
    f_.begin_loop();
    start();
    f_.begin_loop();
    multiply();
    f_.get(k_).i32(1).raw(op::i32_sub).tee(k_).br_if(0).end();
    f_.get(adds).begin_if();
    add_before();
    f_.end();
    store();
    f_.get(a).get(a_row).i32(rows).raw(op::i32_mul).raw(op::i32_add).set(a);
    f_.get(tiles).i32(1).raw(op::i32_sub).tee(tiles).br_if(0).end();
    f_.i32(0);
    return f_.module();
  }

 private:
  enum { a, a_row, a_step, b, b_step, c, c_row, depth, tiles, adds, parameter_count };

  void start() {
    f_.get(a).set(left_row_[0]);
    for (int r = 1; r < rows; ++r)
      f_.get(left_row_[r - 1]).get(a_row).raw(op::i32_add).set(left_row_[r]);
    f_.get(b).set(right_row_).get(depth).set(k_);
    for (auto& row : sums_)
      for (int sum : row) f_.simd(simd::const_).fixed(0, 8).fixed(0, 8).set(sum);
  }

  void multiply() {
    for (int v = 0; v < vectors; ++v) load(right_row_, v).set(right_[v]);
    f_.increase_by(right_row_, b_step);
    for (int r = 0; r < rows; ++r) {
      f_.get(left_row_[r])
          .simd(doubles_ ? simd::load64_splat : simd::load32_splat)
          .at(0)
          .set(left_);
      f_.increase_by(left_row_[r], a_step);
      for (int v = 0; v < vectors; ++v)
        f_.get(left_)
            .get(right_[v])
            .get(sums_[r][v])
            .simd(doubles_ ? simd::f64x2_relaxed_madd : simd::f32x4_relaxed_madd)
            .set(sums_[r][v]);
    }
  }

  /// k_ goes through the rows of c.
  void add_before() {
    f_.get(c).set(k_);
    for (auto& row : sums_) {
      for (int v = 0; v < vectors; ++v)
        load(k_, v).get(row[v]).simd(doubles_ ? simd::f64x2_add : simd::f32x4_add).set(row[v]);
      f_.increase_by(k_, c_row);
    }
  }

  void store() {
    for (auto& row : sums_) {
      for (int v = 0; v < vectors; ++v)
        f_.get(c).get(row[v]).simd(simd::store).at(static_cast<unsigned>(v * register_bytes));
      f_.increase_by(c, c_row);
    }
  }

  Function& load(int address, int v) {
    return f_.get(address).simd(simd::load).at(static_cast<unsigned>(v * register_bytes));
  }

  bool doubles_;
  Function f_{std::vector<Wasm>(parameter_count, Wasm::i32)};
  int k_, right_row_, left_row_[rows], sums_[rows][vectors], right_[vectors], left_;
};

struct Made {
  bool tried = false;
  ProductStrip strip = nullptr;
};
constinit Made made[2];
Made& made_for(std::size_t bytes) { return made[bytes == 8]; }

}  // namespace

std::vector<char> write_fused_strip(std::size_t bytes) { return StripWriter(bytes == 8).write(); }

void prepare_fused_strip(std::size_t bytes) {
#ifdef __wasm_simd128__
  Made& m = made_for(bytes);
  if (m.tried) return;
  m.tried = true;
  const std::vector<char> module = write_fused_strip(bytes);
  if (!nj_validate(module.data(), static_cast<int>(module.size()))) return;
  m.strip =
      reinterpret_cast<ProductStrip>(runtime::open_kernel(module, "of matrix products").handle);
#else
  static_cast<void>(bytes);
#endif
}

ProductStrip fused_strip(std::size_t bytes, int m, int n, int depth) {
  const double work = static_cast<double>(m) * n * depth;
  return work < least_work ? nullptr : made_for(bytes).strip;
}

}  // namespace numjit::wasm_gen
