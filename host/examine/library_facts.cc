// SPDX-License-Identifier: Apache-2.0
#include "host/examine/library_facts.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace opsrun::host {
namespace {

constexpr uint32_t kPropertyNote = 5;
constexpr uint32_t kX86IsaNeeded = 0xC0008002;
constexpr uint64_t kMaxDynamicBytes = 64 * 1024;
constexpr size_t kMaxLibraryName = 4096;
// Linkers define these in every library for their own use; they are not looked up in other libraries.
constexpr std::string_view kOfLinkers[] = {"_init", "_fini", "_edata", "_end", "__bss_start", "_DYNAMIC"};

// The names of a library: one text in which each name ends with a NUL.
class Names {
 public:
  explicit Names(const ElfTables& tables) {
    auto text = tables.Array<char>(tables.Value(DT_STRTAB), tables.Value(DT_STRSZ));
    text_ = std::make_shared<const std::vector<char>>(text ? *std::move(text) : std::vector<char>());
  }
  // Empty if the offset is outside the text.
  std::string_view At(uint64_t offset) const {
    if (offset >= text_->size()) return "";
    const char* name = text_->data() + offset;
    return {name, strnlen(name, text_->size() - offset)};
  }
  const std::shared_ptr<const std::vector<char>>& text() const { return text_; }

 private:
  std::shared_ptr<const std::vector<char>> text_;
};

class FactsReader {
 public:
  explicit FactsReader(const ElfTables& tables) : tables_(tables), names_(tables) {}

  LibraryFacts Read() {
    facts_.names = names_.text();
    facts_.soname = Name(DT_SONAME);
    facts_.rpath = Name(DT_RPATH);
    facts_.runpath = Name(DT_RUNPATH);
    for (const uint64_t name : tables_.needed()) facts_.needed.emplace_back(names_.At(name));
    const uint64_t flags = tables_.Value(DT_FLAGS);
    facts_.static_tls = (flags & DF_STATIC_TLS) != 0;
    facts_.text_relocations = tables_.Has(DT_TEXTREL) || (flags & DF_TEXTREL) != 0;
    facts_.packed_relocations = tables_.Has(kDtRelr);
    ReadNeededVersions();
    ReadOwnVersions();
    ReadSymbols();
    return std::move(facts_);
  }

 private:
  std::string Name(int64_t tag) const { return tables_.Has(tag) ? std::string(names_.At(tables_.Value(tag))) : ""; }

  void ReadNeededVersions() {
    if (!tables_.Has(DT_VERNEED)) return;
    WalkVersions(
        tables_, tables_.Value(DT_VERNEED), &Elf64_Verneed::vn_next, [&](uint64_t at, const Elf64_Verneed& entry) {
          const std::string library(names_.At(entry.vn_file));
          WalkVersions(tables_, at + entry.vn_aux, &Elf64_Vernaux::vna_next, [&](uint64_t, const Elf64_Vernaux& part) {
            if ((part.vna_flags & VER_FLG_WEAK) == 0)
              facts_.needed_versions.push_back({library, std::string(names_.At(part.vna_name))});
            return true;
          });
          return true;
        });
  }

  void ReadOwnVersions() {
    if (!tables_.Has(DT_VERDEF)) return;
    WalkVersions(tables_, tables_.Value(DT_VERDEF), &Elf64_Verdef::vd_next,
                 [&](uint64_t at, const Elf64_Verdef& entry) {
                   if (const auto name = tables_.One<Elf64_Verdaux>(at + entry.vd_aux))
                     facts_.own_versions.emplace_back(names_.At(name->vda_name));
                   return true;
                 });
  }

  void ReadSymbols() {
    uint64_t count = 0;
    if (!CountSymbols(tables_, &count)) return;
    const auto symbols = tables_.Array<Elf64_Sym>(tables_.Value(DT_SYMTAB), count);
    if (!symbols) return;
    for (const Elf64_Sym& symbol : *symbols) Sort(symbol);
  }

  void Sort(const Elf64_Sym& symbol) {
    const unsigned binding = ELF64_ST_BIND(symbol.st_info), visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const bool visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
    if (symbol.st_shndx == SHN_UNDEF) {
      if (binding == STB_GLOBAL && symbol.st_name != 0) facts_.undefined.push_back(names_.At(symbol.st_name));
      return;
    }
    if (binding == STB_LOCAL || !visible || type == STT_SECTION || type == STT_FILE || symbol.st_shndx == SHN_ABS)
      return;
    const std::string_view name = names_.At(symbol.st_name);
    if (std::find(std::begin(kOfLinkers), std::end(kOfLinkers), name) != std::end(kOfLinkers)) return;
    facts_.exports.push_back({name, type == STT_FUNC || type == STT_GNU_IFUNC, binding == STB_GNU_UNIQUE});
  }

  const ElfTables& tables_;
  const Names names_;
  LibraryFacts facts_;
};

// Properties are (type, size, bytes), each padded to 8 bytes.
uint32_t IsaOf(std::string_view properties) {
  while (properties.size() >= 8) {
    uint32_t type = 0, size = 0, value = 0;
    std::memcpy(&type, properties.data(), sizeof(type));
    std::memcpy(&size, properties.data() + 4, sizeof(size));
    if (size > properties.size() - 8) return 0;
    if (type == kX86IsaNeeded && size >= sizeof(value)) {
      std::memcpy(&value, properties.data() + 8, sizeof(value));
      return value;
    }
    properties.remove_prefix(std::min<size_t>(properties.size(), 8 + (size_t{size} + 7) / 8 * 8));
  }
  return 0;
}

}  // namespace

std::optional<LibraryFacts> ReadLibraryFacts(const FileBytes& bytes) {
  const ElfFile elf(bytes);
  if (!elf.is_elf() || elf.Problem()) return std::nullopt;
  const ElfTables tables(bytes, elf.segments());
  if (!tables.problem().empty()) return std::nullopt;
  LibraryFacts facts = FactsReader(tables).Read();
  const ElfNotes notes = elf.NotesOf("GNU");
  facts.build_id = BuildIdOf(notes);
  for (const ElfNotes::Note& note : notes.notes) {
    if (note.type == kPropertyNote) facts.x86_isa |= IsaOf(note.content);
  }
  return facts;
}

std::optional<LibraryFacts> ReadLibraryFacts(const std::string& path) {
  const OpenedBytes file(path);
  return file.bytes() == nullptr ? std::nullopt : ReadLibraryFacts(*file.bytes());
}

// The dynamic section, and which addresses are in the file.

ElfTables::ElfTables(const FileBytes& bytes, std::vector<Elf64_Phdr> segments)
    : bytes_(bytes), segments_(std::move(segments)), problem_("it has no dynamic section") {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    ReadDynamic(segment);
    return;
  }
}

// The dynamic linker reads the section at its load address, not at its file offset, up to DT_NULL.
void ElfTables::ReadDynamic(const Elf64_Phdr& segment) {
  problem_ = "its dynamic section lies outside its segments";
  if (segment.p_filesz > kMaxDynamicBytes || segment.p_vaddr % alignof(Elf64_Dyn) != 0) return;
  const auto entries = Array<Elf64_Dyn>(segment.p_vaddr, segment.p_filesz / sizeof(Elf64_Dyn));
  if (!entries || !InMemory(segment.p_vaddr, segment.p_filesz, false)) return;
  problem_ = "its dynamic section has no end";
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) return problem_.clear();
    if (entry.d_tag == DT_NEEDED) needed_.push_back(entry.d_un.d_val);
    values_[entry.d_tag] = entry.d_un.d_val;
  }
}

uint64_t ElfTables::Value(int64_t tag) const {
  const auto found = values_.find(tag);
  return found == values_.end() ? 0 : found->second;
}

const Elf64_Phdr* ElfTables::FindSegment(uint64_t address, uint64_t n, uint32_t flags,
                                         uint64_t Elf64_Phdr::*size) const {
  const auto fits = [&](const Elf64_Phdr& segment) {
    const uint64_t within = address - segment.p_vaddr;
    return segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags && address >= segment.p_vaddr &&
           within <= segment.*size && n <= segment.*size - within;
  };
  const auto found = std::find_if(segments_.begin(), segments_.end(), fits);
  return found == segments_.end() ? nullptr : &*found;
}

std::optional<uint64_t> ElfTables::Offset(uint64_t address, uint64_t n) const {
  const Elf64_Phdr* const segment = FindSegment(address, n, PF_R, &Elf64_Phdr::p_filesz);
  return segment == nullptr ? std::nullopt : std::optional(segment->p_offset + (address - segment->p_vaddr));
}

std::vector<std::string> ElfTables::NeededNames() const {
  std::vector<std::string> names;
  const std::optional<uint64_t> text = Has(DT_STRTAB) ? Offset(Value(DT_STRTAB), 1) : std::nullopt;
  for (const uint64_t name : needed_) {
    uint64_t at = 0;
    if (!text || __builtin_add_overflow(*text, name, &at)) break;
    if (std::string read = bytes_.ReadText(at, kMaxLibraryName); !read.empty()) names.push_back(std::move(read));
  }
  return names;
}

}  // namespace opsrun::host
