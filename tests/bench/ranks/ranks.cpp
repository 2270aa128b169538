// What operations between ranks cost beside the same messages in plain MPI, in one run: `mpirun -n 2 build/bin/bench/ranks`.
//
// Each line has the medians of both, which take turns, and their quotient.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace {

using clock = std::chrono::steady_clock;

int rank, size;

double seconds(const std::function<void()>& work, int times) {
  const auto start = clock::now();
  for (int i = 0; i < times; ++i) work();
  return std::chrono::duration<double>(clock::now() - start).count() / times;
}

/// Medians of many short repeats, in turns: what else the machine does meets few of them. The slowest rank counts.
std::vector<double> medians(const std::vector<std::function<void()>>& works, int times, int rounds) {
  std::vector<std::vector<double>> all(works.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < works.size(); ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      double own = seconds(works[k], times), slowest = 0;
      MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      all[k].push_back(slowest);
    }
  }
  std::vector<double> middle;
  for (std::vector<double>& of : all) {
    const auto half = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    std::nth_element(of.begin(), half, of.end());
    middle.push_back(*half);
  }
  return middle;
}

void compare(const char* what, std::int64_t bytes, const std::function<void()>& plain, const std::function<void()>& ours,
             int times) {
  const std::vector<double> of = medians({plain, ours}, times, 101);
  if (rank == 0)
    std::printf("%-12s %9lld bytes  %2d ranks  plain %10.2f us  numjit %10.2f us  %5.2f\n", what, static_cast<long long>(bytes),
                size, of[0] * 1e6, of[1] * 1e6, of[1] / of[0]);
}

void butterfly(std::vector<double>& mine, std::vector<double>& theirs) {
  const int count = static_cast<int>(mine.size());
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const int other = rank ^ distance;
    MPI_Sendrecv(mine.data(), count, MPI_DOUBLE, other, 0, theirs.data(), count, MPI_DOUBLE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) mine[static_cast<std::size_t>(i)] += theirs[static_cast<std::size_t>(i)];
  }
}

void reduce_large(const std::vector<double>& from, std::vector<double>& to) {
  MPI_Allreduce(from.data(), to.data(), static_cast<int>(from.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/// Rows of both neighbours around a copy of the array.
void halo(const std::vector<double>& u, std::vector<double>& v, std::size_t row) {
  const int lower = rank > 0 ? rank - 1 : MPI_PROC_NULL, upper = rank + 1 < size ? rank + 1 : MPI_PROC_NULL,
            n = static_cast<int>(row);
  MPI_Request requests[4];
  MPI_Irecv(v.data(), n, MPI_DOUBLE, lower, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(v.data() + row + u.size(), n, MPI_DOUBLE, upper, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u.data(), n, MPI_DOUBLE, lower, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u.data() + u.size() - row, n, MPI_DOUBLE, upper, 0, MPI_COMM_WORLD, &requests[3]);
  std::memcpy(v.data() + row, u.data(), u.size() * sizeof(double));
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/// How much of an all_reduce goes on while products of matrices are computed that take half as long again: of one that is all
/// copies, which need a core themselves, and of one that waits, since the other ranks come later.
void overlap(const char* what, std::int64_t n, std::chrono::microseconds later) {
  const np::array x = np::ones({n}), w = np::ones({160, 160});
  const bool is_late = later.count() > 0 && rank > 0;
  const auto come = [&] {
    if (is_late) std::this_thread::sleep_for(later);
  };
  auto sends = np::compile([](const np::array& v) { return nd::all_reduce(v); });
  const auto alone = [&] {
    come();
    sends(x);
  };
  const std::vector<double> first = medians({alone, [&] { np::matmul(w, w); }}, 1, 41);
  int products = static_cast<int>(1.5 * first[0] / first[1]) + 1;
  MPI_Bcast(&products, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const auto compute = [products](const np::array& m) {
    np::array p = m;
    for (int i = 0; i < products; ++i) p = np::matmul(p, m);
    return p;
  };
  auto computes = np::compile(compute);
  auto both = np::compile([compute](const np::array& v, const np::array& m) {
    const np::array sum = nd::all_reduce(v);
    return std::pair(sum, compute(m));
  });
  const auto computing = [&] {
    if (!is_late) computes(w);
  };
  const auto together = [&] {
    if (is_late)
      alone();
    else
      both(x, w);
  };
  const std::vector<double> of = medians({alone, computing, together}, 1, 101);
  if (rank == 0)
    std::printf("overlap, %s %9lld bytes  %2d ranks  alone %.2f ms  compute %.2f ms  together %.2f ms  hidden %.0f%%\n", what,
                static_cast<long long>(8 * n), size, of[0] * 1e3, of[1] * 1e3, of[2] * 1e3,
                100 * (of[0] + of[1] - of[2]) / of[0]);
}

/// Explicit heat on a part of this many rows: the same work for each rank, beside one rank alone with its part.
void weak_scaling() {
  const auto advance_on = [](const nd::communicator& on) {
    return np::compile([on](const np::array& start) {
      np::array u = start;
      for (int i = 0; i < 10; ++i) {
        const np::array v = nd::exchange_halo(u, 1, {.on = on});
        u = u + 0.2 * (v(np::slice(np::none, -2)) + v(np::slice(2, np::none)) - 2 * u);
      }
      return u;
    });
  };
  auto alone = advance_on(nd::world().split(rank)), together = advance_on(nd::world());
  const np::array u = np::ones({1000, 1000});
  const std::vector<double> of = medians({[&] {
                                            if (rank == 0) alone(u);
                                          },
                                          [&] { alone(u); }, [&] { together(u); }},
                                         1, 101);
  if (rank == 0)
    std::printf(
        "stencil      10 steps of 1000 x 1000 a rank  %2d ranks  one %.2f ms  each by itself %.2f ms  together %.2f ms  "
        "efficiency %.2f, of each by itself %.2f\n",
        size, of[0] * 1e3, of[1] * 1e3, of[2] * 1e3, of[0] / of[2], of[1] / of[2]);
}

}  // namespace

int main() {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const std::size_t n : {1, 128, 1024}) {
    const np::array x = np::ones({static_cast<std::int64_t>(n)});
    std::vector<double> mine(n), theirs(n);
    compare(
        "all_reduce", static_cast<std::int64_t>(n * 8), [&] { butterfly(mine, theirs); }, [&] { nd::all_reduce(x); }, 40);
  }
  for (const std::size_t n : {1U << 17, 1U << 21}) {
    const np::array x = np::ones({static_cast<std::int64_t>(n)});
    const std::vector<double> from(n);
    std::vector<double> to(n);
    compare(
        "all_reduce", static_cast<std::int64_t>(n * 8), [&] { reduce_large(from, to); }, [&] { nd::all_reduce(x); }, 1);
  }
  for (const std::size_t columns : {100, 1000}) {
    const np::array x = np::ones({200, static_cast<std::int64_t>(columns)});
    const std::vector<double> u(200 * columns);
    std::vector<double> v(202 * columns);
    compare(
        "halo", static_cast<std::int64_t>(columns * 8), [&] { halo(u, v, columns); }, [&] { nd::exchange_halo(x, 1); }, 5);
  }
  overlap("copies", 1 << 20, std::chrono::microseconds(0));
  overlap("waits ", 1 << 10, std::chrono::microseconds(2000));
  weak_scaling();
  nd::leave("");
  MPI_Finalize();
}
