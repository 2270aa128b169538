// Pages of what compiled functions did.
#include <numjit/trace/api/report.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/base/log.h>
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

}  // namespace

std::string explain_report::html() const {
  std::string text = page;
  const std::string_view place = "/*report*/null";
  return text.replace(text.find(place), place.size(), in_script(nlohmann::json::parse(json()).dump()));  // without indentation
}

void show(const explain_report& report, const std::string& path) { write_page(path, report.html()); }

report_scope::report_scope(std::string path) : watching_("report", false), path_(std::move(path)) {
  watching_.entry().keep_timeline();
}
report_scope::~report_scope() {
  if (!path_.empty()) try_to_write(path_, report().html());
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

  void write() {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      const std::string path =
          fmt::format("{}/report-{}{}.html", folder_, getpid(), i == 0 ? "" : fmt::format("-thread{}", i + 1));
      if (try_to_write(path, threads_[i]->report_on(fmt::format("process {}, thread {}", getpid(), i + 1), true).html()))
        std::fprintf(stderr, "numjit: report in %s\n", path.c_str());
    }
  }

  const std::string folder_;
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
