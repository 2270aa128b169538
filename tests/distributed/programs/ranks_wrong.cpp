// Programs that go wrong on several ranks: what each of them catches. The argument names the case.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace {

const np::location first{__FILE__, "", 100}, second{__FILE__, "", 200};

np::operand at(const np::array& x, const np::location& where) { return {x, where.file, where.function, where.line}; }

void go_wrong(const std::string& what, std::int64_t rank) {
  const np::array x = np::zeros({3}), large = np::zeros({300000});
  const auto sum = [&] { nd::all_reduce(at(x, first)); };
  if (what == "shape") rank == 0 ? sum() : void(nd::all_reduce(at(np::zeros({4}), second)));
  if (what == "dtype") rank == 0 ? sum() : void(nd::all_reduce(at(x.astype(np::float32), second)));
  if (what == "order") rank == 0 ? sum() : void(nd::all_gather(at(x, second)));
  if (what == "apart") rank != 1 ? void(nd::permute(at(x, first), {{0, 2}, {2, 0}})) : void(nd::all_reduce(at(x, second)));
  if (what == "large")
    rank == 0 ? void(nd::all_reduce(at(large, first))) : void(nd::all_reduce(at(large, second), {.op = "max"}));
  if (what == "leaves") rank == 1 ? std::exit(0) : sum();
  if (what == "throws") rank == 1 ? throw std::runtime_error("no bread") : sum();
  if (what == "aborts") rank == 1 ? nd::abort("no butter") : sum();
  if (what == "killed") rank == 1 ? void(raise(SIGKILL)) : sum();
  if (what == "late") {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
    sum();
  }
  if (what == "fork") {
    if (const pid_t child = fork(); child != 0) {
      waitpid(child, nullptr, 0);
      return;
    }
    sum();
  }
  nd::barrier();  // where an operation does not wait for all, the next one does
}

}  // namespace

int main(int, char** argv) {
  const std::int64_t rank = nd::world().rank();
  const std::string what = argv[1];
  try {
    go_wrong(what, rank);
  } catch (const np::error& e) {
    std::cout << ("rank " + std::to_string(rank) + " caught " + e.code() + ": " + e.what() + "\n") << std::flush;
    if (what == "fork") _exit(0);
    return 1;
  }
}
