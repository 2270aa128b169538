// Complex arrays in kernels: the lowering pass that brings real and imaginary parts together.
//
// Up to lowering a complex array is two arrays of parts, so that templates need not know of it: for
// contiguous elements both have stride 2. Here the second is told where it really lies,
//
//     im[ramp(i, 2, n)]                    ->  the odd lanes of re[ramp(i, 1, 2n)]
//     (lowering may have made two loads of it, which avoid the element after the last)
//     re[ramp(i, 2, n)] = a;
//     im[ramp(i, 2, n)] = b                ->  re[ramp(i, 1, 2n)] = interleave(a, b)
//
// and real parts likewise, which makes the vector load that both share. Of tuples (the state of a complex
// reduction is one, too) all elements are computed before any is stored.
#include <cctype>
#include <map>
#include <utility>

#include <lower.h>

namespace numjit::halide_gen {
namespace {

using Halide::Expr;
using Halide::Parameter;
using namespace Halide::Internal;
using Statement = Halide::Internal::Stmt;

/// Which buffers a statement names, and their parameters.
class Buffers final : public IRVisitor {
 public:
  std::map<std::string, Parameter> found;

 private:
  using IRVisitor::visit;
  void visit(const Load* op) override {
    found.emplace(op->name, op->param);
    IRVisitor::visit(op);
  }
  void visit(const Store* op) override {
    found.emplace(op->name, op->param);
    IRVisitor::visit(op);
  }
};

/// Start of a vector of real or imaginary parts that lie side by side; undefined for others.
Expr dense_base(const Expr& index) {
  const Ramp* ramp = index.as<Ramp>();
  return ramp && is_const(ramp->stride, 2) && ramp->base.type().is_scalar() ? ramp->base : Expr();
}

Expr both_lanes(const Expr& predicate) {
  if (is_const_one(predicate)) return const_true(2 * predicate.type().lanes());
  return Shuffle::make_interleave({predicate, predicate});
}

class PlanePass final : public IRMutator {
 public:
  explicit PlanePass(const std::vector<PlanePair>& planes) {
    for (const PlanePair& pair : planes) {
      part_[pair.re] = {pair, 0};
      part_[pair.im] = {pair, 1};
    }
  }

  using IRMutator::mutate;
  Statement mutate(const Statement& s) override {
    if (!started_) {
      started_ = true;
      Buffers buffers;
      s.accept(&buffers);
      parameters_ = std::move(buffers.found);
    }
    return IRMutator::mutate(s);
  }

 private:
  struct Part {
    PlanePair pair;
    int offset = 0;
  };
  using IRMutator::visit;

  const Part* part_of(const std::string& name) const {
    auto it = part_.find(name);
    return it == part_.end() ? nullptr : &it->second;
  }
  /// The buffer that both parts are reached through: one that the kernel names already.
  const std::string& array_of(const Part& part) const {
    return parameters_.count(part.pair.re) ? part.pair.re : part.pair.im;
  }

  Expr visit(const Load* op) override {
    const Part* part = part_of(op->name);
    if (!part) return IRMutator::visit(op);
    const std::string& array = array_of(*part);
    const Expr index = mutate(op->index), predicate = mutate(op->predicate);
    const Expr base = dense_base(index);
    if (base.defined()) return part_of_dense(*part, *op, base, both_lanes(predicate));
    return Load::make(op->type, array, moved(index, *part), op->image, parameters_[array], predicate,
                      ModulusRemainder());
  }

  static Expr moved(const Expr& index, const Part& part) {
    if (part.offset == 0) return index;
    if (const Ramp* ramp = index.as<Ramp>())
      return Ramp::make(ramp->base + make_const(ramp->base.type(), part.offset), ramp->stride, ramp->lanes);
    return index + make_const(index.type(), part.offset);
  }

  /// Half of a load with stride 2 that was split: every second lane of a dense load.
  const Load* half_of_strided(const Expr& e, int first_lane) const {
    const Shuffle* slice = e.as<Shuffle>();
    if (!slice || !slice->is_slice() || slice->vectors.size() != 1 || slice->slice_stride() != 2 ||
        slice->slice_begin() != first_lane)
      return nullptr;
    const Load* load = slice->vectors[0].as<Load>();
    const Ramp* ramp = load ? load->index.as<Ramp>() : nullptr;
    const bool whole = ramp && is_const_one(ramp->stride) && is_const_one(load->predicate);
    return whole && part_of(load->name) ? load : nullptr;
  }

  Expr visit(const Shuffle* op) override {
    if (!op->is_concat() || op->vectors.size() != 2) return IRMutator::visit(op);
    const Load* low = half_of_strided(op->vectors[0], 0);
    const Load* high = half_of_strided(op->vectors[1], 1);
    if (!low || !high || low->name != high->name) return IRMutator::visit(op);
    const Expr base = low->index.as<Ramp>()->base;
    const int lanes = op->type.lanes();
    if (!is_const(simplify(high->index.as<Ramp>()->base - base), lanes - 1)) return IRMutator::visit(op);
    return part_of_dense(*part_of(low->name), *low, mutate(base), const_true(2 * lanes));
  }

  /// One part of lanes/2 whole elements that start at `base`.
  Expr part_of_dense(const Part& part, const Load& like, const Expr& base, const Expr& predicate) {
    const std::string& array = array_of(part);
    const int lanes = predicate.type().lanes();
    const Expr all = Load::make(like.type.with_lanes(lanes), array, Ramp::make(base, 1, lanes), like.image,
                                parameters_[array], predicate, ModulusRemainder());
    return Shuffle::make_slice(all, part.offset, 2, lanes / 2);
  }

  /// A store under the lets of its common subexpressions.
  struct LetStore {
    std::vector<std::pair<std::string, Expr>> lets;
    const Store* store = nullptr;
  };
  static LetStore as_store(const Statement& s) {
    LetStore found;
    Statement inner = s;
    for (const LetStmt* let = inner.as<LetStmt>(); let; let = inner.as<LetStmt>()) {
      found.lets.emplace_back(let->name, let->value);
      inner = let->body;
    }
    found.store = inner.as<Store>();
    return found;
  }

  static void flatten(const Statement& s, std::vector<Statement>& list) {
    if (const Block* block = s.as<Block>()) {
      flatten(block->first, list);
      flatten(block->rest, list);
    } else {
      list.push_back(s);
    }
  }

  /// "f.1" is element 1 of the tuple f; -1 for names without a number.
  static int element_of(const std::string& name, std::string& tuple) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot + 1 == name.size() || !std::isdigit(name[dot + 1])) return -1;
    tuple = name.substr(0, dot);
    return std::stoi(name.substr(dot + 1));
  }

  Statement visit(const Block* op) override {
    std::vector<Statement> list, done;
    flatten(op, list);
    for (std::size_t i = 0; i < list.size();) {
      std::vector<LetStore> group;
      std::string tuple, same;
      for (int last = -1; i + group.size() < list.size();) {
        const LetStore next = as_store(list[i + group.size()]);
        const int element = next.store ? element_of(next.store->name, tuple) : -1;
        if (element <= last || (!group.empty() && tuple != same)) break;
        group.push_back(next);
        same = tuple;
        last = element;
      }
      if (group.size() >= 2) {
        done.push_back(store_all(group));
        i += group.size();
      } else {
        done.push_back(mutate(list[i++]));
      }
    }
    return Block::make(done);
  }

  /// Stores of a tuple's elements: all values, then all stores. (Halide may store an element before it
  /// computes the next from its old value.)
  Statement store_all(const std::vector<LetStore>& group) {
    // The lets of all, but for those that an earlier element has already under its names.
    std::vector<std::pair<std::string, Expr>> lets;
    std::map<Expr, std::string, IRDeepCompare> known;
    std::map<std::string, Expr> renamed;
    const std::string name = unique_name("nj_element");
    std::vector<Statement> stores;
    for (const LetStore& one : group) {
      const auto taken = [&](const Expr& e) { return mutate(renamed.empty() ? e : substitute(renamed, e)); };
      for (const auto& [let, value] : one.lets) {
        const Expr mine = taken(value);
        const auto [it, is_new] = known.emplace(mine, let);
        if (is_new) lets.emplace_back(let, mine);
        else renamed[let] = Variable::make(mine.type(), it->second);
      }
      const std::string value = name + "." + std::to_string(stores.size());
      lets.emplace_back(value, taken(one.store->value));
      stores.push_back(Store::make(one.store->name, Variable::make(one.store->value.type(), value),
                                   taken(one.store->index), one.store->param, taken(one.store->predicate),
                                   one.store->alignment));
    }
    std::vector<Statement> placed;
    for (std::size_t i = 0; i < stores.size(); ++i) {
      const Store *re = stores[i].as<Store>(), *im = i + 1 < stores.size() ? stores[i + 1].as<Store>() : nullptr;
      const Part* part = part_of(re->name);
      if (part && part->offset == 0 && im && im->name == part->pair.im && is_dense_pair(*re, *im)) {
        placed.push_back(store_pair(*re, *im, *part));
        ++i;
      } else {
        placed.push_back(part ? store_part(*re, *part) : stores[i]);
      }
    }
    Statement s = Block::make(placed);
    for (auto it = lets.rbegin(); it != lets.rend(); ++it) s = LetStmt::make(it->first, it->second, s);
    return s;
  }

  static bool is_dense_pair(const Store& re, const Store& im) {
    return dense_base(re.index).defined() && equal(re.index, im.index) && equal(re.predicate, im.predicate);
  }

  Statement store_pair(const Store& re, const Store& im, const Part& part) {
    const std::string& array = array_of(part);
    return Store::make(array, Shuffle::make_interleave({re.value, im.value}),
                       Ramp::make(dense_base(re.index), 1, 2 * re.value.type().lanes()), parameters_[array],
                       both_lanes(re.predicate), ModulusRemainder());
  }

  /// A part by itself; nothing in `store` is left to be mutated.
  Statement store_part(const Store& store, const Part& part) {
    const std::string& array = array_of(part);
    return Store::make(array, store.value, moved(store.index, part), parameters_[array], store.predicate,
                       ModulusRemainder());
  }

  Statement visit(const Store* op) override {
    const Part* part = part_of(op->name);
    const Statement mutated = IRMutator::visit(op);
    return part ? store_part(*mutated.as<Store>(), *part) : mutated;
  }

  std::map<std::string, Part> part_;
  std::map<std::string, Parameter> parameters_;
  bool started_ = false;
};

}  // namespace

void add_plane_pass(Halide::Pipeline& pipeline, std::vector<PlanePair> planes) {
  pipeline.add_custom_lowering_pass(new PlanePass(planes));
}

}  // namespace numjit::halide_gen
