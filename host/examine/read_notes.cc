// host/examine/read_notes.cc: from a file to a decision.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/read_notes.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "host/examine/compatibility.h"
#include "host/examine/elf_file.h"
#include "host/examine/file_bytes.h"
#include "host/examine/foreign_file.h"
#include "host/examine/library_facts.h"

namespace opsrun::host {
namespace {

FileLook NotOurs(std::string reason) {
  return {FileLook::Kind::kNotOurs, {}, {std::move(reason), "build it with the opsrun SDK"}};
}

FileLook NotLibrary(Refusal refusal) {
  return {FileLook::Kind::kNotLibrary, {}, std::move(refusal)};
}

FileLook Refused(PluginNote note, Refusal refusal) {
  return {FileLook::Kind::kRefused, std::move(note), std::move(refusal)};
}

// For a file whose notes cannot be read, so that it may be a plugin.
Refusal Untellable(std::optional<Refusal> problem) {
  Refusal refusal = problem ? *std::move(problem) : Refusal{"its notes lie outside the file", "copy it again"};
  refusal.reason += "; it is unknown whether it is a plugin";
  return refusal;
}

FileLook Look(const FileBytes& bytes, const std::string& stem, uint32_t host_level) {
  ElfFile elf(bytes);
  if (!elf.is_elf()) return NotLibrary(ExplainForeign(bytes));
  ElfNotes notes = elf.NotesOf(OPSRUN_NOTE_OWNER);
  PluginNote note;
  note.name = stem;
  if (notes.notes.empty() && !notes.damaged) {
    if (notes.unseen) return Refused(std::move(note), Untellable(elf.Problem()));
    if (auto problem = elf.Problem()) return NotLibrary(*std::move(problem));
    return NotOurs("it holds no note of opsrun");
  }
  note.needed = ElfTables(bytes, elf.segments()).NeededNames();
  note.build_id = BuildIdOf(elf.NotesOf("GNU"));
  note.content_hash = HashOf(notes);
  std::optional<Refusal> wrong_notes = CollectNotes(notes, &note);
  if (auto problem = elf.Problem()) return Refused(std::move(note), *std::move(problem));
  if (notes.damaged) return Refused(std::move(note), {"its notes are damaged", "copy it again"});
  if (wrong_notes) return Refused(std::move(note), *std::move(wrong_notes));
  if (auto refusal = CheckCompatible(note, host_level)) return Refused(std::move(note), *std::move(refusal));
  return {FileLook::Kind::kPlugin, std::move(note), {}};
}

FileLook LookAtNoFile(const std::string& path, const OpenedBytes& file) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  if (file.error() == ENOENT && !error) {
    return NotLibrary(
        {fmt::format("it is a link to '{}', which does not exist", target.string()), "correct the link, or remove it"});
  }
  if (file.error() != 0) return {FileLook::Kind::kRefused, {}, RefusedBySystem("it cannot be read", file.error())};
  return NotLibrary({file.is_directory() ? "it is a directory, not a shared library"
                                         : "it is a pipe or a device, not a shared library",
                     "remove it, or give it a name that does not end in .so"});
}

}  // namespace

FileLook LookAtFile(const std::string& path, uint32_t host_level) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const OpenedBytes file(path);
  FileLook look = file.bytes() == nullptr ? LookAtNoFile(path, file) : Look(*file.bytes(), stem, host_level);
  if (file.bytes() != nullptr && file.error() != 0)
    look = {FileLook::Kind::kRefused, {}, RefusedBySystem("it cannot be read", file.error())};
  if (look.note.name.empty()) look.note.name = stem;
  return look;
}

FileLook LookAtBytes(const std::string& bytes, const std::string& stem) {
  return Look(FileBytes(bytes), stem, OPSRUN_LEVEL);
}

}  // namespace opsrun::host
