// How an example becomes steps of a program. Internal to export.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <numjit/trace/export/export.h>
#include <numjit/trace/export/program.h>

namespace numjit::tracing {

/// Other sizes for the free axes of an example, by their own size; empty: as they are.
using SizeMap = std::map<std::int64_t, std::int64_t>;

/// One call of the function, with all that is known about it.
struct Recording {
  std::vector<array> arguments;  // that the function was called with
  std::vector<array> before;     // copies, as they were before
  std::vector<array> after;      // copies, as they were after
  std::vector<array> results;    // copies
  std::vector<std::uint64_t> values;
  std::vector<std::uint16_t> free;  // marked axes, by argument
  std::vector<ProgramStep> steps;   // one path, without successors; reads know one value
  std::vector<array> constants;     // of `steps`
  std::vector<node*> nodes() const;
};

/// Calls the example with arguments of these sizes and makes steps of what it did.
Recording record(Example& example, const std::string& path, const SizeMap& sizes = {});

/// Makes terms of sizes of the words that differ between recordings of different sizes, in the steps of
/// the first. ValueError if something else differs.
void find_size_terms(std::vector<Recording>& recordings);

/// Does `other` do what `first` (with its terms) says for its sizes?
bool follows(const Recording& first, const Recording& other);

}  // namespace numjit::tracing
