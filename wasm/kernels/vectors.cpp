// Operations on several elements at once. What SIMD128 has no instruction for goes element by element.
#include <algorithm>

#include "pass.h"
#include "simd.h"

namespace numjit::wasm_gen {
namespace {

/// Picks an entry by the width in bytes.
unsigned by_width(int width, unsigned one, unsigned two, unsigned four, unsigned eight) {
  return width == 1 ? one : width == 2 ? two : width == 4 ? four : eight;
}
/// By the type: integers of 1, 2, 4, 8 bytes, floats.
unsigned by_type(Type t, unsigned one, unsigned two, unsigned four, unsigned eight, unsigned f32, unsigned f64) {
  return t == Type::f32 ? f32 : t == Type::f64 ? f64 : by_width(width_of(t), one, two, four, eight);
}

void splat(Function& f, Type t) {
  f.simd(by_type(t, simd::i8x16_splat, simd::i16x8_splat, simd::i32x4_splat, simd::i64x2_splat, simd::f32x4_splat,
                 simd::f64x2_splat));
}

void extract(Function& f, Type t, int lane) {
  const bool s = is_signed(t);
  f.simd(by_type(t, s ? simd::i8x16_extract_s : simd::i8x16_extract_u, s ? simd::i16x8_extract_s : simd::i16x8_extract_u,
                 simd::i32x4_extract, simd::i64x2_extract, simd::f32x4_extract, simd::f64x2_extract))
      .raw(static_cast<std::uint8_t>(lane));
}

void replace(Function& f, Type t, int lane) {
  f.simd(by_type(t, simd::i8x16_replace, simd::i16x8_replace, simd::i32x4_replace, simd::i64x2_replace, simd::f32x4_replace,
                 simd::f64x2_replace))
      .raw(static_cast<std::uint8_t>(lane));
}

/// Joins two vectors: of lanes of 2 `width` bytes each the lower half.
void even_lanes(Function& f, int width) {
  f.simd(simd::shuffle);
  for (int i = 0; i < 16; ++i) f.raw(static_cast<std::uint8_t>(i / width * 2 * width + i % width));
}

/// Lanes of `width` bytes become twice as wide, from the lower or the upper half.
void extend(Function& f, int width, bool is_signed, bool upper) {
  const unsigned first = by_width(width, simd::i16x8_extend_low_i8x16_s, simd::i32x4_extend_low_i16x8_s,
                                  simd::i64x2_extend_low_i32x4_s, 0);
  f.simd(first + upper + (is_signed ? 0 : 2));
}

}  // namespace

bool Pass::is_scalarized(const DagNode& n) const {
  const int width = width_of(n.type);
  switch (n.prim) {
    case Prim::convert: {
      const Type in = node(n.in[0]).type;
      if (in == Type::b || is_float(in) == is_float(n.type)) return false;
      return width_of(is_float(in) ? n.type : in) == 8;
    }
    case Prim::quotient: return width == 8;
    case Prim::popcount: return width == 8;
    case Prim::shl:
    case Prim::shr: return !same_[n.in[1]];
    default: return false;
  }
}

void Pass::push_constant(Type t, std::uint64_t bits) {
  const int width = width_of(t);
  c_.code.simd(simd::const_);
  for (int i = 0; i < 16; ++i) c_.code.raw(static_cast<std::uint8_t>(bits >> (8 * (i % width))));
}

/// A vector of a kept value or of one computed now; conditions in their own width.
void Pass::push_natural(Id id, int i) {
  if (same_[id]) i = 0;
  if (local_[id] >= 0) {
    c_.code.get(local_[id] + i);
    return;
  }
  const DagNode& n = node(id);
  if (n.prim == Prim::leaf) return push_leaf(id, i);
  if (n.prim == Prim::constant) {
    if (n.type == Type::b) push_constant(Type::u8, n.imm ? 255 : 0);
    else push_constant(n.type, n.imm);
    return;
  }
  if (is_scalarized(n)) return push_lanes(n, i);
  push_vector_op(id, i);
}

void Pass::push_mask(Id id, int width, int i) {
  if (is_constant(id)) return push_constant(Type::u8, node(id).imm ? 255 : 0);
  if (same_[id]) i = 0;
  push_resized([this, id](int at) { push_natural(id, at); }, count_of(id), natural_[id], width, true, i);
}

/// Vector `i` of a value whose `count` vectors of lanes `from` bytes wide `push` gives, with lanes `to` wide.
void Pass::push_resized(const Push& push, int count, int from, int to, bool is_signed, int i) {
  if (from == to) return push(std::min(i, count - 1));
  if (from < to) {
    // A single vector may hold more than this one needs: then all of these come from it in turn.
    push_resized(push, count, from, to / 2, is_signed, i / 2);
    extend(c_.code, to / 2, is_signed, i & 1);
    return;
  }
  const int halves = count == 1 ? 1 : vectors(to * 2);
  push_resized(push, count, from, to * 2, is_signed, std::min(2 * i, halves - 1));
  if (2 * i + 1 < halves) push_resized(push, count, from, to * 2, is_signed, 2 * i + 1);
  else push_again();
  even_lanes(c_.code, to);
}

void Pass::push_leaf(Id id, int i) {
  Function& f = c_.code;
  const DagNode& n = node(id);
  const Source& source = c_.sources[n.imm];
  const Type t = n.type;
  switch (source.kind) {
    case Source::Kind::state: f.get(source.index + i); return;
    case Source::Kind::fixed:
      f.get(source.index);
      if (is_vector()) splat(f, t);
      return;
    case Source::Kind::place:
      f.get(source.index);
      if (!is_vector()) return;
      splat(f, t);
      f.simd(simd::const_);
      for (int k = 0; k < 4; ++k) f.fixed(static_cast<std::uint64_t>(4 * i + k), 4);
      f.simd(simd::i32x4_add);
      return;
    case Source::Kind::scalar:
      f.get(0).load_i32(static_cast<unsigned>(4 * source.index));
      break;
    case Source::Kind::array: {
      const Array& array = c_.arrays[static_cast<std::size_t>(source.index)];
      if (is_vector() && array.walk != Array::Walk::still) {
        load_vector(array, source.part, i);
        if (t == Type::b) {
          push_constant(Type::u8, 0);
          f.simd(simd::i8x16_ne);
        }
        return;
      }
      f.get(array.pointer);
      break;
    }
  }
  const unsigned offset = source.kind == Source::Kind::array ? static_cast<unsigned>(source.part * width_of(t)) : 0;
  if (is_vector()) {
    f.simd(by_width(width_of(t), simd::load8_splat, simd::load16_splat, simd::load32_splat, simd::load64_splat)).at(offset);
    if (t == Type::b) {
      push_constant(Type::u8, 0);
      f.simd(simd::i8x16_ne);
    }
    return;
  }
  switch (t) {
    case Type::i8: f.raw(op::i32_load8_s); break;
    case Type::b:
    case Type::u8: f.raw(op::i32_load8_u); break;
    case Type::i16: f.raw(op::i32_load16_s); break;
    case Type::u16: f.raw(op::i32_load16_u); break;
    case Type::f32: f.raw(op::f32_load); break;
    case Type::f64: f.raw(op::f64_load); break;
    default: f.raw(width_of(t) == 8 ? op::i64_load : op::i32_load);
  }
  f.at(offset);
  if (t == Type::b) f.i32(0).raw(op::i32_ne);
}

/// Vector `i` of the elements at hand.
void Pass::load_vector(const Array& array, int part, int i) {
  Function& f = c_.code;
  const int width = width_of(array.type);
  const int elements = std::min(16 / width, lanes_);
  if (array.walk == Array::Walk::dense) {
    f.get(array.pointer);
    const int bytes = std::min(16, lanes_ * width);
    const auto offset = static_cast<unsigned>(16 * i);
    if (bytes == 16) {
      f.simd(simd::load).at(offset);
    } else if (bytes == 8 || bytes == 4) {
      f.simd(bytes == 8 ? simd::load64_zero : simd::load32_zero).at(offset);
    } else {
      f.raw(op::i32_load16_u).at(offset).simd(simd::i16x8_splat);
    }
    return;
  }
  const auto offset = static_cast<unsigned>(part * width);
  // The address of the vector's first element.
  f.get(array.pointer);
  const int first = i * elements;
  if (first > 0 && array.stride == 0) f.i32(first * 2 * width).raw(op::i32_add);
  else if (first > 0) f.get(array.stride).i32(first).raw(op::i32_mul).raw(op::i32_add);
  f.set(step_);
  push_constant(Type::u8, 0);
  const int vector = f.local(Wasm::v128);
  f.set(vector);
  for (int k = 0; k < elements; ++k) {
    f.get(step_).get(vector);
    f.simd(by_width(width, simd::load8_lane, simd::load16_lane, simd::load32_lane, simd::load64_lane)).at(offset);
    f.raw(static_cast<std::uint8_t>(k)).set(vector);
    if (k + 1 == elements) break;
    f.get(step_);
    if (array.stride == 0) f.i32(2 * width);
    else f.get(array.stride);
    f.raw(op::i32_add).set(step_);
  }
  f.get(vector);
}

void Pass::store(Id id, const Array& to, int part) {
  Function& f = c_.code;
  const int width = width_of(to.type);
  const auto offset = static_cast<unsigned>(part * width);
  if (!is_vector()) {
    f.get(to.pointer);
    push_stored(id);
    switch (to.type) {
      case Type::f32: f.raw(op::f32_store); break;
      case Type::f64: f.raw(op::f64_store); break;
      default: f.raw(width == 1 ? op::i32_store8 : width == 2 ? op::i32_store16 : width == 4 ? op::i32_store : op::i64_store);
    }
    f.at(offset);
    return;
  }
  const int count = vectors(width), elements = std::min(16 / width, lanes_);
  if (to.walk == Array::Walk::dense) {
    for (int i = 0; i < count; ++i) {
      f.get(to.pointer);
      push_stored(id, i);
      const int bytes = std::min(16, lanes_ * width);
      if (bytes == 16) f.simd(simd::store).at(static_cast<unsigned>(16 * i));
      else f.simd(by_width(bytes, simd::store8_lane, simd::store16_lane, simd::store32_lane, simd::store64_lane)).at(0).raw(0);
    }
    return;
  }
  const int vector = f.local(Wasm::v128);
  f.get(to.pointer).set(step_);
  for (int i = 0; i < count; ++i) {
    push_stored(id, i);
    f.set(vector);
    for (int k = 0; k < elements; ++k) {
      f.get(step_).get(vector);
      f.simd(by_width(width, simd::store8_lane, simd::store16_lane, simd::store32_lane, simd::store64_lane)).at(offset);
      f.raw(static_cast<std::uint8_t>(k)).get(step_);
      if (to.stride == 0) f.i32(2 * width);
      else f.get(to.stride);
      f.raw(op::i32_add).set(step_);
    }
  }
}

void Pass::advance(const Array& array) {
  if (array.walk == Array::Walk::dense) {
    c_.code.increase(array.pointer, lanes_ * width_of(array.type));
  } else if (array.walk == Array::Walk::strided && array.stride == 0) {
    c_.code.increase(array.pointer, lanes_ * 2 * width_of(array.type));
  } else if (array.walk == Array::Walk::strided) {
    c_.code.get(array.pointer).get(array.stride);
    if (lanes_ > 1) c_.code.i32(lanes_).raw(op::i32_mul);
    c_.code.raw(op::i32_add).set(array.pointer);
  }
}

void Pass::push_comparison(const DagNode& n, int i) {
  Function& f = c_.code;
  const Type t = node(n.in[0]).type;
  if (n.prim == Prim::eq || n.prim == Prim::ne) {
    push(n.in[0], i);
    push(n.in[1], i);
    f.simd(n.prim == Prim::eq
               ? by_type(t, simd::i8x16_eq, simd::i16x8_eq, simd::i32x4_eq, simd::i64x2_eq, simd::f32x4_eq, simd::f64x2_eq)
               : by_type(t, simd::i8x16_ne, simd::i16x8_ne, simd::i32x4_ne, simd::i64x2_ne, simd::f32x4_ne, simd::f64x2_ne));
    return;
  }
  const bool less = n.prim == Prim::lt;
  const auto pushed = [&](Id id) {
    push(id, i);
    if (t != Type::u64) return;
    push_constant(Type::u64, std::uint64_t{1} << 63);  // there are only signed comparisons of 64 bits
    f.simd(simd::xor_);
  };
  pushed(n.in[0]);
  pushed(n.in[1]);
  if (is_signed(t) || is_float(t) || t == Type::u64)
    f.simd(
        less
            ? by_type(t, simd::i8x16_lt_s, simd::i16x8_lt_s, simd::i32x4_lt_s, simd::i64x2_lt_s, simd::f32x4_lt, simd::f64x2_lt)
            : by_type(t, simd::i8x16_le_s, simd::i16x8_le_s, simd::i32x4_le_s, simd::i64x2_le_s, simd::f32x4_le, simd::f64x2_le));
  else
    f.simd(less ? by_width(width_of(t), simd::i8x16_lt_u, simd::i16x8_lt_u, simd::i32x4_lt_u, 0)
                : by_width(width_of(t), simd::i8x16_le_u, simd::i16x8_le_u, simd::i32x4_le_u, 0));
}

void Pass::push_vector_op(Id id, int i) {
  Function& f = c_.code;
  const DagNode& n = node(id);
  const Type t = n.type;
  const auto both = [&](unsigned code) {
    for (int k = 0; k < arity_of(n.prim); ++k) {
      if (t == Type::b) push_mask(n.in[k], natural_[id], i);
      else push(n.in[k], i);
    }
    f.simd(code);
  };
  switch (n.prim) {
    case Prim::reinterpret: push(n.in[0], i); return;
    case Prim::convert: return push_convert(n, i);
    case Prim::lt: case Prim::le: case Prim::eq: case Prim::ne: return push_comparison(n, i);
    case Prim::bit_and: return both(simd::and_);
    case Prim::bit_or: return both(simd::or_);
    case Prim::bit_xor: return both(simd::xor_);
    case Prim::bit_not: return both(simd::not_);
    case Prim::add:
      return both(
          by_type(t, simd::i8x16_add, simd::i16x8_add, simd::i32x4_add, simd::i64x2_add, simd::f32x4_add, simd::f64x2_add));
    case Prim::sub:
      return both(
          by_type(t, simd::i8x16_sub, simd::i16x8_sub, simd::i32x4_sub, simd::i64x2_sub, simd::f32x4_sub, simd::f64x2_sub));
    case Prim::mul:
      if (width_of(t) == 1) return push_narrow_product(n, i);
      return both(by_type(t, 0, simd::i16x8_mul, simd::i32x4_mul, simd::i64x2_mul, simd::f32x4_mul, simd::f64x2_mul));
    case Prim::div: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_div, simd::f64x2_div));
    case Prim::quotient: return push_quotient(n, i);
    case Prim::sqrt: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_sqrt, simd::f64x2_sqrt));
    case Prim::floor: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_floor, simd::f64x2_floor));
    case Prim::ceil: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_ceil, simd::f64x2_ceil));
    case Prim::trunc: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_trunc, simd::f64x2_trunc));
    case Prim::nearest: return both(by_type(t, 0, 0, 0, 0, simd::f32x4_nearest, simd::f64x2_nearest));
    case Prim::shl:
    case Prim::shr: return push_shift(n, i);
    case Prim::popcount:
      push(n.in[0], i);
      f.simd(simd::i8x16_popcnt);
      if (width_of(t) >= 2) f.simd(simd::i16x8_extadd_pairwise_i8x16_u);
      if (width_of(t) >= 4) f.simd(simd::i32x4_extadd_pairwise_i16x8_u);
      return;
    case Prim::select: {
      if (push_bound(n, i)) return;
      const bool keeps = is_constant(n.in[2]) && node(n.in[2]).imm == 0;
      push(n.in[1], i);
      if (!keeps) push(n.in[2], i);
      push_mask(n.in[0], width_of(t), i);
      f.simd(keeps ? simd::and_ : simd::bitselect);
      return;
    }
    default: __builtin_trap();
  }
}

/// select(a < b, a, b) and select(a < b, b, a) are single instructions for floats, with their zeros and NaN. So is
/// select(a < b, a, c) where c is the lower of a and something above b: what holds a value between two constants.
bool Pass::push_bound(const DagNode& n, int i) {
  const DagNode& c = node(n.in[0]);
  if (c.prim != Prim::lt || !is_float(n.type) || node(c.in[0]).type != n.type) return false;
  const Id a = c.in[0], b = c.in[1], yes = n.in[1], no = n.in[2];
  const bool lowest = yes == a && no == b, highest = yes == b && no == a;
  if (!lowest && !highest && !(yes == b && is_held_below(no, a, b))) return false;
  // pmin(x, y) is y < x ? y : x, pmax(x, y) is x < y ? y : x
  push(no, i);
  push(yes, i);
  c_.code.simd(lowest ? (n.type == Type::f32 ? simd::f32x4_pmin : simd::f64x2_pmin)
                      : (n.type == Type::f32 ? simd::f32x4_pmax : simd::f64x2_pmax));
  return true;
}

/// Is it select(h < v, h, v) with constants h >= l?
bool Pass::is_held_below(Id id, Id v, Id l) const {
  const DagNode& n = node(id);
  if (n.prim != Prim::select || n.in[2] != v || !is_constant(n.in[1]) || !is_constant(l)) return false;
  const DagNode& c = node(n.in[0]);
  if (c.prim != Prim::lt || c.in[0] != n.in[1] || c.in[1] != v) return false;
  const auto value = [&](Id constant) {
    const std::uint64_t bits = node(constant).imm;
    return n.type == Type::f32 ? static_cast<double>(__builtin_bit_cast(float, static_cast<std::uint32_t>(bits)))
                               : __builtin_bit_cast(double, bits);
  };
  return value(l) <= value(n.in[1]);
}

void Pass::push_shift(const DagNode& n, int i) {
  Function& f = c_.code;
  const Type t = n.type;
  push(n.in[0], i);
  const DagNode& by = node(n.in[1]);
  if (by.prim == Prim::constant) {
    f.i32(static_cast<std::int32_t>(by.imm));
  } else {
    push(n.in[1], 0);
    extract(f, t, 0);
    if (width_of(t) == 8) f.raw(op::i32_wrap_i64);
  }
  if (n.prim == Prim::shl)
    f.simd(by_width(width_of(t), simd::i8x16_shl, simd::i16x8_shl, simd::i32x4_shl, simd::i64x2_shl));
  else if (is_signed(t))
    f.simd(by_width(width_of(t), simd::i8x16_shr_s, simd::i16x8_shr_s, simd::i32x4_shr_s, simd::i64x2_shr_s));
  else
    f.simd(by_width(width_of(t), simd::i8x16_shr_u, simd::i16x8_shr_u, simd::i32x4_shr_u, simd::i64x2_shr_u));
}

/// Products of bytes, by way of 16 bits.
void Pass::push_narrow_product(const DagNode& n, int i) {
  for (bool upper : {false, true}) {
    for (int k = 0; k < 2; ++k) {
      push(n.in[k], i);
      extend(c_.code, 1, false, upper);
    }
    c_.code.simd(simd::i16x8_mul);
  }
  even_lanes(c_.code, 1);
}

/// Pushes the vector on the stack once more.
void Pass::push_again() {
  if (twice_ < 0) twice_ = c_.code.local(Wasm::v128);
  c_.code.tee(twice_).get(twice_);
}

/// Brings the upper half of a vector down.
void Pass::bring_down() {
  push_again();
  c_.code.simd(simd::shuffle);
  for (int k = 0; k < 16; ++k) c_.code.raw(static_cast<std::uint8_t>(8 + k % 8));
}

/// Joins the lower halves of vectors 2 i and 2 i + 1 of `count`.
void Pass::push_low_halves(const Push& push, int count, int i) {
  push(2 * i);
  if (2 * i + 1 >= count) return;  // half a vector is all there is
  push(2 * i + 1);
  c_.code.simd(simd::shuffle);
  for (int k = 0; k < 16; ++k) c_.code.raw(static_cast<std::uint8_t>(k < 8 ? k : k + 8));
}

/// Vector i of an integer as lanes of 32 bits.
void Pass::push_to_i32(Id id, int i) {
  const Type t = node(id).type;
  push_resized([this, id](int at) { push(id, at); }, count_of(id), width_of(t), 4, is_signed(t), same_[id] ? 0 : i);
}

/// Vector i of a float as an integer, saturated.
void Pass::push_truncated(Id in, Type to, bool is_unsigned, int i) {
  Function& f = c_.code;
  const Type from = node(in).type;
  const bool same = same_[in];
  const auto whole = [&](int at) {
    if (from == Type::f32) {
      push(in, at);
      f.simd(simd::i32x4_trunc_sat_f32x4_s + is_unsigned);
      return;
    }
    const auto half = [&](int part) {
      push(in, part);
      f.simd(simd::i32x4_trunc_sat_f64x2_s_zero + is_unsigned);
    };
    if (same) {
      half(0);
      f.simd(simd::i32x4_extract).raw(0).simd(simd::i32x4_splat);
    } else {
      push_low_halves(half, count_of(in), at);
    }
  };
  push_resized(whole, same ? 1 : vectors(4), 4, width_of(to), is_signed(to), same ? 0 : i);
}

void Pass::push_convert(const DagNode& n, int i) {
  Function& f = c_.code;
  const Id in = n.in[0];
  const Type from = node(in).type, to = n.type;
  const int count = count_of(in);
  const bool same = same_[in];
  if (from == Type::b) {
    push_mask(in, width_of(to), i);
    push_constant(to, to == Type::f32 ? 0x3f800000u : to == Type::f64 ? 0x3ff0000000000000u : 1);
    f.simd(simd::and_);
    return;
  }
  if (from == Type::f32 && to == Type::f64) {
    push(in, i / 2);
    if (!same && (i & 1)) bring_down();
    f.simd(simd::f64x2_promote_low_f32x4);
    return;
  }
  if (from == Type::f64 && to == Type::f32) {
    const auto half = [&](int at) {
      push(in, at);
      f.simd(simd::f32x4_demote_f64x2_zero);
    };
    if (same) {
      half(0);
      f.simd(simd::f32x4_extract).raw(0).simd(simd::f32x4_splat);
      return;
    }
    return push_low_halves(half, count, i);
  }
  if (!is_float(from) && !is_float(to)) {
    push_resized([&](int at) { push(in, at); }, count, width_of(from), width_of(to), is_signed(from), same ? 0 : i);
    return;
  }
  const bool is_unsigned = width_of(is_float(from) ? to : from) == 4 && !is_signed(is_float(from) ? to : from);
  if (to == Type::f32) {
    push_to_i32(in, i);
    f.simd(simd::f32x4_convert_i32x4_s + is_unsigned);
  } else if (to == Type::f64) {
    push_to_i32(in, i / 2);
    if (!same && (i & 1)) bring_down();
    f.simd(simd::f64x2_convert_low_i32x4_s + is_unsigned);
  } else {
    push_truncated(in, to, is_unsigned, i);
  }
}

/// Through floats, which hold the quotients' integer parts exactly (ops/math/value.h).
void Pass::push_quotient(const DagNode& n, int i) {
  Function& f = c_.code;
  const Type t = n.type;
  const bool is_unsigned = !is_signed(t);
  if (width_of(t) <= 2) {
    const auto whole = [&](int at) {
      for (int k = 0; k < 2; ++k) {
        push_to_i32(n.in[k], at);
        f.simd(simd::f32x4_convert_i32x4_s);
      }
      f.simd(simd::f32x4_div).simd(simd::i32x4_trunc_sat_f32x4_s);
    };
    const bool same = same_[n.in[0]] && same_[n.in[1]];
    push_resized(whole, same ? 1 : vectors(4), 4, width_of(t), false, same ? 0 : i);
    return;
  }
  const bool same = same_[n.in[0]] && same_[n.in[1]];
  const auto half = [&](int at) {
    for (int k = 0; k < 2; ++k) {
      push(n.in[k], at / 2);
      if (!same_[n.in[k]] && (at & 1)) bring_down();
      f.simd(simd::f64x2_convert_low_i32x4_s + is_unsigned);
    }
    f.simd(simd::f64x2_div).simd(simd::i32x4_trunc_sat_f64x2_s_zero + is_unsigned);
  };
  if (same) {
    half(0);
    f.simd(simd::i32x4_extract).raw(0).simd(simd::i32x4_splat);
  } else {
    push_low_halves(half, vectors(8), i);
  }
}

/// Pushes one element of a kept value or of a constant.
void Pass::push_lane(Id id, int element) {
  const DagNode& n = node(id);
  if (n.prim == Prim::constant) return write_scalar_constant(c_.code, n.type, n.imm);
  const int in_one = 16 / width_of(n.type);
  if (same_[id]) element = 0;
  push(id, element / in_one);
  extract(c_.code, n.type, element % in_one);
}

/// Element by element.
void Pass::push_lanes(const DagNode& n, int i) {
  Function& f = c_.code;
  const int in_one = 16 / width_of(n.type);
  bool same = true;
  for (int k = 0; k < arity_of(n.prim); ++k) same = same && same_[n.in[k]];
  const int count = same ? 1 : std::min(in_one, lanes_);
  for (int lane = 0; lane < count; ++lane) {
    for (int k = 0; k < arity_of(n.prim); ++k) push_lane(n.in[k], i * in_one + lane);
    write_scalar_op(f, c_.dag, n);
    if (lane == 0) splat(f, n.type);
    else replace(f, n.type, lane);
  }
}

}  // namespace numjit::wasm_gen
