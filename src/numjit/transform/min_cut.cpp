// Minimum cuts by blocking flows.
#include <numjit/transform/min_cut.h>

#include <algorithm>

namespace numjit::transform {

void FlowNetwork::add_edge(std::size_t from, std::size_t to, std::int64_t capacity) {
  edges_of_[from].push_back(edges_.size());
  edges_.push_back({to, capacity});
  edges_of_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

bool FlowNetwork::find_levels(std::size_t source, std::size_t sink) {
  level_.assign(edges_of_.size(), -1);
  level_[source] = 0;
  std::vector<std::size_t> reached{source};
  for (std::size_t k = 0; k < reached.size(); ++k)
    for (const std::size_t e : edges_of_[reached[k]])
      if (edges_[e].left > 0 && level_[edges_[e].to] < 0) {
        level_[edges_[e].to] = level_[reached[k]] + 1;
        reached.push_back(edges_[e].to);
      }
  return level_[sink] >= 0;
}

std::int64_t FlowNetwork::push(std::size_t from, std::size_t sink, std::int64_t at_most) {
  if (from == sink) return at_most;
  for (std::size_t& k = next_[from]; k < edges_of_[from].size(); ++k) {
    const std::size_t e = edges_of_[from][k];
    if (edges_[e].left <= 0 || level_[edges_[e].to] != level_[from] + 1) continue;
    const std::int64_t pushed = push(edges_[e].to, sink, std::min(at_most, edges_[e].left));
    if (pushed == 0) continue;
    edges_[e].left -= pushed;
    edges_[e ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

std::vector<bool> FlowNetwork::sink_side(std::size_t source, std::size_t sink) {
  while (find_levels(source, sink)) {
    next_.assign(edges_of_.size(), 0);
    while (const std::int64_t pushed = push(source, sink, unlimited))
      if (pushed == unlimited) return {};
  }
  // What still reaches the sink.
  std::vector<bool> reaches(edges_of_.size(), false);
  reaches[sink] = true;
  std::vector<std::size_t> found{sink};
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const std::size_t e : edges_of_[found[k]])
      if (edges_[e ^ 1].left > 0 && !reaches[edges_[e].to]) {
        reaches[edges_[e].to] = true;
        found.push_back(edges_[e].to);
      }
  return reaches;
}

}  // namespace numjit::transform
