// Functions of bundles, as jobs.
#pragma once

#include <numjit/map/job.h>

namespace numjit::map {

std::unique_ptr<Job> open_bundle_job(const std::string& path);

}  // namespace numjit::map
