// What the messages between ranks need of an MPI library. Open MPI and MPICH differ in their binary interfaces: a plug-in made
// for each (mpi/plugin.cpp) gives its functions in this form, and the core is linked with neither.
#pragma once

#include <cstdint>

namespace numjit::distributed {

/// A communicator or a request of the library, by its bits.
using mpi_handle = std::uint64_t;

/// Functions return 0 or the library's code of an error.
struct MpiLibrary {
  int version;       // mpi_library_version
  const char* name;  // "Open MPI", "MPICH"
  bool (*is_initialized)();
  bool (*is_finalized)();
  int (*initialize)();
  int (*finalize)();
  /// May several threads call the library at the same time?
  bool (*takes_threads)();
  mpi_handle (*world)();
  /// A communicator of our own, whose errors are returned.
  int (*duplicate)(mpi_handle communicator, mpi_handle* made);
  int (*split)(mpi_handle communicator, int color, int key, mpi_handle* made);
  int (*rank)(mpi_handle communicator, int* rank);
  int (*size)(mpi_handle communicator, int* size);
  int (*send)(const void* data, int bytes, int to, int tag, mpi_handle communicator, mpi_handle* request);
  /// `from` -1: any rank.
  int (*receive)(void* data, int bytes, int from, int tag, mpi_handle communicator, mpi_handle* request);
  /// `from` may be null.
  int (*test)(mpi_handle* request, bool* done, int* from);
  /// Of a receive that nobody waits for any more.
  int (*cancel)(mpi_handle* request);
  /// At least 512 characters.
  void (*error_text)(int code, char* text);
};

inline constexpr int mpi_library_version = 1;
/// The function of that name in a plug-in.
inline constexpr const char* mpi_library_entry = "numjit_mpi_library";

}  // namespace numjit::distributed
