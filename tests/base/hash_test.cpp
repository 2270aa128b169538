// Content hashes are those of the xxhsum program.
#include <numjit/base/hash.h>

#include <gtest/gtest.h>

namespace numjit {
namespace {

TEST(Hash, AsXxhsumPrints) {
  EXPECT_EQ(to_hex(hash_text("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(to_hex(hash_text("a")), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(to_hex(hash_text("abc")), "06b05ab6733a618578af5f94892f3950");
  EXPECT_NE(hash_text("a"), hash_text("b"));
  EXPECT_EQ(hash_bytes_64("", 0), 0x2d06800538d394c2u);
}

}  // namespace
}  // namespace numjit
