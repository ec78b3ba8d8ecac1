// tests/host/tensor/npz_test.cc: archives as NumPy writes them, and as somebody with bad intentions does.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npy.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

class NpzTest : public InFolder {
 protected:
  static Tensor Ints(const std::vector<int32_t>& values) {
    return *Tensor::CopyOf(DType::kInt32, {static_cast<int64_t>(values.size())}, values.data());
  }

  std::string Written(const std::vector<NpzEntry>& entries) const {
    Result<AtomicFile> file = WriteNpzAside(Path("a.npz"), entries);
    EXPECT_TRUE(file.ok() && file->Commit().ok());
    return *ReadFile(Path("a.npz"), 1 << 20);
  }
  std::string OfX(const std::vector<int32_t>& values) const { return Written({{"x", Ints(values)}}); }

  static std::string Refusal(const std::string& bytes, const std::string& key = "x") {
    const Result<Tensor> tensor = ParseNpz(bytes, "a.npz", key);
    return tensor.ok() ? "read it" : tensor.status().message();
  }

  // The place of the last occurrence: in the directory at the end, not in the member's own header.
  static size_t InDirectory(const std::string& bytes) { return bytes.rfind("PK\1\2"); }

  static void ExpectToSurviveEveryChangeOfOneByte(const std::string& bytes, size_t from) {
    for (size_t i = from; i < bytes.size(); ++i) {
      for (const int change : {1, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        EXPECT_FALSE(Refusal(damaged).empty());
      }
    }
  }
};

TEST_F(NpzTest, ReadsWhatItWrites) {
  const std::string bytes = Written({{"x", Ints({1, 2, 3})}, {"y", Ints({})}});
  const Result<Tensor> x = ParseNpz(bytes, "a.npz", "x");
  ASSERT_TRUE(x.ok()) << x.status().message();
  EXPECT_EQ(x->shape(), Shape{3});
  EXPECT_EQ(static_cast<const int32_t*>(x->data())[2], 3);
  EXPECT_EQ(ParseNpz(bytes, "a.npz", "y")->num_elements(), 0);
  EXPECT_EQ(Written({{"x", Ints({1, 2, 3})}, {"y", Ints({})}}), bytes) << "the same bytes for the same arrays";
  EXPECT_EQ(Refusal("#!/bin/sh" + bytes), "read it");
}

// tests/graphs/npz_wrong.yaml has keys that are not there.
TEST_F(NpzTest, RefusesWhatIsNoWholeArchive) {
  EXPECT_EQ(Refusal(""), "'a.npz' is not a zip archive");
  EXPECT_EQ(Refusal(Written({}), "q"), "'a.npz' is an empty zip archive");
  const std::string bytes = OfX({1, 2, 3});
  const size_t last_needed = bytes.size() - 4;  // what follows says how much of the directory there is, once more
  for (size_t size = 2; size < last_needed; ++size) EXPECT_NE(Refusal(bytes.substr(0, size)), "read it") << size;
  EXPECT_EQ(Refusal(bytes.substr(0, 100)),
            "'a.npz' is a damaged zip archive: it has no directory at its end; it may be cut short");
}

TEST_F(NpzTest, RefusesADamagedMemberOrOneThatItCannotUnpack) {
  const std::string good = OfX({1, 2, 3});
  const size_t data = good.find("\1\0\0\0\2\0\0\0", 0, 8), directory = InDirectory(good);
  const auto refusal = [&](std::initializer_list<std::pair<size_t, int>> changes) {
    std::string bytes = good;
    for (const auto& [at, byte] : changes) bytes[at] = static_cast<char>(byte);
    return Refusal(bytes);
  };
  EXPECT_EQ(refusal({{data, 7}}), "'a.npz:x' is damaged: its checksum is wrong");
  EXPECT_EQ(refusal({{directory + 8, good[directory + 8] | 1}}), "'a.npz:x' is encrypted; save it without a password");
  EXPECT_EQ(refusal({{directory + 10, 14}}),
            "'a.npz:x' is packed by method 14; opsrun reads what is stored or deflated");
  EXPECT_EQ(refusal({{directory + 10, 8}, {directory + 27, 0x70}}),
            "'a.npz:x' claims to hold 1879048332 bytes, which is impossible with its 140 bytes");
  for (const size_t place : {size_t{0}, size_t{26}, size_t{30}}) {  // its signature, the length of its name, its name
    const size_t at = place + good.find("PK\3\4");
    EXPECT_EQ(refusal({{at, good[at] ^ 0x40}}),
              "'a.npz:x' is a damaged zip archive: a member is not where its directory says");
  }
  ExpectToSurviveEveryChangeOfOneByte(good, 0);
}

TEST_F(NpzTest, RefusesTwoArraysOfOneKey) {
  const std::string bytes = Written({{"x", Ints({1})}, {"y", Ints({2})}, {"x", Ints({3})}});
  EXPECT_EQ(Refusal(bytes), "'a.npz' has two arrays 'x'");
  EXPECT_EQ(Refusal(bytes, "y"), "read it");
}

std::string Bytes(uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * (i % 8)));
  return bytes;
}

// The archive with what its directory and its end say in 64 bits, as in one beyond 4 GB; `extra` of the 24 bytes of the
// extra field are there. Requires: one member, no comment.
std::string InZip64(const std::string& bytes, size_t extra = 24) {
  const size_t end = bytes.rfind("PK\5\6"), record = bytes.rfind("PK\1\2");
  const auto number = [&](size_t at) { return bytes.substr(at, 4) + Bytes(0, 4); };
  const std::string name = bytes.substr(record + 46, static_cast<unsigned char>(bytes[record + 28]));
  const std::string wide = number(record + 24) + number(record + 20) + number(record + 42);  // size, packed, offset
  const std::string other = Bytes(0x7075, 2) + Bytes(3, 2) + "abc";  // an extra field of another kind
  const std::string directory = bytes.substr(record, 20) + Bytes(~0ull, 8) + bytes.substr(record + 28, 2) +
                                Bytes(other.size() + 4 + extra, 2) + Bytes(0, 10) + Bytes(~0ull, 4) + name + other +
                                Bytes(1, 2) + Bytes(extra, 2) + wide.substr(0, extra);
  return bytes.substr(0, record) + directory + "PK\6\6" + Bytes(44, 8) + Bytes(45, 2) + Bytes(45, 2) + Bytes(0, 8) +
         Bytes(1, 8) + Bytes(1, 8) + Bytes(directory.size(), 8) + Bytes(record, 8) + "PK\6\7" + Bytes(0, 4) +
         Bytes(record + directory.size(), 8) + Bytes(1, 4) + bytes.substr(end, 8) + Bytes(~0ull, 12) + Bytes(0, 2);
}

TEST_F(NpzTest, ReadsZip64) {
  const std::string plain = OfX({1, 2, 3}), bytes = InZip64(plain);
  const Result<Tensor> x = ParseNpz(bytes, "a.npz", "x");
  ASSERT_TRUE(x.ok()) << x.status().message();
  EXPECT_EQ(x->shape(), Shape{3});
  EXPECT_EQ(Refusal("before" + bytes), "read it");
  for (const size_t extra : {0, 7, 8, 15, 16, 23}) {
    EXPECT_EQ(Refusal(InZip64(plain, extra)), "'a.npz:x' is a damaged zip archive: a size is missing in its directory")
        << extra;
  }
  ExpectToSurviveEveryChangeOfOneByte(bytes, InDirectory(bytes));
}

TEST(IsNpzKey, RefusesWhatWouldLeaveAFolder) {
  for (const char* good : {"arr_0", "two words"}) EXPECT_TRUE(IsNpzKey(good)) << good;
  for (const char* bad : {"", "../x", "a\\b", "a\nb"}) EXPECT_FALSE(IsNpzKey(bad)) << bad;
}

}  // namespace
}  // namespace opsrun::host
