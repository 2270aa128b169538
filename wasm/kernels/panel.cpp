// Reductions along an axis that is not the contiguous one: tiles of columns.
//
//   for q, for p:                          p: tiles of columns
//     for k in m: for x:                   lane[k % 32](x) = lane[k % 32](x) (+) f(x, k), or f(x, k) of the first 32
//     for h = 16, 8, 4, 2, 1: for l < h:   lane[l](x) = lane[l](x) (+) lane[l + h](x), where both are there
//     out(x, p, q) = lane[0](x)            and the ops after the reduction (size class `whole`)
//
// The lanes lie in scratch memory, some KB.
#include <algorithm>

#include "reduction.h"

namespace numjit::wasm_gen {

using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

class PanelKernel {
 public:
  PanelKernel(const KernelSpec& spec, const KernelVariant& variant, const Target& target)
      : types_(reduced_types(spec, variant)), k_(spec, variant, target, 1, types_), states_(k_, spec, 0) {}

  std::vector<char> write() {
    Function& f = k_.code;
    const auto& classes = k_.variant.inner_stride;
    for (std::size_t i = 0; i < k_.spec.operand_types.size(); ++i) in_.push_back(k_.operand(static_cast<int>(i), 4));
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::size_t array = in_.size() + i;
      out_.push_back(k_.buffer(k_.output_place(static_cast<int>(i)), types_[i], 3, array < classes.size() ? classes[array] : 1));
    }
    lay_out_lanes();
    m_ = f.local(Wasm::i32);
    nx_ = f.local(Wasm::i32);
    count_ = f.local(Wasm::i32);
    const int np = f.local(Wasm::i32), nq = f.local(Wasm::i32);
    k_.push_parameter(0);
    f.set(m_);
    for (const auto& [local, axis] : {std::pair(nx_, 0), std::pair(np, 1), std::pair(nq, 2)}) {
      k_.push_extent(k_.output_place(0), axis);
      f.set(local);
    }
    const std::vector<Buffer*> all = pointers(in_, out_);
    const int q = k_.begin_axis(all, 1, nq);
    const int p = k_.begin_axis(all, 2, np);
    write_columns();
    write_folds();
    write_results(all);
    k_.end_axis(all, 2, p);
    k_.end_axis(all, 1, q);
    return f.i32(0).module();
  }

 private:
  void lay_out_lanes() {
    int widest = 1;
    for (const Reduction& r : states_.list) widest = std::max(widest, static_cast<int>(dtype(r.type).itemsize()));
    const auto columns = static_cast<std::uint32_t>(runtime::panel_columns(widest));
    std::uint32_t at = 0;
    for (Type t : states_.parts) {
      places_.push_back(at);
      lane_bytes_.push_back(columns * static_cast<std::uint32_t>(width_of(t)));
      at += lane_count * lane_bytes_.back();
      lower_.push_back(k_.scratch_array(t));
      upper_.push_back(k_.scratch_array(t));
    }
  }

  /// Sets the arrays to a lane, given by a local.
  void point(const std::vector<int>& arrays, int lane) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      k_.code.get(lane).i32(static_cast<int>(lane_bytes_[i])).raw(op::i32_mul).scratch(places_[i]).raw(op::i32_add)
          .set(k_.arrays[static_cast<std::size_t>(arrays[i])].pointer);
  }

  std::vector<Id> leaves_of(const std::vector<int>& arrays) {
    std::vector<Id> ids;
    for (std::size_t i = 0; i < arrays.size(); ++i) ids.push_back(k_.leaf(states_.parts[i], {Source::Kind::array, arrays[i], 0}));
    return ids;
  }

  /// One walk over the columns, in which only these arrays move.
  void walk(const std::vector<Stored>& stores, const std::vector<Buffer>& buffers,
            const std::vector<const std::vector<int>*>& lanes) {
    std::vector<bool> moves(k_.arrays.size());
    for (const Buffer& b : buffers) moves[static_cast<std::size_t>(b.array)] = true;
    for (const std::vector<int>* list : lanes)
      for (int i : *list) moves[static_cast<std::size_t>(i)] = true;
    const std::vector<Array> saved = k_.arrays;
    for (std::size_t i = 0; i < moves.size(); ++i)
      if (!moves[i]) k_.arrays[i].walk = Array::Walk::still;
    std::vector<Id> roots;
    for (const Stored& s : stores) roots.push_back(s.value);
    k_.code.get(nx_).set(count_);
    write_loop(k_.context(), stores, count_, k_.lanes_for(roots), -1);
    k_.arrays = saved;
  }

  std::vector<Stored> to_lanes(const std::vector<State>& states) const {
    const std::vector<Id> ids = states_.ids(states);
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < ids.size(); ++i) stores.push_back({ids[i], lower_[i], 0});
    return stores;
  }

  void write_columns() {
    Function& f = k_.code;
    const int place = f.local(Wasm::i32), lane = f.local(Wasm::i32);
    f.i32(0).set(place);
    const std::vector<Buffer*> in = pointers(in_);
    const int k = k_.begin_axis(in, 3, m_);
    k_.start_walk(in, 3);
    f.get(place).i32(lane_count - 1).raw(op::i32_and).set(lane);
    point(lower_, lane);
    const std::vector<State> elements =
        states_.elements(k_.spec, k_.elements(in_), k_.leaf(Type::i32, {Source::Kind::fixed, place, 0}));
    f.get(place).i32(lane_count).raw(op::i32_lt_s).begin_if();
    walk(to_lanes(elements), in_, {&lower_});
    f.raw(op::else_);
    walk(to_lanes(states_.append(states_.from(leaves_of(lower_)), elements)), in_, {&lower_});
    f.end();
    f.increase(place, 1);
    k_.end_axis(in, 3, k);
  }

  void write_folds() {
    Function& f = k_.code;
    const int h = f.local(Wasm::i32), l = f.local(Wasm::i32), other = f.local(Wasm::i32), full = f.local(Wasm::i32);
    // Lanes that there are.
    f.get(m_).i32(lane_count).get(m_).i32(lane_count).raw(op::i32_lt_s).raw(op::select).set(full);
    f.i32(lane_count / 2).set(h);
    f.begin_loop();
    f.i32(0).set(l);
    f.begin_loop();
    f.get(l).get(h).raw(op::i32_add).tee(other).get(full).raw(op::i32_lt_s).begin_if();
    point(lower_, l);
    point(upper_, other);
    walk(to_lanes(states_.merge(states_.from(leaves_of(lower_)), states_.from(leaves_of(upper_)))), {}, {&lower_, &upper_});
    f.end();
    f.get(l).i32(1).raw(op::i32_add).tee(l).get(h).raw(op::i32_lt_s).br_if(0);
    f.end();
    f.get(h).i32(1).raw(op::i32_shr_u).tee(h).br_if(0);
    f.end();
  }

  void write_results(const std::vector<Buffer*>& all) {
    const int zero = k_.code.local(Wasm::i32);
    k_.code.i32(0).set(zero);
    point(lower_, zero);
    k_.start_walk(all, 2);
    const std::vector<Value> values = results(k_, states_, states_.from(leaves_of(lower_)), k_.elements(in_));
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < values.size(); ++i) k_.add_stores(stores, out_[i], values[i]);
    std::vector<Buffer> moving = in_;
    moving.insert(moving.end(), out_.begin(), out_.end());
    walk(stores, moving, {&lower_});
  }

  std::vector<dtype_id> types_;
  Kernel k_;
  States states_;
  std::vector<Buffer> in_, out_;
  std::vector<std::uint32_t> places_, lane_bytes_;  // of each part's lanes
  std::vector<int> lower_, upper_;                  // arrays over a lane
  int m_ = 0, nx_ = 0, count_ = 0;
};

}  // namespace

std::vector<char> write_panel(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  return PanelKernel(spec, variant, target).write();
}

}  // namespace numjit::wasm_gen
