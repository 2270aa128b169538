// The memory of a repro's inputs: arrays that share a block share it in the repro.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <numjit/runtime/repro/repro.h>

namespace numjit::runtime {

/// Adds inputs to a repro, in order. finish() once all are there.
class MemoryCollector {
 public:
  MemoryCollector(Repro& repro, bool with_data) : repro_(repro), with_data_(with_data) {}
  void add(node* n);
  void finish();

 private:
  Repro& repro_;
  bool with_data_;
  std::vector<node*> owners_;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges_;  // bytes from the owner's start
};

}  // namespace numjit::runtime
