// What the files of exports share: the last result, the last error, and handles. A handle is a node, with one reference
// that JavaScript holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <numjit/trace/state/function_state.h>

#include "call.h"

#define NUMJIT_EXPORT(name) __attribute__((export_name(#name), used)) extern "C"

namespace numjit::js {

struct State {
  Result result;
  std::string text;        // of the last error, names, reports
  std::string error_class;
};
State& state();

/// Class and text of the exception that is being handled become the state's. Returns -1.
int note_error();

/// Runs `f`; an error becomes its class and text, and -1. Otherwise how many slots the result has.
template <class F>
int guarded(F&& f) {
  try {
    f();
    return static_cast<int>(state().result.slots.size());
  } catch (...) {
    return note_error();
  }
}

using Compiled = std::shared_ptr<tracing::FunctionState>;

inline node* as_node(int handle) { return reinterpret_cast<node*>(handle); }

}  // namespace numjit::js
