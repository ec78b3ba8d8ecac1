// tests/bad_plugins/damaged_tables_test.cc: which table of a plugin is damaged, and how.
// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/examine/check_tables.h"
#include "host/examine/read_notes.h"
#include "tests/bad_plugins/test_plugins.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

// The good plugin with one value of its dynamic section replaced, and the message that rejects it.
struct Lie {
  int64_t tag;
  uint64_t value;
  const char* reason;
};

// The places of the entries of its dynamic section with this tag.
std::vector<uint64_t> DynamicEntries(const std::string& bytes, int64_t tag) {
  std::vector<uint64_t> places;
  for (const auto& segment : Headers<Elf64_Phdr>(bytes)) {
    for (uint64_t at = segment.p_offset; segment.p_type == PT_DYNAMIC && at < segment.p_offset + segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      if (At<Elf64_Dyn>(bytes, at).d_tag == tag) places.push_back(at);
    }
  }
  return places;
}

std::string WithDynamicValue(std::string bytes, int64_t tag, uint64_t value) {
  for (const uint64_t at : DynamicEntries(bytes, tag)) std::memcpy(&bytes[at + sizeof(tag)], &value, sizeof(value));
  return bytes;
}

TEST(CheckTables, SaysWhichTableIsDamaged) {
  constexpr Lie kLies[] = {
      {DT_STRTAB, 1ull << 40, "its names lie outside its segments"},
      {DT_STRSZ, UINT64_MAX, "its names lie outside its segments"},
      {DT_NEEDED, 1 << 30, "a name lies outside its table of names"},
      {DT_SYMTAB, 1ull << 40, "its symbols lie outside the file"},
      {DT_SYMENT, 1, "its dynamic section has entries that this machine does not use"},
      {DT_GNU_HASH, 1ull << 40, "its hash table of symbols is damaged"},
      {DT_VERNEED, 1ull << 40, "its table of versions is damaged"},
      {DT_RELA, 1ull << 40, "its relocations lie outside the file"},
      {DT_RELASZ, 24 << 20, "its relocations lie outside the file"},
      {DT_INIT_ARRAY, 1ull << 40, "a constructor or destructor lies outside its code"},
      {DT_FINI_ARRAYSZ, 1ull << 40, "a constructor or destructor lies outside its code"},
  };
  const std::string good = PluginBytes("good");
  for (const Lie& lie : kLies) {
    const std::string bytes = WithDynamicValue(good, lie.tag, lie.value);
    if (bytes == good) continue;  // not every linker writes every table
    const auto refusal = CheckTables(FileBytes(bytes));
    ASSERT_TRUE(refusal) << lie.tag;
    EXPECT_EQ(refusal->reason, std::string("the file is damaged: ") + lie.reason);
    EXPECT_EQ(refusal->remedy, "copy it again, or build it again");
  }
}

uint64_t DynamicValue(const std::string& bytes, int64_t tag) {
  const std::vector<uint64_t> places = DynamicEntries(bytes, tag);
  return places.empty() ? 0 : At<Elf64_Dyn>(bytes, places[0]).d_un.d_val;
}

// An address in a segment of the file with these flags; 0 if there is none.
uint64_t AddressIn(const std::string& bytes, uint32_t with, uint32_t without) {
  for (const auto& segment : Headers<Elf64_Phdr>(bytes)) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & with) == with && (segment.p_flags & without) == 0)
      return segment.p_vaddr + 16;
  }
  return 0;
}

uint32_t SymbolCount(const std::string& bytes) {
  for (const auto& section : Headers<Elf64_Shdr>(bytes)) {
    if (section.sh_type == SHT_DYNSYM) return static_cast<uint32_t>(section.sh_size / sizeof(Elf64_Sym));
  }
  return 0;
}

// Whether the good plugin is rejected with its last relocation changed. The first segment is loaded at its own address.
template <typename Change>
bool RefusesRelocation(const Change& change) {
  std::string bytes = PluginBytes("good");
  const uint64_t at = DynamicValue(bytes, DT_RELA) + DynamicValue(bytes, DT_RELASZ) - sizeof(Elf64_Rela);
  auto relocation = At<Elf64_Rela>(bytes, at);
  change(relocation, bytes);
  std::memcpy(&bytes[at], &relocation, sizeof(relocation));
  return CheckTables(FileBytes(bytes)).has_value();
}

#if defined(__x86_64__)
constexpr uint64_t kCopyType = R_X86_64_COPY, kResolverType = R_X86_64_IRELATIVE;
#elif defined(__aarch64__)
constexpr uint64_t kCopyType = R_AARCH64_COPY, kResolverType = R_AARCH64_IRELATIVE;
#else
constexpr uint64_t kCopyType = R_RISCV_COPY, kResolverType = R_RISCV_IRELATIVE;
#endif

TEST(CheckTables, FollowsEachRelocation) {
  using Bytes = const std::string&;
  EXPECT_FALSE(RefusesRelocation([](Elf64_Rela&, Bytes) {}));
  EXPECT_TRUE(RefusesRelocation([](Elf64_Rela& r, Bytes) { r.r_info = ELF64_R_INFO(1, kCopyType); }));
  // An address that is called must be code.
  const auto calls = [](uint32_t with, uint32_t without) {
    return [=](Elf64_Rela& r, Bytes bytes) {
      r.r_info = ELF64_R_INFO(0, kResolverType);
      r.r_addend = static_cast<int64_t>(AddressIn(bytes, with, without));
    };
  };
  EXPECT_FALSE(RefusesRelocation(calls(PF_X, PF_W)));
  EXPECT_TRUE(RefusesRelocation(calls(PF_W, PF_X)));
  // An address that is written to must be writable.
  const auto writes = [](uint32_t with, uint32_t without) {
    return [=](Elf64_Rela& r, Bytes bytes) { r.r_offset = AddressIn(bytes, with, without); };
  };
  EXPECT_FALSE(RefusesRelocation(writes(PF_W, 0)));
  EXPECT_TRUE(RefusesRelocation(writes(PF_R, PF_W)));
  const auto names = [](uint32_t beyond_last) {
    return [=](Elf64_Rela& r, Bytes bytes) {
      r.r_info = ELF64_R_INFO(uint64_t{SymbolCount(bytes) - 1 + beyond_last}, ELF64_R_TYPE(r.r_info));
    };
  };
  EXPECT_FALSE(RefusesRelocation(names(0)));
  EXPECT_TRUE(RefusesRelocation(names(1)));
}

// Changes the first program header of the type, or the k-th LOAD segment.
template <typename Change>
std::string WithSegment(std::string bytes, uint32_t type, size_t k, const Change& change) {
  const auto header = At<Elf64_Ehdr>(bytes, 0);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = At<Elf64_Phdr>(bytes, at);
    if (segment.p_type != type || k-- != 0) continue;
    change(segment);
    std::memcpy(&bytes[at], &segment, sizeof(segment));
    break;
  }
  return bytes;
}

bool Refuses(const std::string& bytes) {
  return CheckTables(FileBytes(bytes)).has_value();
}

TEST(CheckTables, SegmentsDoNotOverlap) {
  const std::string good = PluginBytes("good");
  uint64_t second = 0;
  WithSegment(good, PT_LOAD, 1, [&](const Elf64_Phdr& s) { second = s.p_vaddr; });
  const auto reaches = [&](uint64_t end) {
    return WithSegment(good, PT_LOAD, 0, [=](Elf64_Phdr& s) { s.p_filesz = s.p_memsz = end - s.p_vaddr; });
  };
  EXPECT_FALSE(Refuses(reaches(second)));
  EXPECT_TRUE(Refuses(reaches(second + 16)));
}

// The unwinding tables' header serves as the TLS segment.
TEST(CheckTables, AThreadHasALimit) {
  const auto with_thread_bytes = [](uint64_t bytes) {
    return WithSegment(PluginBytes("good"), PT_GNU_EH_FRAME, 0, [=](Elf64_Phdr& s) {
      s.p_type = PT_TLS;
      s.p_memsz = bytes;
    });
  };
  EXPECT_FALSE(Refuses(with_thread_bytes(uint64_t{1} << 30)));
  EXPECT_TRUE(Refuses(with_thread_bytes((uint64_t{1} << 30) + 1)));
}

TEST(CheckTables, SegmentsHoldWhatTheFileHas) {
  const auto shorter = [](Elf64_Phdr& s) { s.p_memsz = s.p_filesz - 1; };
  EXPECT_TRUE(Refuses(WithSegment(PluginBytes("good"), PT_LOAD, 0, shorter)));
  const auto longer = [](Elf64_Phdr& s) { s.p_memsz += 1 << 19; };
  EXPECT_TRUE(Refuses(WithSegment(PluginBytes("good"), PT_GNU_RELRO, 0, longer)));
}

// Whether the good plugin is rejected with the first such symbol changed.
template <typename Which, typename Change>
bool RefusesSymbol(const Which& which, const Change& change) {
  std::string bytes = PluginBytes("good");
  for (uint32_t i = 1; i < SymbolCount(bytes); ++i) {
    const uint64_t at = DynamicValue(bytes, DT_SYMTAB) + i * sizeof(Elf64_Sym);
    auto symbol = At<Elf64_Sym>(bytes, at);
    if (!which(symbol)) continue;
    change(symbol, bytes);
    std::memcpy(&bytes[at], &symbol, sizeof(symbol));
    return Refuses(bytes);
  }
  return false;
}

TEST(CheckTables, SymbolsMeanSomething) {
  const auto of_others = [](const Elf64_Sym& s) { return s.st_shndx == SHN_UNDEF; };
  const auto own_function = [](const Elf64_Sym& s) {
    return s.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s.st_info) == STT_FUNC;
  };
  EXPECT_FALSE(RefusesSymbol(of_others, [](Elf64_Sym&, const std::string&) {}));
  EXPECT_TRUE(RefusesSymbol(of_others, [](Elf64_Sym& s, const std::string&) { s.st_other = STV_HIDDEN; }));
  EXPECT_TRUE(RefusesSymbol(own_function,
                            [](Elf64_Sym& s, const std::string& bytes) { s.st_value = AddressIn(bytes, PF_W, PF_X); }));
}

TEST(CheckTables, TheFirstSymbolIsNone) {
  std::string bytes = PluginBytes("good");
  bytes[DynamicValue(bytes, DT_SYMTAB) + offsetof(Elf64_Sym, st_value)] = 1;
  EXPECT_TRUE(Refuses(bytes));
}

TEST(CheckTables, VersionsAreOfLibrariesThatAreNeeded) {
  const std::string good = PluginBytes("good");
  if (DynamicValue(good, DT_VERNEED) == 0) GTEST_SKIP() << "it needs no versions";
  EXPECT_TRUE(Refuses(WithDynamicValue(good, DT_NEEDED, DynamicValue(good, DT_NEEDED) + 1)));
}

// "sysv" has the older hash table: the numbers of buckets and of chains, then both arrays.
TEST(CheckTables, OlderHashTablesLeadToSymbols) {
  const std::string sysv = PluginBytes("older/sysv");
  const uint64_t table = DynamicValue(sysv, DT_HASH);
  ASSERT_EQ(DynamicValue(sysv, DT_GNU_HASH), 0u);
  EXPECT_FALSE(Refuses(sysv));
  const auto links = At<uint32_t>(sysv, table + 4);
  const auto with = [&](uint32_t symbol) {
    std::string bytes = sysv;
    std::memcpy(&bytes[table + 8], &symbol, sizeof(symbol));
    return bytes;
  };
  const auto buckets = At<uint32_t>(sysv, table);
  const auto next = [&](uint32_t symbol) { return At<uint32_t>(sysv, table + 8 + 4 * (uint64_t{buckets} + symbol)); };
  uint32_t last = links - 1;  // the chain entry 0 that ends its list
  while (next(last) != 0) --last;
  EXPECT_FALSE(Refuses(with(last)));
  EXPECT_TRUE(Refuses(with(links)));
  std::string loop = with(1);
  const uint32_t itself = 1;
  std::memcpy(&loop[table + 8 + 4 * (uint64_t{buckets} + 1)], &itself, sizeof(itself));
  EXPECT_TRUE(Refuses(loop));
}

TEST(CheckTables, AcceptsEveryPluginThatOpens) {
  for (const char* name : {"good", "throws", "no_entry", "needs_absent_library", "borrowed_entry", "kernels_alone"}) {
    const auto refusal = CheckTables(PluginPath(name));
    EXPECT_FALSE(refusal) << name << ": " << refusal->reason;
  }
}

TEST(CheckTables, AnswersForWhatIsNoLibrary) {
  EXPECT_TRUE(CheckTables(FileBytes(std::string_view("\177ELF"))));
  EXPECT_FALSE(CheckTables("/nowhere/at/all.so")) << "that is for the dynamic linker to say";
}

}  // namespace
}  // namespace opsrun::host
