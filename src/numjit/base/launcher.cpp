// What the launchers of Open MPI and MPICH tell a rank.
#include <numjit/base/launcher.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace numjit::detail {
namespace {

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  if (!text) return otherwise;
  const std::string_view all = text;
  int value = otherwise;
  std::from_chars(all.data(), all.data() + all.size(), value);
  return value;
}

std::string letters_in(const char* variable) {
  std::string name;
  if (const char* text = std::getenv(variable))
    for (const char* c = text; *c; ++c) name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
  return name;
}

}  // namespace

launched_rank launched() {
  launched_rank rank;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) {
    rank = {"openmpi",
            number_in("OMPI_COMM_WORLD_RANK", 0),
            number_in("OMPI_COMM_WORLD_SIZE", 1),
            number_in("OMPI_COMM_WORLD_LOCAL_RANK", 0),
            number_in("OMPI_COMM_WORLD_LOCAL_SIZE", 1),
            letters_in("PMIX_NAMESPACE")};
    if (rank.run.empty()) rank.run = letters_in("OMPI_MCA_ess_base_jobid");
  } else if (std::getenv("PMI_SIZE")) {
    rank = {"mpich",
            number_in("PMI_RANK", 0),
            number_in("PMI_SIZE", 1),
            number_in("MPI_LOCALRANKID", 0),
            number_in("MPI_LOCALNRANKS", 1),
            ""};
    // The launcher gives it no name; on one machine all ranks are children of one process.
    if (rank.local_count == rank.count) rank.run = "mpich" + std::to_string(getppid());
  }
  rank.local_count = std::max(1, rank.local_count);
  return rank;
}

}  // namespace numjit::detail
