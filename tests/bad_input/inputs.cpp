// Scratch files, bundles taken apart and put together, indices from bytes.
#include <bad_input/inputs.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <zip.h>

#include <numjit/base/hash.h>
#include <numjit/np.h>

namespace np = numjit;

namespace bad_input {

Scratch::Scratch(const std::string& suffix) {
  const std::string folder = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
  path_ = folder + "/numjit-bad-input-" + std::to_string(getpid()) + suffix;
}
Scratch::~Scratch() { std::filesystem::remove(path_); }
void Scratch::write(std::string_view bytes) const {
  std::ofstream(path_, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}
std::string Scratch::read() const {
  std::ifstream in(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// ---- indices ----

namespace {

template <class T>
T get(const std::string& bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}


/// Bytes given out one by one, then zeros.
struct Bytes {
  const std::string& text;
  std::size_t at = 0;
  unsigned next() { return at < text.size() ? static_cast<unsigned char>(text[at++]) : 0; }
  std::int64_t number() {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t special[] = {0, 1, -1, 2, -2, 3, -4, 5, largest, -largest, -largest - 1, largest / 2,
                                        std::int64_t{1} << 32, -(std::int64_t{1} << 31)};
    return special[next() % std::size(special)];
  }
  np::slice_bound bound() {
    const std::int64_t n = number();
    return n == 5 ? np::slice_bound(np::none) : np::slice_bound(n);
  }
};

}  // namespace

void read_indices(const std::string& text) {
  Bytes bytes{text};
  const np::array a = np::arange(24.0).reshape(2, 3, 4)(np::ellipsis, np::slice(np::none, np::none, -1));
  std::vector<np::array> held;
  held.reserve(32);
  std::vector<np::index> entries;
  const int count = static_cast<int>(bytes.next() % 19);
  bool advanced = false;
  for (int i = 0; i < count; ++i) {
    switch (bytes.next() % 8) {
      case 0: entries.emplace_back(bytes.number()); break;
      case 1: entries.emplace_back(np::slice(bytes.bound(), bytes.bound(), bytes.bound())); break;
      case 2: entries.emplace_back(np::_); break;
      case 3: entries.emplace_back(np::newaxis); break;
      case 4: entries.emplace_back(np::ellipsis); break;
      case 5: held.push_back(np::array{bytes.number(), bytes.number()}); break;
      case 6: held.push_back(np::array{bytes.next() % 2 == 0, true, false}); break;
      default: held.push_back(np::ones(np::dims{static_cast<std::int64_t>(bytes.next() % 3), 1}, np::int64)); break;
    }
    if (entries.size() != static_cast<std::size_t>(i + 1)) {
      entries.emplace_back(held.back());
      advanced = true;
    }
  }
  const int n = static_cast<int>(entries.size());
  if (!advanced) {
    const np::array view = np::detail::index_view(a, entries.data(), n, {});
    (void)np::tobytes(view);
    view(np::ellipsis) = 1.0;
  } else {
    (void)np::tobytes(np::indexed_array(a, entries.data(), n, {}));
    np::indexed_array(a, entries.data(), n, {}) = 2.0;
  }
}

// ---- zip archives ----

void write_zip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& members) {
  zip_t* z = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(z, bytes.data(), bytes.size(), 0);
    const auto i = static_cast<zip_uint64_t>(zip_file_add(z, name.c_str(), source, 0));
    zip_set_file_compression(z, i, ZIP_CM_DEFLATE, 0);
  }
  zip_close(z);
}

std::string overlapping_members(const std::string& archive, int count) {
  const std::size_t entry = archive.find("PK\x01\x02"), end = archive.find("PK\x05\x06");
  std::string directory;
  for (int i = 0; i < count; ++i) directory += archive.substr(entry, end - entry);
  std::string made = archive.substr(0, entry) + directory + archive.substr(end);
  const std::size_t tail = made.size() - (archive.size() - end);
  put(made, tail + 8, static_cast<std::uint16_t>(count));
  put(made, tail + 10, static_cast<std::uint16_t>(count));
  put(made, tail + 12, static_cast<std::uint32_t>(directory.size()));
  return made;
}

// ---- bundles ----
// The container of src/numjit/runtime/bundle/bundle.cpp.

namespace {

constexpr std::size_t header_size = 48, section_header_size = 32;

struct Section {
  std::size_t header, begin, name_size, size;
};

std::vector<Section> sections_of(const std::string& bytes) {
  std::vector<Section> found;
  const auto count = get<std::uint64_t>(bytes, 24);
  std::size_t at = header_size;
  while (found.size() < count && bytes.size() >= at && bytes.size() - at >= section_header_size) {
    const auto name = get<std::uint64_t>(bytes, at), size = get<std::uint64_t>(bytes, at + 8);
    const std::size_t left = bytes.size() - at - section_header_size;
    if (name > left || size > left - name) break;
    found.push_back({at, at + section_header_size, name, size});
    at += section_header_size + name + size;
  }
  return found;
}

}  // namespace

std::string with_checksums(std::string bytes) {
  for (const Section& s : sections_of(bytes))
    put(bytes, s.header + 16, np::hash_bytes(bytes.data() + s.begin, s.name_size + s.size));
  if (bytes.size() < header_size) return bytes;
  put(bytes, 16, static_cast<std::uint64_t>(bytes.size()));
  put(bytes, 32, np::hash128{});
  put(bytes, 32, np::hash_bytes(bytes.data(), bytes.size()));
  return bytes;
}

std::string section_of(const std::string& bundle, std::string_view name) {
  for (const Section& s : sections_of(bundle))
    if (bundle.compare(s.begin, s.name_size, name) == 0) return bundle.substr(s.begin + s.name_size, s.size);
  return "";
}

std::string with_section(const std::string& bundle, std::string_view name, std::string_view content) {
  std::string made = bundle;
  for (const Section& s : sections_of(bundle))
    if (bundle.compare(s.begin, s.name_size, name) == 0) {
      made.replace(s.begin + s.name_size, s.size, content);
      put(made, s.header + 8, static_cast<std::uint64_t>(content.size()));
    }
  return with_checksums(std::move(made));
}

std::vector<std::string> program_words() {
  return {"\"graph\"",
          "\"op\"",
          "\"params\"",
          "\"in\"",
          "\"%0\"",
          "\"%1\"",
          "\"$0\"",
          "\"rank\"",
          "\"type\"",
          "\"casts\"",
          "\"float64\"",
          "\"bool\"",
          "\"int64\"",
          "\"complex128\"",
          "\"live\":true",
          "\"where\":true",
          "\"reshape_view\"",
          "\"index\"",
          "\"full\"",
          "\"transpose\"",
          "\"broadcast_to\"",
          "\"take\"",
          "\"take_places\"",
          "\"matmul\"",
          "\"concatenate\"",
          "\"arange\"",
          "\"linspace\"",
          "\"eye\"",
          "\"cumsum\"",
          "\"sort\"",
          "\"bincount\"",
          "\"where\"",
          "\"sum\"",
          "\"argmax\"",
          "\"diagonal\"",
          "\"sliding_window_view\"",
          "\"searchsorted\"",
          "\"repeat_places\"",
          "\"nonzero_flat\"",
          "\"mask_select\"",
          "\"store\"",
          "\"astype\"",
          "\"argument\"",
          "\"computed\"",
          "\"constant\"",
          "\"none\"",
          "\"read\"",
          "\"results\"",
          "\"known\"",
          "\"next\"",
          "\"first\"",
          "\"sized\"",
          "\"kind\":\"view\"",
          "\"kind\":\"store\"",
          "\"kind\":\"op\"",
          "\"kind\":\"input\"",
          "[",
          "]",
          "{",
          "}",
          "[[[[[[[[",
          "null",
          "1e308",
          "-1",
          "true",
          ",",
          ":",
          "9223372036854775807",
          "4611686018427387904"};
}

namespace {

using json = nlohmann::ordered_json;

/// Every value in the tree.
void collect(json& j, std::vector<json*>& all) {
  all.push_back(&j);
  if (j.is_structured())
    for (json& part : j) collect(part, all);
}

json other_value(const std::vector<json*>& all, std::mt19937_64& random) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t numbers[] = {0, 1, -1, 2, 3, 4, 5, 7, 15, 16, 17, 64, 1000, 1 << 20, 1LL << 31, 1LL << 34, 1LL << 40,
                                      1LL << 62, largest, -largest - 1, -2, -3};
  static const std::vector<std::string> words = program_words();
  switch (random() % 6) {
    case 0:
    case 1: return numbers[random() % std::size(numbers)];
    case 2: {
      json word = json::parse(words[random() % words.size()], nullptr, false);
      return word.is_discarded() ? json(true) : word;
    }
    case 3: return json::array();
    default: return *all[random() % all.size()];
  }
}

}  // namespace

std::string changed_json(const std::string& text, std::mt19937_64& random) {
  json j = json::parse(text, nullptr, false);
  if (j.is_discarded()) return text;
  std::vector<json*> all;
  collect(j, all);
  json& place = *all[random() % all.size()];
  switch (random() % 4) {
    case 0:
      if (place.is_number_integer()) place = static_cast<std::int64_t>(place.get<std::uint64_t>() + random() % 5 - 2);
      else place = other_value(all, random);
      break;
    case 1:
      if (place.is_array()) place.push_back(other_value(all, random));
      else place = other_value(all, random);
      break;
    case 2:
      if (place.is_structured() && !place.empty())
        place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(random() % place.size())));
      break;
    default: place = json(other_value(all, random));
  }
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string shown(std::string_view bytes) {
  std::string text;
  for (char c : bytes.substr(0, 4000)) {
    char code[8];
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(c));
      text += code;
    }
  }
  return text + (bytes.size() > 4000 ? "..." : "");
}

}  // namespace bad_input
