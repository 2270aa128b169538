// What is known of arrays that have no data yet, or whose data is about to change: for code outside that would look.
#pragma once

#include <numjit/array/array.h>

namespace numjit::tracing {

/// True inside a compiled function if stores that did not run yet write the array's storage: reading
/// its elements would end the graph.
bool has_pending_stores(node* n);

/// Whoever takes an address of the array's memory inside a compiled function looks at it until the call ends: operations
/// on it run at once. No effect outside.
void show_until_call_ends(node* n, const location& where = {});

/// Do both begin at one element of one array, whether that has its memory yet or not? False for arrays without elements.
bool begin_at_one_place(const node* a, const node* b);

/// What the open compiled call does depends on more than replays of it would see: it is no example for them.
void do_not_replay();

}  // namespace numjit::tracing
