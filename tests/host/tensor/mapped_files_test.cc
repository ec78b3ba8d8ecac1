// tests/host/tensor/mapped_files_test.cc: arrays of archives that stay in their files, and files that become shorter.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/mapped_files.h"

#include <fmt/core.h>

#include <cstring>
#include <filesystem>

#include "host/tensor/npy.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

constexpr int64_t kElements = int64_t{1} << 19;  // 2 MiB of int32

class MappedFilesTest : public InFolder {
 protected:
  static Tensor Counting(int64_t elements) {
    std::vector<int32_t> values(static_cast<size_t>(elements));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
    return *Tensor::CopyOf(DType::kInt32, {elements}, values.data());
  }
  static int32_t At(const Tensor& tensor, int64_t i) { return static_cast<const int32_t*>(tensor.data())[i]; }

  void WriteArchive(const std::vector<NpzEntry>& entries) const {
    Result<AtomicFile> file = WriteNpzAside(Path("a.npz"), entries);
    ASSERT_TRUE(file.ok() && file->Commit().ok());
  }
  Result<Tensor> Member(const std::string& key) { return ReadNpz(Path("a.npz"), key, std::nullopt, &mapped_); }

  MappedFiles mapped_;
};

TEST_F(MappedFilesTest, MapsLargeArraysOfTheArchivesThatAreWrittenHere) {
  for (const int length : {1, 7, 40, 64, 200}) {
    const std::string key(static_cast<size_t>(length), 'k');
    WriteArchive({{"small", Counting(3)}, {key, Counting(kElements)}, {"last", Counting(kElements)}});
    for (const std::string& name : {key, std::string("last")}) {
      const size_t files = mapped_.files().size();
      const Result<Tensor> array = Member(name);
      ASSERT_TRUE(array.ok()) << array.status().message();
      EXPECT_EQ(mapped_.files().size(), files + 1);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(array->data()) % 64, 0u);
      EXPECT_EQ(At(*array, kElements - 1), kElements - 1);
    }
    const size_t files = mapped_.files().size();
    EXPECT_EQ(At(*Member("small"), 2), 2);
    EXPECT_EQ(mapped_.files().size(), files) << "a small array is copied";
  }
}

TEST_F(MappedFilesTest, CopiesArraysThatAreNotAlignedForTheirType) {
  WriteArchive({{"x", Counting(kElements)}});
  std::string bytes = Get("a.npz");
  bytes.insert(0, 2, '#');  // as of an archive that unpacks itself
  Put("a.npz", bytes);
  EXPECT_EQ(At(*Member("x"), 5), 5);
  EXPECT_TRUE(mapped_.files().empty());
  bytes[bytes.size() / 2] ^= 1;
  Put("a.npz", bytes);
  EXPECT_EQ(Member("x").status().message(), "'" + Path("a.npz") + ":x' is damaged: its checksum is wrong");
  EXPECT_EQ(Member("y").status().subject(), "key");
}

TEST_F(MappedFilesTest, ReadsZerosAndFailsIfAFileBecomesShorter) {
  Result<AtomicFile> file = WriteNpyAside(Path("w.npy"), Counting(kElements));
  ASSERT_TRUE(file.ok() && file->Commit().ok());
  WriteArchive({{"x", Counting(kElements)}});
  for (const char* name : {"w.npy", "a.npz"}) {
    MappedFiles mapped;
    const bool is_archive = std::strcmp(name, "a.npz") == 0;
    const Result<Tensor> array = is_archive ? ReadNpz(Path(name), "x", {}, &mapped) : ReadNpy(Path(name), {}, &mapped);
    ASSERT_TRUE(array.ok() && mapped.Check().ok());
    std::filesystem::resize_file(Path(name), size_t{1} << 20);
    EXPECT_EQ(At(*array, 1000), 1000);
    EXPECT_EQ(At(*array, kElements - 1), 0);
    EXPECT_EQ(At(*array, kElements / 2 + 2000), 0);
    EXPECT_EQ(mapped.Check().code(), OPSRUN_FAILED_PRECONDITION);
    std::filesystem::remove(Path(name));
    EXPECT_EQ(mapped.Check().message(), "'" + Path(name) + "' could not be read to its end while it was used");
  }
}

TEST_F(MappedFilesTest, LeavesOtherBusErrorsToTheHandlerBefore) {
  WriteArchive({{"x", Counting(kElements)}});
  ASSERT_TRUE(Member("x").ok());
  EXPECT_DEATH(raise(SIGBUS), "");  // the signal, or a sanitizer that reports it
}

}  // namespace
}  // namespace opsrun::host
