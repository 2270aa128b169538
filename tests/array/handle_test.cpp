// Handles: aliasing, counts across threads, empty handles, pools that do not grow.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <numjit/array/array.h>

#if defined(__SANITIZE_ADDRESS__)
#define NUMJIT_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NUMJIT_TEST_ASAN 1
#endif
#endif

namespace numjit {
namespace {

array empty(const dims& shape) {
  return array::adopt(detail::new_node(dtype_id::float64, shape.size(), shape.data()));
}
template <class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.code() + ": " + e.what();
  }
  return "no error";
}

TEST(Handle, CopiesAlias) {
  array a = empty({2, 3});
  array b = a;
  EXPECT_EQ(a.get(), b.get());
  EXPECT_EQ(a.get()->refs, 2u);
  array c = std::move(b);
  EXPECT_TRUE(b.empty_handle());
  EXPECT_EQ(c.get()->refs, 2u);
  array d = empty({4});
  d = c;
  EXPECT_EQ(d.get(), a.get());
  EXPECT_EQ(a.get()->refs, 3u);
  d = *&d;
  EXPECT_EQ(a.get()->refs, 3u);
  swap(d, b);
  EXPECT_TRUE(d.empty_handle());
  EXPECT_EQ(b.get(), a.get());
}

TEST(Handle, Sizes) {
  array a = empty({2, 3});
  EXPECT_EQ(a.shape(0), 2);
  EXPECT_EQ(a.shape(-1), 3);
  EXPECT_EQ(a.len(), 2);
  EXPECT_EQ(a.ndim(), 2);
  EXPECT_EQ(text_of([&] { a.shape(2); }),
            "IndexError: [shape] tuple index out of range: got axis 2 of an array of dimension 2.");
  EXPECT_EQ(text_of([&] { a.shape(-3); }),
            "IndexError: [shape] tuple index out of range: got axis -3 of an array of dimension 2.");
  EXPECT_EQ(text_of([] { empty({}).len(); }), "TypeError: [len] len() of unsized object");
}

TEST(Handle, EmptyOnesSaySo) {
  const char* text =
      "ValueError: [array] the handle is empty: got a default-constructed or moved-from array, "
      "expected one that holds a value. Assign an array to it first.";
  array a;
  EXPECT_EQ(text_of([&] { a.ndim(); }), text);
  EXPECT_EQ(text_of([&] { a.shape(); }), text);
  EXPECT_EQ(text_of([&] { a.base(); }), text);
  EXPECT_EQ(text_of([&] { a.len(); }), text);
  EXPECT_EQ(text_of([&] { operand o(a); }), text);
  array b = empty({1}), c = std::move(b);
  EXPECT_EQ(text_of([&] { b.dtype(); }), text);
}

TEST(Pool, ReusesNodesAndBlocks) {
  array a = empty({10});
  node* n = a.get();
  char* data = n->data;
  a = array();
  array b = empty({10});
  EXPECT_EQ(b.get(), n);
#if !NUMJIT_TEST_ASAN  // under AddressSanitizer blocks are not pooled, so that misuse shows
  EXPECT_EQ(b.get()->data, data);
#else
  (void)data;
#endif
}

TEST(Pool, CleansNodesForReuse) {
  node* n = detail::allocate_node();
  n->flags = node::readonly | node::poisoned;
  n->device = 2;
  const std::int64_t shape[] = {1, 2, 3, 4, 5, 6};
  detail::set_contiguous_layout(n, dtype_id::int8, 6, shape);
  detail::release(n);
  node* again = detail::allocate_node();
  ASSERT_EQ(again, n);
  EXPECT_EQ(again->refs, 1u);
  EXPECT_EQ(again->flags, 0);
  EXPECT_EQ(again->device, 0);
  EXPECT_EQ(again->rank, 0);
  EXPECT_EQ(again->data, nullptr);
  EXPECT_EQ(again->shape, again->inline_dims);
  EXPECT_EQ(again->strides, again->inline_dims + node::inline_rank);
  detail::release(again);
}

TEST(Threads, CountHandlesOfOneArray) {
  array a = empty({100});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([a] {
      for (int k = 0; k < 20000; ++k) {
        array copy = a;
        array moved = std::move(copy);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(a.get()->refs, 1u);
}

TEST(Threads, LastHandleMayEndAnywhere) {
  for (int round = 0; round < 200; ++round) {
    static std::atomic<int> freed;
    freed = 0;
    node* n = detail::allocate_node();
    char byte;
    n->data = &byte;
    n->deleter = [](void*) { ++freed; };
    array a = array::adopt(n);
    std::thread one([b = a]() mutable { b = array(); });
    std::thread two([b = a]() mutable { b = array(); });
    a = array();
    one.join();
    two.join();
    EXPECT_EQ(freed.load(), 1);
  }
}

TEST(Threads, NodesFreedElsewhereComeBack) {
  // One thread makes arrays, another drops them: nodes must circulate, not pile up.
  std::set<node*> seen;
  for (int round = 0; round < 50; ++round) {
    std::vector<array> made;
    for (int i = 0; i < 500; ++i) {
      made.push_back(empty({1, 1, 1, 1, 1, 1}));
      seen.insert(made.back().get());
    }
    std::thread([made = std::move(made)]() mutable { made.clear(); }).join();
  }
  EXPECT_LT(seen.size(), 3000u) << "of 25000 arrays made";
}

TEST(Threads, FreesAtThreadExit) {
  // A thread-local handle destroyed after the pool's own thread-local guard.
  node* used = nullptr;
  std::thread([&] {
    static thread_local array late;
    late = empty({3});
    used = late.get();
  }).join();
  ASSERT_NE(used, nullptr);
  // Its node went to the shared list, from which a new thread takes.
  std::set<node*> fresh;
  std::thread([&] {
    std::vector<array> all;
    for (int i = 0; i < 200; ++i) all.push_back(empty({3}));
    for (const array& a : all) fresh.insert(a.get());
  }).join();
  EXPECT_TRUE(fresh.contains(used));
}

}  // namespace
}  // namespace numjit
