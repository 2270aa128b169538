// Reductions along the walk: rows, and whole arrays as rows of chunks.
//
//   for q, for p:                      rows, or chunks of 1024 of one row
//     lanes in registers, some of the 32 at once:
//       for k in m / 32                whole vectors
//     the lanes go to scratch memory   if registers do not hold all 32, or elements are left
//     the m % 32 elements that are left
//     lane[l] = lane[l] (+) lane[l + h], h = 16, 8, 4, 2, 1: in registers, if they hold all 32
//     out(p, q) = lane[0]              and the ops after the reduction (size class `whole`)
#include <algorithm>

#include "reduction.h"
#include "simd.h"

namespace numjit::wasm_gen {

using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

/// Reductions along the walk: rows, or chunks of 1024 of one row.
class RowsKernel {
 public:
  RowsKernel(const KernelSpec& spec, const KernelVariant& variant, const Target& target)
      : types_(reduced_types(spec, variant)), k_(spec, variant, target, 1, types_), states_(k_, spec, 0) {}

  std::vector<char> write() {
    Function& f = k_.code;
    for (std::size_t i = 0; i < k_.spec.operand_types.size(); ++i) in_.push_back(k_.operand(static_cast<int>(i), 3));
    for (std::size_t i = 0; i < types_.size(); ++i)
      out_.push_back(k_.still_buffer(k_.output_place(static_cast<int>(i)), types_[i], 2));
    const int np = f.local(Wasm::i32), nq = f.local(Wasm::i32);
    m_ = f.local(Wasm::i32);
    rounds_ = f.local(Wasm::i32);
    k_.push_extent(k_.output_place(0), 0);
    f.set(np);
    k_.push_extent(k_.output_place(0), 1);
    f.set(nq);
    k_.push_parameter(0);
    f.tee(m_).i32(5).raw(op::i32_shr_u).set(rounds_);
    std::uint32_t at = 0;
    for (Type t : states_.parts) {
      places_.push_back(at);
      at += static_cast<std::uint32_t>(lane_count * width_of(t));
    }
    const std::vector<Buffer*> all = pointers(in_, out_);
    const int q = k_.begin_axis(all, 1, nq);
    const int p = k_.begin_axis(all, 2, np);
    write_rounds();
    write_rest();
    if (first_.empty()) write_folds();
    else fold_registers();
    write_results();
    k_.end_axis(all, 2, p);
    k_.end_axis(all, 1, q);
    return f.i32(0).module();
  }

 private:
  std::vector<Id> leaves_of(Source::Kind kind, const std::vector<int>& at) {
    std::vector<Id> ids;
    for (std::size_t i = 0; i < states_.parts.size(); ++i) ids.push_back(k_.leaf(states_.parts[i], {kind, at[i], 0}));
    return ids;
  }

  /// Whole rounds of 32 elements: lanes in registers, as many at once as leave room for the expression.
  void write_rounds() {
    Function& f = k_.code;
    const int place = f.local(Wasm::i32);
    std::vector<int> first(states_.parts.size(), 0);  // locals of the states, set below
    // The graph does not depend on which locals hold the states, but they are as many as the lanes take.
    const std::vector<State> elements =
        states_.elements(k_.spec, k_.elements(in_), k_.leaf(Type::i32, {Source::Kind::place, place, 0}));
    const std::size_t sources = k_.sources.size();
    const std::vector<Id> state_ids = leaves_of(Source::Kind::state, first);
    const std::vector<Id> roots = states_.ids(states_.append(states_.from(state_ids), elements));
    const int lanes = lanes_of(roots);
    Pass sizes(k_.context(), roots, lanes);
    for (std::size_t i = 0; i < states_.parts.size(); ++i) {
      const Wasm type = lanes == 1 ? scalar_type(states_.parts[i]) : Wasm::v128;
      for (int v = 0; v < vectors_of(i, lanes, sizes); ++v) {
        const int local = f.local(type);
        if (v == 0) k_.sources[sources + i].index = local;
      }
    }
    const bool fits =
        lanes == lane_count && std::find(states_.parts.begin(), states_.parts.end(), Type::b) == states_.parts.end();
    for (std::size_t i = 0; fits && i < states_.parts.size(); ++i) first_.push_back(k_.sources[sources + i].index);
    const int group = f.local(Wasm::i32), round = f.local(Wasm::i32);
    std::vector<int> start;  // of the group: an address an operand
    for (Buffer& b : in_) {
      start.push_back(f.local(Wasm::i32));
      f.get(b.base[2]).set(start.back());
    }
    f.i32(0).set(group);
    f.begin_loop();
    Pass pass(k_.context(), roots, lanes);
    write_start(pass, sources, group, lanes);
    for (std::size_t i = 0; i < in_.size(); ++i) f.get(start[i]).set(array(in_[i]).pointer);
    f.get(group).set(place);
    f.get(rounds_).tee(round).i32(0).raw(op::i32_gt_s).begin_if();
    pass.before();
    f.begin_loop();
    pass.compute();
    push_states(pass, roots);
    pop_states(pass, sources);
    for (Buffer& b : in_) move(array(b), array(b).pointer, lane_count);
    f.increase(place, lane_count);
    f.get(round).i32(1).raw(op::i32_sub).tee(round).i32(0).raw(op::i32_gt_s).br_if(0);
    f.end().end();
    if (first_.empty()) write_lanes(pass, sources, group);
    for (std::size_t i = 0; i < in_.size(); ++i) move(array(in_[i]), start[i], lanes);
    f.get(group).i32(lanes).raw(op::i32_add).tee(group).i32(lane_count).raw(op::i32_lt_s).br_if(0);
    f.end();
  }

  Array& array(const Buffer& b) { return k_.arrays[static_cast<std::size_t>(b.array)]; }

  /// local += elements
  void move(const Array& array, int local, int elements) {
    Function& f = k_.code;
    if (array.walk == Array::Walk::dense) f.increase(local, elements * width_of(array.type));
    else if (array.walk == Array::Walk::strided && array.stride == 0) f.increase(local, 2 * elements * width_of(array.type));
    else if (array.walk == Array::Walk::strided)
      f.get(local).get(array.stride).i32(elements).raw(op::i32_mul).raw(op::i32_add).set(local);
  }

  int lanes_of(const std::vector<Id>& roots) const {
    const int least = k_.lanes_for(roots);
    if (least == 1) return 1;
    int bytes = 0;  // of the states, per lane
    for (Type t : states_.parts) bytes += width_of(t);
    int lanes = std::min(least, lane_count);
    while (2 * lanes <= lane_count && 2 * lanes * bytes <= 128) lanes *= 2;
    return lanes;
  }

  /// States live in locals as their stored form: conditions as masks of one byte.
  int vectors_of(std::size_t part, int lanes, const Pass& pass) const {
    return lanes == 1 ? 1 : pass.vectors(width_of(states_.parts[part]));
  }

  void write_start(const Pass& pass, std::size_t sources, int group, int lanes) {
    Function& f = k_.code;
    std::size_t part = 0;
    for (const Reduction& r : states_.list)
      for (std::size_t i = 0; i < r.parts.size(); ++i, ++part) {
        const Type t = r.parts[i];
        const bool place = r.is_arg && i + 1 == r.parts.size();
        const bool empty = r.fills && i + 1 == r.parts.size();
        const std::uint64_t bits = place || empty ? 0 : start_bits(r.op, t);
        for (int v = 0; v < vectors_of(part, lanes, pass); ++v) {
          if (place) {
            // An arg reduction stands at its lane's first element.
            f.get(group);
            if (lanes > 1) {
              f.simd(simd::i32x4_splat).simd(simd::const_);
              for (int b = 0; b < 4; ++b) f.fixed(static_cast<std::uint64_t>(4 * v + b), 4);
              f.simd(simd::i32x4_add);
            }
          } else if (lanes == 1) {
            write_scalar_constant(f, t, bits);
          } else {
            f.simd(simd::const_);
            for (int b = 0; b < 16; ++b)
              f.raw(t == Type::b ? (bits ? 255 : 0) : static_cast<std::uint8_t>(bits >> (8 * (b % width_of(t)))));
          }
          f.set(k_.sources[sources + part].index + v);
        }
      }
  }

  void push_states(Pass& pass, const std::vector<Id>& roots) {
    for (std::size_t i = 0; i < roots.size(); ++i)
      for (int v = 0; v < vectors_of(i, pass.lanes(), pass); ++v) {
        if (pass.lanes() > 1 && states_.parts[i] == Type::b) pass.push_condition(roots[i], v);
        else pass.push(roots[i], v);
      }
  }
  void pop_states(const Pass& pass, std::size_t sources) {
    for (std::size_t i = states_.parts.size(); i-- > 0;)
      for (int v = vectors_of(i, pass.lanes(), pass); v-- > 0;) k_.code.set(k_.sources[sources + i].index + v);
  }

  /// A group's states go to their lanes in scratch memory.
  void write_lanes(const Pass& pass, std::size_t sources, int group) {
    Function& f = k_.code;
    for (std::size_t i = 0; i < states_.parts.size(); ++i) {
      const Type t = states_.parts[i];
      const int width = width_of(t), state = k_.sources[sources + i].index;
      for (int v = 0; v < vectors_of(i, pass.lanes(), pass); ++v) {
        f.get(group);
        if (width > 1) f.i32(width).raw(op::i32_mul);
        f.scratch(0).raw(op::i32_add).get(state + v);
        const unsigned offset = places_[i] + static_cast<unsigned>(16 * v);
        if (pass.lanes() == 1) {
          f.raw(t == Type::f32 ? op::f32_store : t == Type::f64 ? op::f64_store
                : width == 1 ? op::i32_store8 : width == 2 ? op::i32_store16 : width == 4 ? op::i32_store : op::i64_store);
          f.at(offset);
          continue;
        }
        if (t == Type::b) {
          f.simd(simd::const_);
          for (int b = 0; b < 16; ++b) f.raw(1);
          f.simd(simd::and_);
        }
        const int bytes = pass.lanes() * width;
        if (bytes >= 16) f.simd(simd::store).at(offset);
        else f.simd(bytes == 8 ? simd::store64_lane : bytes == 4 ? simd::store32_lane : simd::store16_lane).at(offset).raw(0);
      }
    }
  }

  /// All lanes between registers and scratch memory.
  void move_lanes(bool to_registers) {
    Function& f = k_.code;
    for (std::size_t i = 0; i < first_.size(); ++i)
      for (int v = 0; v < lane_count * width_of(states_.parts[i]) / 16; ++v) {
        const unsigned offset = places_[i] + static_cast<unsigned>(16 * v);
        f.scratch(0);
        if (to_registers) f.simd(simd::load).at(offset).set(first_[i] + v);
        else f.get(first_[i] + v).simd(simd::store).at(offset);
      }
  }

  /// The m % 32 elements that are left.
  void write_rest() {
    Function& f = k_.code;
    const int rest = f.local(Wasm::i32), place = f.local(Wasm::i32);
    f.get(m_).i32(lane_count - 1).raw(op::i32_and).tee(rest).begin_if();
    for (Buffer& b : in_) {
      const Array& a = array(b);
      f.get(b.base[2]);
      if (a.walk != Array::Walk::still) {
        f.get(rounds_);
        if (a.stride) f.get(a.stride).i32(lane_count).raw(op::i32_mul);
        else f.i32(lane_count * width_of(a.type) * (a.walk == Array::Walk::dense ? 1 : 2));
        f.raw(op::i32_mul).raw(op::i32_add);
      }
      f.set(a.pointer);
    }
    f.get(m_).get(rest).raw(op::i32_sub).set(place);
    move_lanes(false);
    const std::vector<int> lanes = lane_arrays(0);
    const std::vector<State> elements =
        states_.elements(k_.spec, k_.elements(in_), k_.leaf(Type::i32, {Source::Kind::place, place, 0}));
    const std::vector<Id> before = leaves_of(Source::Kind::array, lanes);
    const std::vector<State> appended = states_.append(states_.from(before), elements);
    write_states(appended, lanes, rest, std::min(k_.lanes_for(states_.ids(appended)), 4), place);
    move_lanes(true);
    f.end();
    drop(lanes);
  }

  /// Arrays over the lanes' memory, from lane `first` on; they walk only inside of what is written next.
  std::vector<int> lane_arrays(int first) {
    std::vector<int> list;
    for (std::size_t i = 0; i < states_.parts.size(); ++i) {
      list.push_back(k_.scratch_array(states_.parts[i]));
      const auto offset = places_[i] + static_cast<std::uint32_t>(first * width_of(states_.parts[i]));
      k_.code.scratch(offset).set(k_.arrays[static_cast<std::size_t>(list.back())].pointer);
    }
    return list;
  }
  void drop(const std::vector<int>& list) {
    for (int i : list) k_.arrays[static_cast<std::size_t>(i)].walk = Array::Walk::still;
  }

  void write_states(const std::vector<State>& states, const std::vector<int>& to, int count, int lanes, int index) {
    const std::vector<Id> ids = states_.ids(states);
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < ids.size(); ++i) stores.push_back({ids[i], to[i], 0});
    write_loop(k_.context(), stores, count, lanes, index);
  }

  void write_folds() {
    Function& f = k_.code;
    for (int h = lane_count / 2; h >= 1; h /= 2) {
      const std::vector<int> lower = lane_arrays(0), upper = lane_arrays(h);
      const std::vector<Id> a = leaves_of(Source::Kind::array, lower), b = leaves_of(Source::Kind::array, upper);
      const std::vector<State> merged = states_.merge(states_.from(a), states_.from(b));
      int lanes = k_.lanes_for(states_.ids(merged));
      while (lanes > h) lanes /= 2;
      int widest = 1;
      for (Type t : states_.parts) widest = std::max(widest, width_of(t));
      // Less than half a vector goes one by one.
      if (lanes * widest < 8 || lanes < 2) lanes = 1;
      const int count = f.local(Wasm::i32);
      f.i32(h).set(count);
      const std::vector<Array::Walk> walks = stand_still();
      write_states(merged, lower, count, lanes, -1);
      walk_on(walks);
      drop(lower);
      drop(upper);
    }
  }

  /// The same without memory; the result goes to the first lane there.
  void fold_registers() {
    Function& f = k_.code;
    std::vector<int> upper(first_.size());
    for (int& local : upper) local = f.local(Wasm::v128);
    for (int h = lane_count / 2; h >= 1; h /= 2) {
      std::vector<int> other = upper;
      for (std::size_t i = 0; i < first_.size(); ++i) {
        const int bytes = h * width_of(states_.parts[i]);
        if (bytes >= 16) {
          other[i] = first_[i] + bytes / 16;
          continue;
        }
        f.get(first_[i]).get(first_[i]).simd(simd::shuffle);
        for (int b = 0; b < 16; ++b) f.raw(static_cast<std::uint8_t>((b + bytes) % 16));
        f.set(upper[i]);
      }
      const std::size_t sources = k_.sources.size();
      const std::vector<Id> a = leaves_of(Source::Kind::state, first_), b = leaves_of(Source::Kind::state, other);
      const std::vector<Id> roots = states_.ids(states_.merge(states_.from(a), states_.from(b)));
      Pass pass(k_.context(), roots, std::max(h, 2));
      pass.compute();
      push_states(pass, roots);
      pop_states(pass, sources);
    }
    for (std::size_t i = 0; i < first_.size(); ++i) f.scratch(0).get(first_[i]).simd(simd::store).at(places_[i]);
  }

  /// Operands do not move while lanes are worked on.
  std::vector<Array::Walk> stand_still() {
    std::vector<Array::Walk> walks;
    for (Buffer& b : in_) {
      walks.push_back(array(b).walk);
      array(b).walk = Array::Walk::still;
    }
    return walks;
  }
  void walk_on(const std::vector<Array::Walk>& walks) {
    for (std::size_t i = 0; i < in_.size(); ++i) array(in_[i]).walk = walks[i];
  }

  void write_results() {
    const std::vector<int> lanes = lane_arrays(0);
    drop(lanes);
    const std::vector<Id> ids = leaves_of(Source::Kind::array, lanes);
    for (Buffer& b : in_) k_.code.get(b.base[2]).set(array(b).pointer);
    for (Buffer& b : out_) k_.code.get(b.base[2]).set(array(b).pointer);
    const std::vector<Value> values = results(k_, states_, states_.from(ids), k_.elements(in_));
    std::vector<Stored> stores;
    std::vector<Id> roots;
    for (std::size_t i = 0; i < values.size(); ++i) k_.add_stores(stores, out_[i], values[i]);
    for (const Stored& s : stores) roots.push_back(s.value);
    Pass pass(k_.context(), roots, 1);
    pass.compute();
    for (const Stored& s : stores) pass.store(s.value, k_.arrays[static_cast<std::size_t>(s.array)], s.part);
  }

  std::vector<dtype_id> types_;
  Kernel k_;
  States states_;
  std::vector<Buffer> in_, out_;
  std::vector<std::uint32_t> places_;  // of each part's lanes in scratch memory
  std::vector<int> first_;             // of each part's locals, if they hold all lanes after the rounds
  int m_ = 0, rounds_ = 0;
};

}  // namespace

std::vector<char> write_rows(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  return RowsKernel(spec, variant, target).write();
}

}  // namespace numjit::wasm_gen
