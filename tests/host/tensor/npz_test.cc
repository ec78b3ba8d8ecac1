// tests/host/tensor/npz_test.cc: archives as NumPy writes them, and as somebody with bad intentions does.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npz.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "host/tensor/npy_header.h"

namespace opsrun::host {
namespace {

class NpzTest : public ::testing::Test {
 protected:
  NpzTest() {
    std::string name = (std::filesystem::temp_directory_path() / "npz_test.XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~NpzTest() override { std::filesystem::remove_all(folder_); }

  static Tensor Ints(const std::vector<int32_t>& values) {
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), static_cast<int32_t*>(tensor->mutable_data()));
    return *std::move(tensor);
  }

  std::string Written(const std::vector<NpzEntry>& entries) const {
    const std::string path = (folder_ / "a.npz").string();
    Result<AtomicFile> file = WriteNpzAside(path, entries);
    EXPECT_TRUE(file.ok() && file->Commit().ok());
    return *ReadFile(path, 1 << 20);
  }

  static std::string Refusal(const std::string& bytes, const std::string& key = "x") {
    const Result<Tensor> tensor = ParseNpz(bytes, "a.npz", key);
    return tensor.ok() ? "read it" : tensor.status().message();
  }

  // The place of the last occurrence: in the directory at the end, not in the member's own header.
  static size_t InDirectory(const std::string& bytes) { return bytes.rfind("PK\1\2"); }

  std::filesystem::path folder_;
};

TEST_F(NpzTest, ReadsWhatItWrites) {
  const std::string bytes = Written({{"x", Ints({1, 2, 3})}, {"y", Ints({})}});
  const Result<Tensor> x = ParseNpz(bytes, "a.npz", "x");
  ASSERT_TRUE(x.ok()) << x.status().message();
  EXPECT_EQ(x->shape(), Shape{3});
  EXPECT_EQ(static_cast<const int32_t*>(x->data())[2], 3);
  EXPECT_EQ(ParseNpz(bytes, "a.npz", "y")->num_elements(), 0);
}

TEST_F(NpzTest, WritesTheSameBytesForTheSameArrays) {
  EXPECT_EQ(Written({{"x", Ints({1})}}), Written({{"x", Ints({1})}}));
}

TEST_F(NpzTest, NamesTheKeysThereAre) {
  const std::string bytes = Written({{"mask", Ints({1})}, {"image", Ints({2})}});
  EXPECT_EQ(Refusal(bytes, "maks"), "'a.npz' has no array 'maks'; did you mean 'mask'?");
  EXPECT_EQ(Refusal(bytes, "q"), "'a.npz' has no array 'q'; arrays in it: mask, image");
  EXPECT_EQ(Refusal(Written({}), "q"), "'a.npz' is an empty zip archive");
}

TEST_F(NpzTest, RefusesWhatIsNoWholeArchive) {
  EXPECT_EQ(Refusal(""), "'a.npz' is no zip archive");
  EXPECT_EQ(Refusal("\x93NUMPY"), "'a.npz' is no zip archive");
  const std::string bytes = Written({{"x", Ints({1, 2, 3})}});
  const size_t last_needed = bytes.size() - 4;  // what follows says how much of the directory there is, once more
  for (size_t size = 2; size < last_needed; ++size) EXPECT_NE(Refusal(bytes.substr(0, size)), "read it") << size;
  EXPECT_EQ(Refusal(bytes.substr(0, 100)),
            "'a.npz' is a damaged zip archive: it has no directory at its end; it may be cut short");
}

TEST_F(NpzTest, RefusesAWrongChecksum) {
  std::string bytes = Written({{"x", Ints({1, 2, 3})}});
  const size_t data = bytes.find("\1\0\0\0\2\0\0\0", 0, 8);
  bytes[data] = 7;
  EXPECT_EQ(Refusal(bytes), "'a.npz:x' is damaged: its checksum is wrong");
}

TEST_F(NpzTest, RefusesAnEncryptedMember) {
  std::string bytes = Written({{"x", Ints({1})}});
  bytes[InDirectory(bytes) + 8] |= 1;
  EXPECT_EQ(Refusal(bytes), "'a.npz:x' is encrypted; save it without a password");
}

TEST_F(NpzTest, RefusesAnUnknownWayOfPacking) {
  std::string bytes = Written({{"x", Ints({1})}});
  bytes[InDirectory(bytes) + 10] = 14;
  EXPECT_EQ(Refusal(bytes), "'a.npz:x' is packed by method 14; opsrun reads what is stored or deflated");
}

TEST_F(NpzTest, RefusesASizeThatThePackedBytesCannotHold) {
  std::string bytes = Written({{"x", Ints({1})}});
  const size_t directory = InDirectory(bytes);
  bytes[directory + 10] = 8;
  bytes[directory + 27] = 0x70;
  EXPECT_EQ(Refusal(bytes), "'a.npz:x' claims to hold 1879048324 bytes, which its 132 bytes cannot");
}

TEST_F(NpzTest, SurvivesEveryChangeOfOneByte) {
  const std::string bytes = Written({{"x", Ints({1, 2, 3})}});
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      EXPECT_FALSE(Refusal(damaged).empty());
    }
  }
}

TEST(IsNpzKey, RefusesWhatWouldLeaveAFolder) {
  EXPECT_TRUE(IsNpzKey("arr_0"));
  EXPECT_TRUE(IsNpzKey("two words"));
  for (const char* bad : {"", "../x", "a\\b", "a\nb"}) EXPECT_FALSE(IsNpzKey(bad)) << bad;
}

}  // namespace
}  // namespace opsrun::host
