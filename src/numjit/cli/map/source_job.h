// Functions of C++ sources, as jobs.
#pragma once

#include <numjit/cli/map/job.h>

namespace numjit::cli {

std::unique_ptr<Job> open_source_job(const std::string& path);

}  // namespace numjit::cli
