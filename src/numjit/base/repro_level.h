// NUMJIT_REPRO_AFTER and NUMJIT_REPRO_LEVEL: what is written down about internal faults.
#pragma once

#include <atomic>
#include <string>

namespace numjit::detail {

/// 0 nothing; 1 a fault of a compile is written down (default); 2 and minified; 3 results are compared
/// with the operations one by one, and a difference is written down as well; 4 and minified.
inline std::atomic<int> repro_level{1};
/// Is it the graph passes that are checked at levels 3 and 4 (NUMJIT_REPRO_AFTER=graph), without kernels?
inline std::atomic<bool> repro_after_graph{false};

/// From the texts of the variables, null where unset. ValueError for other texts.
void set_repro(const char* after, const char* level);

/// Where reproductions go: repro/ in the debug folder, else below the cache folder.
std::string repro_folder();

}  // namespace numjit::detail
