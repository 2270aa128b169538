// The searches are those of NumPy's einsum_path (greedy, optimal), which come from D. G. A. Smith and J. Gray, opt_einsum,
// Journal of Open Source Software 3 (2018) 753: the greedy one takes the pair that removes most elements, then the
// cheapest; the optimal one looks at every order.
#include "contraction_path.h"

#include <algorithm>
#include <bitset>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace numjit::detail {
namespace {

using labels = std::bitset<128>;

labels set_of(const std::string& text) {
  labels set;
  for (char c : text) set.set(static_cast<std::size_t>(c));
  return set;
}

class Search {
 public:
  Search(const contraction_problem& problem, double memory_limit) : problem_(problem), output_(set_of(problem.output)) {
    for (const std::string& input : problem.inputs) {
      inputs_.push_back(set_of(input));
      limit_ = std::max(limit_, size_of(input));
    }
    limit_ = memory_limit > 0 ? memory_limit : std::max(limit_, size_of(problem.output));
  }

  /// What contracting the operands at `places` makes of the others, and what it costs.
  struct Step {
    labels result, involved;
    std::vector<labels> left;  // the result last
    double cost = 0, removed = 0;
  };
  Step step(const std::vector<int>& places, const std::vector<labels>& inputs) const {
    Step s;
    labels kept = output_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (std::find(places.begin(), places.end(), static_cast<int>(i)) == places.end()) {
        s.left.push_back(inputs[i]);
        kept |= inputs[i];
      } else {
        s.involved |= inputs[i];
        s.removed += size_of(inputs[i]);
      }
    }
    s.result = kept & s.involved;
    s.left.push_back(s.result);
    s.removed -= size_of(s.result);
    const double factor = std::max<double>(1, static_cast<double>(places.size()) - 1);
    s.cost = size_of(s.involved) * (factor + ((s.involved & ~s.result).any() ? 1 : 0));
    return s;
  }

  contraction_path greedy() const {
    struct Candidate {
      std::pair<double, double> key;  // elements not removed, cost
      std::pair<int, int> at;
    };
    std::vector<labels> inputs = inputs_;
    const double naive = step(all(inputs), inputs).cost;
    double spent = 0;
    contraction_path path;
    std::vector<Candidate> known;
    auto consider = [&](int i, int j) {
      const Step s = step({i, j}, inputs);
      if (size_of(s.result) <= limit_ && spent + s.cost <= naive) known.push_back({{-s.removed, s.cost}, {i, j}});
    };
    auto meet = [&](int i, int j) { return (inputs[static_cast<std::size_t>(i)] & inputs[static_cast<std::size_t>(j)]).any(); };
    while (inputs.size() > 1) {
      const int count = static_cast<int>(inputs.size());
      // Pairs of older operands are known from before.
      for (int i = 0; i < count; ++i)
        for (int j = path.empty() ? i + 1 : std::max(i + 1, count - 1); j < count; ++j)
          if (meet(i, j)) consider(i, j);
      if (known.empty())
        for (int i = 0; i < count; ++i)
          for (int j = i + 1; j < count; ++j) consider(i, j);
      if (known.empty()) {
        path.push_back(all(inputs));
        break;
      }
      const Candidate best =
          *std::min_element(known.begin(), known.end(), [](const Candidate& a, const Candidate& b) { return a.key < b.key; });
      const auto [x, y] = best.at;
      std::vector<Candidate> others;
      for (Candidate c : known) {
        auto& [a, b] = c.at;
        if (a == x || a == y || b == x || b == y) continue;
        a -= (a > x) + (a > y);
        b -= (b > x) + (b > y);
        others.push_back(c);
      }
      known = std::move(others);
      inputs = step({x, y}, inputs).left;
      path.push_back({x, y});
      spent += best.key.second;
    }
    return path;
  }

  contraction_path optimal() const {
    struct Begun {
      double cost;
      contraction_path path;
      std::vector<labels> left;
    };
    std::vector<Begun> all_begun{{0, {}, inputs_}};
    auto cheapest = [&] {
      auto less = [](const Begun& a, const Begun& b) { return a.cost < b.cost; };
      return std::min_element(all_begun.begin(), all_begun.end(), less)->path;
    };
    for (int count = static_cast<int>(inputs_.size()); count > 1; --count) {
      std::vector<Begun> next;
      for (const Begun& b : all_begun)
        for (int i = 0; i < count; ++i)
          for (int j = i + 1; j < count; ++j) {
            Step s = step({i, j}, b.left);
            if (size_of(s.result) > limit_) continue;
            next.push_back({b.cost + s.cost, b.path, std::move(s.left)});
            next.back().path.push_back({i, j});
          }
      if (next.empty()) {
        contraction_path path = cheapest();
        path.emplace_back(static_cast<std::size_t>(count));
        std::iota(path.back().begin(), path.back().end(), 0);
        return path;
      }
      all_begun = std::move(next);
    }
    return cheapest();
  }

  double size_of(const std::string& text) const {
    double size = 1;
    for (char c : text) size *= problem_.sizes.at(c);
    return size;
  }
  double size_of(const labels& set) const {
    double size = 1;
    for (const auto& [label, n] : problem_.sizes)
      if (set.test(static_cast<std::size_t>(label))) size *= n;
    return size;
  }
  static std::vector<int> all(const std::vector<labels>& inputs) {
    std::vector<int> places(inputs.size());
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  const std::vector<labels>& inputs() const { return inputs_; }
  labels output() const { return output_; }

 private:
  const contraction_problem& problem_;
  labels output_;
  std::vector<labels> inputs_;
  double limit_ = 0;
};

}  // namespace

contraction_path find_contraction_path(const contraction_problem& problem, bool optimal, double memory_limit) {
  const Search search(problem, memory_limit);
  labels used;
  for (const labels& input : search.inputs()) used |= input;
  if (used == search.output()) return {Search::all(search.inputs())};
  return optimal ? search.optimal() : search.greedy();
}

std::string describe_contraction(const contraction_problem& problem, const contraction_path& path) {
  const Search search(problem, 0);
  std::vector<labels> sets = search.inputs();
  std::vector<std::string> terms = problem.inputs;
  auto join = [](const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ",")); };
  labels all;
  double cost = 1, largest = 0, letters = 0;
  for (const labels& set : sets) {
    all |= set;
    letters += static_cast<double>(set.count());
  }
  std::size_t scaling = 0;
  std::string steps;
  const std::string whole = join(terms) + "->" + problem.output;
  for (std::size_t n = 0; n < path.size(); ++n) {
    const Search::Step s = search.step(path[n], sets);
    sets = s.left;
    cost += s.cost;
    largest = std::max(largest, search.size_of(s.result));
    scaling = std::max(scaling, s.involved.count());
    std::vector<int> places = path[n];
    std::sort(places.rbegin(), places.rend());
    std::vector<std::string> used;
    for (int place : places) {
      used.push_back(terms[static_cast<std::size_t>(place)]);
      terms.erase(terms.begin() + place);
    }
    std::string made = problem.output;
    if (n + 1 < path.size()) {
      made.clear();
      std::vector<std::pair<double, char>> order;
      for (const auto& [label, size] : problem.sizes)
        if (s.result.test(static_cast<std::size_t>(label))) order.emplace_back(size, label);
      std::sort(order.begin(), order.end());
      for (const auto& [size, label] : order) made += label;
    }
    terms.push_back(made);
    steps +=
        fmt::format("\n{:4}    {:>24} {:>40}", s.involved.count(), join(used) + "->" + made, join(terms) + "->" + problem.output);
  }
  const double inner = letters > static_cast<double>(all.count()) ? 1 : 0;
  const double naive = search.size_of(all) * (std::max<double>(1, static_cast<double>(problem.inputs.size()) - 1) + inner);
  const std::string line(74, '-');
  return fmt::format(
      "  Complete contraction:  {}\n         Naive scaling:  {}\n     Optimized scaling:  {}\n      Naive FLOP count:  {:.3e}\n"
      "  Optimized FLOP count:  {:.3e}\n   Theoretical speedup:  {:.3f}\n  Largest intermediate:  {:.3e} elements\n{}\n"
      "{:>6} {:>24} {:>40}\n{}{}",
      whole, all.count(), scaling, naive, cost, naive / cost, largest, line, "scaling", "current", "remaining", line, steps);
}

}  // namespace numjit::detail
