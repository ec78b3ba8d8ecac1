// host/examine/check_symbols.cc: the hash table, the symbols and their versions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "host/examine/library_facts.h"

namespace opsrun::host {
namespace {

constexpr char kBadHash[] = "its hash table of symbols is damaged";
constexpr char kBadSymbols[] = "its symbols lie outside the file";
constexpr char kBadVersions[] = "its table of versions is damaged";
constexpr uint16_t kVersionMask = 0x7FFF;
constexpr uint64_t kUnknownCount = UINT64_MAX;

// The chains follow one another, each ended by an odd number, so the end of the last chain is the end of all.
bool CountGnuHash(const ElfTables& tables, uint64_t* count) {
  struct Header {
    uint32_t buckets, first_symbol, bloom_words, bloom_shift;
  };
  uint64_t at = tables.Value(DT_GNU_HASH);
  const auto header = tables.One<Header>(at);
  if (!header || header->buckets == 0 || !std::has_single_bit(header->bloom_words)) return false;
  const uint64_t buckets_at = at + sizeof(Header) + uint64_t{header->bloom_words} * sizeof(uint64_t);
  const auto buckets = tables.Array<uint32_t>(buckets_at, header->buckets);
  if (!buckets || header->bloom_shift >= 64) return false;
  for (uint32_t bucket : *buckets) {
    if (bucket != 0 && bucket < header->first_symbol) return false;
  }
  *count = *std::max_element(buckets->begin(), buckets->end());
  if (*count == 0) return *count = kUnknownCount, true;  // exports nothing; what linkers then write varies
  at = buckets_at + (uint64_t{header->buckets} + *count - header->first_symbol) * sizeof(uint32_t);
  for (;; at += sizeof(uint32_t)) {
    const auto link = tables.One<uint32_t>(at);
    if (!link) return false;
    ++*count;
    if ((*link & 1) != 0) return true;
  }
}

// A chain must not have a cycle, or the search for a name would never end.
bool CountHash(const ElfTables& tables, uint64_t* count) {
  const auto header = tables.Array<uint32_t>(tables.Value(DT_HASH), 2);
  if (!header || (*header)[0] == 0) return false;
  const uint64_t buckets = (*header)[0], links = (*header)[1];
  const auto all = tables.Array<uint32_t>(tables.Value(DT_HASH) + 2 * sizeof(uint32_t), buckets + links);
  if (!all) return false;
  uint64_t steps = 0;
  for (uint64_t i = 0; i < buckets; ++i) {
    for (uint64_t symbol = (*all)[i]; symbol != 0; symbol = (*all)[buckets + symbol]) {
      if (symbol >= links || ++steps > links) return false;
    }
  }
  *count = links;
  return true;
}

// The first symbol must be empty. An undefined symbol that is local or hidden would be resolved to address 0.
bool IsMeaningless(const Elf64_Sym& symbol, bool first) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);
  if (first) return symbol.st_name != 0 || symbol.st_value != 0 || symbol.st_info != 0;
  const bool hidden = ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT;
  return symbol.st_shndx == SHN_UNDEF && (hidden || (binding != STB_GLOBAL && binding != STB_WEAK));
}

bool IsWild(const ElfTables& tables, const Elf64_Sym& symbol) {
  if (symbol.st_name >= tables.Value(DT_STRSZ)) return true;
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
  return symbol.st_shndx != SHN_UNDEF && function && !tables.InCode(symbol.st_value);
}

bool IsName(const ElfTables& tables, uint64_t name) {
  return name < tables.Value(DT_STRSZ);
}

// The dynamic linker ends the program if there are versions for a library that the file does not need.
bool IsNeeded(const ElfTables& tables, const std::vector<char>& names, uint64_t name) {
  return std::any_of(tables.needed().begin(), tables.needed().end(),
                     [&](uint64_t needed) { return std::strcmp(&names[needed], &names[name]) == 0; });
}

bool CheckNeededVersions(const ElfTables& tables, uint16_t* greatest) {
  const auto names = tables.Array<char>(tables.Value(DT_STRTAB), tables.Value(DT_STRSZ));
  const auto part = [&](uint64_t, const Elf64_Vernaux& aux) {
    *greatest = std::max<uint16_t>(*greatest, aux.vna_other & kVersionMask);
    return IsName(tables, aux.vna_name);
  };
  const auto library = [&](uint64_t at, const Elf64_Verneed& entry) {
    return entry.vn_version == VER_NEED_CURRENT && IsName(tables, entry.vn_file) &&
           IsNeeded(tables, *names, entry.vn_file) &&
           WalkVersions(tables, at + entry.vn_aux, &Elf64_Vernaux::vna_next, part);
  };
  return names && WalkVersions(tables, tables.Value(DT_VERNEED), &Elf64_Verneed::vn_next, library);
}

bool CheckOwnVersions(const ElfTables& tables, uint16_t* greatest) {
  const auto version = [&](uint64_t at, const Elf64_Verdef& entry) {
    *greatest = std::max<uint16_t>(*greatest, entry.vd_ndx & kVersionMask);
    const auto name = tables.One<Elf64_Verdaux>(at + entry.vd_aux);
    return entry.vd_version == VER_DEF_CURRENT && name && IsName(tables, name->vda_name);
  };
  return WalkVersions(tables, tables.Value(DT_VERDEF), &Elf64_Verdef::vd_next, version);
}

}  // namespace

bool CountSymbols(const ElfTables& tables, uint64_t* count) {
  const bool counted = tables.Has(DT_GNU_HASH) ? CountGnuHash(tables, count) : CountHash(tables, count);
  return counted && *count != kUnknownCount;
}

std::string CheckSymbols(const ElfTables& tables, uint64_t* count) {
  const bool gnu = tables.Has(DT_GNU_HASH);
  if (!(gnu ? CountGnuHash(tables, count) : CountHash(tables, count))) return kBadHash;
  if (*count == kUnknownCount) return "";
  const auto symbols = tables.Array<Elf64_Sym>(tables.Value(DT_SYMTAB), *count);
  if (!symbols || tables.Value(DT_SYMTAB) % alignof(Elf64_Sym) != 0) return kBadSymbols;
  for (const Elf64_Sym& symbol : *symbols) {
    if (IsMeaningless(symbol, &symbol == symbols->data())) return "a symbol is damaged";
    if (IsWild(tables, symbol)) return "a symbol leads out of the file";
  }
  return "";
}

std::string CheckVersions(const ElfTables& tables, uint64_t symbols) {
  uint16_t greatest = VER_NDX_GLOBAL;
  if (tables.Has(DT_VERNEED) && !CheckNeededVersions(tables, &greatest)) return kBadVersions;
  if (tables.Has(DT_VERDEF) && !CheckOwnVersions(tables, &greatest)) return kBadVersions;
  if (!tables.Has(DT_VERSYM)) return tables.Has(DT_VERNEED) || tables.Has(DT_VERDEF) ? kBadVersions : "";
  if (symbols == kUnknownCount) return "";
  const auto versions = tables.Array<uint16_t>(tables.Value(DT_VERSYM), symbols);
  if (!versions || tables.Value(DT_VERSYM) % sizeof(uint16_t) != 0) return kBadVersions;
  const bool wild = std::any_of(versions->begin(), versions->end(),
                                [&](uint16_t version) { return (version & kVersionMask) > greatest; });
  return wild ? kBadVersions : "";
}

}  // namespace opsrun::host
