// Which kind of job a file is.
#include <numjit/map/job.h>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/map/bundle_job.h>
#include <numjit/map/source_job.h>

namespace numjit::map {

std::unique_ptr<Job> open_job(const std::string& path) {
  if (path.ends_with(".npj")) return open_bundle_job(path);
  for (const char* ending : {".cpp", ".cc", ".cxx"})
    if (path.ends_with(ending)) return open_source_job(path);
  throw ValueError("map", fmt::format("what is mapped: got '{}', expected a bundle (.npj) or a C++ source (.cpp, .cc, "
                                      ".cxx).",
                                      path));
}

}  // namespace numjit::map
