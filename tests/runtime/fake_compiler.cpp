// Writing an ELF object by hand: null, .text, .symtab, .strtab, .shstrtab.
#include <runtime/fake_compiler.h>

#include <cstring>

#include <elf.h>

#include <numjit/runtime/kernels/abi.h>

namespace numjit::runtime {

std::vector<char> make_object(const std::string& symbol, const std::vector<unsigned char>& code) {
  const std::string section_names = std::string("\0.text\0.symtab\0.strtab\0.shstrtab\0", 33);
  const std::string strings = std::string("\0", 1) + symbol + std::string("\0", 1);
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = 1;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[1].st_size = code.size();

  std::vector<char> file(sizeof(Elf64_Ehdr));
  auto append = [&](const void* data, std::size_t size) {
    while (file.size() % 16) file.push_back(0);
    std::size_t at = file.size();
    file.insert(file.end(), static_cast<const char*>(data), static_cast<const char*>(data) + size);
    return at;
  };
  Elf64_Shdr sections[5] = {};
  auto section = [&](int i, std::size_t name, unsigned type, unsigned long flags, const void* data,
                     std::size_t size) {
    sections[i].sh_name = static_cast<Elf64_Word>(name);
    sections[i].sh_type = type;
    sections[i].sh_flags = flags;
    sections[i].sh_offset = append(data, size);
    sections[i].sh_size = size;
    sections[i].sh_addralign = 16;
  };
  section(1, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code.data(), code.size());
  section(2, 7, SHT_SYMTAB, 0, symbols, sizeof symbols);
  sections[2].sh_link = 3;
  sections[2].sh_info = 1;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  section(3, 15, SHT_STRTAB, 0, strings.data(), strings.size());
  section(4, 23, SHT_STRTAB, 0, section_names.data(), section_names.size());
  std::size_t table = append(sections, sizeof sections);

  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = table;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

std::vector<char> FakeCompiler::compile(const graph::KernelSpec&, const KernelVariant&,
                                        const std::string& name, const std::string&) {
  ++compiles;
  if (before) before();
  auto v = static_cast<unsigned>(value.load());
  auto byte = [v](int i) { return static_cast<unsigned char>(v >> (8 * i)); };
  // mov rax, [rdi]; mov qword [rax], value; xor eax, eax; ret
  return make_object(entry_symbol(name), {0x48, 0x8b, 0x07, 0x48, 0xc7, 0x00, byte(0), byte(1),
                                          byte(2), byte(3), 0x31, 0xc0, 0xc3});
}

}  // namespace numjit::runtime
