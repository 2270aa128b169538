// The functions that JavaScript calls: raw exports over handles. Each call reads its arguments from slots, and leaves its
// result, or its error, in slots. Replayed calls are in replay_exports.cpp.
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/trace/api/api.h>
#include <numjit/trace/state/function_state.h>

#include "exports.h"

namespace numjit::js {
namespace {

void keep(Result r) {
  state().result = std::move(r);
  for (Slot& s : state().result.slots) {
    if (s.tag != Tag::text) continue;
    const std::string& text = state().result.texts[static_cast<std::size_t>(s.extra)];
    s.extra = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(text.data()));
    s.number = static_cast<double>(text.size());
  }
}

/// A whole number that fits: most indices and bounds of slices.
bool is_small(const Slot& s) { return s.tag == Tag::int_ && std::fabs(s.number) < 0x1p53 && s.number == std::trunc(s.number); }

/// The entry that most keys consist of, an integer or a slice, without a Value; false: another one.
bool is_quick_entry(const Slot* s, int left, std::vector<index>& entries) {
  if (is_small(*s)) return entries.emplace_back(static_cast<std::int64_t>(s->number)), true;
  if (s->tag != Tag::slice || left < 4) return false;
  std::int64_t bounds[3];
  for (int i = 0; i < 3; ++i) {
    if (!is_small(s[i + 1]) && s[i + 1].tag != Tag::none) return false;
    bounds[i] = s[i + 1].tag == Tag::none ? slice_bound::omitted : static_cast<std::int64_t>(s[i + 1].number);
  }
  slice made(none, none);
  made.start = bounds[0];
  made.stop = bounds[1];
  made.step = bounds[2];
  return entries.emplace_back(made), true;
}

struct Key {
  std::vector<Value> values;  // of entries that are not quick
  std::vector<index> entries;
  bool advanced = false;
  Key(const Slot* slots, int count) {
    entries.reserve(static_cast<std::size_t>(count));
    for (int at = 0; at < count;) {
      if (is_quick_entry(slots + at, count - at, entries)) {
        at += slots[at].tag == Tag::slice ? 4 : 1;
        continue;
      }
      Value& v = values.emplace_back(read_value(slots, count, at));
      entries.push_back(index_entry(v));
      advanced |= v.tag == Tag::array;
    }
  }
  int size() const { return static_cast<int>(entries.size()); }
};

}  // namespace

State& state() {
  static State& only = *new State;
  return only;
}

int note_error() {
  State& s = state();
  try {
    throw;
  } catch (const error& e) {
    s.error_class = dynamic_cast<const GraphBreakError*>(&e) ? "GraphBreakError" : e.code();
    s.text = e.what();
  } catch (const std::bad_alloc&) {
    s.error_class = "MemoryError";
    s.text = "out of memory: the page's limit of 4 GB, or of the browser, is reached.";
  } catch (const std::exception& e) {
    s.error_class = "InternalError";
    s.text = e.what();
  }
  s.result = {};
  return -1;
}

index index_entry(Value& v) {
  auto bound = [](const Value& b) { return b.given() ? b.as_integer("slice") : slice_bound::omitted; };
  switch (v.tag) {
    case Tag::int_:
    case Tag::big_int: return index(v.integer);
    case Tag::slice: {
      slice s(none, none);
      s.start = bound(v.items[0]);
      s.stop = bound(v.items[1]);
      s.step = bound(v.items[2]);
      return index(s);
    }
    case Tag::ellipsis: return index(ellipsis);
    case Tag::none:
    case Tag::newaxis: return index(none);
    case Tag::list:
    case Tag::array: v.as_operand(); return index(v.held);
    default:
      throw IndexError("index", "only integers, slices, '...', newaxis (null) and integer or boolean arrays are valid indices");
  }
}

// ---- memory, tables ----

NUMJIT_EXPORT(nj_malloc) void* nj_malloc(std::size_t bytes) { return std::malloc(bytes); }
NUMJIT_EXPORT(nj_free) void nj_free(void* p) { std::free(p); }

/// The other names of functions and ufuncs: name, nothing, what it stands for.
static constexpr const char aliases[] =
#define ALIAS(name, other) #name "\t\t" #other "\n"
#include <numjit/ops/all_rows.inc>
#define ALIAS(name, other) #name "\t\t" #other "\n"
#include <functions.def>
    ;
/// Names and parameters of all functions and their other names, and of the ufuncs, as text: a line each.
NUMJIT_EXPORT(nj_function_names) const char* nj_function_names() {
  std::string& text = state().text;
  text.clear();
  for (const Function& f : functions()) text += std::string(f.name) + "\t" + f.parameters + "\n";
  text += aliases;
  return text.c_str();
}
NUMJIT_EXPORT(nj_ufunc_names) const char* nj_ufunc_names() {
  std::string& text = state().text;
  text.clear();
  for (int i = 0; i < op_count; ++i) {
    const op_info& o = info(static_cast<op_id>(i));
    if (o.kind == op_kind::ufunc) text += std::string(o.name) + "\t" + std::to_string(i) + "\t" + std::to_string(o.arity) + "\n";
  }
  return text.c_str();
}

// ---- results and errors ----

NUMJIT_EXPORT(nj_result) const Slot* nj_result() { return state().result.slots.data(); }
NUMJIT_EXPORT(nj_error_text) const char* nj_error_text() { return state().text.c_str(); }
NUMJIT_EXPORT(nj_error_class) const char* nj_error_class() { return state().error_class.c_str(); }

// ---- calls ----

NUMJIT_EXPORT(nj_call) int nj_call(int function, const Slot* slots, int count) {
  return guarded([&] {
    // Operations report the line of JavaScript, which the location provider tells, whatever calls them here.
    static constexpr location asked_for{};
    const numjit::detail::location_override scope(&asked_for);
    const Function& f = functions().at(static_cast<std::size_t>(function));
    Call call(f.name, f.parameters, slots, count);
    keep(f.run(call));
  });
}

/// A function of one array, without options: the shortest way.
NUMJIT_EXPORT(nj_call_array) int nj_call_array(int function, int a) {
  const Slot only{Tag::array, a, {0}};
  return nj_call(function, &only, 1);
}

/// A ufunc of one or two values without options; returns the handle, 0 after an error.
NUMJIT_EXPORT(nj_ufunc) int nj_ufunc(int op, const Slot* slots, int count) {
  int made = 0;
  guarded([&] {
    int at = 0;
    Value a = read_value(slots, count, at);
    if (at == count) {
      made = as_handle(bind_ufunc(static_cast<op_id>(op), a));
      return;
    }
    Value b = read_value(slots, count, at);
    if (at == count) {
      made = as_handle(bind_ufunc(static_cast<op_id>(op), a, b));
      return;
    }
    Value c = read_value(slots, count, at);
    const operand in[3] = {a, b, c};
    made = as_handle(bind({static_cast<op_id>(op), {in[0], in[1], in[2]}}));
  });
  return made;
}
/// Two arrays: the shortest way.
NUMJIT_EXPORT(nj_ufunc_arrays) int nj_ufunc_arrays(int op, int a, int b) {
  int made = 0;
  guarded([&] {
    const array x = array::share(as_node(a)), y = array::share(as_node(b));
    made = as_handle(bind_ufunc(static_cast<op_id>(op), operand(x, "", "", 0), operand(y, "", "", 0)));
  });
  return made;
}
/// One array, or an array and a number (`whole`: an integer): short ways too.
NUMJIT_EXPORT(nj_ufunc_array) int nj_ufunc_array(int op, int a) {
  int made = 0;
  guarded([&] {
    const array x = array::share(as_node(a));
    made = as_handle(bind_ufunc(static_cast<op_id>(op), operand(x, "", "", 0)));
  });
  return made;
}
NUMJIT_EXPORT(nj_ufunc_number) int nj_ufunc_number(int op, int a, double number, int whole) {
  int made = 0;
  guarded([&] {
    const array x = array::share(as_node(a));
    const bool integer = whole && number >= -0x1p63 && number < 0x1p63;
    made = as_handle(bind_ufunc(static_cast<op_id>(op), operand(x, "", "", 0),
                                integer ? operand(static_cast<std::int64_t>(number), "", "", 0) : operand(number, "", "", 0)));
  });
  return made;
}
/// Into an array: the first value is out.
NUMJIT_EXPORT(nj_ufunc_out) int nj_ufunc_out(int op, const Slot* slots, int count) {
  return guarded([&] {
    int at = 0;
    Value out = read_value(slots, count, at);
    const array target = out.as_array();
    if (!target.writeable()) throw ValueError(std::string(info(static_cast<op_id>(op)).name), "output array is read-only");
    std::vector<Value> values;
    while (at < count) values.push_back(read_value(slots, count, at));
    std::vector<operand> in;
    for (Value& v : values) in.push_back(v.as_operand());
    numjit::detail::settle_pending();
    bind({static_cast<op_id>(op), in, nullptr, target.get()});
    keep({});
  });
}

// ---- arrays ----

NUMJIT_EXPORT(nj_release) void nj_release(int handle) { array::adopt(as_node(handle)); }
NUMJIT_EXPORT(nj_rank) int nj_rank(int handle) { return as_node(handle)->rank; }
NUMJIT_EXPORT(nj_dtype) int nj_dtype(int handle) { return static_cast<int>(as_node(handle)->type); }
/// Where its lengths (or strides, in bytes) stand as 64-bit integers; 0 after an error.
NUMJIT_EXPORT(nj_layout) const std::int64_t* nj_layout(int handle, int strides) {
  const std::int64_t* found = nullptr;
  guarded([&] {
    const node* n = numjit::detail::sized(as_node(handle));
    found = strides ? n->strides : n->shape;
  });
  return found;
}
/// How many elements, where they lie one behind the other in C order; otherwise -1. -2 after an error.
NUMJIT_EXPORT(nj_packed_size) double nj_packed_size(int handle) {
  double size = -2;
  guarded([&] {
    const array a = array::share(as_node(handle));
    size = a.is_c_contiguous() ? static_cast<double>(a.size()) : -1;
  });
  return size;
}
/// Address of the first element; 0 after an error. What is pending runs, inside a compiled function after a graph break.
/// `reads`: nobody keeps the address, so that transforms need not follow what becomes of the memory: the values are constants.
NUMJIT_EXPORT(nj_data) char* nj_data(int handle, int reads) {
  char* data = nullptr;
  guarded([&] {
    const array a = array::share(as_node(handle));
    data = reads ? numjit::detail::concrete(a.get(), "tolist")->data : static_cast<char*>(a.raw_data({}));
  });
  return data;
}
/// An uninitialised array to be filled from JavaScript: `count` elements in one axis.
NUMJIT_EXPORT(nj_new) int nj_new(int type, double count) {
  int made = 0;
  guarded([&] {
    made = as_handle(empty(dims{static_cast<std::int64_t>(count)}, filled_options{.dtype = dtype(static_cast<dtype_id>(type))}));
  });
  return made;
}
NUMJIT_EXPORT(nj_get) int nj_get(int handle, const Slot* slots, int count) {
  int made = 0;
  guarded([&] {
    const array a = array::share(as_node(handle));
    Key key(slots, count);
    made = key.advanced ? as_handle(indexed_array(a, key.entries.data(), key.size(), {}))
                        : as_handle(numjit::detail::index_view(a, key.entries.data(), key.size(), {}));
  });
  return made;
}
/// a[key] = value. The value stands first; the key behind it, or in `kept`, if there are any slots.
NUMJIT_EXPORT(nj_set) int nj_set(int handle, const Slot* slots, int count, const Slot* kept, int kept_count) {
  return guarded([&] {
    const array a = array::share(as_node(handle));
    if (!a.writeable()) throw ValueError("", "assignment destination is read-only");
    int at = 0;
    Value value = read_value(slots, count, at);
    const bool behind = kept_count == 0;
    Key key(behind ? slots + at : kept, behind ? count - at : kept_count);
    if (key.advanced) {
      indexed_array target(a, key.entries.data(), key.size(), {});
      std::move(target) = value.as_operand();
    } else {
      array target = numjit::detail::index_view(a, key.entries.data(), key.size(), {});
      std::move(target) = value.as_operand();
    }
    keep({});
  });
}

// ---- compiled functions ----

/// `verify_replay`: -1 for mode rerun.
NUMJIT_EXPORT(nj_compile) void* nj_compile(const char* name, int fullgraph, int dynamic_sizes, int verify_replay) {
  Compiled* made = nullptr;
  guarded([&] {
    compile_options o;
    o.name = name;
    o.fullgraph = fullgraph != 0;
    o.dynamic = static_cast<dynamic::value>(dynamic_sizes);
    if (verify_replay >= 0) {
      o.mode = mode::replay;
      o.verify_replay = verify_replay;
    }
    made = new Compiled(tracing::make_function_state(o));
  });
  return made;
}
NUMJIT_EXPORT(nj_compiled_release) void nj_compiled_release(Compiled* f) { delete f; }
/// Memory for the region of a call and the arguments that it looks at until it ends: kept for the next calls.
struct RegionPlace {
  alignas(tracing::Region) unsigned char region[sizeof(tracing::Region)];
  std::vector<const node*> arguments;
  RegionPlace* next;
};
static constinit RegionPlace* free_places = nullptr;

struct EndRegion {
  void operator()(tracing::Region* region) const {
    region->~Region();
    auto* place = reinterpret_cast<RegionPlace*>(region);
    place->next = free_places;
    free_places = place;
  }
};

/// Begins a call of a compiled function; JavaScript runs its body and calls nj_finish or nj_abandon. Handles are
/// addresses of nodes, 0 for what is no array.
NUMJIT_EXPORT(nj_begin) tracing::Region* nj_begin(Compiled* f, const node* const* handles, int count) {
  tracing::Region* region = nullptr;
  RegionPlace* place = free_places ? std::exchange(free_places, free_places->next) : new RegionPlace;
  const int status = guarded([&] {
    place->arguments.assign(handles, handles + count);
    region = new (place->region) tracing::Region(**f, place->arguments);
  });
  if (status >= 0) return region;
  place->next = free_places;
  free_places = place;
  return nullptr;
}
NUMJIT_EXPORT(nj_finish) int nj_finish(tracing::Region* region) {
  const std::unique_ptr<tracing::Region, EndRegion> owned(region);
  return guarded([&] {
    owned->finish();
    state().result.slots.clear();
  });
}
NUMJIT_EXPORT(nj_abandon) void nj_abandon(tracing::Region* region) { EndRegion()(region); }

// ---- regions without recording, reports ----

NUMJIT_EXPORT(nj_disable) void* nj_disable() {
  disable_scope* made = nullptr;
  guarded([&] { made = new disable_scope(); });
  return made;
}
NUMJIT_EXPORT(nj_enable) int nj_enable(disable_scope* scope) {
  return guarded([&] { delete scope; keep({}); });
}
NUMJIT_EXPORT(nj_explain_begin) void* nj_explain_begin(Compiled* f) { return new tracing::Explaining((*f)->name); }
/// The report for people, and as JSON; the text is good until the next call.
NUMJIT_EXPORT(nj_explain_text) const char* nj_explain_text(tracing::Explaining* explaining) {
  guarded([&] { state().text = explaining->report().str(); });
  return state().text.c_str();
}
NUMJIT_EXPORT(nj_explain_json) const char* nj_explain_json(tracing::Explaining* explaining) {
  guarded([&] { state().text = explaining->report().json(); });
  return state().text.c_str();
}
NUMJIT_EXPORT(nj_explain_end) void nj_explain_end(tracing::Explaining* explaining) { delete explaining; }

}  // namespace numjit::js
