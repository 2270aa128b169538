// The CUDA driver's functions that are used here, opened at run time: one binary serves machines with and without.
#pragma once

#include <cstddef>
#include <string>

namespace numjit::devices::cuda {

using result = int;
using handle = void*;               // contexts, streams, events, modules, functions, graphs
using pointer = unsigned long long;

constexpr result success = 0, out_of_memory = 2, deinitialized = 4;

/// X(name, symbol, parameter types...): the symbol carries the version of the interface.
#define NUMJIT_CUDA(X)                                                                                            \
  X(Init, "cuInit", unsigned)                                                                                     \
  X(DriverGetVersion, "cuDriverGetVersion", int*)                                                                 \
  X(DeviceGetCount, "cuDeviceGetCount", int*)                                                                     \
  X(DeviceGet, "cuDeviceGet", int*, int)                                                                          \
  X(DeviceGetName, "cuDeviceGetName", char*, int, int)                                                            \
  X(DeviceGetAttribute, "cuDeviceGetAttribute", int*, int, int)                                                   \
  X(DeviceTotalMem, "cuDeviceTotalMem_v2", std::size_t*, int)                                                     \
  X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", handle*, int)                                             \
  X(CtxSetCurrent, "cuCtxSetCurrent", handle)                                                                     \
  X(MemGetInfo, "cuMemGetInfo_v2", std::size_t*, std::size_t*)                                                    \
  X(MemAlloc, "cuMemAlloc_v2", pointer*, std::size_t)                                                             \
  X(MemFree, "cuMemFree_v2", pointer)                                                                             \
  X(MemHostAlloc, "cuMemHostAlloc", void**, std::size_t, unsigned)                                                \
  X(MemFreeHost, "cuMemFreeHost", void*)                                                                          \
  X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", pointer, const void*, std::size_t, handle)                           \
  X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void*, pointer, std::size_t, handle)                                 \
  X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", pointer, pointer, std::size_t, handle)                               \
  X(StreamCreate, "cuStreamCreate", handle*, unsigned)                                                            \
  X(StreamDestroy, "cuStreamDestroy_v2", handle)                                                                  \
  X(StreamSynchronize, "cuStreamSynchronize", handle)                                                             \
  X(StreamWaitEvent, "cuStreamWaitEvent", handle, handle, unsigned)                                               \
  X(EventCreate, "cuEventCreate", handle*, unsigned)                                                              \
  X(EventRecord, "cuEventRecord", handle, handle)                                                                 \
  X(EventSynchronize, "cuEventSynchronize", handle)                                                               \
  X(EventDestroy, "cuEventDestroy_v2", handle)                                                                    \
  X(ModuleLoadData, "cuModuleLoadData", handle*, const void*)                                                     \
  X(ModuleUnload, "cuModuleUnload", handle)                                                                       \
  X(ModuleGetFunction, "cuModuleGetFunction", handle*, handle, const char*)                                       \
  X(FuncSetAttribute, "cuFuncSetAttribute", handle, int, int)                                                     \
  X(LaunchKernel, "cuLaunchKernel", handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
    handle, void**, void**)                                                                                       \
  X(StreamBeginCapture, "cuStreamBeginCapture_v2", handle, int)                                                   \
  X(StreamEndCapture, "cuStreamEndCapture", handle, handle*)                                                      \
  X(GraphInstantiate, "cuGraphInstantiateWithFlags", handle*, handle, unsigned long long)                         \
  X(GraphLaunch, "cuGraphLaunch", handle, handle)                                                                 \
  X(GraphDestroy, "cuGraphDestroy", handle)                                                                       \
  X(GraphExecDestroy, "cuGraphExecDestroy", handle)                                                               \
  X(GetErrorName, "cuGetErrorName", result, const char**)                                                         \
  X(GetErrorString, "cuGetErrorString", result, const char**)

struct Api {
#define NUMJIT_CUDA_FIELD(name, symbol, ...) result (*name)(__VA_ARGS__) = nullptr;
  NUMJIT_CUDA(NUMJIT_CUDA_FIELD)
#undef NUMJIT_CUDA_FIELD
  int driver_version = 0;  // 12040
  int device_count = 0;
  std::string why;         // there are no devices
};

/// The driver NUMJIT_CUDA_DRIVER names, libcuda.so.1 otherwise; opened at the first call.
const Api& api();

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string error_text(const Api& api, result code);

/// DeviceError: "cuda:0: cuMemAlloc failed: ...", with a hint where the error leaves nothing usable behind.
[[noreturn, gnu::cold]] void fail(const std::string& device, const char* call, result code);

}  // namespace numjit::devices::cuda
