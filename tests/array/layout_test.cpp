// Nodes: layouts, contiguity flags and signatures as NumPy's, views, and memory errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/array/array.h>

#include "support/error_text.h"

namespace numjit {
namespace {

using detail::new_node;
using detail::new_view;
using t = dtype_id;

array empty(const dims& shape, t type = t::float64) {
  return array::adopt(new_node(type, shape.size(), shape.data()));
}
array view(const array& of, const dims& shape, const dims& strides, std::int64_t offset = 0) {
  return array::adopt(new_view(of.get(), of.get()->type, shape.size(), shape.data(), strides.data(),
                               offset));
}
std::string flags(const array& a) {
  return std::string(a.is_c_contiguous() ? "C" : "") + (a.is_f_contiguous() ? "F" : "");
}

// Expected flags and strides: np.empty(shape).flags, .strides (NumPy 2.4.6).
TEST(Layout, ContiguousArrays) {
  struct { dims shape, strides; const char* flags; } cases[] = {
      {{}, {}, "CF"},
      {{5}, {8}, "CF"},
      {{2, 3}, {24, 8}, "C"},
      {{1, 3}, {24, 8}, "CF"},
      {{3, 1}, {8, 8}, "CF"},
      {{2, 1, 3}, {24, 24, 8}, "C"},
      {{1, 1}, {8, 8}, "CF"},
      {{0}, {0}, "CF"},
      {{3, 0, 2}, {0, 0, 0}, "CF"},
      {{2, 3, 4, 5, 6}, {2880, 960, 240, 48, 8}, "C"},
  };
  for (const auto& c : cases) {
    array a = empty(c.shape);
    EXPECT_EQ(a.shape(), c.shape);
    EXPECT_EQ(a.strides(), c.strides) << c.shape.str();
    EXPECT_EQ(flags(a), c.flags) << c.shape.str();
    EXPECT_EQ(a.size(), element_count(c.shape));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.get()->data) % 64, 0u);
  }
}

TEST(Layout, ItemsizesOfAllDtypes) {
  const std::size_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16};
  for (int i = 0; i < dtype_count; ++i) {
    array a = empty({3, 2}, static_cast<t>(i));
    EXPECT_EQ(a.itemsize(), sizes[i]);
    EXPECT_EQ(a.strides(), (dims{2 * a.strides()[1], static_cast<std::int64_t>(sizes[i])}));
    EXPECT_EQ(a.nbytes(), 6 * static_cast<std::int64_t>(sizes[i]));
  }
}

// a = np.empty((4, 6)): flags of the view in the comment.
TEST(Layout, FlagsOfViews) {
  array a = empty({4, 6});
  EXPECT_EQ(flags(view(a, {6, 4}, {8, 48})), "F");                // a.T
  EXPECT_EQ(flags(view(a, {2, 6}, {96, 8})), "");                 // a[::2]
  EXPECT_EQ(flags(view(a, {4, 6}, {-48, 8}, 144)), "");           // a[::-1]
  EXPECT_EQ(flags(view(a, {6}, {8})), "CF");                      // a[0]
  EXPECT_EQ(flags(view(a, {4}, {48})), "");                       // a[:, 0]
  EXPECT_EQ(flags(view(a, {1, 6}, {96, 8})), "CF");               // a[:1], any stride along the 1
  EXPECT_EQ(flags(view(a, {4, 1}, {48, 8})), "");                 // a[:, :1]
  EXPECT_EQ(flags(view(a, {4, 0}, {48, 8})), "CF");               // a[:, 0:0]
  EXPECT_EQ(flags(view(a, {3, 4, 6}, {0, 48, 8})), "");           // np.broadcast_to(a, (3, 4, 6))
  EXPECT_EQ(flags(view(a, {1, 4, 6}, {0, 48, 8})), "C");          // a[None]
}

TEST(Layout, ViewsShareStorageOfTheOwner) {
  array a = empty({4, 6});
  EXPECT_TRUE(a.base().empty_handle());
  array v = view(a, {2, 6}, {96, 8}, 48);
  array w = view(v, {2}, {96}, 8);
  EXPECT_EQ(v.base().get(), a.get());
  EXPECT_EQ(w.base().get(), a.get()) << "a view of a view refers to the owner";
  EXPECT_EQ(w.get()->data, a.get()->data + 56);
  EXPECT_TRUE(v.writeable());
  v.get()->flags |= node::readonly;
  EXPECT_FALSE(view(v, {2}, {96}).writeable()) << "a view of a read-only view is read-only";
  char* data = a.get()->data;
  a = array();
  EXPECT_EQ(w.get()->base->data, data) << "a view keeps the storage alive";
}

std::uint64_t bits(const array& a, int from, int count) {
  return a.get()->signature >> from & ((std::uint64_t(1) << count) - 1);
}

TEST(Signature, HoldsEachPartOfTheLayout) {
  array a = empty({1, 6, 3}, t::complex64);
  EXPECT_EQ(bits(a, 0, 4), static_cast<std::uint64_t>(t::complex64));
  EXPECT_EQ(bits(a, 4, 5), 3u);
  EXPECT_EQ(bits(a, 9, 2), 1u);
  EXPECT_EQ(bits(a, 11, 16), 1u);
  EXPECT_EQ(bits(a, 27, 16), 0u);
  EXPECT_EQ(bits(a, 43, 1), 0u);
  EXPECT_EQ(bits(a, 44, 20), 0u);
  EXPECT_EQ(bits(view(a, {3, 6, 1}, {8, 24, 144}), 9, 2), 2u);
  array b = view(a, {5, 1, 6, 4}, {0, 0, 24, 0});
  EXPECT_EQ(bits(b, 9, 2), 0u);
  EXPECT_EQ(bits(b, 11, 16), 2u) << "axis 1 has extent 1";
  EXPECT_EQ(bits(b, 27, 16), 9u) << "axes 0 and 3 are broadcast, axis 1 only has extent 1";
  const dims deep = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(bits(empty(deep), 4, 5), 16u);
  EXPECT_EQ(bits(empty(deep), 11, 16), 0xffffu);
  EXPECT_NE(empty({}, t::bool_).get()->signature, 0u);
  a.get()->device = 3;
  detail::refresh_signature(a.get());
  EXPECT_EQ(bits(a, 44, 8), 3u);
  a.get()->device = 0;
}

TEST(Signature, DoesNotHoldExtents) {
  EXPECT_EQ(empty({2, 3}).get()->signature, empty({40, 50}).get()->signature);
  EXPECT_NE(empty({2, 3}).get()->signature, empty({2, 1}).get()->signature);
  EXPECT_NE(empty({2, 3}).get()->signature, empty({2, 3}, t::int64).get()->signature);
}

TEST(Signature, Misaligned) {
  array bytes = empty({64}, t::uint8);
  auto at = [&](t type, dims shape, dims strides, std::int64_t offset) {
    node* n = new_view(bytes.get(), type, shape.size(), shape.data(), strides.data(), offset);
    return bits(array::adopt(n), 43, 1);
  };
  EXPECT_EQ(at(t::float64, {2}, {8}, 8), 0u);
  EXPECT_EQ(at(t::float64, {2}, {8}, 4), 1u);
  EXPECT_EQ(at(t::float64, {2}, {12}, 8), 1u) << "the second element";
  EXPECT_EQ(at(t::float64, {1}, {12}, 8), 0u) << "there is no second element";
  EXPECT_EQ(at(t::float64, {0}, {8}, 4), 0u) << "there is no element";
  EXPECT_EQ(at(t::complex128, {2}, {16}, 8), 0u) << "complex aligns as its parts";
  EXPECT_EQ(at(t::complex64, {2}, {8}, 4), 0u);
  EXPECT_EQ(at(t::uint8, {3}, {1}, 3), 0u);
}

TEST(Layout, ChangesInPlace) {
  node* n = detail::allocate_node();
  const std::int64_t six[] = {2, 1, 2, 1, 2, 1}, two[] = {3, 4};
  detail::set_contiguous_layout(n, t::float32, 6, six);
  EXPECT_EQ(dims(n->strides, 6), (dims{16, 16, 8, 8, 4, 4}));
  // From its own lists, dropping an axis: from outline to inline storage and back.
  detail::set_layout(n, t::float32, 4, n->shape + 2, n->strides + 2);
  EXPECT_EQ(dims(n->shape, 4), (dims{2, 1, 2, 1}));
  EXPECT_EQ(dims(n->strides, 4), (dims{8, 8, 4, 4}));
  detail::set_layout(n, t::float32, 3, n->shape + 1, n->strides + 1);
  EXPECT_EQ(dims(n->shape, 3), (dims{1, 2, 1}));
  detail::set_contiguous_layout(n, t::int8, 2, two);
  EXPECT_EQ(n->size, 12);
  node* other = detail::allocate_node();
  detail::set_contiguous_layout(other, t::float32, 6, six);
  detail::copy_layout(n, other);
  EXPECT_EQ(n->signature, other->signature);
  EXPECT_EQ(dims(n->shape, 6), dims(six, 6));
  EXPECT_TRUE(detail::same_shape(n, other));
  detail::release(n);
  detail::release(other);
}

TEST(MemoryErrors, SayWhatNumPySays) {
  EXPECT_THAT(text_of<MemoryError>([] { empty({1000000, 1000000}); }),
              testing::StartsWith("Unable to allocate 7.28 TiB for an array with shape (1000000, "
                                  "1000000) and data type float64: "));
  EXPECT_EQ(text_of<ValueError>([] { empty({std::int64_t(1) << 62, 8}); }),
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
            "size.");
  EXPECT_EQ(text_of<ValueError>([] { empty({std::int64_t(1) << 62, 1}); }),
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
            "size.")
      << "the count fits, the bytes do not";
  EXPECT_EQ(text_of<ValueError>([] { empty({0, 922337203685477580, 8}); }),
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
            "size.")
      << "the strides do not fit either";
  EXPECT_EQ(text_of<ValueError>([] { empty({-1, 0}); }), "negative dimensions are not allowed");
  EXPECT_EQ(text_of<ValueError>([] { empty({0, std::int64_t(1) << 62, 8}); }),
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
            "size.");
}

TEST(MemoryErrors, LeaveNothingBehind) {
  // The node of a failed array returns to the pool: the next one is the same.
  node* before = detail::allocate_node();
  detail::release(before);
  EXPECT_THROW(empty({1000000, 1000000, 1000}), MemoryError);
  EXPECT_THROW(empty({-1}), ValueError);
  node* after = detail::allocate_node();
  EXPECT_EQ(before, after);
  detail::release(after);
}

TEST(Storage, ForeignMemoryIsGivenBackOnce) {
  static int freed;
  freed = 0;
  double memory[4] = {1, 2, 3, 4};
  const std::int64_t shape[] = {4};
  node* n = detail::allocate_node();
  n->data = reinterpret_cast<char*>(memory);
  n->deleter = [](void* context) { ++*static_cast<int*>(context); };
  n->deleter_context = &freed;
  detail::set_contiguous_layout(n, t::float64, 1, shape);
  {
    array a = array::adopt(n);
    array v = view(a, {2}, {16});
    a = array();
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

}  // namespace
}  // namespace numjit
