// Arrays to and from other libraries by DLPack's C structures, without copies.
//
// The structures themselves are those of <dlpack/dlpack.h>, which this header does not need.
#pragma once

#include <numjit/np_creation.h>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace numjit {

/// A tensor on the array's memory (pending work runs first). It holds the array until its deleter is called, which
/// the consumer must do once, on any thread.
///   DLManagedTensorVersioned* t = np::to_dlpack(a);  ...  t->deleter(t);
/// Read-only arrays are marked so. The unversioned form cannot say that: ValueError.
DLManagedTensorVersioned* to_dlpack(const array& a);
DLManagedTensor* to_dlpack_unversioned(const array& a);

/// An array on the tensor's memory, which it takes over: the deleter is called when the last array on it goes. If
/// this throws, the tensor stays with the caller.
/// Errors: TypeError for element types that are none of the fourteen dtypes; ValueError for memory that is not the
/// CPU's, for a major version above 1, for more than 16 axes.
array from_dlpack(DLManagedTensorVersioned* tensor);
array from_dlpack(DLManagedTensor* tensor);

}  // namespace numjit
