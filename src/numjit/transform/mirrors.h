// Parts of arrays at places that differ between the examples of a batch.
#pragma once

#include <functional>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::transform {

/// x[np.argmin(x[:, 0])] of one example is a view. Of a batch it is gathered: a copy, which mirrors the part, and the part it.
struct Mirror {
  array of, copy;
  std::function<array()> taken;           // the part as it is now
  std::function<void(const array&)> put;  // stores into the part
};

/// Until the innermost batch ends what is stored into the one is stored into the other, too: by operations that all open
/// transforms see. Nothing happens outside of a batch.
void keep_alike(Mirror mirror);

/// The mirrors of a batch.
class Mirrors {
 public:
  void add(Mirror mirror);
  /// Memory was stored into.
  void follow_store(node* written);

 private:
  void forget_dead();
  std::vector<Mirror> all_;
  bool is_following_ = false;
};

}  // namespace numjit::transform
