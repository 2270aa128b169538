// Pages of what compiled functions did: np::report_scope, and NUMJIT_REPORT for a whole process.
#pragma once

#include <memory>
#include <string>

#include <numjit/trace/api/explain.h>

namespace numjit {

namespace runtime {
class CompileWatch;
}

/// Watches the compiled calls of this thread until the scope ends, and writes then what happened as one HTML page, which needs
/// nothing else: graphs with their kernels and their code, breaks, recompiles, and a timeline of calls, segments, kernels, their
/// compiles and memory. Where the page can't be written, one line says so. Without a path nothing is written: for those who ask
/// for report() themselves.
///   np::report_scope report("run.html");
///   f(x);
class [[nodiscard]] report_scope {
 public:
  explicit report_scope(std::string path = "");
  ~report_scope();
  report_scope(const report_scope&) = delete;
  report_scope& operator=(const report_scope&) = delete;
  /// What was seen so far.
  explain_report report() const;
  tracing::Explaining& watching() { return watching_; }

 private:
  tracing::Explaining watching_;
  const std::unique_ptr<runtime::CompileWatch> compiles_;
  const std::string path_;
};

/// Writes the page of a report, with the code of its kernels, to a file, to be looked at in a browser. OSError where it can't be
/// written.
///   np::show(np::explain(f)(x), "f.html");
void show(const explain_report& report, const std::string& path);

namespace tracing {
/// The page of a report that explain_report::json() gave.
std::string report_page(const std::string& json, bool code);
}  // namespace tracing

}  // namespace numjit
