// Pages of what compiled functions did.
#include <numjit/trace/api/report.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/kernels/report.h>
#include <numjit/runtime/launch/fused_call.h>
#include <numjit/trace/api/collector_scope.h>

namespace numjit {
namespace {

constexpr const char page[] =
#include <numjit/trace/api/report_page.inc>
    ;

// JSON inside of a script: no text in it ends the script.
std::string in_script(std::string json) {
  for (std::size_t at = 0; (at = json.find("</", at)) != std::string::npos; at += 3) json.insert(at + 1, "\\");
  return json;
}

void write_page(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  const bool whole = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!file || (std::fclose(file) != 0) || !whole)
    throw OSError("report", fmt::format("the page can't be written: got the path {}, expected one of a file in a folder that "
                                        "is there and may be written to.",
                                        path));
}

/// Says so where it can't.
bool try_to_write(const std::string& path, const std::string& text) noexcept {
  try {
    write_page(path, text);
    return true;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "numjit: %s\n", e.what());
    return false;
  }
}

constexpr std::size_t most_listed = 40, longest_listing = 100'000;  // kernels of a page, bytes of one text

std::string shortened(std::string text) {
  if (text.size() <= longest_listing) return text;
  text.resize(text.rfind('\n', longest_listing));
  return text + "\n... (cut short)\n";
}

/// {name: [[title, text], ...]} of a report's kernels; of those that can't be listed nothing.
nlohmann::json code_of(const nlohmann::json& kernels) {
  nlohmann::json code = nlohmann::json::object();
  for (const nlohmann::json& kernel : kernels) {
    const std::string name = kernel["name"];
    if (name.empty() || code.contains(name) || code.size() == most_listed) continue;
    try {
      const runtime::KernelListing listing = runtime::list_kernel(name);
      for (const auto& [title, text] : {std::pair("loops", &listing.loop_nest), std::pair("statement", &listing.statement),
                                        std::pair("assembly", &listing.assembly)})
        if (!text->empty()) code[name].push_back({title, shortened(*text)});
    } catch (const error& e) {
      detail::warn(fmt::format("kernel {} can't be listed: {}", name, e.what()));
    }
  }
  return code;
}

void add_compiles(explain_report& report, const runtime::CompileWatch& compiles, std::int64_t begin_ns) {
  for (runtime::CompileEvent& e : compiles.events())
    report.timeline.push_back({"compile", std::move(e.name), std::max<std::int64_t>(e.begin_ns - begin_ns, 0), e.ns,
                               report.timeline.empty() ? 0 : report.timeline.back().memory});
}

}  // namespace

std::string tracing::report_page(const std::string& json, bool code) {
  std::string text = page;
  nlohmann::json data = nlohmann::json::parse(json);
  if (code) data["code"] = code_of(data["kernels"]);
  const std::string_view place = "/*report*/null";
  return text.replace(text.find(place), place.size(), in_script(data.dump()));  // without indentation
}

std::string explain_report::html(bool code) const { return tracing::report_page(json(), code); }

void show(const explain_report& report, const std::string& path) { write_page(path, report.html(true)); }

report_scope::report_scope(std::string path)
    : watching_("report", false), compiles_(std::make_unique<runtime::CompileWatch>()), path_(std::move(path)) {
  watching_.entry().keep_timeline();
}
report_scope::~report_scope() {
  if (!path_.empty()) try_to_write(path_, report().html(true));
}

explain_report report_scope::report() const {
  explain_report report = watching_.report();
  add_compiles(report, *compiles_, watching_.entry().timeline_begin_ns);
  return report;
}

namespace tracing {
namespace {

// The collectors of a process's threads. Immortal: pages are written when everything else is over.
class ProcessReport {
 public:
  explicit ProcessReport(std::string folder) : folder_(std::move(folder)) {
    runtime::FusedCall::set_timing(true);
    std::atexit([] { of_process()->write(); });
  }

  /// Null where nobody asked.
  static ProcessReport* of_process() {
    static ProcessReport* const instance = [] {
      const char* const folder = std::getenv("NUMJIT_REPORT");
      return folder && *folder ? new ProcessReport(folder) : nullptr;
    }();
    return instance;
  }

  void watch(ObserverList& observers) {
    std::lock_guard lock(mutex_);
    threads_.push_back(new ThreadReport);
    threads_.back()->keep_timeline();
    observers.add(*threads_.back());
  }

 private:
  struct ThreadReport final : Collector {
    ThreadReport() : Collector(false) {}
  };

  // Without code: what makes it may be gone by now.
  void write() {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::string path =
          fmt::format("{}/report-{}{}.html", folder_, getpid(), i == 0 ? "" : fmt::format("-thread{}", i + 1));
      explain_report report = threads_[i]->report_on(fmt::format("process {}, thread {}", getpid(), i + 1), true);
      add_compiles(report, compiles_, threads_[i]->timeline_begin_ns);
      if (try_to_write(path, report.html())) std::fprintf(stderr, "numjit: report in %s\n", path.c_str());
    }
  }

  const std::string folder_;
  const runtime::CompileWatch compiles_;
  std::mutex mutex_;
  std::vector<ThreadReport*> threads_;
};

}  // namespace

void report_thread(ObserverList& observers) {
  thread_local bool asked = false;
  if (std::exchange(asked, true)) return;
  if (ProcessReport* const process = ProcessReport::of_process()) process->watch(observers);
}

}  // namespace tracing
}  // namespace numjit
