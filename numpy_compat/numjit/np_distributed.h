// Programs of several ranks over MPI: arrays that ranks reduce, gather, exchange.
//
//   mpirun -n 4 ./program             every rank runs the program; each has its part of the data
//   auto mine = x(np::distributed::part(n));
//   auto total = np::distributed::sum(mine);   // on all ranks, with the bits of one process
//
// MPI is opened at the first use. Without a launcher there is one rank, and the program is the same. All ranks of a communicator
// call the same operations in the same order; where they do not, all of them throw the same ValueError, which names both lines.
// A rank that waits for one that has left, or longer than config().distributed_timeout_s, throws a DeviceError.
//
// In compiled functions operations are part of the graph. They start when their input has been computed, go on while the
// program computes, and are waited for at the first reader. In derivatives their adjoints are operations of all ranks, too.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/array/operand.h>
#include <numjit/np_indexing.h>
#include <numjit/transform/api.h>
#include <numjit/transform/gradient_sink.h>

namespace numjit::distributed {

/// Ranks that communicate. A handle: copies are the same communicator, and it lasts as long as the process.
class communicator {
 public:
  /// All ranks of the launcher.
  communicator() = default;
  std::int64_t rank() const;
  std::int64_t size() const;
  /// Those of the ranks that give the same color, ordered by key, then by rank. All ranks call it.
  ///   auto row = np::distributed::world().split(rank / 4);
  communicator split(std::int64_t color, std::int64_t key = 0, location where = location::here()) const;
  std::int64_t number() const { return number_; }
  friend bool operator==(const communicator&, const communicator&) = default;

 private:
  friend communicator adopt(std::uint64_t bits, const std::string& library);
  explicit communicator(std::int64_t number) : number_(number) {}
  std::int64_t number_ = 0;
};

/// All ranks of the launcher. DeviceError: MPI can't be opened.
communicator world();
/// An MPI communicator of the program's own, by its bits, of "Open MPI" or "MPICH". A duplicate is used; all its ranks call it.
/// TypeError: it is one of another library.
communicator adopt(std::uint64_t bits, const std::string& library);
#ifdef MPI_VERSION
inline communicator adopt(MPI_Comm given) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &given, sizeof given);
#ifdef OPEN_MPI
  return adopt(bits, "Open MPI");
#else
  return adopt(bits, "MPICH");
#endif
}
#endif

/// `.op`: "sum", "mean", "prod", "max" or "min".
struct all_reduce_options {
  const char* op = "sum";
  communicator on = {};
};
/// What reducing the stack of all ranks' arrays along its first axis gives, in these bits, for any number of ranks.
///   np::distributed::all_reduce(x)  ->  np::sum(np::stack({x of rank 0, x of rank 1, ...}), {.axis = 0})
array all_reduce(const operand& x, const all_reduce_options& options = {});

struct all_gather_options {
  std::int64_t axis = 0;
  std::int64_t length = -1;  // of the axis, of which each rank has its part(length); -1: all have arrays of one shape
  communicator on = {};
};
/// The arrays of all ranks, joined along an axis. Of 0-D arrays: a vector. ValueError: this rank's length is not that of its
/// part.
array all_gather(const operand& x, const all_gather_options& options = {});

/// `.op`: "sum", "mean", "prod", "max" or "min".
struct reduce_scatter_options {
  const char* op = "sum";
  std::int64_t axis = 0;
  communicator on = {};
};
/// This rank's part of what all_reduce() gives, along an axis.
array reduce_scatter(const operand& x, const reduce_scatter_options& options = {});

struct broadcast_options {
  std::int64_t root = 0;
  communicator on = {};
};
/// The array of one rank. The others give one of the same shape and dtype.
array broadcast(const operand& x, const broadcast_options& options = {});

struct all_to_all_options {
  std::int64_t axis = 0;
  communicator on = {};
};
/// The axis is cut into as many equal blocks as there are ranks; block i goes to rank i, and what came from rank i is block i.
array all_to_all(const operand& x, const all_to_all_options& options = {});

struct permute_options {
  communicator on = {};
};
/// The array of rank `first` on rank `second` of each pair; zeros where nothing comes.
///   np::distributed::permute(x, {{0, 1}, {1, 0}})
array permute(const operand& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
              const permute_options& options = {});

struct halo_options {
  std::int64_t axis = 0;
  bool periodic = false;  // the first and the last rank are neighbours
  communicator on = {};
};
/// The array with `width` rows of the rank before and of the rank behind around it; zeros where there is no neighbour.
///   u = np::distributed::exchange_halo(u, 1);   // (n, m) -> (n + 2, m)
array exchange_halo(const operand& u, std::int64_t width, const halo_options& options = {});

struct sum_options {
  std::int64_t axis =
      numjit::slice_bound::omitted;  // the parted one, which is reduced; omitted: all are, and the first is parted
  communicator on = {};
};
/// The sum over an axis of which each rank has its part, on all ranks: the bits that np::sum has of the whole array.
array sum(const operand& x, const sum_options& options = {});

/// The rows of this rank, of `n` cut evenly.
///   np::distributed::part(10)  ->  np::slice(0, 5) and np::slice(5, 10) on two ranks
slice part(std::int64_t n, const communicator& on = {});

/// Runs what is pending, and waits until all ranks are here. It ends a graph.
void barrier(const communicator& on = {}, location where = location::here());

struct gradient_options {
  std::vector<int> parted = {};                       // arguments of which each rank has its own: their gradients are its alone
  std::int64_t bucket_bytes = std::int64_t{1} << 24;  // gradients travel together up to so many
  communicator on = {};
};
/// Collects gradients in buckets, each of which is averaged over the ranks as soon as it is full, while the way back goes on.
class GradientBuckets final : public transform::GradientSink {
 public:
  GradientBuckets(const gradient_options& options, const location& where);
  ~GradientBuckets() override;
  void take(std::size_t leaf, int argument, array gradient) override;
  std::vector<array> results() override;
  /// The mean over the ranks.
  array mean_of(const array& value) const;

 private:
  struct Bucket;
  void close(Bucket& bucket);

  const gradient_options options_;
  const location where_;
  std::vector<Bucket> open_;  // one for each dtype
  std::vector<array> results_;
};

/// np::value_and_grad of a loss that is the mean over the ranks of what `f` returns on each: pair(loss, gradients), equal on all
/// ranks. The arguments are the same on all ranks but for the parted ones.
///   auto step = np::distributed::value_and_grad<0, 1>(loss_of_my_examples);
///   auto [loss, gradients] = step(weights, bias, my_examples);
template <std::size_t... I, class F>
auto value_and_grad(F f, const gradient_options& options = {}, location where = location::here()) {
  return [kept = detail::Kept{std::move(f)}, options, where]<class... Args>(Args&&... args) {
    GradientBuckets buckets(options, where);
    auto made = [&] {
      const transform::gradients_taken_by scope(buckets);
      return numjit::value_and_grad<I...>(kept.fn)(std::forward<Args>(args)...);
    }();
    if constexpr (transform::is_pair<std::remove_cvref_t<decltype(made.first)>>)
      made.first.first = buckets.mean_of(made.first.first);
    else
      made.first = buckets.mean_of(made.first);
    return made;
  };
}

/// Leaves the program with status 1; what waits for this rank throws a DeviceError with the text.
[[noreturn]] void abort(const std::string& text);

/// What the other ranks are told, when this one leaves before the others do. For languages over this one; in C++ exit() and
/// std::terminate() see to it.
void leave(const std::string& why);

}  // namespace numjit::distributed
