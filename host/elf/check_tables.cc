// host/elf/check_tables.cc: the dynamic section as a whole, and the parts in order.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/check_tables.h"

#include <fmt/format.h>

#include "host/elf/elf_file.h"
#include "host/elf/opened_bytes.h"

namespace opsrun::host {
namespace {

struct Group {
  const char* what;
  std::vector<int64_t> tags;  // all of them are there, or none
};

const std::vector<Group>& Groups() {
  static const std::vector<Group> groups = {{"relocations", {DT_RELA, DT_RELASZ, DT_RELAENT}},
                                            {"relocations of calls", {DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}},
                                            {"constructors", {DT_INIT_ARRAY, DT_INIT_ARRAYSZ}},
                                            {"destructors", {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}},
                                            {"needed versions", {DT_VERNEED, DT_VERNEEDNUM}},
                                            {"own versions", {DT_VERDEF, DT_VERDEFNUM}},
                                            {"packed relocations", {kDtRelr, kDtRelrSize, kDtRelrEntry}}};
  return groups;
}

std::string CheckGroups(const ElfTables& tables) {
  for (const Group& group : Groups()) {
    size_t found = 0;
    for (int64_t tag : group.tags) found += tables.Has(tag);
    if (found != 0 && found != group.tags.size())
      return fmt::format("its table of {} is described in part", group.what);
  }
  const bool complete =
      tables.Has(DT_STRTAB) && tables.Has(DT_SYMTAB) && (tables.Has(DT_HASH) || tables.Has(DT_GNU_HASH));
  if (!complete) return "its dynamic section lacks symbols, their names or their hash table";
  const bool strange = tables.Has(DT_REL) || tables.Has(DT_PREINIT_ARRAY) ||
                       (tables.Has(DT_RELA) && tables.Value(DT_RELAENT) != sizeof(Elf64_Rela)) ||
                       (tables.Has(DT_JMPREL) && tables.Value(DT_PLTREL) != DT_RELA) ||
                       (tables.Has(kDtRelr) && tables.Value(kDtRelrEntry) != sizeof(uint64_t)) ||
                       tables.Value(DT_SYMENT) != sizeof(Elf64_Sym);
  return strange ? "its dynamic section has entries that this machine does not use" : "";
}

std::string CheckStrings(const ElfTables& tables) {
  const uint64_t size = tables.Value(DT_STRSZ);
  const auto text = tables.Array<char>(tables.Value(DT_STRTAB), size);
  if (!text || size == 0 || text->back() != '\0') return "its names lie outside its segments";
  bool inside = true;
  for (const int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER})
    inside = inside && tables.Value(tag) < size;
  for (uint64_t name : tables.needed()) inside = inside && name < size;
  return inside ? "" : "a name lies outside its table of names";
}

std::string CheckCode(const ElfTables& tables) {
  for (int64_t tag : {DT_INIT, DT_FINI}) {
    if (tables.Has(tag) && !tables.InCode(tables.Value(tag)))
      return "a constructor or destructor lies outside its code";
  }
  return "";
}

std::string FirstProblem(const ElfTables& tables) {
  if (!tables.problem().empty()) return tables.problem();
  for (auto* check : {CheckGroups, CheckStrings, CheckCode}) {
    if (std::string problem = check(tables); !problem.empty()) return problem;
  }
  uint64_t symbols = 0;
  if (std::string problem = CheckSymbols(tables, &symbols); !problem.empty()) return problem;
  if (std::string problem = CheckVersions(tables, symbols); !problem.empty()) return problem;
  return CheckRelocations(tables, symbols);
}

}  // namespace

std::optional<Refusal> CheckTables(const FileBytes& bytes) {
  const ElfFile elf(bytes);
  if (auto problem = elf.Problem()) return problem;
  const ElfTables tables(bytes, elf.segments());
  std::string problem = CheckSegments(elf.segments(), tables);
  if (problem.empty()) problem = FirstProblem(tables);
  if (problem.empty()) return std::nullopt;
  return Refusal{fmt::format("the file is damaged: {}", problem), "copy it again, or build it again"};
}

std::optional<Refusal> CheckTables(const std::string& path) {
  const OpenedBytes file(path);
  return file.bytes() == nullptr ? std::nullopt : CheckTables(*file.bytes());
}

}  // namespace opsrun::host
