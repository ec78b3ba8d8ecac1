// tests/bad_plugins/open_damaged_test.cc: a good plugin with one damaged byte, opened in a child process.
//
// Only bytes that describe the file are damaged, not its code. Bytes that locate code (relocations, values of symbols,
// addresses of constructors) are left out: a wrong one may point to other code of the file, which cannot be detected.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "host/examine/library_facts.h"
#include "host/examine/plugin_note.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

using Offsets = std::vector<uint64_t>;

void AddRange(uint64_t begin, uint64_t size, Offsets* offsets) {
  for (uint64_t i = 0; i < size; ++i) offsets->push_back(begin + i);
}

// Adds the entries, and the values of those that do not locate code.
void AddDynamic(const std::string& bytes, const Elf64_Phdr& segment, Offsets* offsets) {
  constexpr int64_t kOfCode[] = {DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_FINI_ARRAY, DT_FINI_ARRAYSZ};
  for (uint64_t at = segment.p_offset; at < segment.p_offset + segment.p_filesz; at += sizeof(Elf64_Dyn)) {
    const int64_t tag = At<Elf64_Dyn>(bytes, at).d_tag;
    const bool of_code = std::count(std::begin(kOfCode), std::end(kOfCode), tag) != 0;
    AddRange(at, of_code ? sizeof(tag) : sizeof(Elf64_Dyn), offsets);
  }
}

bool DescribesTheFile(const Elf64_Shdr& section) {
  const bool names = section.sh_type == SHT_STRTAB && (section.sh_flags & SHF_ALLOC) != 0;
  return names || section.sh_type == SHT_GNU_HASH || section.sh_type == SHT_HASH || section.sh_type == SHT_GNU_versym ||
         section.sh_type == SHT_GNU_verneed;
}

Offsets PlacesToDamage(const std::string& bytes) {
  const auto header = At<Elf64_Ehdr>(bytes, 0);
  Offsets offsets;
  AddRange(0, sizeof(header), &offsets);
  AddRange(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), &offsets);
  for (const auto& segment : Headers<Elf64_Phdr>(bytes)) {
    if (segment.p_type == PT_DYNAMIC) AddDynamic(bytes, segment, &offsets);
    if (segment.p_type == PT_NOTE) AddRange(segment.p_offset, segment.p_filesz, &offsets);
  }
  for (const auto& section : Headers<Elf64_Shdr>(bytes)) {
    if (DescribesTheFile(section)) AddRange(section.sh_offset, section.sh_size, &offsets);
  }
  return offsets;
}

// Results of the children, in memory that they share with the test.
struct Tally {
  size_t next = 0;  // the byte that is damaged now
  size_t opened = 0;
  size_t refused = 0;
};

class DamagedOpening : public testing::Test {
 protected:
  DamagedOpening() {
    void* memory = mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    tally_ = new (memory) Tally;
  }
  ~DamagedOpening() override { munmap(tally_, sizeof(Tally)); }

  void Try(size_t damage) {
    std::string bytes = good_;
    char& byte = bytes[places_[damage / 2]];
    byte = static_cast<char>(damage % 2 == 0 ? byte ^ 0x01 : ~byte);
    const bool refused = LookAtBytes(bytes, "good").kind != FileLook::Kind::kPlugin || CheckTables(FileBytes(bytes));
    ++(refused || !Opens(dir_.Write(std::to_string(damage) + ".so", bytes)) ? tally_->refused : tally_->opened);
  }

  // The file is not deleted: the dynamic linker identifies files by inode number, which a new file could reuse.
  static bool Opens(const std::string& path) { return LoadFile(path, TestHost()).refused.empty(); }

  // Continues until everything is tried or a byte ends the child.
  [[noreturn]] void BeTheChild() {
    for (; tally_->next < 2 * places_.size(); ++tally_->next) {
      alarm(60);
      Try(tally_->next);
    }
    _exit(0);
  }

  const std::string good_ = PluginBytes("good");
  const Offsets places_ = PlacesToDamage(good_);
  TempDir dir_;
  Tally* tally_;
};

TEST_F(DamagedOpening, EndsInARefusalOrInAPluginAndNotInASignal) {
  for (; tally_->next < 2 * places_.size(); ++tally_->next) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) BeTheChild();
    int status = 0;
    waitpid(child, &status, 0);
    const size_t place = places_[std::min(tally_->next / 2, places_.size() - 1)];
    EXPECT_EQ(status, 0) << "the byte at " << place << " of good.so, damaged the " << tally_->next % 2 << ". way";
  }
  EXPECT_GT(tally_->refused, tally_->opened / 2);
  EXPECT_GT(tally_->opened, 100u) << "most of the header is not used";
}

}  // namespace
}  // namespace opsrun::host
