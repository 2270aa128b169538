// Functions of C++ sources, as jobs.
#pragma once

#include <numjit/map/job.h>

namespace numjit::map {

std::unique_ptr<Job> open_source_job(const std::string& path);

}  // namespace numjit::map
