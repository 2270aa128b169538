// Memory of the trie of records.
#include <numjit/trace/record/record.h>

#include <numjit/trace/record/replay_entry.h>

namespace numjit::tracing {

Trie::Trie() = default;

Trie::~Trie() {
  for (const auto& record : records_) {
    // Inputs are unbound between calls; a lazy node still held here has no other owner.
    if (!record->is_input && record->cur) detail::release(record->cur);
    delete record->end;
  }
  delete root_.end;
}

Record* Trie::new_record(int arity, bool with_scalars) {
  records_.push_back(std::make_unique<Record>());
  Record* record = records_.back().get();
  record->arity = arity;
  record->trie = this;
  const auto n = static_cast<std::size_t>(arity);
  if (arity > Record::few) {
    inputs_.push_back(std::make_unique<Record*[]>(n));
    record->in = inputs_.back().get();
  }
  if (with_scalars) {
    scalars_.push_back(std::make_unique<ScalarSlot[]>(n));
    record->scalars = scalars_.back().get();
  }
  return record;
}

}  // namespace numjit::tracing
