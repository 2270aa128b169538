// Buckets of gradients.
#include <algorithm>

#include <numjit/np.h>
#include <numjit/np_distributed.h>
#include <numjit/ops/calls.h>

namespace numjit::distributed {

struct GradientBuckets::Bucket {
  dtype_id type;
  std::vector<array> gradients = {};
  std::vector<std::size_t> leaves = {};
  std::int64_t bytes = 0;
};

GradientBuckets::GradientBuckets(const gradient_options& options, const location& where) : options_(options), where_(where) {}
GradientBuckets::~GradientBuckets() = default;

array GradientBuckets::mean_of(const array& value) const {
  return all_reduce(detail::at(value, where_), {.op = "mean", .on = options_.on});
}

void GradientBuckets::take(std::size_t leaf, int argument, array gradient) {
  results_.resize(std::max(results_.size(), leaf + 1));
  if (std::find(options_.parted.begin(), options_.parted.end(), argument) != options_.parted.end()) {
    results_[leaf] = std::move(gradient);
    return;
  }
  const dtype_id type = gradient.dtype().id();
  auto at = std::find_if(open_.begin(), open_.end(), [type](const Bucket& b) { return b.type == type; });
  if (at == open_.end()) at = open_.insert(open_.end(), Bucket{type});
  at->bytes += gradient.nbytes();
  at->leaves.push_back(leaf);
  at->gradients.push_back(std::move(gradient));
  if (at->bytes >= options_.bucket_bytes) close(*at);
}

void GradientBuckets::close(Bucket& bucket) {
  const Bucket full = std::exchange(bucket, Bucket{bucket.type});
  if (full.leaves.empty()) return;
  if (full.leaves.size() == 1) {
    results_[full.leaves[0]] = mean_of(full.gradients[0]);
    return;
  }
  std::vector<array> flat;
  for (const array& g : full.gradients) flat.push_back(g.reshape(-1));
  const array mean = mean_of(concatenate(flat));
  std::int64_t at = 0;
  for (std::size_t i = 0; i < full.leaves.size(); ++i) {
    const std::int64_t size = full.gradients[i].size();
    results_[full.leaves[i]] = array(mean(slice(at, at + size))).reshape(full.gradients[i].shape());
    at += size;
  }
}

std::vector<array> GradientBuckets::results() {
  for (Bucket& bucket : open_) close(bucket);
  return results_;
}

}  // namespace numjit::distributed
