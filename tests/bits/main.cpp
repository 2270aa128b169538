// The tests of this folder; `test_bits worker ...` is one process of ./dev test bits instead.
#include <cstring>
#include <iostream>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include "worker.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) {
    try {
      return bits::run_worker(argc - 2, argv + 2);
    } catch (const numjit::error& e) {  // NUMJIT_TARGET is above this processor
      std::cerr << e.what() << "\n";
      return 3;
    }
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
