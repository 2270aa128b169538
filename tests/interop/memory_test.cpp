// Memory of others: pointers with an owner, vectors, spans, DLPack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <numjit/dlpack.h>
#include <numjit/interop.h>
#include <numjit/np.h>

#include "support/error_text.h"

// The structures of <dlpack/dlpack.h> 1.0, as far as they are used here.
struct DLDevice { std::int32_t device_type, device_id; };
struct DLDataType { std::uint8_t code, bits; std::uint16_t lanes; };
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLManagedTensorVersioned {
  std::uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

namespace np = numjit;
using testing::HasSubstr;

namespace {

using np::text_of;

/// Sets a flag when it goes.
struct Owner {
  explicit Owner(bool& gone) : gone_(gone) {}
  Owner(const Owner&) = delete;
  ~Owner() { gone_ = true; }
  bool& gone_;
  double values[6] = {0, 1, 2, 3, 4, 5};
};

}  // namespace

TEST(Interop, a_pointer_with_an_owner_is_an_array) {
  bool gone = false;
  np::array row;
  {
    auto owner = std::make_shared<Owner>(gone);
    double* values = owner->values;
    np::array a = np::as_array(values, {2, 3}, owner);
    owner.reset();
    EXPECT_EQ(a.str(), "[[0. 1. 2.]\n [3. 4. 5.]]");
    values[1] = 10;
    a(1, 2) = 7;
    EXPECT_EQ(values[5], 7);
    EXPECT_EQ(a(0, 1).item(), 10);
    row = a(1);  // a view keeps the owner
  }
  EXPECT_FALSE(gone);
  EXPECT_EQ(row.str(), "[3. 4. 7.]");
  row = np::array();
  EXPECT_TRUE(gone);
}

TEST(Interop, the_owner_goes_on_whatever_thread_drops_the_last_array) {
  bool gone = false;
  auto owner = std::make_shared<Owner>(gone);
  double* values = owner->values;
  np::array a = np::as_array(values, {6}, std::move(owner));
  std::thread([b = std::move(a)] {}).join();
  EXPECT_TRUE(gone);
}

TEST(Interop, strides_of_any_sign_and_const_elements) {
  double values[6] = {0, 1, 2, 3, 4, 5};
  const np::array back = np::as_array(values + 5, {3}, nullptr, {.strides = {-16}});
  EXPECT_EQ(back.str(), "[5. 3. 1.]");
  const np::array f = np::as_array(values, {2, 3}, nullptr, {.strides = {8, 16}});
  EXPECT_EQ(f.str(), "[[0. 2. 4.]\n [1. 3. 5.]]");
  EXPECT_TRUE(f.is_f_contiguous());
  const double* fixed = values;
  np::array r = np::as_array(fixed, {6});
  EXPECT_FALSE(r.writeable());
  EXPECT_EQ(text_of<np::ValueError>([&] { r(0) = 1.0; }).find("no error"), std::string::npos);
  EXPECT_EQ((r + 1.0).str(), "[1. 2. 3. 4. 5. 6.]");
  EXPECT_THAT(text_of<np::ValueError>([&] { np::as_array(values, {2, 3}, nullptr, {.strides = {8}}); }),
              HasSubstr("[as_array] strides, if given, must be the same length as shape: got strides (8,) for shape (2, 3)."));
  EXPECT_THAT(text_of<np::ValueError>([&] { np::as_array(static_cast<int*>(nullptr), {2}); }),
              HasSubstr("[as_array] there is no memory: got a null pointer for shape (2,)."));
  EXPECT_THAT(text_of<np::ValueError>([&] { np::as_array(values, {-1}); }), HasSubstr("negative dimensions are not allowed"));
  EXPECT_EQ(np::as_array(static_cast<int*>(nullptr), {0, 2}).shape(), (np::dims{0, 2}));
}

TEST(Interop, misaligned_memory_is_read) {
  alignas(16) char bytes[33] = {};
  const double numbers[] = {1.5, -2.5, 3.5, 1e300};
  std::memcpy(bytes + 1, numbers, sizeof numbers);
  const np::array a = np::as_array(reinterpret_cast<double*>(bytes + 1), {4});
  EXPECT_EQ((a * 2.0).str(), "[ 3.e+000 -5.e+000  7.e+000  2.e+300]");
}

TEST(Interop, vectors_are_taken_over_and_spans_are_shown) {
  std::vector<float> v{1, 2, 3};
  const float* memory = v.data();
  np::array a = np::as_array(std::move(v));
  EXPECT_EQ(a.dtype(), np::float32);
  EXPECT_EQ(a.data<float>(), memory);

  std::vector<int> mine{1, 2, 3};
  np::array b = np::as_array(std::span(mine));
  b += 1;
  EXPECT_EQ(mine, (std::vector<int>{2, 3, 4}));

  for (float& x : np::as_span<float>(a)) x *= 2;
  EXPECT_EQ(a.str(), "[2. 4. 6.]");
  const np::array end = a(np::slice(1, np::none)), every_second = a(np::slice(np::none, np::none, 2)),
                  repeated = np::broadcast_to(a(0), {1});
  const auto s = np::as_span<const float>(end);
  EXPECT_EQ(std::accumulate(s.begin(), s.end(), 0.0F), 10);
  EXPECT_THAT(text_of<np::TypeError>([&] { np::as_span<double>(a); }),
              HasSubstr("[as_span] the dtype differs: got float32, expected float64."));
  EXPECT_THAT(text_of<np::ValueError>([&] { np::as_span<float>(every_second); }),
              HasSubstr("[as_span] the elements do not lie side by side: got strides (8,) for shape (2,)."));
  EXPECT_THAT(text_of<np::ValueError>([&] { np::as_span<float>(repeated); }), HasSubstr("read-only"));
  EXPECT_EQ(np::as_span<const float>(repeated).size(), 1U);
}

TEST(Interop, spans_of_pending_results_run_them) {
  auto f = np::compile([](const np::array& x) {
    const np::array y = x + 1.0;
    const auto s = np::as_span<const double>(y);
    return x * s[0];
  });
  EXPECT_EQ(f(np::ones(2)).str(), "[2. 2.]");
}

TEST(Interop, foreign_memory_in_compiled_functions) {
  std::vector<double> mine{1, 2, 3};
  auto f = np::compile([](np::array x) { x *= 2.0; });
  const np::array a = np::as_array(std::span(mine));
  f(a);
  f(a);
  EXPECT_EQ(mine, (std::vector<double>{4, 8, 12}));
}

// ---- DLPack ----

TEST(Dlpack, both_ways_without_a_copy) {
  np::array a = np::arange(24.0).reshape(2, 3, 4)(np::_, np::slice(np::none, np::none, -1), np::slice(1, np::none, 2));
  DLManagedTensorVersioned* t = np::to_dlpack(a);
  EXPECT_EQ(t->major, 1U);
  EXPECT_EQ(t->flags, 0U);
  EXPECT_EQ(t->dl_tensor.ndim, 3);
  EXPECT_EQ(t->dl_tensor.dtype.code, 2);
  EXPECT_EQ(t->dl_tensor.dtype.bits, 64);
  EXPECT_EQ(t->dl_tensor.device.device_type, 1);
  EXPECT_EQ(std::vector<std::int64_t>(t->dl_tensor.shape, t->dl_tensor.shape + 3), (std::vector<std::int64_t>{2, 3, 2}));
  EXPECT_EQ(std::vector<std::int64_t>(t->dl_tensor.strides, t->dl_tensor.strides + 3), (std::vector<std::int64_t>{12, -4, 2}));
  np::array b = np::from_dlpack(t);
  EXPECT_EQ(b.str(), a.str());
  b(0, 0, 0) = -1.0;
  EXPECT_EQ(a(0, 0, 0).item(), -1);
  const double* memory = a.data<double>();
  a = np::array();
  EXPECT_EQ(b.data<double>(), memory);  // the tensor holds the array
}

TEST(Dlpack, every_dtype) {
  for (int i = 0; i < np::dtype_count; ++i) {
    const np::dtype type = static_cast<np::dtype_id>(i);
    const np::array a = np::ones({2, 2}, type);
    EXPECT_EQ(np::from_dlpack(np::to_dlpack(a)).dtype(), type);
    EXPECT_EQ(np::from_dlpack(np::to_dlpack_unversioned(a)).str(), a.str());
  }
}

TEST(Dlpack, read_only_arrays) {
  const np::array a = np::broadcast_to(np::arange(3.0), {2, 3});
  DLManagedTensorVersioned* t = np::to_dlpack(a);
  EXPECT_EQ(t->flags, 1U);
  const np::array b = np::from_dlpack(t);
  EXPECT_FALSE(b.writeable());
  EXPECT_EQ(b.strides(), (np::dims{0, 8}));
  EXPECT_THAT(text_of<np::ValueError>([&] { np::to_dlpack_unversioned(a); }), HasSubstr("Cannot export readonly array"));
}

TEST(Dlpack, foreign_tensors) {
  static int deleted = 0;
  float values[] = {0, 1, 2, 3, 4, 5};
  std::int64_t shape[] = {2, 2};
  DLManagedTensor t{{values, {1, 0}, 2, {2, 32, 1}, shape, nullptr, 8}, nullptr, [](DLManagedTensor*) { ++deleted; }};
  {
    const np::array a = np::from_dlpack(&t);  // no strides: C order; an offset in bytes
    EXPECT_EQ(a.str(), "[[2. 3.]\n [4. 5.]]");
    EXPECT_EQ(deleted, 0);
  }
  EXPECT_EQ(deleted, 1);
  t.dl_tensor.device.device_type = 2;
  EXPECT_THAT(text_of<np::ValueError>([&] { np::from_dlpack(&t); }),
              HasSubstr("[from_dlpack] the memory is on another device: got device type 2, expected 1 (CPU)."));
  t.dl_tensor.device.device_type = 1;
  t.dl_tensor.dtype = {4, 16, 1};  // bfloat16
  EXPECT_THAT(text_of<np::TypeError>([&] { np::from_dlpack(&t); }),
              HasSubstr("[from_dlpack] there is no dtype for DLPack type code 4 with 16 bits."));
  t.dl_tensor.dtype = {2, 32, 1};
  t.dl_tensor.ndim = 17;
  EXPECT_THAT(text_of<np::ValueError>([&] { np::from_dlpack(&t); }), HasSubstr("found 17"));
  DLManagedTensorVersioned later{2, 0, nullptr, nullptr, 0, t.dl_tensor};
  EXPECT_THAT(text_of<np::ValueError>([&] { np::from_dlpack(&later); }), HasSubstr("[from_dlpack] DLPack version: got 2"));
  EXPECT_EQ(deleted, 1);  // a refused tensor stays with the caller
}
