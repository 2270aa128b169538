// The table of black boxes and their shape rule.
#include <numjit/ops/black_box.h>

#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <numjit/base/error.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/promotion.h>

namespace numjit {
namespace detail {
namespace {

struct Table {
  std::mutex mutex;
  std::int64_t given = 0;  // numbers
  std::unordered_map<std::int64_t, std::weak_ptr<const black_box>> boxes;
};
Table& table() {
  static auto& instance = *new Table;
  return instance;
}

void drop(const black_box* box) {
  {
    std::lock_guard lock(table().mutex);
    table().boxes.erase(box->number);
  }
  delete box;  // what it captured may call back
}

}  // namespace

std::shared_ptr<const black_box> add_black_box(black_box box) {
  const auto kept = std::shared_ptr<black_box>(new black_box(std::move(box)), drop);
  std::lock_guard lock(table().mutex);
  kept->number = table().given++;
  table().boxes.emplace(kept->number, kept);
  return kept;
}

std::shared_ptr<const black_box> black_box_of(std::int64_t number) {
  std::shared_ptr<const black_box> box;
  {
    std::lock_guard lock(table().mutex);
    if (auto found = table().boxes.find(number); found != table().boxes.end()) box = found->second.lock();
  }
  if (!box) throw InternalError("allow_in_graph", "the function of this operation is gone.");
  return box;
}

array read_only_view(node* n) {
  if (n->is(node::remote)) return array::share(n);  // its memory is not at hand
  array view = array::adopt(new_view(n, n->type, n->rank, n->shape, n->strides, 0));
  view.get()->flags |= node::readonly;
  return view;
}

array result_of(const black_box& box, std::span<const array> arguments, const array_spec& promised) {
  const array result = [&] {
    try {
      return box.function(arguments);
    } catch (const std::exception& e) {
      if (std::string_view(e.what()).find("read-only") == std::string_view::npos) throw;
    }
    throw ValueError("allow_in_graph",
                     "the function stores into an argument, which it gets for reading: expected a function that changes none. "
                     "Hint: name the arguments that it changes by their numbers, as the option mutates.");
  }();
  const node* n = result.get();
  const dims shape(n->shape, n->rank);
  if (dtype(n->type) != promised.dtype || !(shape == promised.shape))
    throw ValueError("allow_in_graph", "the function returned " + std::string(dtype(n->type).name()) + " of shape " +
                                           shape.str() + ", its shape rule said " + std::string(promised.dtype.name()) +
                                           " of shape " + promised.shape.str() + ".");
  return result;
}

array_spec spec_of(const operand& o) {
  if (o.is_array()) return {o.n()->type, dims(o.n()->shape, o.n()->rank)};
  return {result_type({&o, 1}), {}};
}

}  // namespace detail

void infer_black_box(const op_call& call, inference& result) {
  std::vector<array_spec> in;
  for (const operand& o : call.in) in.push_back(detail::spec_of(o));
  const array_spec out = detail::black_box_of(call.p()[0])->shape_rule(in);
  result = {};
  result.type = out.dtype.id();
  result.shape = out.shape;
}

}  // namespace numjit
