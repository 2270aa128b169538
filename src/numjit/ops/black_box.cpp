// The table of black boxes and their shape rule.
#include <numjit/ops/black_box.h>

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

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

}  // namespace detail

void infer_black_box(const op_call& call, inference& result) {
  std::vector<array_spec> in;
  for (const operand& o : call.in) {
    if (o.is_array())
      in.push_back({o.n()->type, dims(o.n()->shape, o.n()->rank)});
    else
      in.push_back({result_type({&o, 1}), {}});
  }
  const array_spec out = detail::black_box_of(call.p()[0])->shape_rule(in);
  result = {};
  result.type = out.dtype.id();
  result.shape = out.shape;
}

}  // namespace numjit
