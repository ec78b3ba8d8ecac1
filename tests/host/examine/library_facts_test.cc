// tests/host/examine/library_facts_test.cc: what is read from a library whose every part is known, and findings about
// facts that no compiler here would produce.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/library_facts.h"

#include <gtest/gtest.h>

#include <functional>

#include "host/examine/judge_library.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {
namespace {

using Names = std::vector<std::string_view>;

LibraryFacts FactsOf(const std::function<void(SmallLibrary&)>& change) {
  SmallLibrary library;
  change(library);
  const std::optional<LibraryFacts> facts = ReadLibraryFacts(FileBytes(library.Bytes()));
  EXPECT_TRUE(facts.has_value());
  return facts.value_or(LibraryFacts());
}

LibraryFacts FactsWith(int64_t tag, uint64_t value) {
  return FactsOf([=](SmallLibrary& l) { l.Set(tag, value); });
}

Names Exports(const LibraryFacts& facts) {
  Names names;
  for (const LibraryFacts::Export& each : facts.exports) names.push_back(each.name);
  return names;
}

TEST(LibraryFacts, AreThoseOfTheDynamicSection) {
  const LibraryFacts facts = FactsOf([](SmallLibrary&) {});
  EXPECT_EQ(facts.needed, std::vector<std::string>{"libx.so"});
  EXPECT_EQ(facts.soname + facts.rpath + facts.runpath + facts.build_id, "");
  ASSERT_EQ(facts.needed_versions.size(), 1u);
  EXPECT_EQ(facts.needed_versions[0].library, "libx.so");
  EXPECT_EQ(facts.needed_versions[0].name, "V_1");
  EXPECT_EQ(facts.own_versions, std::vector<std::string>{"V_2"});
  EXPECT_EQ(facts.undefined, Names{"outer"});
  EXPECT_EQ(Exports(facts), Names{"inner"});
  EXPECT_TRUE(facts.exports[0].function);
  EXPECT_FALSE(facts.exports[0].unique);
  EXPECT_FALSE(facts.static_tls || facts.text_relocations || facts.packed_relocations);
  EXPECT_EQ(facts.x86_isa, 0u);
}

TEST(LibraryFacts, EachTagAloneCounts) {
  EXPECT_TRUE(FactsWith(DT_TEXTREL, 0).text_relocations);
  EXPECT_TRUE(FactsWith(DT_FLAGS, DF_TEXTREL).text_relocations);
  EXPECT_FALSE(FactsWith(DT_FLAGS, DF_TEXTREL).static_tls);
  EXPECT_TRUE(FactsWith(DT_FLAGS, DF_STATIC_TLS).static_tls);
  EXPECT_FALSE(FactsWith(DT_FLAGS, DF_STATIC_TLS).text_relocations);
  EXPECT_TRUE(FactsWith(kDtRelr, SmallLibrary::kPacked).packed_relocations);
  EXPECT_EQ(FactsWith(DT_SONAME, 1).soname, "libx.so");
  EXPECT_EQ(FactsWith(DT_RPATH, 9).rpath, "V_1");
  EXPECT_EQ(FactsWith(DT_RUNPATH, 19).runpath, "inner");
  EXPECT_EQ(FactsWith(DT_SONAME, 29).soname, "") << "outside the names";
  EXPECT_TRUE(FactsOf([](SmallLibrary& l) { l.need_part.vna_flags = VER_FLG_WEAK; }).needed_versions.empty());
  EXPECT_TRUE(FactsOf([](SmallLibrary& l) { l.Remove(DT_VERNEED); }).needed_versions.empty());
  EXPECT_TRUE(FactsOf([](SmallLibrary& l) { l.Remove(DT_VERDEF); }).own_versions.empty());
}

// The symbol that is defined, as the linker marks it.
TEST(LibraryFacts, ExportsAreWhatOthersCanBindTo) {
  const auto exported = [](unsigned binding, unsigned type, unsigned char visibility, uint16_t section = 1) {
    return FactsOf([=](SmallLibrary& l) {
             l.symbols[2] = {19, static_cast<unsigned char>(ELF64_ST_INFO(binding, type)), visibility, section, 0, 0};
           })
        .exports;
  };
  for (const unsigned char visibility : {STV_DEFAULT, STV_PROTECTED})
    EXPECT_EQ(exported(STB_GLOBAL, STT_OBJECT, visibility).size(), 1u);
  for (const unsigned char visibility : {STV_HIDDEN, STV_INTERNAL})
    EXPECT_TRUE(exported(STB_GLOBAL, STT_OBJECT, visibility).empty());
  EXPECT_FALSE(exported(STB_GLOBAL, STT_OBJECT, STV_DEFAULT)[0].function);
  EXPECT_TRUE(exported(STB_WEAK, STT_GNU_IFUNC, STV_DEFAULT)[0].function);
  EXPECT_TRUE(exported(STB_GNU_UNIQUE, STT_OBJECT, STV_DEFAULT)[0].unique);
  EXPECT_TRUE(exported(STB_LOCAL, STT_FUNC, STV_DEFAULT).empty());
  EXPECT_TRUE(exported(STB_GLOBAL, STT_SECTION, STV_DEFAULT).empty());
  EXPECT_TRUE(exported(STB_GLOBAL, STT_FILE, STV_DEFAULT).empty());
  EXPECT_TRUE(exported(STB_GLOBAL, STT_FUNC, STV_DEFAULT, SHN_ABS).empty());
}

TEST(LibraryFacts, OnlyStrongSymbolsMustBeDefinedElsewhere) {
  const auto undefined = [](unsigned binding, uint32_t name) {
    return FactsOf([=](SmallLibrary& l) {
             l.symbols[1].st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, STT_FUNC));
             l.symbols[1].st_name = name;
           })
        .undefined.size();
  };
  EXPECT_EQ(undefined(STB_GLOBAL, 13), 1u);
  EXPECT_EQ(undefined(STB_GLOBAL, 0), 0u);
  EXPECT_EQ(undefined(STB_WEAK, 13), 0u);
}

// A library that lists nothing may use what the process has loaded, and nothing beyond that.
TEST(JudgeDependencies, SymbolsMayComeFromWhatTheProcessHasLoaded) {
  const LibrarySearch search = LibrarySearch::OfThisProcess();
  LibraryFacts facts;
  const auto state = [&] { return JudgeDependencies(facts, "/absent.so", search).back().state; };
  facts.undefined = {"malloc"};
  EXPECT_EQ(state(), Finding::State::kOk);
  facts.undefined = {"malloc", "opsrun_test_nobody_defines_this", "free"};
  EXPECT_EQ(state(), Finding::State::kRefused);
  facts.exports = {{"opsrun_test_nobody_defines_this", true, false}};
  EXPECT_EQ(state(), Finding::State::kOk);
}

// Names are found in the file wherever the segment that has them is loaded.
TEST(ElfTables, FindsNeededLibrariesByAddress) {
  SmallLibrary library;
  uint64_t text = 0;
  std::memcpy(&text, "liby.so", 8);
  library.data = {{SmallLibrary::kData + 0x508, text}};
  library.Set(DT_STRTAB, SmallLibrary::kData + 0x507);
  const std::string bytes = library.Bytes();
  const FileBytes file(bytes);
  EXPECT_EQ(ElfTables(file, ElfFile(file).segments()).NeededNames(), std::vector<std::string>{"liby.so"});
  library.Set(DT_STRTAB, SmallLibrary::kPage + 0x507);  // of no segment
  const std::string damaged = library.Bytes();
  const FileBytes damaged_file(damaged);
  EXPECT_TRUE(ElfTables(damaged_file, ElfFile(damaged_file).segments()).NeededNames().empty());
}

TEST(ParseNotes, TakesNothingOfANoteThatIsCut) {
  const std::string whole = NoteBytes(3, "ab", "GNU"), other = NoteBytes(3, "content", "GNU");
  for (size_t n = 1; n < other.size(); ++n) {
    ElfNotes found;
    ParseNotes(whole + other.substr(0, n), "GNU", &found);
    EXPECT_EQ(found.notes.size(), n < other.size() - 1 ? 1u : 2u) << n;  // the last byte is padding
    EXPECT_EQ(BuildIdOf(found), n < other.size() - 1 ? "6162" : "636f6e74656e74") << n;
  }
}

TEST(ParseNotes, TakesAsManyAsAFileMayHave) {
  constexpr size_t kMost = 200'000;
  const std::string note = NoteBytes(1, "op");
  std::string many;
  for (size_t i = 0; i < kMost; ++i) many += note;
  ElfNotes most, more;
  ParseNotes(many, OPSRUN_NOTE_OWNER, &most);
  EXPECT_EQ(most.notes.size(), kMost);
  EXPECT_FALSE(most.damaged);
  ParseNotes(many + note, OPSRUN_NOTE_OWNER, &more);
  EXPECT_EQ(more.notes.size(), kMost);
  EXPECT_TRUE(more.damaged);
}

LibraryFacts Facts() {
  LibraryFacts facts;
  facts.exports.push_back({"entry", true, false});
  return facts;
}

std::string Reason(const LibraryFacts& facts, const Machine& machine) {
  const std::optional<Refusal> refusal = FirstRefusal(JudgeFacts(facts, machine, "entry"));
  return refusal ? refusal->reason + " | " + refusal->remedy : "";
}

TEST(JudgeFacts, TheInstructionSetIsNamed) {
  LibraryFacts facts = Facts();
  EXPECT_EQ(Reason(facts, {0, ""}), "") << "most files state none";
  facts.x86_isa = 4;
  EXPECT_EQ(Reason(facts, {7, ""}), "");
  EXPECT_EQ(Reason(facts, {15, ""}), "");
  EXPECT_EQ(Reason(facts, {3, ""}),
            "it requires an x86-64-v3 processor, but this one supports x86-64-v2 | build it with -march=x86-64-v2");
  facts.x86_isa = 8 | 4 | 2 | 1;
  EXPECT_EQ(Reason(facts, {1, ""}),
            "it requires an x86-64-v4 processor, but this one supports x86-64 | build it with -march=x86-64");
  facts.x86_isa = uint32_t{1} << 31;  // of the future
  EXPECT_EQ(Reason(facts, {15, ""}).find("it requires an x86-64-v32 processor"), 0u);
}

TEST(JudgeFacts, PackedRelocationsNeedALoaderThatKnowsThem) {
  LibraryFacts facts = Facts();
  facts.packed_relocations = true;
  for (const char* glibc : {"2.36", "2.100", "3.0"}) EXPECT_EQ(Reason(facts, {0, glibc}), "") << glibc;
  EXPECT_EQ(Reason(facts, {0, "2.35"}),
            "it has packed relative relocations (DT_RELR), which require glibc 2.36; this system has glibc 2.35 | link "
            "it with -z nopack-relative-relocs");
  EXPECT_NE(Reason(facts, {0, ""}), "");
  facts.static_tls = facts.text_relocations = true;
  EXPECT_EQ(Reason(facts, {0, "3.0"}).find("it uses static thread-local storage"), 0u) << "the first refusal counts";
}

TEST(IsOlder, ComparesNumbers) {
  for (const auto& [older, newer] : {std::pair("2.9", "2.36"), std::pair("2", "2.1"), std::pair("3.4.9", "3.4.10")})
    EXPECT_TRUE(IsOlder(older, newer)) << older;
  for (const auto& [one, other] :
       {std::pair("2.36", "2.36"), std::pair("2.36", "2.9"), std::pair("x", "x"), std::pair("", "")})
    EXPECT_FALSE(IsOlder(one, other)) << one;
}

}  // namespace
}  // namespace opsrun::host
