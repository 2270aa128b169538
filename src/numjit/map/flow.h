// Files through the stages: one after another, or all stages at a time with queues between them.
#pragma once

#include <vector>

#include <numjit/map/stages.h>

namespace numjit::map {

/// Threads of a run with so many jobs.
StageThreads threads_for(int jobs);

/// Takes tasks until there are none, or the run stops. Tasks that need more memory than there is are left to the
/// end, when they run in parts, one after another. What goes wrong with a file is told to `source`.
void run_files(MapContext& context, TaskSource& source);

}  // namespace numjit::map
