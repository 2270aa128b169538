// Inputs made to hurt: headers that claim more than is there, archives that unpack to far more, deep nesting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include <bad_input/fuzzer.h>
#include <bad_input/inputs.h>
#include <numjit/base/error.h>
#include <numjit/np.h>
#include <numjit/trace/export/export.h>

namespace np = numjit;
using testing::HasSubstr;

namespace {

constexpr std::size_t MiB = 1 << 20;

std::string npy(const std::string& shape, const std::string& descr = "<f8", const std::string& data = "") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

/// The error's text; the bytes held meanwhile must stay below `most`.
std::string refusal(const std::function<void()>& read, std::size_t most = MiB) {
  std::string text = "no error";
  const std::size_t peak = bad_input::peak_of([&] {
    try {
      read();
    } catch (const np::error& e) {
      text = e.what();
    }
  });
  EXPECT_LT(peak, most);
  return text;
}
std::string npy_refusal(const std::string& bytes) {
  return refusal([&] { (void)np::from_npy_bytes(bytes.data(), bytes.size(), "x.npy"); });
}

}  // namespace

TEST(Hostile, npy_headers_that_claim_more_than_is_there) {
  EXPECT_THAT(npy_refusal(npy("(1000000000000,)")),
              HasSubstr("the file is truncated, got 0 bytes of data, expected 8000000000000"));
  EXPECT_THAT(npy_refusal(npy("(4611686018427387904,)")), HasSubstr("Cannot parse header"));
  EXPECT_THAT(npy_refusal(npy("(999999999999999999, 999999999999999999)")), HasSubstr("array is too big"));
  EXPECT_THAT(npy_refusal(npy("(0, 999999999999999999, 999999999999999999)")), HasSubstr("array is too big"));
  EXPECT_THAT(npy_refusal(npy("(0, 922337203685477580, 8)", "<f2")), HasSubstr("array is too big"));
  // A number of elements that fits, of bytes that does not: 2^60 * 16 = 2^64.
  EXPECT_THAT(npy_refusal(npy("(1073741824, 1073741824)", "<c16")), HasSubstr("array is too big"));
  EXPECT_THAT(npy_refusal(npy("(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)", "<f8", "12345678")),
              HasSubstr("maximum supported dimension for an array is 16, found 17"));
  EXPECT_THAT(npy_refusal(npy(std::string(9000, '('))), HasSubstr("Cannot parse header"));
  EXPECT_THAT(npy_refusal(npy("(-1,)")), HasSubstr("Cannot parse header"));
  std::string longer = npy("(1,)");
  longer[8] = longer[9] = '\xff';  // the header's own length
  EXPECT_THAT(npy_refusal(longer), HasSubstr("Header info length (65535) is large and may not be safe to load securely"));
  longer[9] = '\x20';
  EXPECT_THAT(npy_refusal(longer), HasSubstr("EOF: reading array header, expected 8447 bytes"));
}

namespace {

/// A compressed archive whose member "a" is what NumPy would not write: `header`, then zeros.
std::string archive_of(const std::string& header, std::size_t zeros) {
  const bad_input::Scratch file(".npz");
  bad_input::write_zip(file.path(), {{"a.npy", header + std::string(zeros, '\0')}});
  return file.read();
}

std::string npz_refusal(const std::string& bytes, std::size_t most) {
  const bad_input::Scratch file(".npz");
  file.write(bytes);
  return refusal([&] { (void)np::npz_file(file.path()); }, most);
}

}  // namespace

TEST(Hostile, zip_bombs) {
  const std::size_t unpacked = 64 * MiB;
  const std::string bomb = archive_of(npy("(2,)"), unpacked);
  ASSERT_LT(bomb.size(), MiB);
  // What stands behind the array is not unpacked.
  EXPECT_EQ(npz_refusal(bomb, 2 * MiB), "no error");
  // Nor what is no array, by name or by content.
  const bad_input::Scratch file(".npz");
  bad_input::write_zip(file.path(), {{"readme.txt", std::string(unpacked, ' ')}, {"b.npy", npy("(1,)", "<f8", "12345678")}});
  EXPECT_EQ(npz_refusal(file.read(), 2 * MiB), "no error");
  EXPECT_THAT(npz_refusal(archive_of("", unpacked), 2 * MiB), HasSubstr("the magic string is not correct"));
  EXPECT_THAT(npz_refusal(archive_of(npy("(99999999999,)"), MiB), 8 * MiB), HasSubstr("the file is truncated"));
}

TEST(Hostile, zip_directories_that_lie) {
  const std::string honest = archive_of(npy("(2,)", "<f8", std::string(16, 'x')), 0);
  // Sizes in the central directory: compressed at 20, unpacked at 24.
  const std::size_t entry = honest.find("PK\x01\x02");
  ASSERT_NE(entry, honest.npos);
  for (const std::size_t field : {20, 24})
    for (const std::uint32_t claim : {0xfffffffeU, 0x7fffffffU, 0U, 1U}) {
      std::string lie = honest;
      std::memcpy(lie.data() + entry + field, &claim, 4);
      npz_refusal(lie, 2 * MiB);  // an error or not: nothing is allocated for it
    }
  // Members that lie over each other: the same bytes read a thousand times.
  const bad_input::Scratch file(".npz");
  file.write(bad_input::overlapping_members(archive_of(npy("(131072,)"), MiB), 1000));
  EXPECT_THAT(refusal([&] { (void)np::npz_file(file.path()); }, 8 * MiB), HasSubstr("lie over each other"));
}

TEST(Hostile, text) {
  std::string wide = "1";
  for (int i = 0; i < 100000; ++i) wide += ",1";
  EXPECT_EQ(refusal([&] { EXPECT_EQ(np::loadtxt_string(wide, {.delimiter = ","}).size(), 100001); }, 32 * MiB), "no error");
  EXPECT_THAT(refusal([&] { (void)np::loadtxt_string("1 2", {.delimiter = ""}); }),
              HasSubstr("Text reading control character must be a single unicode character or None; but got: ''"));
  EXPECT_EQ(np::genfromtxt_string("1 2", {.delimiter = ""}).size(), 2);
  EXPECT_THAT(refusal([&] { (void)np::savetxt_string(np::ones(1), {.fmt = "%999999999d"}); }), HasSubstr("invalid fmt"));
  EXPECT_EQ(np::savetxt_string(np::ones(1), {.fmt = "%2000.1f"}).size(), 2001u);
}

TEST(Hostile, bundles_with_deep_nesting) {
  const bad_input::Scratch file(".npj");
  np::export_function([](const np::array& a) { return a + 1.0; }, std::tuple(np::ones(3)), file.path(), {.targets = {}});
  const std::string honest = file.read(), program = bad_input::section_of(honest, "program");
  ASSERT_FALSE(program.empty());
  const int depth = 1 << 18;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  for (const char* key : {"\"steps\":", "\"graph\":", "\"params\":", "\"entries\":"}) {
    std::string nested = program;
    const std::size_t at = nested.find(key);
    if (at == nested.npos) continue;
    nested.insert(at + std::strlen(key), deep + ",\"was\":");
    file.write(bad_input::with_program(honest, nested));
    EXPECT_THAT(refusal([&] { (void)np::load_function(file.path()); }, 64 * MiB), HasSubstr("the bundle is damaged"));
  }
  file.write(bad_input::with_section(honest, "constants", deep));
  EXPECT_THAT(refusal([&] { (void)np::load_function(file.path()); }, 64 * MiB), HasSubstr("damaged"));
  file.write(bad_input::with_section(honest, "kernels", deep));
  EXPECT_THAT(refusal([&] { (void)np::load_function(file.path()); }, 64 * MiB), HasSubstr("damaged"));
}
