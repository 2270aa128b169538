// Reads, places and binds ELF objects. Every offset of a file is checked before it is used.
#include <numjit/runtime/kernels/loader.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <numjit/base/error.h>

namespace numjit::runtime {
namespace {

constexpr std::size_t page = 4096, stub_size = 16, most_bytes = std::size_t{1} << 30;

[[noreturn]] void refuse(const std::string& what) { throw CompileError("compile", "the kernel can't be loaded: " + what); }

/// What kernels may call outside of themselves.
char* outside(std::string_view name) {
  struct Function {
    std::string_view name;
    char* address;
  };
#define FUNCTION(name) \
  Function { #name, reinterpret_cast < char*>(&::name) }
  static const std::array known{FUNCTION(aligned_alloc), FUNCTION(free), FUNCTION(memcpy), FUNCTION(memmove), FUNCTION(memset)};
#undef FUNCTION
  const auto found = std::find_if(known.begin(), known.end(), [&](const Function& f) { return f.name == name; });
  return found == known.end() ? nullptr : found->address;
}

/// One object as it lies in a file.
struct Object {
  std::span<const char> bytes;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Sym> symbols;
  std::span<const char> symbol_names, section_names;

  template <class T>
  T at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }

  std::span<const char> content(const Elf64_Shdr& section) const { return bytes.subspan(section.sh_offset, section.sh_size); }

  template <class T>
  std::vector<T> table(const Elf64_Shdr& section) const {
    if (section.sh_entsize != sizeof(T) || section.sh_size % sizeof(T) != 0) refuse("a table with entries of another size");
    std::vector<T> entries(section.sh_size / sizeof(T));
    if (!entries.empty()) std::memcpy(entries.data(), content(section).data(), section.sh_size);
    return entries;
  }

  std::span<const char> text_table(std::uint64_t number) const {
    if (number >= sections.size() || sections[number].sh_type != SHT_STRTAB) refuse("names without a table");
    const std::span<const char> names = content(sections[number]);
    if (names.empty() || names.back() != 0) refuse("a table of names without an end");
    return names;
  }

  static std::string_view name_at(std::span<const char> names, std::uint64_t offset) {
    if (offset >= names.size()) refuse("a name outside of its table");
    return names.data() + offset;
  }
  std::string_view name_of(const Elf64_Sym& symbol) const { return name_at(symbol_names, symbol.st_name); }
  std::string_view name_of(const Elf64_Shdr& section) const { return name_at(section_names, section.sh_name); }
};

Object read_object(std::span<const char> bytes) {
  Object object{bytes, {}, {}, {}, {}};
  if (bytes.size() < sizeof(Elf64_Ehdr)) refuse("an object that is cut short");
  const auto header = object.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL || header.e_machine != EM_X86_64)
    refuse("no relocatable ELF object for x86-64");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 || header.e_shoff > bytes.size() ||
      (bytes.size() - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum)
    refuse("sections outside of their object");
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = object.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
        (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset))
      refuse("a section outside of its object");
    object.sections.push_back(section);
  }
  object.section_names = object.text_table(header.e_shstrndx);
  for (const Elf64_Shdr& section : object.sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!object.symbols.empty()) refuse("two tables of symbols");
    object.symbols = object.table<Elf64_Sym>(section);
    object.symbol_names = object.text_table(section.sh_link);
  }
  return object;
}

enum Region : std::size_t { code, constants, data, regions };

/// Where a section goes; nullopt: it is not needed in memory.
std::optional<Region> region_of(const Object& object, const Elf64_Shdr& section) {
  if (!(section.sh_flags & SHF_ALLOC)) return std::nullopt;
  const std::string_view name = object.name_of(section);
  // No exception passes through a kernel.
  if (section.sh_type == SHT_NOTE || section.sh_type == SHT_X86_64_UNWIND || name == ".eh_frame") return std::nullopt;
  if (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS) refuse(fmt::format("section {}", name));
  if (section.sh_flags & (SHF_TLS | SHF_COMPRESSED)) refuse(fmt::format("section {}", name));
  if (section.sh_size > most_bytes) refuse(fmt::format("section {} of {} bytes", name, section.sh_size));
  if (section.sh_addralign > page || (section.sh_addralign != 0 && !std::has_single_bit(section.sh_addralign)))
    refuse(fmt::format("section {}, aligned to {} bytes", name, section.sh_addralign));
  const bool runs = section.sh_flags & SHF_EXECINSTR, is_written = section.sh_flags & SHF_WRITE;
  if (runs && is_written) refuse(fmt::format("section {}, which is code that is written to", name));
  return runs ? code : is_written ? data : constants;
}

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

constexpr bool needs_address_table(std::uint64_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

}  // namespace

/// Puts objects into the mapping of what is to hold them.
class ObjectPlacer {
 public:
  ObjectPlacer(LoadedObjects& to, std::span<const std::span<const char>> objects) : to_(to) {
    for (const std::span<const char> bytes : objects) objects_.push_back(read_object(bytes));
  }

  void run() {
    lay_out();
    copy();
    collect_symbols();
    for (std::size_t i = 0; i < objects_.size(); ++i) bind(objects_[i], to_.places_[i]);
    protect();
  }

 private:
  /// Every section gets an offset in its region; regions begin at pages.
  void lay_out() {
    for (const Object& object : objects_) {
      offsets_.emplace_back();
      for (const Elf64_Shdr& section : object.sections) {
        const std::optional<Region> region = region_of(object, section);
        offsets_.back().push_back(region ? std::optional(take(*region, section.sh_size, section.sh_addralign)) : std::nullopt);
        if (section.sh_type == SHT_RELA) addresses_ += count_addresses(object, section);
      }
      for (const Elf64_Sym& symbol : object.symbols) stubs_ += symbol.st_shndx == SHN_UNDEF;
    }
    next_stub_ = rounded_up(sizes_[code], stub_size);
    sizes_[code] = next_stub_ + stubs_ * stub_size;
    next_address_ = rounded_up(sizes_[constants], sizeof(char*));
    sizes_[constants] = next_address_ + addresses_ * sizeof(char*);
    for (std::size_t r = 0; r < regions; ++r) {
      starts_[r] = to_.size_;
      to_.size_ += rounded_up(sizes_[r], page);
    }
    if (to_.size_ == 0 || to_.size_ > most_bytes) refuse(fmt::format("{} bytes of code", to_.size_));
    to_.code_size_ = sizes_[code];
    next_address_ += starts_[constants];
  }

  struct Offset {
    Region region;
    std::size_t in_region;
  };
  Offset take(Region region, std::size_t size, std::size_t alignment) {
    const std::size_t offset = rounded_up(sizes_[region], std::max<std::size_t>(alignment, 1));
    sizes_[region] = offset + size;
    if (sizes_[region] > most_bytes) refuse(fmt::format("{} bytes of code", sizes_[region]));
    return {region, offset};
  }

  static std::size_t count_addresses(const Object& object, const Elf64_Shdr& section) {
    const auto relocations = object.table<Elf64_Rela>(section);
    return static_cast<std::size_t>(std::count_if(
        relocations.begin(), relocations.end(), [](const Elf64_Rela& r) { return needs_address_table(ELF64_R_TYPE(r.r_info)); }));
  }

  void copy() {
    to_.base_ = mmap(nullptr, to_.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to_.base_ == MAP_FAILED) {
      to_.base_ = nullptr;
      refuse(fmt::format("no memory for its code: {}", std::strerror(errno)));
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      to_.places_.emplace_back();
      for (std::size_t s = 0; s < objects_[i].sections.size(); ++s) {
        const Elf64_Shdr& section = objects_[i].sections[s];
        const auto& offset = offsets_[i][s];
        to_.places_.back().push_back(offset ? base() + starts_[offset->region] + offset->in_region : nullptr);
        if (offset && section.sh_type != SHT_NOBITS && section.sh_size > 0)
          std::memcpy(to_.places_.back().back(), objects_[i].content(section).data(), section.sh_size);
      }
    }
  }

  /// What one object may use of another; the first of weak ones counts where there is no other.
  void collect_symbols() {
    std::unordered_map<std::string, bool> is_weak;
    for (std::size_t i = 0; i < objects_.size(); ++i)
      for (const Elf64_Sym& symbol : objects_[i].symbols) {
        const auto binding = ELF64_ST_BIND(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL) continue;
        if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE)
          refuse(fmt::format("symbol {}", objects_[i].name_of(symbol)));
        const std::string name(objects_[i].name_of(symbol));
        char* const address = address_inside(objects_[i], to_.places_[i], symbol);
        const auto [weak, is_new] = is_weak.try_emplace(name, binding != STB_GLOBAL);
        if (!is_new && !weak->second && binding == STB_GLOBAL) refuse(fmt::format("two symbols {}", name));
        if (!is_new && (!weak->second || binding != STB_GLOBAL)) continue;
        weak->second = binding != STB_GLOBAL;
        to_.symbols_[name] = address;
      }
  }

  static char* address_inside(const Object& object, std::span<char* const> places, const Elf64_Sym& symbol) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_TLS || type == STT_GNU_IFUNC || symbol.st_shndx >= places.size() || !places[symbol.st_shndx] ||
        symbol.st_value > object.sections[symbol.st_shndx].sh_size)
      refuse(fmt::format("symbol {}", object.name_of(symbol)));
    return places[symbol.st_shndx] + symbol.st_value;
  }

  /// Writes what the relocations of an object ask for.
  void bind(const Object& object, std::span<char* const> places) {
    for (const Elf64_Shdr& section : object.sections) {
      if (section.sh_type != SHT_REL && section.sh_type != SHT_RELA) continue;
      if (section.sh_info >= places.size()) refuse("relocations of no section");
      char* const target = places[section.sh_info];
      if (!target) continue;
      if (section.sh_type == SHT_REL) refuse("relocations without addends");
      const std::uint64_t size = object.sections[section.sh_info].sh_size;
      for (const Elf64_Rela& relocation : object.table<Elf64_Rela>(section)) {
        const auto type = ELF64_R_TYPE(relocation.r_info);
        const std::uint64_t width = type == R_X86_64_64 ? 8 : 4;
        if (relocation.r_offset > size || size - relocation.r_offset < width) refuse("a relocation outside of its section");
        write(object, places, target + relocation.r_offset, relocation);
      }
    }
  }

  void write(const Object& object, std::span<char* const> places, char* at, const Elf64_Rela& relocation) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const auto number = ELF64_R_SYM(relocation.r_info);
    if (number == 0 || number >= object.symbols.size()) refuse("a relocation of no symbol");
    const Elf64_Sym& symbol = object.symbols[number];
    // Unsigned, so that addends of any size are no error here.
    const auto plus = [&](const char* address) {
      return reinterpret_cast<std::uint64_t>(address) + static_cast<std::uint64_t>(relocation.r_addend);
    };
    if (type == R_X86_64_64) {
      const std::uint64_t value = plus(address_of(object, places, symbol, false));
      std::memcpy(at, &value, sizeof value);
    } else if (type == R_X86_64_PC32 || type == R_X86_64_PLT32) {
      write_distance(at, plus(address_of(object, places, symbol, true)), object, symbol);
    } else if (needs_address_table(type)) {
      write_distance(at, plus(table_entry(address_of(object, places, symbol, false))), object, symbol);
    } else {
      refuse(fmt::format("a relocation of type {}", type));
    }
  }

  static void write_distance(char* at, std::uint64_t value, const Object& object, const Elf64_Sym& symbol) {
    const auto distance = static_cast<std::int64_t>(value - reinterpret_cast<std::uint64_t>(at));
    if (distance != static_cast<std::int32_t>(distance)) refuse(fmt::format("symbol {} is too far away", object.name_of(symbol)));
    const auto narrow = static_cast<std::int32_t>(distance);
    std::memcpy(at, &narrow, sizeof narrow);
  }

  /// `near`: may be a jump to it, which lies beside the code.
  char* address_of(const Object& object, std::span<char* const> places, const Elf64_Sym& symbol, bool near) {
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return address_inside(object, places, symbol);
    const std::string name(object.name_of(symbol));
    if (const auto found = to_.symbols_.find(name); found != to_.symbols_.end()) return found->second;
    char* const function = outside(name);
    if (!function) refuse(fmt::format("symbol {} is not among those that kernels may use", name));
    return near ? stub(name, function) : function;
  }

  /// A jump to what may be farther away than 2 GiB.
  char* stub(const std::string& name, char* function) {
    char*& known = known_stubs_[name];
    if (known) return known;
    static constexpr unsigned char jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b};  // jmp *2(%rip); ud2; then the address
    known = base() + next_stub_;
    next_stub_ += stub_size;
    std::memcpy(known, jump, sizeof jump);
    std::memcpy(known + sizeof jump, &function, sizeof function);
    return known;
  }

  char* table_entry(char* address) {
    char* const entry = base() + next_address_;
    next_address_ += sizeof address;
    std::memcpy(entry, &address, sizeof address);
    return entry;
  }

  /// Never writable and executable at once.
  void protect() {
    const auto change = [&](Region region, int rights) {
      if (sizes_[region] > 0 && mprotect(base() + starts_[region], rounded_up(sizes_[region], page), rights) != 0)
        refuse(fmt::format("memory can't be made executable here: {}", std::strerror(errno)));
    };
    change(code, PROT_READ | PROT_EXEC);
    change(constants, PROT_READ);
  }

  char* base() const { return static_cast<char*>(to_.base_); }

  LoadedObjects& to_;
  std::vector<Object> objects_;
  std::vector<std::vector<std::optional<Offset>>> offsets_;  // of each section of each object
  std::array<std::size_t, regions> sizes_{}, starts_{};
  std::size_t stubs_ = 0, addresses_ = 0, next_stub_ = 0, next_address_ = 0;
  std::unordered_map<std::string, char*> known_stubs_;
};

LoadedObjects::LoadedObjects(std::span<const std::span<const char>> objects) {
#ifdef __x86_64__
  try {
    ObjectPlacer(*this, objects).run();
  } catch (...) {
    if (base_) munmap(base_, size_);
    throw;
  }
#else
  refuse("no loader for this processor");
#endif
}

LoadedObjects::~LoadedObjects() { munmap(base_, size_); }

void* LoadedObjects::find(std::string_view symbol) const {
  const auto found = symbols_.find(std::string(symbol));
  return found == symbols_.end() ? nullptr : found->second;
}

}  // namespace numjit::runtime
