// What the subcommands do. Each prints to stdout and returns the exit status.
#pragma once

#include <string>

namespace numjit::cli {

/// `folder` is the cache folder, "" for the configured one. ValueError if the cache is off.
int cache_list(const std::string& folder, bool verbose);
int cache_stats(const std::string& folder);
int cache_verify(const std::string& folder);
int cache_prune(const std::string& folder, const std::string& limit);
int cache_clear(const std::string& folder);

int doctor();

}  // namespace numjit::cli
