// tests/host/examine/check_tables_test.cc: what the dynamic linker would follow, at the edges of what is allowed.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/check_tables.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/host/examine/small_library.h"

namespace opsrun::host {
namespace {

using Library = SmallLibrary;
using Change = std::function<void(SmallLibrary&)>;

bool IsRefused(const Change& change) {
  SmallLibrary library;
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
    if (edge.passes) {
      EXPECT_FALSE(IsRefused(edge.passes)) << edge.what;
    }
    if (edge.fails) {
      EXPECT_TRUE(IsRefused(edge.fails)) << edge.what;
    }
  }
}

Change With(Library::Segment segment, uint64_t Elf64_Phdr::*field, uint64_t value) {
  return [=](SmallLibrary& l) { l.segments[segment].*field = value; };
}
Change Dynamic(int64_t tag, uint64_t value) {
  return [=](SmallLibrary& l) { l.Set(tag, value); };
}

TEST(TableEdges, AWholeLibraryPasses) {
  const auto refusal = CheckTables(FileBytes(SmallLibrary().Bytes()));
  EXPECT_FALSE(refusal) << refusal->reason;
  EXPECT_FALSE(IsRefused([](SmallLibrary& l) { l.UseOldHash(); }));
}

TEST(TableEdges, Headers) {
  const auto header = [](auto Elf64_Ehdr::*field, uint64_t value) {
    return [=](SmallLibrary& l) { l.header.*field = static_cast<std::decay_t<decltype(l.header.*field)>>(value); };
  };
  const auto ident = [](size_t i, unsigned char value) {
    return [=](SmallLibrary& l) { l.header.e_ident[i] = value; };
  };
  ExpectEdges({
      {"the version", nullptr, ident(EI_VERSION, 0)},
      {"the class", nullptr, ident(EI_CLASS, ELFCLASS32)},
      {"the order of bytes", nullptr, ident(EI_DATA, ELFDATA2MSB)},
      {"the magic number", nullptr, ident(EI_MAG3, 'f')},
      {"the type", nullptr, header(&Elf64_Ehdr::e_type, ET_EXEC)},
      {"the machine", nullptr, header(&Elf64_Ehdr::e_machine, EM_NONE)},
      {"the size of a program header", nullptr, header(&Elf64_Ehdr::e_phentsize, sizeof(Elf64_Phdr) + 8)},

      {"how many segments", [](SmallLibrary& l) { l.FillSegments(256); }, [](SmallLibrary& l) { l.FillSegments(257); }},
      {"an array of too many elements", nullptr, Dynamic(DT_STRSZ, UINT64_MAX / 2)},
      {"an array whose size overflows", nullptr, Dynamic(DT_RELASZ, (UINT64_MAX / 24) * 24)},
  });
}

TEST(TableEdges, Segments) {
  const uint64_t end = Library::kData + Library::kDataMemory;
  ExpectEdges({
      {"room after the bytes of a file", With(Library::kWritable, &Elf64_Phdr::p_memsz, 0x5000),
       With(Library::kText, &Elf64_Phdr::p_memsz, Library::kPage + 1)},
      {"the end of memory", nullptr, With(Library::kWritable, &Elf64_Phdr::p_memsz, UINT64_MAX - 0x1000)},
      {"a page for each",
       [](SmallLibrary& l) {
         l.segments[Library::kText].p_flags |= PF_W;
         l.segments[Library::kText].p_memsz = 0x2000;
       },
       [](SmallLibrary& l) {
         l.segments[Library::kText].p_flags |= PF_W;
         l.segments[Library::kText].p_memsz = 0x2001;
       }},
      {"what can be read", nullptr, [](SmallLibrary& l) { l.segments[Library::kText].p_flags = PF_X; }},
      {"the order", nullptr, [](SmallLibrary& l) { std::swap(l.segments[0], l.segments[1]); }},
      {"a power of two", With(Library::kWritable, &Elf64_Phdr::p_align, 0x1000),
       With(Library::kWritable, &Elf64_Phdr::p_align, 0x1800)},
      {"a page", nullptr, With(Library::kWritable, &Elf64_Phdr::p_align, 0x800)},
      {"address and offset", nullptr, With(Library::kWritable, &Elf64_Phdr::p_align, 0x4000)},
      {"relro up to the page's end", With(Library::kRelro, &Elf64_Phdr::p_memsz, Library::kDataMemory + Library::kPage),
       With(Library::kRelro, &Elf64_Phdr::p_memsz, Library::kDataMemory + Library::kPage + 1)},
      {"relro from the segment's end", With(Library::kRelro, &Elf64_Phdr::p_vaddr, end),
       With(Library::kRelro, &Elf64_Phdr::p_vaddr, end + 1)},
      {"relro in data", nullptr, With(Library::kRelro, &Elf64_Phdr::p_vaddr, 0x100)},
      {"relro before data", nullptr, With(Library::kRelro, &Elf64_Phdr::p_vaddr, Library::kData - 1)},
      {"unwinding tables", With(Library::kUnwind, &Elf64_Phdr::p_vaddr, 0x1000 - 0x10),
       With(Library::kUnwind, &Elf64_Phdr::p_vaddr, 0x1000 - 0xF)},
      {"memory of threads", With(Library::kThread, &Elf64_Phdr::p_memsz, 1 << 30),
       With(Library::kThread, &Elf64_Phdr::p_memsz, (1 << 30) + 1)},
      {"its bytes", With(Library::kThread, &Elf64_Phdr::p_filesz, 0x20),
       With(Library::kThread, &Elf64_Phdr::p_filesz, 0x21)},
      {"its place", With(Library::kThread, &Elf64_Phdr::p_vaddr, 0x1000 - 0x10),
       With(Library::kThread, &Elf64_Phdr::p_vaddr, 0x1000 - 0xF)},
      {"its alignment", With(Library::kThread, &Elf64_Phdr::p_align, 0),
       With(Library::kThread, &Elf64_Phdr::p_align, 3)},
  });
}

TEST(TableEdges, TheDynamicSection) {
  ExpectEdges({
      {"in memory", nullptr, With(Library::kDynamic, &Elf64_Phdr::p_vaddr, Library::kData + Library::kDataMemory - 8)},
      {"aligned", nullptr, With(Library::kDynamic, &Elf64_Phdr::p_vaddr, Library::kData + 4)},
      {"with an end", With(Library::kDynamic, &Elf64_Phdr::p_filesz, 24 * 16),
       With(Library::kDynamic, &Elf64_Phdr::p_filesz, 23 * 16)},
      {"the segment of it", nullptr, [](SmallLibrary& l) { l.segments[Library::kDynamic].p_type = PT_NULL; }},
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
                            DT_VERDEFNUM, DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_VERSYM, DT_STRSZ}) {
    EXPECT_TRUE(IsRefused([tag](SmallLibrary& l) { l.Remove(tag); })) << "without entry " << tag;
  }
}

// The first segment is the whole file, and its names are all of that.
TEST(TableEdges, ATableMayBeTheWholeFile) {
  const auto all = [](uint64_t more) {
    return [=](SmallLibrary& l) {
      constexpr uint64_t kAll = SmallLibrary::kPage + SmallLibrary::kDataBytes;
      l.segments[SmallLibrary::kText].p_filesz = l.segments[SmallLibrary::kText].p_memsz = kAll;
      l.Set(DT_STRTAB, 0);
      l.Set(DT_STRSZ, kAll + more);
    };
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
      {"of a second library",
       [=](SmallLibrary& l) {
         l.dynamic.push_back({DT_NEEDED, size - 1});
       },
       [=](SmallLibrary& l) {
         l.dynamic.push_back({DT_NEEDED, size});
       }},
  });
}

TEST(TableEdges, Symbols) {
  const uint64_t size = SmallLibrary().names.size();
  const auto symbol = [](size_t i, auto Elf64_Sym::*field, auto value) {
    return
        [=](SmallLibrary& l) { l.symbols[i].*field = static_cast<std::decay_t<decltype(l.symbols[i].*field)>>(value); };
  };
  const auto info = [&](size_t i, unsigned binding, unsigned type) {
    return symbol(i, &Elf64_Sym::st_info, ELF64_ST_INFO(binding, type));
  };
  ExpectEdges({
      {"the first has no name", nullptr, symbol(0, &Elf64_Sym::st_name, 1)},
      {"the first has no value", nullptr, symbol(0, &Elf64_Sym::st_value, 1)},
      {"the first has no kind", nullptr, symbol(0, &Elf64_Sym::st_info, 1)},
      {"a name", symbol(2, &Elf64_Sym::st_name, size - 1), symbol(2, &Elf64_Sym::st_name, size)},
      {"another file's", info(1, STB_WEAK, STT_NOTYPE), info(1, STB_LOCAL, STT_FUNC)},
      {"another file's is seen", nullptr, symbol(1, &Elf64_Sym::st_other, STV_HIDDEN)},
      {"own ones may be hidden", symbol(2, &Elf64_Sym::st_other, STV_HIDDEN), nullptr},
      {"a function is code", symbol(2, &Elf64_Sym::st_value, 0xFFF), symbol(2, &Elf64_Sym::st_value, 0x1000)},
      {"a resolver is code", info(2, STB_GLOBAL, STT_GNU_IFUNC),
       [=](SmallLibrary& l) {
         info(2, STB_GLOBAL, STT_GNU_IFUNC)(l);
         l.symbols[2].st_value = Library::kData;
       }},
      {"data need not be",
       [=](SmallLibrary& l) {
         info(2, STB_GLOBAL, STT_OBJECT)(l);
         l.symbols[2].st_value = Library::kData;
       },
       nullptr},
      {"in the file", nullptr, Dynamic(DT_SYMTAB, 0x1000 - 2 * sizeof(Elf64_Sym))},
      {"aligned", nullptr, Dynamic(DT_SYMTAB, Library::kSymbols + 4)},
  });
}

TEST(TableEdges, HashTables) {
  const auto hash = [](auto SmallLibrary::GnuHash::*field, uint64_t value) {
    return [=](SmallLibrary& l) { l.hash.*field = static_cast<std::decay_t<decltype(l.hash.*field)>>(value); };
  };
  const auto old = [](const Change& change) {
    return [=](SmallLibrary& l) {
      l.UseOldHash();
      change(l);
    };
  };
  ExpectEdges({
      {"buckets", nullptr, hash(&SmallLibrary::GnuHash::buckets, 0)},
      {"many buckets", nullptr, hash(&SmallLibrary::GnuHash::buckets, 0x10000)},
      {"words of the filter", nullptr, hash(&SmallLibrary::GnuHash::blooms, 0)},
      {"a power of two", nullptr, hash(&SmallLibrary::GnuHash::blooms, 3)},
      {"the filter's shift", hash(&SmallLibrary::GnuHash::shift, 63), hash(&SmallLibrary::GnuHash::shift, 64)},
      {"the first symbol", nullptr, hash(&SmallLibrary::GnuHash::first, 2)},
      {"nothing is exported", hash(&SmallLibrary::GnuHash::bucket, 0), nullptr},
      {"the end of the last chain", nullptr,
       [](SmallLibrary& l) {
         l.hash.bucket = 2;
         l.hash.chain[1] = 2;
       }},
      {"older: buckets", nullptr, old([](SmallLibrary& l) { l.old_hash.buckets = 0; })},
      {"older: a symbol", old([](SmallLibrary& l) { l.old_hash.bucket = 2; }),
       old([](SmallLibrary& l) { l.old_hash.bucket = 3; })},
      {"older: a link", nullptr, old([](SmallLibrary& l) { l.old_hash.chain[2] = 3; })},
      {"older: a chain that ends", nullptr, old([](SmallLibrary& l) { l.old_hash.chain[2] = 1; })},
      {"older: in the file", nullptr, old([](SmallLibrary& l) { l.old_hash.links = 0x10000; })},
  });
}

TEST(TableEdges, Versions) {
  const uint32_t size = static_cast<uint32_t>(SmallLibrary().names.size());
  ExpectEdges({
      {"the greatest", [](SmallLibrary& l) { l.versions[1] = 3; }, [](SmallLibrary& l) { l.versions[1] = 4; }},
      {"a hidden one", [](SmallLibrary& l) { l.versions[2] = 0x8003; },
       [](SmallLibrary& l) { l.versions[2] = 0x8004; }},
      {"of needs alone",
       [](SmallLibrary& l) {
         l.need_part.vna_other = 5;
         l.versions[1] = 5;
       },
       nullptr},
      {"the kind of needs", nullptr, [](SmallLibrary& l) { l.need.vn_version = 2; }},
      {"of a library that is needed", nullptr, [](SmallLibrary& l) { l.need.vn_file = 9; }},
      {"the library's name", nullptr, [=](SmallLibrary& l) { l.need.vn_file = size; }},
      {"a needed version's name", [=](SmallLibrary& l) { l.need_part.vna_name = size - 1; },
       [=](SmallLibrary& l) { l.need_part.vna_name = size; }},
      {"the next part", nullptr, [](SmallLibrary& l) { l.need_part.vna_next = 0x10000; }},
      {"the next library", nullptr, [](SmallLibrary& l) { l.need.vn_next = 0x10000; }},
      {"an aligned part", nullptr, [](SmallLibrary& l) { l.need.vn_aux += 2; }},
      {"the kind of own ones", nullptr, [](SmallLibrary& l) { l.define.vd_version = 2; }},
      {"an own version's name", [=](SmallLibrary& l) { l.define_part.vda_name = size - 1; },
       [=](SmallLibrary& l) { l.define_part.vda_name = size; }},
      {"where that is", nullptr, [](SmallLibrary& l) { l.define.vd_aux = 0x10000; }},
      {"the next own one", nullptr, [](SmallLibrary& l) { l.define.vd_next = 0x10000; }},
      {"in the file", nullptr, Dynamic(DT_VERSYM, 0xFFC)},
      {"aligned", nullptr, Dynamic(DT_VERSYM, Library::kVersions + 1)},
  });
}

TEST(TableEdges, Relocations) {
  const auto relocation = [](size_t i, auto Elf64_Rela::*field, uint64_t value) {
    return [=](SmallLibrary& l) {
      l.relocations[i].*field = static_cast<std::decay_t<decltype(l.relocations[i].*field)>>(value);
    };
  };
  const auto kind = [&](uint64_t symbol, uint64_t type) {
    return relocation(2, &Elf64_Rela::r_info, ELF64_R_INFO(symbol, type));
  };
  const uint64_t end = Library::kData + Library::kDataMemory;
  ExpectEdges({
      {"a symbol", kind(2, kPointerType), kind(3, kPointerType)},
      {"nothing to do",
       [=](SmallLibrary& l) {
         kind(3, 0)(l);
         l.relocations[2].r_offset = 0;
       },
       nullptr},
      {"no copies", nullptr, kind(1, kCopyRelocation)},
      {"a resolver is code",
       [=](SmallLibrary& l) {
         kind(0, kResolverRelocation)(l);
         l.relocations[2].r_addend = Library::kCode;
       },
       [=](SmallLibrary& l) {
         kind(0, kResolverRelocation)(l);
         l.relocations[2].r_addend = Library::kData;
       }},
      {"room for four bytes", relocation(2, &Elf64_Rela::r_offset, end - 4),
       relocation(2, &Elf64_Rela::r_offset, end - 3)},
      {"data", nullptr, relocation(2, &Elf64_Rela::r_offset, Library::kCode)},
      {"code, if it says so",
       [=](SmallLibrary& l) {
         l.relocations[2].r_offset = Library::kCode;
         l.Set(DT_TEXTREL, 0);
       },
       nullptr},
      {"code, if a flag says so",
       [=](SmallLibrary& l) {
         l.relocations[2].r_offset = Library::kCode;
         l.Set(DT_FLAGS, DF_TEXTREL);
       },
       nullptr},
      {"the first ones are relative", Dynamic(DT_RELACOUNT, 2), Dynamic(DT_RELACOUNT, 3)},
      {"no more than there are", nullptr, Dynamic(DT_RELACOUNT, 4)},
      {"whole ones", nullptr, Dynamic(DT_RELASZ, 3 * sizeof(Elf64_Rela) - 8)},
      {"in the file", nullptr, Dynamic(DT_RELA, 0x1000 - 2 * sizeof(Elf64_Rela))},
      {"aligned", nullptr, Dynamic(DT_RELA, Library::kRelocations + 4)},
      {"of calls: a symbol", nullptr, [](SmallLibrary& l) { l.calls[0].r_info = ELF64_R_INFO(3, kPointerType); }},
      {"of calls: whole ones", nullptr, Dynamic(DT_PLTRELSZ, 20)},
  });
}

// An even word is an address; an odd one has a bit for each of the 63 slots that follow.
TEST(TableEdges, PackedRelocations) {
  const uint64_t end = Library::kData + Library::kDataMemory;
  const auto packed = [](std::vector<uint64_t> words) { return [=](SmallLibrary& l) { l.Pack(words); }; };
  ExpectEdges({
      {"an address", packed({end - 8}), packed({end})},
      {"data", packed({Library::kPlace}), packed({Library::kCode})},
      {"the first slot after it", packed({end - 16, 3}), packed({end - 8, 3})},
      {"the last slot of a bitmap", packed({end - 64 * 8, (uint64_t{1} << 63) | 1}),
       packed({end - 63 * 8, (uint64_t{1} << 63) | 1})},
      {"the bitmap after a bitmap", packed({end - 65 * 8, 1, 3}), packed({end - 64 * 8, 1, 3})},
      {"none", packed({}), nullptr},
      {"the size of a word", nullptr,
       [=](SmallLibrary& l) {
         l.Pack({Library::kPlace});
         l.Set(kDtRelrEntry, 4);
       }},
      {"whole words", nullptr,
       [=](SmallLibrary& l) {
         l.Pack({Library::kPlace});
         l.Set(kDtRelrSize, 12);
       }},
      {"in the file", nullptr,
       [=](SmallLibrary& l) {
         l.Pack({Library::kPlace});
         l.Set(kDtRelr, 0x1000 - 4);
       }},
      {"all three entries", nullptr, [](SmallLibrary& l) { l.Set(kDtRelr, Library::kPacked); }},
  });
}

TEST(TableEdges, Constructors) {
  const auto unrelocated = [](uint64_t value) {  // the second slot, whose value is in the file
    return [=](SmallLibrary& l) { l.data.push_back({Library::kSlots + 8, value}); };
  };
  const auto relative = [&](uint64_t value) {
    return [=](SmallLibrary& l) {
      unrelocated(value)(l);
      l.Pack({Library::kSlots + 8});
    };
  };
  ExpectEdges({
      {"code", [](SmallLibrary& l) { l.relocations[0].r_addend = 0xFFF; },
       [](SmallLibrary& l) { l.relocations[0].r_addend = 0x1000; }},
      {"none", unrelocated(0), unrelocated(Library::kCode)},
      {"of packed relocations", relative(Library::kCode), relative(Library::kData)},
      {"a symbol's", [](SmallLibrary& l) { l.relocations[2].r_offset = Library::kSlots + 8; }, nullptr},
      {"whole ones", nullptr, Dynamic(DT_INIT_ARRAYSZ, 12)},
      {"aligned", nullptr, Dynamic(DT_INIT_ARRAY, Library::kSlots + 4)},
      {"in the file", nullptr, Dynamic(DT_INIT_ARRAY, Library::kData + Library::kDataBytes - 8)},
      {"no size", Dynamic(DT_INIT_ARRAYSZ, 0), nullptr},
      {"the last one", [](SmallLibrary& l) { l.relocations[1].r_addend = Library::kCode; },
       [](SmallLibrary& l) { l.relocations[1].r_addend = Library::kData; }},
  });
}

}  // namespace
}  // namespace opsrun::host
