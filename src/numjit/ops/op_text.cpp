// Names and parameters of operations, by the schemas of their rows.
#include <numjit/ops/op_text.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/ops/communicate.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/routine.h>

namespace numjit {
namespace {

struct Field {
  std::string_view name, type;
  bool optional = false;
};

struct Schema {
  std::vector<Field> fields;
  bool may_be_empty = false;
};

Schema parsed(std::string_view text) {
  Schema schema;
  if (text.starts_with('[')) {
    schema.may_be_empty = true;
    text = text.substr(1, text.size() - 2);
  }
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), field.size() + 1));
    const std::size_t colon = field.find(':');
    std::string_view type = field.substr(colon + 1);
    const bool optional = type.ends_with('?');
    if (optional) type.remove_suffix(1);
    schema.fields.push_back({field.substr(0, colon), type, optional});
  }
  return schema;
}

using layout::index_entry;

// ---- reading words ----

/// Goes over the words of one op. What does not fit is a problem; the words behind it are not read.
class Reader {
 public:
  explicit Reader(const op_params& p) : p_(p) {}

  bool at_end() const { return at_ >= p_.size(); }
  int left() const { return p_.size() - at_; }
  const std::string& problem() const { return problem_; }

  /// Reads a field as Python would write it; nothing for what was omitted.
  std::string read(const Field& f);

 private:
  std::int64_t word() { return p_[at_++]; }
  std::string refuse(std::string what) {
    problem_ = std::move(what);
    at_ = p_.size();
    return {};
  }
  std::string cut_short(const Field& f) { return refuse(fmt::format("its {} is cut short", f.name)); }

  std::string list(const Field& f);
  std::string number(const Field& f);
  std::string choice(const Field& f);
  std::string index();
  std::string reduction();

  const op_params& p_;
  int at_ = 0;
  std::string problem_;
};

std::string Reader::list(const Field& f) {
  const std::int64_t count = word();
  if (count < 0 || count > left() || (f.type == "dims" && count > max_rank)) return cut_short(f);
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += fmt::format("{}{}", i ? ", " : "", word());
  return fmt::format("({}{})", text, count == 1 ? "," : "");
}

std::string Reader::number(const Field& f) {
  if (left() < layout::number_words) return cut_short(f);
  const std::int64_t kind = p_[at_];
  if (kind < layout::number::integer || kind > layout::number::complex_)
    return refuse(fmt::format("its {} is of unknown kind", f.name));
  const layout::number value = layout::number_at(p_, at_);
  at_ += layout::number_words;
  switch (value.kind) {
    case layout::number::integer: return fmt::to_string(value.bits);
    case layout::number::above_int64: return fmt::to_string(static_cast<std::uint64_t>(value.bits));
    case layout::number::real: return fmt::format("{:#}", value.as_double());
    case layout::number::complex_: break;
  }
  return fmt::format("({:#}{:+#}j)", value.as_double(), value.imag);
}

std::string Reader::choice(const Field& f) {
  std::string_view names = f.type.substr(5, f.type.size() - 6);
  const std::int64_t chosen = word();
  for (std::int64_t i = 0; !names.empty(); ++i) {
    const std::string_view name = names.substr(0, names.find('|'));
    if (i == chosen) return fmt::format("'{}'", name);
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return refuse(fmt::format("an unknown {}", f.name));
}

std::string bound(std::int64_t v) { return v == layout::none ? "" : fmt::to_string(v); }

std::string Reader::index() {
  std::string text;
  int axes = 0, made = 0;
  while (!at_end()) {
    const std::int64_t kind = p_[at_];
    if (kind < index_entry::integer || kind > index_entry::whole) return refuse("an index entry of unknown kind");
    if (left() <= (kind == index_entry::integer ? 1 : kind == index_entry::slice ? 3 : 0))
      return refuse("its last index entry is cut short");
    const index_entry e = layout::next_index_entry(p_, at_);
    axes += e.kind != index_entry::newaxis;
    made += e.kind != index_entry::integer;
    if (e.kind == index_entry::slice && e.step == 0) return refuse("a slice step of zero");
    text += text.empty() ? "" : ", ";
    switch (e.kind) {
      case index_entry::integer: text += fmt::to_string(e.start); break;
      case index_entry::newaxis: text += "None"; break;
      case index_entry::whole: text += ":"; break;
      case index_entry::slice: text += bound(e.start) + ":" + bound(e.stop) + (e.step == layout::none ? "" : ":" + bound(e.step));
    }
  }
  if (axes > max_rank || made > max_rank) return refuse("too many index entries");
  return "[" + (text.empty() ? "()" : text) + "]";
}

std::string Reader::reduction() {
  const std::int64_t flags = word();
  if (flags < 0 || flags > 7) return refuse("unknown flags");
  if (at_end()) return refuse("its list of axes is cut short");
  std::string text;
  auto add = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  };
  const std::string axes = list({"list of axes", "dims"});
  if (!problem_.empty()) return {};
  if (!(flags & 2)) {
    // One axis as most programs write it.
    const bool one = axes.ends_with(",)");
    add("axis", one ? axes.substr(1, axes.size() - 3) : axes);
  }
  if (flags & 1) add("keepdims", "True");
  if (flags & 4) add("initial", at_end() ? cut_short({"initial value", "number"}) : number({"initial value", "number"}));
  return text;
}

std::string Reader::read(const Field& f) {
  if (f.type == "index") return index();
  if (f.type == "reduction") return reduction();
  if (f.type == "dims" || f.type == "list") return list(f);
  if (f.type == "number") return number(f);
  if (f.type == "bool") return word() ? "True" : "False";
  if (f.type == "real") return fmt::format("{:#}", std::bit_cast<double>(word()));
  if (f.type == "char") return fmt::format("'{}'", static_cast<char>(word()));
  if (f.type == "dtype") {
    const std::int64_t number = word();
    return number < 0 || number >= dtype_count ? refuse("an unknown dtype")
                                               : std::string(dtype(static_cast<dtype_id>(number)).name());
  }
  if (f.type == "axis") {
    const std::int64_t axis = word();
    return axis == layout::none ? "None" : fmt::to_string(axis);
  }
  if (f.type.starts_with("enum(")) return choice(f);
  if (f.type == "ints") {
    if (left() > max_rank) return refuse(fmt::format("{} words, expected at most {}", left(), max_rank));
    std::string text;
    while (!at_end()) text += fmt::format("{}{}", text.empty() ? "" : ", ", word());
    return "(" + text + ")";
  }
  return fmt::to_string(word());
}

// ---- an op's parameters ----

const detail::routine* routine_of(const op_params& p) { return p.size() > 0 ? detail::find_routine(p[0]) : nullptr; }

/// The schema of an op's words; of a routine that of its own, behind its number.
Schema schema_of(op_id op, const op_params& p) {
  Schema schema = parsed(param_schema(op));
  if (schema.fields.size() != 1 || schema.fields[0].type != "routine") return schema;
  const detail::routine* routine = routine_of(p);
  if (!routine) return {};
  schema = parsed(routine->params);
  schema.fields.insert(schema.fields.begin(), {"_number", "int"});
  return schema;
}

/// All fields: their text, or why they are none.
struct Read {
  std::string text, problem;
};
Read read_all(op_id op, const op_params& p) {
  const Schema schema = schema_of(op, p);
  Read made;
  Reader reader(p);
  if (schema.may_be_empty && p.size() == 0) return made;
  for (const Field& f : schema.fields) {
    if (f.type == "in_memory") return made;
    const bool takes_none = f.type == "index" || f.type == "ints";
    if (reader.at_end() && !takes_none) {
      if (f.optional) break;
      made.problem = fmt::format("no {}", f.name);
      return made;
    }
    const std::string value = reader.read(f);
    if (!reader.problem().empty()) {
      made.problem = reader.problem();
      return made;
    }
    if (f.name.starts_with('_')) continue;
    // Defaults of NumPy's.
    if (f.optional && (value == "None" || value == "()" || value == "False" || value == "'raise'")) continue;
    const bool named = f.type != "index" && f.type != "reduction";
    made.text +=
        fmt::format("{}{}{}{}", made.text.empty() || value.empty() ? "" : ", ", named ? f.name : "", named ? "=" : "", value);
  }
  if (!reader.at_end()) made.problem = fmt::format("{} words, expected {}", p.size(), p.size() - reader.left());
  return made;
}

}  // namespace

std::string_view param_schema(op_id op) {
  switch (info(op).kind) {
    case op_kind::ufunc: return "";
    case op_kind::reduction: return "[:reduction]";
    case op_kind::argreduction: return "axis:axis? keepdims:bool?";
    case op_kind::scan: return "axis:axis?";
    default: break;
  }
  switch (op) {
#define STRUCTURAL(name, kind, inputs, device, params, ...) \
  case op_id::name: return params;
#include <numjit/ops/all_rows.inc>
    default: return "";
  }
}

std::string params_text(op_id op, const op_params& p) {
  if (op == op_id::communicate && p.size() > 0 && p[0] >= 0 && p[0] <= layout::communication::barrier)
    return layout::communication::name_of(p[0]);
  std::string text = read_all(op, p).text;
  if (p.has_type()) text += fmt::format("{}dtype={}", text.empty() ? "" : ", ", dtype(p.type()).name());
  return text;
}

std::string params_problem(op_id op, const op_params& p) {
  const std::string_view schema = param_schema(op);
  if (schema == ":in_memory")
    return fmt::format("{}, which no file can hold", op == op_id::black_box     ? "a function of np::allow_in_graph"
                                                     : op == op_id::communicate ? "an operation between ranks"
                                                                                : "a draw of random numbers");
  if (schema == ":routine") {
    const detail::routine* routine = routine_of(p);
    return !routine ? "an unknown routine" : p.size() != words_of(*routine) ? "a wrong number of words" : read_all(op, p).problem;
  }
  return read_all(op, p).problem;
}

}  // namespace numjit
