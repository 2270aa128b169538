// Programs that keep arrays in containers, structs, tuples, optionals, closures and coroutines.
#include "harness.h"

#include <coroutine>
#include <deque>
#include <list>
#include <set>
#include <unordered_map>
#include <variant>

#define SUITE Containers

using meaning::ramp;
using meaning::wave;
namespace np = numjit;

PROGRAM(vector_grows_from_call_to_call) {
  std::vector<np::array> history;
  auto f = p.compile([&](const np::array& x) {
    history.push_back(x * static_cast<double>(history.size() + 1));
    np::array total = history[0];
    for (std::size_t i = 1; i < history.size(); ++i) total = total + history[i];
    return total;
  });
  for (int i = 0; i < 6; ++i) p.show("total", f(wave(3, i)));
  p.show("history", history);
}

PROGRAM(vector_grows_in_one_call) {
  auto f = p.compile([](const np::array& x, int n) {
    std::vector<np::array> rows;
    for (int i = 0; i < n; ++i) rows.push_back(x * i + static_cast<double>(rows.size()));
    rows.insert(rows.begin() + 1, x - 100);
    rows.erase(rows.begin());
    std::swap(rows.front(), rows.back());
    return np::stack(rows);
  });
  for (int n : {2, 5, 3}) p.show("rows", f(ramp(3), n));
}

PROGRAM(many_live_arrays) {
  // More results in flight than a segment holds operations.
  auto f = p.compile([](const np::array& x, int n) {
    std::vector<np::array> all;
    for (int i = 0; i < n; ++i) all.push_back(x + i);
    for (std::size_t i = 1; i < all.size(); ++i) all[i] += all[i - 1](0);
    return all;
  });
  auto all = f(ramp(2), 300);
  p.show("last", all.back());
  p.show("sum", np::sum(np::stack(all)));
}

PROGRAM(joining_very_many_arrays) {
  auto f = p.compile([](const std::vector<np::array>& parts) { return np::concatenate(parts) * 2; });
  std::vector<np::array> parts;
  for (int i = 0; i < 300; ++i) parts.push_back(ramp(2) + i);
  p.show("joined", f(parts));
  parts.resize(255);
  p.show("255", f(parts));
  parts.resize(256, ramp(1));
  p.show("256", f(parts));
}

PROGRAM(tuple_pair_array_optional_map) {
  using Inputs = std::tuple<np::array, std::pair<np::array, double>, std::array<np::array, 2>>;
  auto f = p.compile([](const Inputs& in, const std::optional<np::array>& bias, const std::map<std::string, np::array>& w) {
    const auto& [x, scaled, two] = in;
    std::map<std::string, np::array> out;
    out["sum"] = x + scaled.first * scaled.second + two[0] * two[1];
    if (bias) out["biased"] = out["sum"] + *bias;
    for (const auto& [name, array] : w) out["w_" + name] = array * x;
    return out;
  });
  const Inputs in{ramp(3), {wave(3), 0.5}, {ramp(3) + 1, wave(3, 1)}};
  p.show("plain", f(in, std::nullopt, {}));
  p.show("bias", f(in, np::ones(3), {{"a", ramp(3)}, {"b", wave(3)}}));
  p.show("weights", f(in, std::nullopt, {{"a", ramp(3)}}));
}

PROGRAM(results_of_every_kind) {
  auto maybe = p.compile([](const np::array& x, bool some) -> std::optional<np::array> {
    if (!some) return std::nullopt;
    return x + 1;
  });
  p.show("none", maybe(ramp(2), false));
  p.show("some", maybe(ramp(2), true));
  auto list = p.compile([](const np::array& x) { return std::vector<np::array>{x, x + 1, x(np::slice(0, 1))}; });
  p.show("list", list(ramp(2)));
  auto number = p.compile([](const np::array& x) { return np::sum(x).item<double>(); });
  p.show("number", number(ramp(4)));
  auto truth = p.compile([](const np::array& x) { return bool(np::all(x > 0)); });
  p.show("truth", truth(ramp(4)));
  auto text = p.compile([](const np::array& x) { return (x * 2).str(); });
  p.show("text", text(ramp(4)));
  auto choice = p.compile([](const np::array& x, bool n) -> std::variant<np::array, int> {
    if (n) return 5;
    return x * 3;
  });
  p.show("index", static_cast<int>(choice(ramp(2), true).index()));
  p.show("array", std::get<np::array>(choice(ramp(2), false)));
  auto pointer = p.compile([](const np::array& x) { return std::make_unique<np::array>(x - 1); });
  p.show("pointer", *pointer(ramp(2)));
  auto nothing = p.compile([](np::array x) { x += 1; });
  auto x = ramp(2);
  nothing(x);
  p.show("x", x);
}

namespace {

struct Layer {
  np::array weight, bias;
  np::array operator()(const np::array& x) const { return np::matmul(x, weight) + bias; }
};
struct Model {
  std::vector<Layer> layers;
  double slope = 0.1;
  np::array forward(const np::array& x) const {
    np::array h = x;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      h = layers[i](h);
      if (i + 1 < layers.size()) h = np::where(h > 0, h, h * slope);
    }
    return h;
  }
  void scale(double by) {
    for (Layer& layer : layers) layer.weight *= by;
  }
};
Model make_model() {
  return {{{wave(6).reshape(2, 3), wave(3)}, {wave(6, 1).reshape(3, 2), ramp(2)}}, 0.1};
}

}  // namespace

PROGRAM(model_as_object_and_member_pointer) {
  Model model = make_model();
  auto forward = p.compile(&Model::forward);
  auto scale = p.compile(&Model::scale);
  auto x = wave(8).reshape(4, 2);
  p.show("y", forward(model, x));
  scale(model, 0.5);
  p.show("y", forward(model, x));
  model.slope = 0;
  model.layers.push_back({np::eye(2), np::zeros(2)});
  p.show("y", forward(&model, x));
  p.show("weight", model.layers[0].weight);
}

PROGRAM(parameters_are_updated_in_a_training_loop) {
  Model model = make_model();
  auto x = wave(8).reshape(4, 2), target = np::ones({4, 2});
  auto step = p.compile([&](double rate) {
    Layer& last = model.layers.back();
    auto hidden = model.layers[0](x);
    auto error = last(hidden) - target;
    last.weight -= rate * np::matmul(hidden.T(), error);
    last.bias = last.bias - rate * np::sum(error, {.axis = 0});
    return np::mean(error * error);
  });
  for (int i = 0; i < 5; ++i) p.show("loss", step(0.01 / (i + 1)));
  p.show("weight", model.layers[1].weight);
  p.show("bias", model.layers[1].bias);
}

PROGRAM(struct_is_returned) {
  struct Summary {
    np::array mean, spread;
    std::int64_t count = 0;
  };
  auto f = p.compile([](const np::array& x) { return Summary{np::mean(x), np::ptp(x), x.size()}; });
  for (int n : {3, 8, 1}) {
    Summary s = f(wave(n));
    p.show("mean", s.mean);
    p.show("spread", s.spread);
    p.show("count", s.count);
  }
}

PROGRAM(handles_are_moved_and_swapped) {
  auto f = p.compile([](np::array a, np::array b) {
    np::array c = std::move(a);
    a = std::move(b);
    b = c * 2;
    std::swap(a, c);
    auto consume = [](np::array x) { return x + 1; };
    auto d = consume(std::move(c));
    std::tie(a, b) = std::make_tuple(b, a);
    auto e = std::exchange(a, d);
    return std::tuple(a, b, d, e);
  });
  auto x = ramp(3), y = wave(3);
  p.show("all", f(x, y));
  p.show("moved in", f(std::move(x), np::ones(3)));
}

PROGRAM(arguments_are_emplaced_and_moved) {
  auto f = p.compile([](std::vector<np::array>& queue, np::array x) {
    queue.emplace_back(x * 2);
    queue.push_back(std::move(x));
    queue.front() = queue.front() + 1;
    while (queue.size() > 3) queue.erase(queue.begin());
  });
  std::vector<np::array> queue;
  for (int i = 0; i < 4; ++i) f(queue, wave(2, i));
  p.show("queue", queue);
}

PROGRAM(deque_list_and_unordered_map) {
  auto f = p.compile([](const np::array& x) {
    std::deque<np::array> recent;
    std::list<np::array> chain{x};
    std::unordered_map<int, np::array> by_key;
    for (int i = 0; i < 4; ++i) {
      recent.push_front(x + i);
      if (recent.size() > 2) recent.pop_back();
      chain.push_back(chain.back() * 0.5);
      by_key[i % 2] = by_key.contains(i % 2) ? by_key[i % 2] + x : x * i;
    }
    chain.reverse();
    return std::tuple(recent[0] - recent[1], chain.front() + chain.back(), by_key.at(0), by_key.at(1));
  });
  p.show("all", f(wave(3)));
}

PROGRAM(shared_pointers_to_arrays) {
  struct Node {
    np::array value;
    std::shared_ptr<Node> next;
  };
  auto f = p.compile([](const np::array& x, int n) {
    std::shared_ptr<Node> head;
    for (int i = 0; i < n; ++i) head = std::make_shared<Node>(Node{x + i, head});
    auto total = np::zeros_like(x);
    for (auto at = head; at; at = at->next) total = total * 2 + at->value;
    return total;
  });
  p.show("total", f(ramp(3), 4));
  p.show("total", f(ramp(3), 2));
}

PROGRAM(functions_in_a_container) {
  std::vector<std::function<np::array(const np::array&)>> steps = {
      [](const np::array& x) { return x + 1; },
      [](const np::array& x) { return x * x; },
      [](const np::array& x) { return x - np::mean(x); },
  };
  auto f = p.compile([&](np::array x, const std::vector<int>& order) {
    for (int i : order) x = steps[static_cast<std::size_t>(i)](x);
    return x;
  });
  p.show("y", f(ramp(4), {0, 1, 2}));
  p.show("y", f(ramp(4), {2, 1}));
  p.show("y", f(ramp(4), {}));
  p.show("y", f(ramp(4), {1, 1, 0, 2}));
}

PROGRAM(generic_lambda_with_a_pack) {
  auto f = p.compile([](const auto& first, const auto&... rest) { return ((first * 1) + ... + rest); });
  p.show("1", f(ramp(3)));
  p.show("2", f(ramp(3), wave(3)));
  p.show("mixed", f(ramp(3), 2, wave(3), 0.5));
  p.show("2", f(ramp(3), wave(3)));
}

PROGRAM(visitor_over_a_variant) {
  using Operand = std::variant<np::array, double, int>;
  auto f = p.compile([](const np::array& x, const std::vector<Operand>& operands) {
    np::array y = x;
    for (const Operand& o : operands) std::visit([&](const auto& v) { y = y * 2 + v; }, o);
    return y;
  });
  p.show("y", f(ramp(3), {1, 0.5, np::array(wave(3))}));
  p.show("y", f(ramp(3), {0.5, 1}));
}

PROGRAM(set_ordered_by_value) {
  auto less = [](const np::array& a, const np::array& b) { return bool(np::sum(a) < np::sum(b)); };
  auto f = p.compile([&](const np::array& x) {
    std::set<np::array, decltype(less)> ordered(less);
    for (int i = 0; i < 4; ++i) ordered.insert(x * ((i * 7) % 4) + i);
    return std::vector<np::array>(ordered.begin(), ordered.end());
  });
  p.show("ordered", f(wave(3)));
}

namespace {

// A lazily running sequence of arrays.
struct Sequence {
  struct promise_type {
    np::array value;
    Sequence get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(np::array v) {
      value = std::move(v);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> handle;
  Sequence(std::coroutine_handle<promise_type> h) : handle(h) {}
  Sequence(Sequence&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Sequence() {
    if (handle) handle.destroy();
  }
  std::optional<np::array> next() {
    if (!handle.done()) handle.resume();
    if (handle.done()) return std::nullopt;
    return handle.promise().value;
  }
};

Sequence powers(np::array x) {
  np::array power = np::ones_like(x);
  for (int i = 0; i < 5; ++i) {
    co_yield power;
    power = power * x;
    if (i == 2) power += 0.5;
  }
}

}  // namespace

PROGRAM(coroutine_inside_the_body) {
  auto f = p.compile([](const np::array& x) {
    auto sequence = powers(x);
    np::array total = np::zeros_like(x);
    while (auto power = sequence.next()) total = total + *power;
    return total;
  });
  p.show("total", f(wave(3)));
}

PROGRAM(coroutine_half_inside_half_outside) {
  auto sequence = powers(ramp(3));
  auto f = p.compile([&](int n) {
    np::array total = np::zeros(3);
    for (int i = 0; i < n; ++i)
      if (auto power = sequence.next()) total += *power;
    return total;
  });
  p.show("first two", f(2));
  p.show("third", *sequence.next());
  p.show("rest", f(5));
}

PROGRAM(closures_made_inside_and_called_outside) {
  auto f = p.compile([](const np::array& x) {
    auto scale = np::max(x) * 2;
    return std::function<np::array(const np::array&)>([scale, y = x + 1](const np::array& z) { return z * scale + y; });
  });
  auto g = f(ramp(3));
  p.show("g", g(np::ones(3)));
  auto h = p.compile(f(wave(3)));
  p.show("h", h(np::ones(3)));
  p.show("g", g(wave(3)));
}

PROGRAM(nested_vectors_as_grid) {
  auto f = p.compile([](std::vector<std::vector<np::array>> grid) {
    for (auto& row : grid)
      for (auto& cell : row) cell = cell + np::sum(row.back());
    std::vector<np::array> rows;
    for (auto& row : grid) rows.push_back(np::hstack(row));
    return np::vstack(rows);
  });
  p.show("grid", f({{ramp(2), wave(2)}, {wave(2, 1), ramp(2) * 3}}));
}

PROGRAM(last_values_of_a_loop_stay) {
  auto f = p.compile([](const np::array& x) {
    np::array previous, current = x;
    for (int i = 0; i < 5; ++i) {
      previous = current;
      current = previous * 0.5 + i;
    }
    return std::tuple(previous, current, current - previous);
  });
  p.show("all", f(wave(3)));
}
