// Who takes gradients, and when they are final.
#include <numjit/transform/gradient_sink.h>

namespace numjit::transform {
namespace {
constinit thread_local GradientSink* next_sink = nullptr;
}

gradients_taken_by::gradients_taken_by(GradientSink& sink) : before_(std::exchange(next_sink, &sink)) {}
gradients_taken_by::~gradients_taken_by() { next_sink = before_; }
GradientSink* gradients_taken_by::begin() { return std::exchange(next_sink, nullptr); }

void FinalVariables::used(int variable, const Place& at) {
  const auto found = unplaced_.find(variable);
  if (found == unplaced_.end()) return;
  final_[at].push_back(found->second);
  unplaced_.erase(found);
}

}  // namespace numjit::transform
