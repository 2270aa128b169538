// The phases that tests make fail.
#include <numjit/base/fault.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>

namespace numjit::detail {
namespace {

constexpr std::string_view names[] = {"lower", "halide",     "link",    "load",  "cache_read", "cache_write",
                                      "value", "allocation", "timeout", "crash", "disk_full",  "slow_record"};

/// One entry of the list: a point, and for which kernels.
struct Fault {
  fault_point point;
  std::string op;             // "" for all
  std::size_t more_than = 0;  // ops
  bool any_subject = true;
};

struct State {
  std::mutex mutex;
  std::string text;
  std::vector<Fault> faults;
};

State& state() {
  static auto& instance = *new State;
  return instance;
}

constinit thread_local const std::span<const std::string_view>* subject = nullptr;

[[noreturn]] void refuse(std::string_view got) {
  throw ValueError("config",
                   fmt::format("NUMJIT_FAULT: got '{}', expected a comma list of {}, each with @op or "
                               ">count if it is to concern some kernels only.",
                               got, fmt::join(names, ", ")));
}

Fault parse(std::string_view text) {
  const std::size_t end = text.find_first_of("@>");
  const auto name = std::find(std::begin(names), std::end(names), text.substr(0, end));
  if (name == std::end(names)) refuse(text);
  Fault fault{static_cast<fault_point>(name - names), "", 0, end == std::string_view::npos};
  if (fault.any_subject) return fault;
  const std::string_view rest = text.substr(end + 1);
  if (text[end] == '@') {
    fault.op = rest;
    if (rest.empty()) refuse(text);
    return fault;
  }
  const auto [stop, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), fault.more_than);
  if (failure != std::errc() || stop != rest.data() + rest.size()) refuse(text);
  return fault;
}

}  // namespace

void inject_fault(std::string_view phases) {
  std::vector<Fault> faults;
  unsigned mask = 0;
  for (std::string_view rest = phases; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    faults.push_back(parse(rest.substr(0, comma)));
    mask |= 1u << static_cast<unsigned>(faults.back().point);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  std::lock_guard lock(state().mutex);
  state().text = phases;
  state().faults = std::move(faults);
  fault_mask.store(mask, std::memory_order_relaxed);
}

std::string injected_faults() {
  std::lock_guard lock(state().mutex);
  return state().text;
}

std::string injected_compile_faults() {
  std::lock_guard lock(state().mutex);
  std::string text;
  for (const Fault& fault : state().faults)
    switch (fault.point) {
      case fault_point::cache_read:
      case fault_point::cache_write:
      case fault_point::value:
      case fault_point::allocation:
      case fault_point::disk_full:
      case fault_point::slow_record: break;
      default:
        text += fmt::format("fault {} {} {}\n", names[static_cast<int>(fault.point)], fault.op, fault.more_than);
    }
  return text;
}

bool fault_applies(fault_point point) noexcept {
  std::lock_guard lock(state().mutex);
  for (const Fault& fault : state().faults) {
    if (fault.point != point) continue;
    if (fault.any_subject) return true;
    if (!subject) continue;
    if (fault.op.empty() ? subject->size() > fault.more_than
                         : std::find(subject->begin(), subject->end(), fault.op) != subject->end())
      return true;
  }
  return false;
}

fault_subject_scope::fault_subject_scope(std::span<const std::string_view> ops)
    : ops_(ops), outer_(subject) {
  subject = &ops_;
}

fault_subject_scope::~fault_subject_scope() { subject = outer_; }

std::string_view fault_name(fault_point point) noexcept { return names[static_cast<int>(point)]; }

}  // namespace numjit::detail
