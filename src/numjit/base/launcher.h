// This process among those that an MPI launcher started, by what it says in the environment: nothing of MPI is called.
#pragma once

#include <string>

namespace numjit::detail {

struct launched_rank {
  std::string library;  // "openmpi", "mpich"; "": no launcher that is known
  int number = 0, count = 1;
  int local = 0, local_count = 1;  // on this machine
  std::string run;                 // letters and digits, the same for all ranks of one start and for no others; "": not known
};
launched_rank launched();

}  // namespace numjit::detail
