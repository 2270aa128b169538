// Copies that stand for views: what is stored into the one side is stored into the other.
#include <numjit/transform/mirrors.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include <numjit/transform/batch.h>

namespace numjit::transform {

void keep_alike(Mirror mirror) {
  if (!detail::levels_are_open()) return;
  for (auto* level = dynamic_cast<Level*>(detail::top_interpreter()); level; level = level->outer())
    if (auto* batch = dynamic_cast<BatchLevel*>(level)) return batch->mirrors().add(std::move(mirror));
}

void Mirrors::add(Mirror mirror) {
  forget_dead();
  all_.push_back(std::move(mirror));
}

// Nobody else has the copy, nor a view of it.
void Mirrors::forget_dead() {
  std::erase_if(all_, [](const Mirror& m) { return std::atomic_ref(m.copy.get()->refs).load(std::memory_order_acquire) == 1; });
}

// Through copies that were stored into to what they show, and from there to all other copies of it.
void Mirrors::follow_store(node* written) {
  if (is_following_ || all_.empty()) return;
  is_following_ = true;
  const struct Following {
    bool& is_following;
    ~Following() { is_following = false; }
  } following{is_following_};
  forget_dead();
  std::vector<const node*> changed{Level::memory_of(written)};
  std::vector<bool> done(all_.size(), false);
  for (std::size_t at = 0; at < changed.size(); ++at) {
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const Mirror m = all_[k];
      const node* const of = Level::memory_of(m.of.get());
      const node* const copy = Level::memory_of(m.copy.get());
      if (done[k] || (changed[at] != of && changed[at] != copy)) continue;
      done[k] = true;
      if (changed[at] == copy) {
        m.put(m.copy);
        changed.push_back(of);
      } else {
        const array part = m.taken();
        const operand in[] = {m.copy, part};
        bind({op_id::store, in});
        changed.push_back(copy);
      }
    }
  }
}

}  // namespace numjit::transform
