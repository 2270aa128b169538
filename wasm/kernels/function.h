// One WebAssembly function as it grows: its code, its locals, and the module around it.
#pragma once

#include <cstdint>
#include <vector>

namespace numjit::wasm_gen {

/// Types of WebAssembly's values, as encoded.
enum class Wasm : std::uint8_t { i32 = 0x7f, i64 = 0x7e, f32 = 0x7d, f64 = 0x7c, v128 = 0x7b };

/// Instructions by their codes; those on vectors (after 0xfd) are in Simd.
namespace op {
enum : std::uint8_t {
  block = 0x02, loop = 0x03, if_ = 0x04, else_ = 0x05, end = 0x0b, br = 0x0c, br_if = 0x0d, select = 0x1b,
  local_get = 0x20, local_set = 0x21, local_tee = 0x22, global_get = 0x23,
  i32_load = 0x28, i64_load = 0x29, f32_load = 0x2a, f64_load = 0x2b, i32_load8_s = 0x2c, i32_load8_u = 0x2d,
  i32_load16_s = 0x2e, i32_load16_u = 0x2f, i32_store = 0x36, i64_store = 0x37, f32_store = 0x38, f64_store = 0x39,
  i32_store8 = 0x3a, i32_store16 = 0x3b, i32_const = 0x41, i64_const = 0x42, f32_const = 0x43, f64_const = 0x44,
  i32_eqz = 0x45, i32_eq = 0x46, i32_ne = 0x47, i32_lt_s = 0x48, i32_lt_u = 0x49, i32_gt_s = 0x4a, i32_le_s = 0x4c,
  i32_ge_s = 0x4e, i64_eq = 0x51, i64_lt_s = 0x53, i64_gt_s = 0x55, i64_gt_u = 0x56,
  f32_eq = 0x5b, f64_eq = 0x61, i32_add = 0x6a, i32_sub = 0x6b, i32_mul = 0x6c, i32_div_u = 0x6e, i32_rem_u = 0x70,
  i32_and = 0x71, i32_or = 0x72, i32_xor = 0x73, i32_shl = 0x74, i32_shr_u = 0x76, i32_wrap_i64 = 0xa7,
};
}  // namespace op

class Function {
 public:
  /// With parameters of these types, whose locals come first.
  explicit Function(std::vector<Wasm> parameters) : parameters_(std::move(parameters)) {}

  int local(Wasm type) {
    locals_.push_back(type);
    return static_cast<int>(parameters_.size() + locals_.size()) - 1;
  }

  Function& raw(std::uint8_t byte) {
    code_.push_back(byte);
    return *this;
  }
  Function& number(std::uint64_t v) {
    for (; v >= 128; v >>= 7) raw(static_cast<std::uint8_t>(v | 128));
    return raw(static_cast<std::uint8_t>(v));
  }
  Function& signed_number(std::int64_t v) {
    for (;; v >>= 7) {
      const bool last = v >= -64 && v < 64;
      raw(static_cast<std::uint8_t>((v & 127) | (last ? 0 : 128)));
      if (last) return *this;
    }
  }
  /// The low bytes of `bits`.
  Function& fixed(std::uint64_t bits, int bytes) {
    for (int i = 0; i < bytes; ++i) raw(static_cast<std::uint8_t>(bits >> (8 * i)));
    return *this;
  }

  Function& simd(unsigned code) {
    raw(0xfd);
    return number(code);
  }
  Function& get(int local) { return raw(op::local_get).number(static_cast<unsigned>(local)); }
  Function& set(int local) { return raw(op::local_set).number(static_cast<unsigned>(local)); }
  Function& tee(int local) { return raw(op::local_tee).number(static_cast<unsigned>(local)); }
  Function& i32(std::int32_t v) { return raw(op::i32_const).signed_number(v); }
  /// The address of the thread's scratch memory, plus `offset`.
  Function& scratch(std::uint32_t offset) {
    wants_scratch_ = true;
    raw(op::global_get).number(0);
    return offset == 0 ? *this : i32(static_cast<std::int32_t>(offset)).raw(op::i32_add);
  }
  /// Alignment and offset of an access.
  Function& at(unsigned offset) { return raw(0).number(offset); }
  Function& load_i32(unsigned offset) { return raw(op::i32_load).at(offset); }

  Function& begin_loop() { return raw(op::loop).raw(0x40); }
  Function& begin_if() { return raw(op::if_).raw(0x40); }
  Function& end() { return raw(op::end); }
  Function& br_if(int depth) { return raw(op::br_if).number(static_cast<unsigned>(depth)); }
  /// local += v
  Function& increase(int local, std::int32_t v) { return get(local).i32(v).raw(op::i32_add).set(local); }
  Function& increase_by(int local, int other) { return get(local).get(other).raw(op::i32_add).set(local); }

  std::size_t size() const { return code_.size(); }

  /// A module that imports memory `env.memory`, and `env.scratch`, an address, where scratch() was called; it exports this
  /// function, which returns an i32, as `run`.
  std::vector<char> module() const;

 private:
  std::vector<Wasm> parameters_, locals_;
  std::vector<std::uint8_t> code_;
  bool wants_scratch_ = false;
};

}  // namespace numjit::wasm_gen
