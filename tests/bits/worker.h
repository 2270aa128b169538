// One process of ./dev test bits: cases run in every way that one process can run them.
#pragma once

namespace bits {

/// Runs `worker --suite matrix|reductions|programs ...` (see worker.cpp); the exit status.
int run_worker(int argc, char** argv);

}  // namespace bits
