// Two reductions over a broadcast product, of which nothing is stored: argmin over k of the sum over d of
// (points(x, d) - centres(k, d))^2.
//
//   for q, for p:                     p: tiles of columns
//     best(x) = identity              in scratch memory
//     for k: for x:
//       best(x) = best(x) (+) reduce over d of f(x, d, k)
//     out(x, p, q) = best(x)          and the ops after the reductions
//
// d is at most the size class, 4 or 8: its lanes are written out, those beyond its end take the identity.
#include <algorithm>

#include "reduction.h"

namespace numjit::wasm_gen {

using graph::KernelSpec;
using runtime::KernelVariant;

namespace {

/// Staging of operands is for caches that these tiles fit anyway.
KernelVariant without_staging(KernelVariant v) {
  for (std::uint8_t& c : v.inner_stride) {
    if (c == runtime::stride_class_staged) c = 2;
    if (c == runtime::stride_class_staged_contiguous) c = 1;
  }
  return v;
}

class ProductKernel {
 public:
  ProductKernel(const KernelSpec& spec, const KernelVariant& variant, const Target& target)
      : variant_(without_staging(variant)), types_(output_types(spec)), k_(spec, variant_, target, 3, types_),
        inner_(k_, spec, 0), outer_(k_, spec, 1), lanes_(static_cast<int>(variant.size_class)) {}

  std::vector<char> write() {
    Function& f = k_.code;
    for (std::size_t i = 0; i < k_.spec.operand_types.size(); ++i) in_.push_back(k_.operand(static_cast<int>(i), 5));
    for (std::size_t i = 0; i < types_.size(); ++i)
      out_.push_back(k_.buffer(k_.output_place(static_cast<int>(i)), types_[i], 3, variant_.inner_stride[in_.size() + i]));
    std::uint32_t at = 0;
    for (Type t : outer_.parts) {
      places_.push_back(at);
      at += 256;
      best_.push_back(k_.scratch_array(t));
    }
    md_ = f.local(Wasm::i32);
    nx_ = f.local(Wasm::i32);
    count_ = f.local(Wasm::i32);
    const int mk = f.local(Wasm::i32), np = f.local(Wasm::i32), nq = f.local(Wasm::i32);
    for (const auto& [local, parameter] : {std::pair(md_, 0), std::pair(mk, 1), std::pair(nx_, 2)}) {
      k_.push_parameter(parameter);
      f.set(local);
    }
    for (const auto& [local, axis] : {std::pair(np, 1), std::pair(nq, 2)}) {
      k_.push_extent(k_.output_place(0), axis);
      f.set(local);
    }
    // Operands at each d: arrays of their own.
    for (int d = 1; d < lanes_; ++d) {
      at_d_.emplace_back();
      for (const Buffer& b : in_) {
        Array array = k_.arrays[static_cast<std::size_t>(b.array)];
        array.pointer = f.local(Wasm::i32);
        k_.arrays.push_back(array);
        at_d_.back().push_back(static_cast<int>(k_.arrays.size()) - 1);
      }
    }
    const std::vector<Buffer*> all = pointers(in_, out_);
    const int q = k_.begin_axis(all, 1, nq);
    const int p = k_.begin_axis(all, 2, np);
    write_products(mk);
    write_results(all);
    k_.end_axis(all, 2, p);
    k_.end_axis(all, 1, q);
    return f.i32(0).module();
  }

 private:
  Leaves operands(int d) {
    Leaves leaves;
    leaves.operand = [this, d](int i) {
      Buffer b = in_[static_cast<std::size_t>(i)];
      if (d > 0) b.array = at_d_[static_cast<std::size_t>(d - 1)][static_cast<std::size_t>(i)];
      return k_.element(b);
    };
    return leaves;
  }

  void point_best() {
    for (std::size_t i = 0; i < best_.size(); ++i)
      k_.code.scratch(places_[i]).set(k_.arrays[static_cast<std::size_t>(best_[i])].pointer);
  }

  void walk(const std::vector<Stored>& stores) {
    std::vector<Id> roots;
    for (const Stored& s : stores) roots.push_back(s.value);
    k_.code.get(nx_).set(count_);
    write_loop(k_.context(), stores, count_, k_.lanes_for(roots), -1);
  }

  std::vector<Stored> to_best(const std::vector<State>& states) const {
    const std::vector<Id> ids = outer_.ids(states);
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < ids.size(); ++i) stores.push_back({ids[i], best_[i], 0});
    return stores;
  }

  std::vector<Id> best_leaves() {
    std::vector<Id> ids;
    for (std::size_t i = 0; i < best_.size(); ++i) ids.push_back(k_.leaf(outer_.parts[i], {Source::Kind::array, best_[i], 0}));
    return ids;
  }

  /// The reductions over d, folded as 32 lanes would be.
  std::vector<State> reduced_over_d() {
    const Id md = k_.leaf(Type::i32, {Source::Kind::fixed, md_, 0}), none = k_.dag.constant(Type::i32, 0);
    std::vector<std::vector<State>> lane;
    for (int d = 0; d < lanes_; ++d) {
      std::vector<State> element = inner_.elements(k_.spec, operands(d), none);
      const Id there = k_.dag.make(Prim::lt, Type::b, k_.dag.constant(Type::i32, static_cast<std::uint64_t>(d)), md);
      if (d > 0) element = inner_.chosen(there, element, inner_.starts(none));
      lane.push_back(std::move(element));
    }
    for (std::size_t h = lane.size() / 2; h >= 1; h /= 2)
      for (std::size_t l = 0; l < h; ++l) lane[l] = inner_.merge(lane[l], lane[l + h]);
    return lane[0];
  }

  void write_products(int mk) {
    Function& f = k_.code;
    const int place = f.local(Wasm::i32);
    f.i32(0).set(place);
    point_best();
    walk(to_best(outer_.starts(k_.dag.constant(Type::i32, 0))));
    const std::vector<Buffer*> in = pointers(in_);
    const int k = k_.begin_axis(in, 3, mk);
    k_.start_walk(in, 3);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const Buffer& b = in_[i];
      int before = k_.arrays[static_cast<std::size_t>(b.array)].pointer;
      for (int d = 1; d < lanes_; ++d) {
        // Beyond the end of d: the last one again.
        const int pointer = k_.arrays[static_cast<std::size_t>(at_d_[static_cast<std::size_t>(d - 1)][i])].pointer;
        f.get(before).get(b.stride[0]).i32(0).get(md_).i32(d).raw(op::i32_gt_s).raw(op::select).raw(op::i32_add).set(pointer);
        before = pointer;
      }
    }
    point_best();
    const std::vector<State> reduced = reduced_over_d();
    Leaves leaves = operands(0);
    leaves.reduced = [&](int node) { return value_of(inner_, reduced, node); };
    const Id at = k_.leaf(Type::i32, {Source::Kind::fixed, place, 0});
    walk(to_best(outer_.append(outer_.from(best_leaves()), outer_.elements(k_.spec, leaves, at))));
    f.increase(place, 1);
    k_.end_axis(in, 3, k);
  }

  static Value value_of(const States& states, const std::vector<State>& values, int node) {
    std::size_t i = 0;
    while (states.list[i].node != node) ++i;
    return states.finished(i, values[i]);
  }

  void write_results(const std::vector<Buffer*>& all) {
    point_best();
    k_.start_walk(all, 2);
    const std::vector<State> best = outer_.from(best_leaves());
    Leaves leaves = operands(0);
    leaves.reduced = [&](int node) { return value_of(outer_, best, node); };
    const std::vector<Value> values = k_.lower_all(k_.spec, leaves);
    std::vector<Stored> stores;
    for (std::size_t i = 0; i < values.size(); ++i) k_.add_stores(stores, out_[i], values[i]);
    walk(stores);
  }

  KernelVariant variant_;
  std::vector<dtype_id> types_;
  Kernel k_;
  States inner_, outer_;
  int lanes_;
  std::vector<Buffer> in_, out_;
  std::vector<std::vector<int>> at_d_;  // per d from 1 on and operand: its array
  std::vector<int> best_;
  std::vector<std::uint32_t> places_;
  int md_ = 0, nx_ = 0, count_ = 0;
};

}  // namespace

std::vector<char> write_product(const KernelSpec& spec, const KernelVariant& variant, const Target& target) {
  return ProductKernel(spec, variant, target).write();
}

}  // namespace numjit::wasm_gen
