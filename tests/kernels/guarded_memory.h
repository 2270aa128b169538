// Memory beside a page that nobody may touch.
#pragma once

#include <cstddef>

#include <sys/mman.h>
#include <unistd.h>

/// Ends where the page begins, or begins where it ends.
class GuardedMemory {
 public:
  enum class Side { after, before };

  explicit GuardedMemory(std::size_t bytes, Side guarded = Side::after) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_ + page_;
    base_ = static_cast<char*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(guarded == Side::after ? base_ + size_ - page_ : base_, page_, PROT_NONE);
    data = guarded == Side::after ? base_ + size_ - page_ - bytes : base_ + page_;
  }
  ~GuardedMemory() { munmap(base_, size_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  char* data;

 private:
  std::size_t page_, size_;
  char* base_;
};
