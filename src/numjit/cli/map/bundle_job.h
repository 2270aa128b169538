// Functions of bundles, as jobs.
#pragma once

#include <numjit/cli/map/job.h>

namespace numjit::cli {

std::unique_ptr<Job> open_bundle_job(const std::string& path);

}  // namespace numjit::cli
