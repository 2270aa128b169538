// The module around a function.
#include "function.h"

#include <string_view>

namespace numjit::wasm_gen {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& to, std::uint64_t v) {
  for (; v >= 128; v >>= 7) to.push_back(static_cast<std::uint8_t>(v | 128));
  to.push_back(static_cast<std::uint8_t>(v));
}
void put(Bytes& to, std::string_view text) {
  put(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
}
void put_section(Bytes& to, std::uint8_t id, const Bytes& content) {
  to.push_back(id);
  put(to, content.size());
  to.insert(to.end(), content.begin(), content.end());
}

}  // namespace

std::vector<char> Function::module() const {
  Bytes m = {0, 'a', 's', 'm', 1, 0, 0, 0};
  Bytes types = {1, 0x60};
  put(types, parameters_.size());
  for (Wasm type : parameters_) types.push_back(static_cast<std::uint8_t>(type));
  types.push_back(1);
  types.push_back(static_cast<std::uint8_t>(Wasm::i32));
  put_section(m, 1, types);

  Bytes imports = {static_cast<std::uint8_t>(wants_scratch_ ? 2 : 1)};
  put(imports, "env");
  put(imports, "memory");
  for (std::uint8_t byte : {2, 0, 1}) imports.push_back(byte);  // a memory of at least a page
  if (wants_scratch_) {
    put(imports, "env");
    put(imports, "scratch");
    for (std::uint8_t byte : {3, 0x7f, 0}) imports.push_back(byte);  // a constant i32
  }
  put_section(m, 2, imports);
  put_section(m, 3, {1, 0});
  Bytes exports = {1};
  put(exports, "run");
  exports.push_back(0);
  exports.push_back(0);
  put_section(m, 7, exports);

  Bytes body, runs;
  std::size_t count = 0;
  for (std::size_t i = 0; i < locals_.size();) {
    std::size_t end = i;
    while (end < locals_.size() && locals_[end] == locals_[i]) ++end;
    put(runs, end - i);
    runs.push_back(static_cast<std::uint8_t>(locals_[i]));
    ++count;
    i = end;
  }
  put(body, count);
  body.insert(body.end(), runs.begin(), runs.end());
  body.insert(body.end(), code_.begin(), code_.end());
  body.push_back(op::end);
  Bytes code = {1};
  put(code, body.size());
  code.insert(code.end(), body.begin(), body.end());
  put_section(m, 10, code);
  return {m.begin(), m.end()};
}

}  // namespace numjit::wasm_gen
