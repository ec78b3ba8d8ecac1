// host/examine/plugin_note.cc: bytes of notes to a PluginNote.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/plugin_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "host/base/text.h"
#include "host/examine/compatibility.h"
#include "host/examine/judge_library.h"
#include "host/examine/library_facts.h"
#include "host/examine/writers.h"

namespace opsrun::host {
namespace {

constexpr uint32_t kNoteFamily = OPSRUN_NOTE_PLUGIN >> 16;  // 'O' 'P'
constexpr uint32_t kMajor = OPSRUN_NOTE_PLUGIN >> 8 & 0xFF;
constexpr size_t kFirstFingerprint = offsetof(opsrun_note_plugin, fp_str);
constexpr std::string_view kMore = "*";
constexpr char kRemedy[] = "build it again with the opsrun SDK, or copy it again";

// Text without the NULs that pad a note or a fixed field.
std::string_view Unpadded(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

template <size_t n>
std::optional<std::string> FixedText(const char (&field)[n]) {
  std::string_view text = Unpadded({field, n});
  if (!IsPlainText(text)) return std::nullopt;
  return std::string(text);
}

// "acme.images": words of letters, digits, '_' and '-', separated by dots. Other characters would be syntax in notes
// and graphs.
bool IsPluginName(std::string_view name) {
  const auto in_word = [](char c) { return IsLetter(c) || IsDigit(c) || c == '_' || c == '-'; };
  bool after_dot = true;
  for (const char c : name) {
    if (c == '.' ? after_dot : !in_word(c)) return false;
    after_dot = c == '.';
  }
  return !after_dot;
}

// "T=3,1"
std::optional<KernelNote::Constraint> ParseConstraint(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
  KernelNote::Constraint constraint{std::string(text.substr(0, equals)), {}};
  text.remove_prefix(equals + 1);
  do {
    const std::optional<int32_t> type = ParseInteger<int32_t>(TakePart(&text, ","));
    if (!type || *type < 0) return std::nullopt;
    constraint.types.push_back(DTypeFromNumber(*type));
  } while (!text.empty());
  return constraint;
}

// A KERNEL note other than "*"; nothing if it is malformed.
std::optional<KernelNote> ParseKernelNote(std::string_view content) {
  KernelNote kernel;
  kernel.op = TakePart(&content, ";");
  kernel.device = TakePart(&content, ";");
  if (!IsPlainName(kernel.op) || !IsPlainName(kernel.device)) return std::nullopt;
  while (!content.empty()) {
    if (content.front() == '#') {
      kernel.label = content.substr(1);  // the label comes last and may contain any character
      break;
    }
    auto constraint = ParseConstraint(TakePart(&content, ";"));
    if (!constraint) return std::nullopt;
    kernel.constraints.push_back(*std::move(constraint));
  }
  return kernel;
}

// Adds notes to *note and keeps the first error.
class Collector {
 public:
  explicit Collector(PluginNote* note) : note_(note) {}

  void Take(const ElfNotes::Note& note) {
    if (note.type >> 16 != kNoteFamily) return;
    if (uint32_t major = note.type >> 8 & 0xFF; major != kMajor) {
      foreign_major_ = major;
      return;
    }
    if (note.type == OPSRUN_NOTE_PLUGIN) return TakeUnit(note.content);
    std::string_view text = Unpadded(note.content);
    if (note.type < OPSRUN_NOTE_NAME || note.type > OPSRUN_NOTE_META) return;  // of a later level
    if (note.type == OPSRUN_NOTE_META) return TakeMeta(text);
    if (!IsPlainName(text)) return Damaged("one of its notes is not text");
    switch (note.type) {
      case OPSRUN_NOTE_NAME:
        return text == kMore ? void(note_->late_name = true) : TakeName(text);
      case OPSRUN_NOTE_OP:
        return text == kMore ? void(note_->more_ops = true) : void(note_->ops.emplace_back(text));
      case OPSRUN_NOTE_KERNEL:
        return text == kMore ? void(note_->more_kernels = true) : TakeKernel(text);
      default:
        note_->cuda.emplace_back(text);
    }
  }

  std::optional<Refusal> Finish() {
    std::sort(note_->ops.begin(), note_->ops.end());
    auto twice = std::adjacent_find(note_->ops.begin(), note_->ops.end());
    if (foreign_major_ && note_->units.empty() && !refusal_) {
      return Refusal{
          fmt::format("made for major {} of the plugin contract, but this opsrun supports major {}", *foreign_major_,
                      kMajor),
          fmt::format("use an opsrun of major {}, or build it again with this opsrun's SDK", *foreign_major_)};
    }
    if (note_->units.empty()) Damaged("it has notes of opsrun, but no PLUGIN note");
    if (twice != note_->ops.end()) {
      Refuse(fmt::format("it registers op '{}' twice", *twice), "remove one of the two, or rename it");
    }
    return refusal_;
  }

 private:
  void TakeUnit(std::string_view content) {
    if (auto unit = ParseUnitNote(content)) return note_->units.push_back(*std::move(unit));
    Damaged("its PLUGIN note is damaged");
  }

  void TakeName(std::string_view text) {
    if (named_) {
      Refuse(fmt::format("it is named twice, '{}' and '{}'", note_->name, text.substr(0, text.find(';'))),
             "keep one OPSRUN_PLUGIN in its sources");
      return;
    }
    named_ = true;
    std::string_view name = TakePart(&text, ";");
    if (name.empty()) return Damaged("its NAME note is damaged");
    if (!IsPluginName(name)) {
      Refuse(fmt::format("invalid plugin name '{}': expected words of letters, digits, '_' and '-', separated by dots",
                         name),
             "correct OPSRUN_PLUGIN in its sources");
      return;
    }
    note_->name = name;
    note_->version = text;
  }

  void TakeKernel(std::string_view text) {
    if (auto kernel = ParseKernelNote(text)) return note_->kernels.push_back(*std::move(kernel));
    Damaged(fmt::format("its KERNEL note '{}' is damaged", text));
  }

  // Nothing is decided by it, so what is not understood is left out, and all but the first text of each kind.
  void TakeMeta(std::string_view text) {
    constexpr size_t kMostBytes = 4096;
    if (text.size() > kMostBytes || !IsPlainText(text)) return;
    constexpr std::string_view kKeys[] = {"license", "homepage", "summary"};
    while (!text.empty()) {
      std::string_view line = TakePart(&text, "\n");
      const std::string_view key = TakePart(&line, "=");
      const bool is_known = std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
      const bool is_new = std::ranges::none_of(note_->meta, [&](const auto& known) { return known.first == key; });
      if (is_known && is_new && !line.empty()) note_->meta.emplace_back(key, line);
    }
  }

  void Damaged(std::string reason) { Refuse(std::move(reason), kRemedy); }
  void Refuse(std::string reason, std::string remedy) {
    if (!refusal_) refusal_ = Refusal{std::move(reason), std::move(remedy)};
  }

  PluginNote* note_;
  std::optional<Refusal> refusal_;
  std::optional<uint32_t> foreign_major_;
  bool named_ = false;
};

}  // namespace

uint32_t PluginNote::header_level() const {
  uint32_t lowest = units.empty() ? 0 : UINT32_MAX;
  for (const UnitNote& unit : units) lowest = std::min(lowest, unit.header_level);
  return lowest;
}

std::optional<UnitNote> ParseUnitNote(std::string_view content) {
  opsrun_note_plugin raw = {};
  if (content.size() < OPSRUN_LEVEL_1_SIZE_NOTE_PLUGIN) return std::nullopt;
  std::memcpy(&raw, content.data(), std::min(content.size(), sizeof(raw)));
  auto sdk_version = FixedText(raw.sdk_version);
  auto compiler = FixedText(raw.compiler);
  if (raw.size < OPSRUN_LEVEL_1_SIZE_NOTE_PLUGIN || raw.size > content.size() || !sdk_version || !compiler)
    return std::nullopt;
  UnitNote unit{raw.header_level, raw.min_level, raw.flags, raw.cpu[0] | uint64_t{raw.cpu[1]} << 32,
                *sdk_version,     *compiler,     {}};
  const size_t bytes = std::min<size_t>(raw.size, sizeof(raw)) - kFirstFingerprint;
  unit.fingerprints.resize(bytes / sizeof(uint32_t));
  std::memcpy(unit.fingerprints.data(), content.data() + kFirstFingerprint,
              unit.fingerprints.size() * sizeof(uint32_t));
  return unit;
}

std::optional<Refusal> CollectNotes(const ElfNotes& notes, PluginNote* note) {
  Collector collector(note);
  for (const ElfNotes::Note& each : notes.notes) collector.Take(each);
  return collector.Finish();
}

// UTF-8 without control characters.

namespace {

bool IsWhiteSpace(uint32_t code) {
  return code == '\n' || code == '\t' || code == '\r';
}

// The number of printable ASCII characters at the beginning.
size_t AsciiPrefix(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && text[n] >= 0x20 && text[n] < 0x7F) ++n;
  return n;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  for (text.remove_prefix(AsciiPrefix(text)); !text.empty(); text.remove_prefix(AsciiPrefix(text))) {
    const Utf8Character c = DecodeUtf8(text);
    if (c.size == 0 || (IsControl(c.code) && !IsWhiteSpace(c.code))) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

bool IsPlainName(std::string_view text) {
  return !text.empty() && text.find_first_of("\n\r\t") == std::string_view::npos && IsPlainText(text);
}

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
  if (auto refusal = CheckCompatible(note, host_level, CpuHere)) return Refused(std::move(note), *std::move(refusal));
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

FileLook LookAtFile(const std::string& path, const LookOptions& options) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const OpenedBytes file(path);
  FileLook look = file.bytes() == nullptr ? LookAtNoFile(path, file) : Look(*file.bytes(), stem, options.level);
  if (look.kind == FileLook::Kind::kPlugin && !options.accepts_writable()) {
    if (std::optional<Refusal> refusal = RefuseWritablePlugin(file.descriptor(), path))
      look = Refused(std::move(look.note), *std::move(refusal));
  }
  if (file.bytes() != nullptr && file.error() != 0)
    look = {FileLook::Kind::kRefused, {}, RefusedBySystem("it cannot be read", file.error())};
  if (look.note.name.empty()) look.note.name = stem;
  return look;
}

FileLook LookAtBytes(const std::string& bytes, const std::string& stem) {
  return Look(FileBytes(bytes), stem, OPSRUN_LEVEL);
}

}  // namespace opsrun::host
