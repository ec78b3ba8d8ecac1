// tests/host/examine/check_tables_test.cc: what the dynamic linker would follow, at the edges of what is allowed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "host/examine/library_facts.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {
namespace {

using Library = SmallLibrary;
using enum Library::Segment;
using Phdr = Elf64_Phdr;
using Change = std::function<void(Library&)>;

// A function that does this to a library l.
#define CHANGE(...) [=](Library& l) { __VA_ARGS__; }

bool IsRefused(const Change& change) {
  Library library;
  change(library);
  return CheckTables(FileBytes(library.Bytes())).has_value();
}

// What just passes, and what just does not.
struct Edge {
  const char* what;
  Change passes, fails;
};

void ExpectEdges(const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    EXPECT_FALSE(edge.passes && IsRefused(edge.passes)) << edge.what;
    EXPECT_TRUE(!edge.fails || IsRefused(edge.fails)) << edge.what;
  }
}

Change With(Library::Segment segment, uint64_t Phdr::*field, uint64_t value) {
  return CHANGE(l.segments[segment].*field = value);
}
Change Dynamic(int64_t tag, uint64_t value) {
  return CHANGE(l.Set(tag, value));
}

TEST(TableEdges, AWholeLibraryPasses) {
  const auto refusal = CheckTables(FileBytes(SmallLibrary().Bytes()));
  EXPECT_FALSE(refusal) << refusal->reason;
  EXPECT_FALSE(IsRefused(CHANGE(l.UseOldHash())));
}

TEST(TableEdges, Headers) {
  ExpectEdges({
      {"the version", nullptr, CHANGE(l.header.e_ident[EI_VERSION] = 0)},
      {"the class", nullptr, CHANGE(l.header.e_ident[EI_CLASS] = ELFCLASS32)},
      {"the order of bytes", nullptr, CHANGE(l.header.e_ident[EI_DATA] = ELFDATA2MSB)},
      {"the magic number", nullptr, CHANGE(l.header.e_ident[EI_MAG3] = 'f')},
      {"the type", nullptr, CHANGE(l.header.e_type = ET_EXEC)},
      {"the machine", nullptr, CHANGE(l.header.e_machine = EM_NONE)},
      {"the size of a program header", nullptr, CHANGE(l.header.e_phentsize = sizeof(Elf64_Phdr) + 8)},
      {"how many segments", CHANGE(l.FillSegments(256)), CHANGE(l.FillSegments(257))},
      {"an array of too many elements", nullptr, Dynamic(DT_STRSZ, UINT64_MAX / 2)},
      {"an array whose size overflows", nullptr, Dynamic(DT_RELASZ, (UINT64_MAX / 24) * 24)},
  });
}

TEST(TableEdges, Segments) {
  const uint64_t end = Library::kData + Library::kDataMemory;
  ExpectEdges({
      {"room after the bytes of a file", With(kWritable, &Phdr::p_memsz, 0x5000),
       With(kText, &Phdr::p_memsz, Library::kPage + 1)},
      {"the end of memory", nullptr, With(kWritable, &Phdr::p_memsz, UINT64_MAX - 0x1000)},
      {"a page for each", CHANGE(l.segments[kText].p_flags |= PF_W; l.segments[kText].p_memsz = 0x2000),
       CHANGE(l.segments[kText].p_flags |= PF_W; l.segments[kText].p_memsz = 0x2001)},
      {"what can be read", nullptr, CHANGE(l.segments[kText].p_flags = PF_X)},
      {"the order", nullptr, CHANGE(std::swap(l.segments[0], l.segments[1]))},
      {"a power of two", With(kWritable, &Phdr::p_align, 0x1000), With(kWritable, &Phdr::p_align, 0x1800)},
      {"a page", nullptr, With(kWritable, &Phdr::p_align, 0x800)},
      {"address and offset", nullptr, With(kWritable, &Phdr::p_align, 0x4000)},
      {"relro up to the page's end", With(kRelro, &Phdr::p_memsz, Library::kDataMemory + Library::kPage),
       With(kRelro, &Phdr::p_memsz, Library::kDataMemory + Library::kPage + 1)},
      {"relro from the segment's end", With(kRelro, &Phdr::p_vaddr, end), With(kRelro, &Phdr::p_vaddr, end + 1)},
      {"relro in data", nullptr, With(kRelro, &Phdr::p_vaddr, 0x100)},
      {"relro before data", nullptr, With(kRelro, &Phdr::p_vaddr, Library::kData - 1)},
      {"unwinding tables", With(kUnwind, &Phdr::p_vaddr, 0x1000 - 0x10), With(kUnwind, &Phdr::p_vaddr, 0x1000 - 0xF)},
      {"memory of threads", With(kThread, &Phdr::p_memsz, 1 << 30), With(kThread, &Phdr::p_memsz, (1 << 30) + 1)},
      {"its bytes", With(kThread, &Phdr::p_filesz, 0x20), With(kThread, &Phdr::p_filesz, 0x21)},
      {"its place", With(kThread, &Phdr::p_vaddr, 0x1000 - 0x10), With(kThread, &Phdr::p_vaddr, 0x1000 - 0xF)},
      {"its alignment", With(kThread, &Phdr::p_align, 0), With(kThread, &Phdr::p_align, 3)},
  });
}

TEST(TableEdges, TheDynamicSection) {
  ExpectEdges({
      {"in memory", nullptr, With(kDynamic, &Phdr::p_vaddr, Library::kData + Library::kDataMemory - 8)},
      {"aligned", nullptr, With(kDynamic, &Phdr::p_vaddr, Library::kData + 4)},
      {"with an end", With(kDynamic, &Phdr::p_filesz, 24 * 16), With(kDynamic, &Phdr::p_filesz, 23 * 16)},
      {"the segment of it", nullptr, CHANGE(l.segments[kDynamic].p_type = PT_NULL)},
      {"the size of a symbol", nullptr, Dynamic(DT_SYMENT, sizeof(Elf64_Sym) + 8)},
      {"the size of a relocation", nullptr, Dynamic(DT_RELAENT, 16)},
      {"the kind of calls", nullptr, Dynamic(DT_PLTREL, DT_REL)},
      {"relocations without addends", nullptr, Dynamic(DT_REL, Library::kRelocations)},
      {"what only a program has", nullptr, Dynamic(DT_PREINIT_ARRAY, Library::kSlots)},
      {"the first function", Dynamic(DT_INIT, 0xFFF), Dynamic(DT_INIT, 0x1000)},
      {"the last function", Dynamic(DT_FINI, Library::kCode), Dynamic(DT_FINI, Library::kData)},
  });
  for (const int64_t tag : {DT_RELA, DT_RELASZ, DT_RELAENT, DT_JMPREL, DT_PLTRELSZ, DT_PLTREL, DT_INIT_ARRAY,
                            DT_INIT_ARRAYSZ, DT_FINI_ARRAY, DT_FINI_ARRAYSZ, DT_VERNEED, DT_VERNEEDNUM, DT_VERDEF,
                            DT_VERDEFNUM, DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_VERSYM, DT_STRSZ})
    EXPECT_TRUE(IsRefused(CHANGE(l.Remove(tag)))) << "without entry " << tag;
}

// The first segment is the whole file, and its names are all of that.
TEST(TableEdges, ATableMayBeTheWholeFile) {
  constexpr uint64_t kAll = Library::kPage + Library::kDataBytes;
  const auto all = [](uint64_t more) {
    return CHANGE(l.segments[kText].p_filesz = l.segments[kText].p_memsz = kAll; l.Set(DT_STRTAB, 0);
                  l.Set(DT_STRSZ, kAll + more));
  };
  ExpectEdges({{"of bytes", all(0), all(1)}});
}

TEST(TableEdges, Names) {
  const uint64_t size = SmallLibrary().names.size();
  ExpectEdges({
      {"an end", nullptr, Dynamic(DT_STRSZ, size - 2)},
      {"none", nullptr, Dynamic(DT_STRSZ, 0)},
      {"in the file", nullptr, Dynamic(DT_STRTAB, 0xFF0)},
      {"of this file", Dynamic(DT_SONAME, size - 1), Dynamic(DT_SONAME, size)},
      {"of a folder", Dynamic(DT_RPATH, size - 1), Dynamic(DT_RPATH, size)},
      {"of another folder", Dynamic(DT_RUNPATH, size - 1), Dynamic(DT_RUNPATH, size)},
      {"of a second library", CHANGE(l.dynamic.push_back({DT_NEEDED, size - 1})),
       CHANGE(l.dynamic.push_back({DT_NEEDED, size}))},
  });
}

TEST(TableEdges, Symbols) {
  const uint64_t size = SmallLibrary().names.size();
  const auto info = [](size_t i, unsigned binding, unsigned type) {
    return CHANGE(l.symbols[i].st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type)));
  };
  ExpectEdges({
      {"the first has no name", nullptr, CHANGE(l.symbols[0].st_name = 1)},
      {"the first has no value", nullptr, CHANGE(l.symbols[0].st_value = 1)},
      {"the first has no kind", nullptr, CHANGE(l.symbols[0].st_info = 1)},
      {"a name", CHANGE(l.symbols[2].st_name = size - 1), CHANGE(l.symbols[2].st_name = size)},
      {"another file's", info(1, STB_WEAK, STT_NOTYPE), info(1, STB_LOCAL, STT_FUNC)},
      {"another file's is seen", nullptr, CHANGE(l.symbols[1].st_other = STV_HIDDEN)},
      {"own ones may be hidden", CHANGE(l.symbols[2].st_other = STV_HIDDEN), nullptr},
      {"a function is code", CHANGE(l.symbols[2].st_value = 0xFFF), CHANGE(l.symbols[2].st_value = 0x1000)},
      {"a resolver is code", info(2, STB_GLOBAL, STT_GNU_IFUNC),
       CHANGE(info(2, STB_GLOBAL, STT_GNU_IFUNC)(l); l.symbols[2].st_value = Library::kData)},
      {"data need not be", CHANGE(info(2, STB_GLOBAL, STT_OBJECT)(l); l.symbols[2].st_value = Library::kData), nullptr},
      {"in the file", nullptr, Dynamic(DT_SYMTAB, 0x1000 - 2 * sizeof(Elf64_Sym))},
      {"aligned", nullptr, Dynamic(DT_SYMTAB, Library::kSymbols + 4)},
  });
}

TEST(TableEdges, HashTables) {
  ExpectEdges({
      {"buckets", nullptr, CHANGE(l.hash.buckets = 0)},
      {"many buckets", nullptr, CHANGE(l.hash.buckets = 0x10000)},
      {"words of the filter", nullptr, CHANGE(l.hash.blooms = 0)},
      {"a power of two", nullptr, CHANGE(l.hash.blooms = 3)},
      {"the filter's shift", CHANGE(l.hash.shift = 63), CHANGE(l.hash.shift = 64)},
      {"the first symbol", nullptr, CHANGE(l.hash.first = 2)},
      {"nothing is exported", CHANGE(l.hash.bucket = 0), nullptr},
      {"the end of the last chain", nullptr, CHANGE(l.hash.bucket = 2; l.hash.chain[1] = 2)},
      {"older: buckets", nullptr, CHANGE(l.UseOldHash(); l.old_hash.buckets = 0)},
      {"older: a symbol", CHANGE(l.UseOldHash(); l.old_hash.bucket = 2), CHANGE(l.UseOldHash(); l.old_hash.bucket = 3)},
      {"older: a link", nullptr, CHANGE(l.UseOldHash(); l.old_hash.chain[2] = 3)},
      {"older: a chain that ends", nullptr, CHANGE(l.UseOldHash(); l.old_hash.chain[2] = 1)},
      {"older: in the file", nullptr, CHANGE(l.UseOldHash(); l.old_hash.links = 0x10000)},
  });
}

TEST(TableEdges, Versions) {
  const uint32_t size = static_cast<uint32_t>(SmallLibrary().names.size());
  ExpectEdges({
      {"the greatest", CHANGE(l.versions[1] = 3), CHANGE(l.versions[1] = 4)},
      {"a hidden one", CHANGE(l.versions[2] = 0x8003), CHANGE(l.versions[2] = 0x8004)},
      {"of needs alone", CHANGE(l.need_part.vna_other = 5; l.versions[1] = 5), nullptr},
      {"the kind of needs", nullptr, CHANGE(l.need.vn_version = 2)},
      {"of a library that is needed", nullptr, CHANGE(l.need.vn_file = 9)},
      {"the library's name", nullptr, CHANGE(l.need.vn_file = size)},
      {"a needed version's name", CHANGE(l.need_part.vna_name = size - 1), CHANGE(l.need_part.vna_name = size)},
      {"the next part", nullptr, CHANGE(l.need_part.vna_next = 0x10000)},
      {"the next library", nullptr, CHANGE(l.need.vn_next = 0x10000)},
      {"an aligned part", nullptr, CHANGE(l.need.vn_aux += 2)},
      {"the kind of own ones", nullptr, CHANGE(l.define.vd_version = 2)},
      {"an own version's name", CHANGE(l.define_part.vda_name = size - 1), CHANGE(l.define_part.vda_name = size)},
      {"where that is", nullptr, CHANGE(l.define.vd_aux = 0x10000)},
      {"the next own one", nullptr, CHANGE(l.define.vd_next = 0x10000)},
      {"in the file", nullptr, Dynamic(DT_VERSYM, 0xFFC)},
      {"aligned", nullptr, Dynamic(DT_VERSYM, Library::kVersions + 1)},
  });
}

TEST(TableEdges, Relocations) {
  const auto kind = [](uint64_t symbol, uint64_t type) {
    return CHANGE(l.relocations[2].r_info = ELF64_R_INFO(symbol, type));
  };
  const uint64_t end = Library::kData + Library::kDataMemory;
  ExpectEdges({
      {"a symbol", kind(2, kPointerType), kind(3, kPointerType)},
      {"nothing to do", CHANGE(kind(3, 0)(l); l.relocations[2].r_offset = 0), nullptr},
      {"no copies", nullptr, kind(1, kCopyRelocation)},
      {"a resolver is code", CHANGE(kind(0, kResolverRelocation)(l); l.relocations[2].r_addend = Library::kCode),
       CHANGE(kind(0, kResolverRelocation)(l); l.relocations[2].r_addend = Library::kData)},
      {"room for four bytes", CHANGE(l.relocations[2].r_offset = end - 4), CHANGE(l.relocations[2].r_offset = end - 3)},
      {"data", nullptr, CHANGE(l.relocations[2].r_offset = Library::kCode)},
      {"code, if it says so", CHANGE(l.relocations[2].r_offset = Library::kCode; l.Set(DT_TEXTREL, 0)), nullptr},
      {"code, if a flag says so", CHANGE(l.relocations[2].r_offset = Library::kCode; l.Set(DT_FLAGS, DF_TEXTREL)),
       nullptr},
      {"the first ones are relative", Dynamic(DT_RELACOUNT, 2), Dynamic(DT_RELACOUNT, 3)},
      {"no more than there are", nullptr, Dynamic(DT_RELACOUNT, 4)},
      {"whole ones", nullptr, Dynamic(DT_RELASZ, 3 * sizeof(Elf64_Rela) - 8)},
      {"in the file", nullptr, Dynamic(DT_RELA, 0x1000 - 2 * sizeof(Elf64_Rela))},
      {"aligned", nullptr, Dynamic(DT_RELA, Library::kRelocations + 4)},
      {"of calls: a symbol", nullptr, CHANGE(l.calls[0].r_info = ELF64_R_INFO(3, kPointerType))},
      {"of calls: whole ones", nullptr, Dynamic(DT_PLTRELSZ, 20)},
  });
}

// An even word is an address; an odd one has a bit for each of the 63 slots that follow.
TEST(TableEdges, PackedRelocations) {
  const uint64_t end = Library::kData + Library::kDataMemory;
  const auto packed = [](std::vector<uint64_t> words) { return CHANGE(l.Pack(words)); };
  ExpectEdges({
      {"an address", packed({end - 8}), packed({end})},
      {"data", packed({Library::kPlace}), packed({Library::kCode})},
      {"the first slot after it", packed({end - 16, 3}), packed({end - 8, 3})},
      {"the last slot of a bitmap", packed({end - 64 * 8, (uint64_t{1} << 63) | 1}),
       packed({end - 63 * 8, (uint64_t{1} << 63) | 1})},
      {"the bitmap after a bitmap", packed({end - 65 * 8, 1, 3}), packed({end - 64 * 8, 1, 3})},
      {"none", packed({}), nullptr},
      {"the size of a word", nullptr, CHANGE(l.Pack({Library::kPlace}); l.Set(kDtRelrEntry, 4))},
      {"whole words", nullptr, CHANGE(l.Pack({Library::kPlace}); l.Set(kDtRelrSize, 12))},
      {"in the file", nullptr, CHANGE(l.Pack({Library::kPlace}); l.Set(kDtRelr, 0x1000 - 4))},
      {"all three entries", nullptr, CHANGE(l.Set(kDtRelr, Library::kPacked))},
  });
}

TEST(TableEdges, Constructors) {
  const auto unrelocated = [](uint64_t value) {  // the second slot, whose value is in the file
    return CHANGE(l.data.push_back({Library::kSlots + 8, value}));
  };
  const auto relative = [&](uint64_t value) { return CHANGE(unrelocated(value)(l); l.Pack({Library::kSlots + 8})); };
  ExpectEdges({
      {"code", CHANGE(l.relocations[0].r_addend = 0xFFF), CHANGE(l.relocations[0].r_addend = 0x1000)},
      {"none", unrelocated(0), unrelocated(Library::kCode)},
      {"of packed relocations", relative(Library::kCode), relative(Library::kData)},
      {"a symbol's", CHANGE(l.relocations[2].r_offset = Library::kSlots + 8), nullptr},
      {"whole ones", nullptr, Dynamic(DT_INIT_ARRAYSZ, 12)},
      {"aligned", nullptr, Dynamic(DT_INIT_ARRAY, Library::kSlots + 4)},
      {"in the file", nullptr, Dynamic(DT_INIT_ARRAY, Library::kData + Library::kDataBytes - 8)},
      {"no size", Dynamic(DT_INIT_ARRAYSZ, 0), nullptr},
      {"the last one", CHANGE(l.relocations[1].r_addend = Library::kCode),
       CHANGE(l.relocations[1].r_addend = Library::kData)},
  });
}

}  // namespace
}  // namespace opsrun::host
