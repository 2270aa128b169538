// The worker of ./dev test bits as a WebAssembly program: the same cases, in the same digests.
#include <exception>
#include <iostream>

#include "../bits/worker.h"

int main(int argc, char** argv) {
  try {
    return bits::run_worker(argc - 2, argv + 2);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 3;
  }
}
