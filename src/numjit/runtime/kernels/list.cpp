// Reading and writing graph files.
#include <numjit/runtime/kernels/list.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/base/file.h>
#include <numjit/base/log.h>
#include <numjit/graph/kernel_text.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/key.h>

namespace numjit::runtime {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw ValueError("graphs", what); }

std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) refuse("a graph does not begin with its schedule");
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return word;
}

/// What the templates can be asked for, and nothing else: abi.h.
void check_variant(const KernelVariant& variant, const graph::KernelSpec& spec) {
  const std::string& name = variant.schedule;
  const int levels = name == "elementwise" ? 0 : name == "rows" || name == "panel" ? 1 : name == "product" ? 2 : -1;
  if (levels < 0) refuse("its schedule is none of elementwise, rows, panel, product");
  if (levels != spec.reduction_levels)
    refuse(fmt::format("its schedule {} has {} reduced axes, its graph {}", name, levels, int{spec.reduction_levels}));
  const bool sized = levels == 0   ? variant.size_class == 0
                     : levels == 1 ? variant.size_class <= size_class_partial
                                   : variant.size_class == 4 || variant.size_class == 8;
  if (!sized) refuse(fmt::format("its schedule {} has no size class {}", name, variant.size_class));
  const std::size_t inputs = spec.operand_types.size(), classes = variant.inner_stride.size();
  if (classes < inputs || classes > inputs + 2 * spec.outputs.size() || (levels == 0 && classes != inputs + spec.outputs.size()))
    refuse(fmt::format("it has {} inner strides for {} operands and {} outputs", classes, inputs, spec.outputs.size()));
  const std::uint8_t most = levels == 2 ? stride_class_staged_contiguous : 2;
  for (std::size_t i = 0; i < classes; ++i) {
    const std::uint8_t stride = variant.inner_stride[i];
    const bool is_channel = levels == 0 && i < inputs && (stride == stride_class_of_three || stride == stride_class_of_four) &&
                            dtype(spec.operand_types[i]).kind() != 'c';
    if (stride > most && !is_channel) refuse(fmt::format("its schedule {} has no stride class {}", name, int{stride}));
  }
}

KernelVariant read_variant(std::string_view line) {
  KernelVariant variant;
  if (!line.starts_with("schedule ")) refuse("a graph does not begin with its schedule");
  line.remove_prefix(9);
  variant.schedule = take_until(line, " size class ");
  const std::string_view size = take_until(line, " inner strides ");
  if (size.size() != 1 || size[0] < '0' || size[0] > '9') refuse("its size class is no digit");
  variant.size_class = static_cast<std::uint32_t>(size[0] - '0');
  for (char c : take_until(line, " ")) {
    if (c != '*' && (c < '0' || c > '9')) refuse("its inner strides are no digits");
    variant.inner_stride.push_back(c == '*' ? 2 : static_cast<std::uint8_t>(c - '0'));
  }
  if (line.find(" target ") != std::string_view::npos) refuse("it is a graph for a device: packs are for the processor");
  variant.fast_math = line == "fast";
  return variant;
}

/// The file of NUMJIT_RECORD, and what this process wrote into it.
struct Recording {
  std::mutex mutex;
  std::string path;
  std::set<hash128> written;
  bool begun = false;
};
Recording& recording() {
  static auto& only = *new Recording{.mutex = {},
                                     .path =
                                         [] {
                                           const char* path = std::getenv("NUMJIT_RECORD");
                                           return std::string(path ? path : "");
                                         }(),
                                     .written = {},
                                     .begun = false};
  return only;
}

/// Another process may have begun the file. 0, or an errno.
int begin_file(const std::string& path) {
  const detail::File fresh(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (fresh.fd < 0) return errno == EEXIST ? 0 : errno;
  return detail::write_whole(fresh.fd, kernel_list_head) ? 0 : errno;
}

int append(const std::string& path, const std::string& text) {
  const detail::File file(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  return file.fd >= 0 && detail::write_whole(file.fd, text) ? 0 : errno;
}

}  // namespace

KernelRequest request_from_text(std::string_view content) {
  if (content.size() > longest_graph)
    refuse(fmt::format("a graph has {} bytes, expected at most {}", content.size(), longest_graph));
  const std::size_t end = content.find('\n');
  if (end == std::string_view::npos) refuse("a graph is cut short: it has one line");
  KernelRequest request{std::string(content), {}, read_variant(content.substr(0, end))};
  request.spec = graph::kernel_spec_from_text(content.substr(end + 1));
  check_variant(request.variant, request.spec);
  if (kernel_content(request.spec, request.variant) != content) refuse("a graph is not in the form that numjit writes");
  return request;
}

std::vector<KernelRequest> read_kernel_list(std::string_view text) {
  constexpr std::string_view word = "numjit graphs ";
  if (!text.starts_with(word)) refuse("no graph file: it does not begin with 'numjit graphs'");
  if (!text.starts_with(kernel_list_head)) {
    const std::string_view rest = text.substr(word.size());
    const std::string_view format = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 20));
    const bool number = !format.empty() && std::all_of(format.begin(), format.end(), [](char c) { return c >= '0' && c <= '9'; });
    refuse(number ? fmt::format("the graph file has format {}, this numjit reads 1. Record it anew.", format)
                  : "no graph file: its first line is damaged");
  }
  text.remove_prefix(kernel_list_head.size());
  std::vector<KernelRequest> requests;
  std::set<std::string_view> known;
  for (std::size_t number = 1; !text.empty(); ++number) {
    if (number > most_graphs) refuse(fmt::format("the file holds more than {} graphs", most_graphs));
    if (!text.starts_with('\n')) refuse(fmt::format("graph {}: no empty line before it", number));
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find("\n\n"), text.size() - 1) + 1;
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end, text.size()));
    if (!known.insert(content).second) continue;
    try {
      requests.push_back(request_from_text(content));
    } catch (const ValueError& e) {
      refuse(fmt::format("graph {}: {}", number, std::string_view(e.what()).substr(9)));  // without "[graphs] "
    }
  }
  return requests;
}

void record_kernel(const std::string& content) noexcept {
  Recording& file = recording();
  if (file.path.empty()) return;
  try {
    std::lock_guard lock(file.mutex);
    if (!file.written.insert(hash_text(content)).second) return;
    int failure = file.begun ? 0 : begin_file(file.path);
    file.begun = true;
    if (failure == 0) failure = append(file.path, "\n" + content);  // one write: other processes append, too
    if (failure != 0)
      detail::warn_once("record " + file.path, fmt::format("NUMJIT_RECORD: {}", detail::system_error_text(failure, file.path)));
  } catch (const std::exception&) {
    // A graph less in the file: the program itself goes on.
  }
}

}  // namespace numjit::runtime
