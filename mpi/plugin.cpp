// The functions of an MPI library as the core asks for them. Compiled once for Open MPI and once for MPICH.
#include <cstring>

#include <mpi.h>

#include <numjit/distributed/mpi_library.h>

namespace {

using numjit::distributed::mpi_handle;

template <class T>
T from_bits(mpi_handle bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
mpi_handle bits_of(T value) {
  static_assert(sizeof(T) <= sizeof(mpi_handle));
  mpi_handle bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
MPI_Comm communicator_of(mpi_handle bits) { return from_bits<MPI_Comm>(bits); }

bool is_initialized() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag;
}
bool is_finalized() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag;
}
int initialize() {
  int given = 0;
  return MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
}
bool takes_threads() {
  int given = 0;
  return MPI_Query_thread(&given) == MPI_SUCCESS && given == MPI_THREAD_MULTIPLE;
}
mpi_handle world() { return bits_of(MPI_COMM_WORLD); }

int ours(int code, MPI_Comm made, mpi_handle* to) {
  if (code != MPI_SUCCESS) return code;
  *to = bits_of(made);
  return made == MPI_COMM_NULL ? code : MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
}
int duplicate(mpi_handle communicator, mpi_handle* to) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(communicator_of(communicator), &made);
  return ours(code, made, to);
}
int split(mpi_handle communicator, int color, int key, mpi_handle* to) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_split(communicator_of(communicator), color, key, &made);
  return ours(code, made, to);
}
int rank(mpi_handle communicator, int* to) { return MPI_Comm_rank(communicator_of(communicator), to); }
int size(mpi_handle communicator, int* to) { return MPI_Comm_size(communicator_of(communicator), to); }

int send(const void* data, int bytes, int to, int tag, mpi_handle communicator, mpi_handle* request) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = MPI_Isend(data, bytes, MPI_BYTE, to, tag, communicator_of(communicator), &made);
  *request = bits_of(made);
  return code;
}
int receive(void* data, int bytes, int from, int tag, mpi_handle communicator, mpi_handle* request) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = MPI_Irecv(data, bytes, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, communicator_of(communicator), &made);
  *request = bits_of(made);
  return code;
}
int test(mpi_handle* request, bool* done, int* from) {
  MPI_Request asked = from_bits<MPI_Request>(*request);
  MPI_Status status;
  int flag = 0;
  const int code = MPI_Test(&asked, &flag, from ? &status : MPI_STATUS_IGNORE);
  *request = bits_of(asked);
  *done = flag;
  if (from && flag) *from = status.MPI_SOURCE;
  return code;
}
int cancel(mpi_handle* request) {
  MPI_Request asked = from_bits<MPI_Request>(*request);
  if (asked == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const int code = MPI_Cancel(&asked);
  *request = bits_of(asked);
  return code;
}
void error_text(int code, char* text) {
  static_assert(MPI_MAX_ERROR_STRING <= 512);
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) std::strcpy(text, "unknown error");
}

#ifdef OPEN_MPI
constexpr const char* name = "Open MPI";
#else
constexpr const char* name = "MPICH";
#endif

constexpr numjit::distributed::MpiLibrary library{
    numjit::distributed::mpi_library_version,
    name,
    is_initialized,
    is_finalized,
    initialize,
    MPI_Finalize,
    takes_threads,
    world,
    duplicate,
    split,
    rank,
    size,
    send,
    receive,
    test,
    cancel,
    error_text,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const numjit::distributed::MpiLibrary* numjit_mpi_library() { return &library; }
