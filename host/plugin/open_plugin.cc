// host/plugin/open_plugin.cc: the steps from a file to a Plugin.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/plugin_code.h"
#include "host/examine/compatibility.h"
#include "host/examine/elf_file.h"
#include "host/plugin/isolated_plugin.h"
#include "host/plugin/load.h"
#include "host/plugin/ops_file.h"

namespace opsrun::host {
namespace {

constexpr char kReport[] = "build it again with the opsrun SDK, or report it to the plugin's author";

template <typename Fn>
std::optional<Refusal> RunLoading(const PluginCodeFacts& facts, Fn fn) {
  const SingleCall call(facts);
  const RunningMark mark(&call);
  return fn();
}

// The file may have been replaced between reading its notes and opening it.
std::optional<Refusal> CheckNotes(const PluginNote& note, const FileSegments& library) {
  ElfNotes loaded;
  std::string bytes;
  for (const FileSegments::Range& range : library.notes) {
    if (range.end < range.begin || range.end - range.begin > kMaxNoteBytes) continue;
    bytes.resize(range.end - range.begin);
    if (CheckedRead(reinterpret_cast<const void*>(range.begin), bytes.size(), bytes.data()))
      ParseNotes(bytes, OPSRUN_NOTE_OWNER, &loaded);
  }
  // Some tools drop the segment of the notes, which are then not in memory.
  if (loaded.notes.empty() || HashOf(loaded) == note.content_hash) return std::nullopt;
  return Refusal{"its notes changed between reading and loading",
                 "do not replace plugin files while opsrun is running"};
}

// The real path, but with the spelling "/folder/./file" of a path that Engine::Reload has made: for the linker, it is
// the name of another library.
std::string LinkerName(const std::string& path) {
  const std::filesystem::path given = path, real = RealPath(path);
  std::filesystem::path name = real.parent_path();
  for (std::filesystem::path at = given.parent_path(); given.is_absolute() && at.filename() == ".";
       at = at.parent_path())
    name /= ".";
  return (name / real.filename()).string();
}

std::optional<Refusal> FetchTable(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  const std::function<void(PluginPhase)>& begin, PluginTable* table,
                                  std::string* restored) {
  static std::mutex one_at_a_time;  // per process, as are the dynamic linker and its plugins
  std::lock_guard lock(one_at_a_time);
  PluginCodeFacts facts = {.path = path, .name = note.name, .host = host};
  OpenedLibrary library;
  const opsrun_plugin* raw = nullptr;
  const ThreadState before;
  if (begin) begin(facts.phase);
  std::optional<Refusal> refusal =
      RunLoading(facts, [&] { return OpenLibrary(LinkerName(path), note.needed, &library); });
  if (!refusal) refusal = CheckNotes(note, library.segments);
  facts.phase = PluginPhase::kEntry;
  if (begin && !refusal) begin(facts.phase);
  if (!refusal) refusal = RunLoading(facts, [&] { return CallEntry(library.entry, host, &raw); });
  *restored = before.Restore();
  if (refusal) return refusal;
  refusal = CopyTable(raw, library.segments, host->level, note.header_level(), table);
  if (!restored->empty()) {
    table->messages.push_back(fmt::format("it changed {} while it was loaded; opsrun set that back", *restored));
  }
  return refusal;
}

// The part of a kernel that its note has.
KernelNote NoteOf(const spec::KernelDef& kernel) {
  KernelNote note{kernel.op, kernel.device, {}, kernel.label};
  for (const spec::KernelDef::Constraint& constraint : kernel.constraints) {
    if (constraint.allowed.type.kind != OPSRUN_ATTR_TYPE) continue;
    KernelNote::Constraint& noted = note.constraints.emplace_back();
    noted.attr = constraint.attr;
    for (const int64_t type : constraint.allowed.ints) noted.types.push_back(DTypeFromNumber(type));
  }
  return note;
}

// Notes written by hand may be in any order. Data types that this host does not know have left the lists of the table.
KernelNote Ordered(KernelNote note) {
  for (KernelNote::Constraint& constraint : note.constraints) {
    std::erase_if(constraint.types, [](DType type) { return !IsDType(type); });
    std::sort(constraint.types.begin(), constraint.types.end());
  }
  std::sort(note.constraints.begin(), note.constraints.end());
  return note;
}

// Hosts choose files by their notes, so an op or a kernel without one would be available only while its file is open
// for another reason. The macros write both; only notes written by hand can be missing.
void LeaveOutUnnoted(const PluginNote& note, PluginTable* table) {
  const auto leave_out = [&](const std::string& what) {
    table->messages.push_back(what + " is left out: the file has no note for it; add one with OPSRUN_C_NOTE");
    return true;
  };
  if (!note.more_ops) {
    std::erase_if(table->ops, [&](const TableOp& op) {
      if (std::binary_search(note.ops.begin(), note.ops.end(), op.strings.name)) return false;
      return leave_out(fmt::format("op '{}'", op.strings.name));
    });
  }
  if (note.more_kernels) return;
  std::set<KernelNote> noted;
  for (const KernelNote& kernel : note.kernels) noted.insert(Ordered(kernel));
  std::erase_if(table->kernels, [&](const RegisteredKernel& kernel) {
    if (noted.contains(Ordered(NoteOf(kernel.def)))) return false;
    return leave_out(fmt::format("the kernel {} of op '{}'", spec::KernelText(kernel.def), kernel.def.op));
  });
}

std::optional<Refusal> CompareNames(const PluginTable& table, const PluginNote& note) {
  if (note.late_name || table.name.empty() || table.name == note.name) return std::nullopt;
  return Refusal{fmt::format("its notes call it '{}', but its table calls it '{}'", note.name, table.name), kReport};
}

// later_level: of the plugin's header, if it is above the host's; else 0. An op that needs what that level adds is left
// out.
std::optional<Refusal> ParseOps(uint32_t later_level, PluginTable* table, Plugin* opened) {
  std::set<std::string> names;
  for (TableOp& op : table->ops) {
    if (!names.insert(op.strings.name).second) {
      return Refusal{fmt::format("it registers op '{}' twice", op.strings.name), "remove one of the two, or rename it"};
    }
    RegisteredOp& parsed = opened->ops.emplace_back(std::move(op.op));
    op.strings.of_later_level = later_level != 0;
    auto errors = spec::ParseOp(op.strings, &parsed.def);
    if (!errors.empty() && later_level != 0) {
      table->messages.push_back(fmt::format(
          "op '{}' is left out: it is written for level {}, and '{}' is not known here: {}; use a newer opsrun",
          op.strings.name, later_level, spec::Visible(errors[0].spec), errors[0].message));
      table->dropped_ops.push_back(op.strings.name);
      opened->ops.pop_back();
    } else if (!errors.empty()) {
      return Refusal{spec::SpecErrorsText(op.strings.name, errors),
                     "correct the registration of the op and build it again"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> TakeTable(PluginTable table, const PluginNote& note, const opsrun_host* host, Plugin* plugin) {
  plugin->name = table.name.empty() ? note.name : table.name;
  plugin->version = table.version;
  plugin->shutdown = table.shutdown;
  plugin->query = table.query;
  if (auto refusal = CompareNames(table, note)) return refusal;
  LeaveOutUnnoted(note, &table);
  const uint32_t later_level = note.header_level() > host->level ? note.header_level() : 0;
  if (auto refusal = ParseOps(later_level, &table, plugin)) return refusal;
  plugin->kernels = std::move(table.kernels);
  for (RegisteredOp& op : plugin->ops) op.plugin = plugin;
  for (RegisteredKernel& kernel : plugin->kernels) kernel.plugin = plugin;
  plugin->dropped_ops = std::move(table.dropped_ops);
  plugin->messages = std::move(table.messages);
  plugin->table = table.identity;
  return std::nullopt;
}

std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<Plugin>* opened, const std::function<void(PluginPhase)>& begin,
                                  const std::function<void(const PluginTable&)>& copied) {
  PluginTable table;
  auto plugin = std::make_shared<Plugin>();  // shuts a plugin that is refused from here on down
  plugin->path = path;
  plugin->host = host;
  auto refused = FetchTable(path, note, host, begin, &table, &plugin->restored);
  plugin->shutdown = table.shutdown;
  if (!refused && copied) copied(table);
  if (refused || (refused = TakeTable(std::move(table), note, host, plugin.get()))) return refused;
  *opened = std::move(plugin);
  return std::nullopt;
}

namespace {

constexpr char kRestart[] = "restart the process to use what is there now";

// True if the file was only copied again or touched. Builds have an id unless it was disabled.
bool HasSameContent(const OpenedFile& file, const FileState& now, const std::string& path) {
  if (file.note.build_id.empty() || now.size != file.state->size) return false;
  const PluginNote note = LookAtFile(path).note;
  return note.build_id == file.note.build_id && note.content_hash == file.note.content_hash;
}

}  // namespace

OpenedFiles::~OpenedFiles() {
  while (!files_.empty()) files_.pop_back();
}

const OpenedFile& OpenedFiles::Open(const std::string& path, const PluginNote& note) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile*& file = by_path_[path];
  if (file == nullptr || MayTryAgain(*file, path)) {
    OpenedFile& opened = files_.emplace_back();
    if (file != nullptr) opened.incomplete = file->incomplete;
    opened.state = StateOf(path.c_str());
    opened.note = note;
    opened.refusal = OpenNow(path, note, opened);
    file = &opened;
  }
  return *file;
}

std::optional<Refusal> OpenedFiles::OpenWith(const std::string& path, const PluginNote& note,
                                             const std::string& ops_file) {
  const std::string wanted = FileIdentity(ops_file);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = by_path_.find(path);
    const auto named = ops_files_.find(path);
    const bool is_same = named != ops_files_.end() && named->second == wanted;
    if (!is_same && known != by_path_.end() && known->second->plugin != nullptr)
      return Refusal{fmt::format("it is open without {}", ops_file), "attach the file before an op of it is used"};
    ops_files_[path] = wanted;
  }
  return Open(path, note).refusal;
}

std::optional<Refusal> OpenedFiles::WhyNot(const std::string& path, const PluginNote& note) const {
  return admit_ ? admit_(path, note) : RefuseToOpen(path);
}

std::optional<Refusal> OpenedFiles::OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const {
  if (opened.incomplete == nullptr) {
    if (std::optional<Refusal> refusal = WhyNot(path, note)) return refusal;
    if (StateOf(path.c_str()) != opened.state)
      return Refusal{"it changed while it was examined", "do not replace plugin files while opsrun is running"};
    opened.code_ran = true;
    std::shared_ptr<Child> child = isolate_ ? isolate_(path, note) : nullptr;
    const auto copied = [&](const PluginTable& table) {
      if (copied_) copied_(path, table);
    };
    if (std::optional<Refusal> refusal =
            child == nullptr ? OpenPlugin(path, note, host_, &opened.incomplete, {}, copied)
                             : OpenIsolatedPlugin(path, note, host_, std::move(child), &opened.incomplete))
      return refusal;
  }
  const auto named = ops_files_.find(path);
  const std::string ops_file = named == ops_files_.end() ? OpsFileOf(path) : named->second;
  if (named != ops_files_.end() || StateOf(ops_file.c_str())) {
    if (std::optional<Refusal> refusal = AddOpsFile(ops_file, look_, *opened.incomplete)) return refusal;
  }
  opened.plugin = std::move(opened.incomplete);
  return std::nullopt;
}

// The linker returns what it has already mapped of a file; a different file with the same name is new to it.
bool OpenedFiles::MayTryAgain(const OpenedFile& file, const std::string& path) {
  if (!file.refusal) return false;
  if (file.incomplete != nullptr) return true;
  const std::optional<FileState> now = StateOf(path.c_str());
  return now != file.state && !(file.code_ran && now && file.state && now->IsSameFile(*file.state));
}

std::optional<Refusal> OpenedFiles::Change(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || found->second->plugin == nullptr || !found->second->state) return std::nullopt;
  const OpenedFile& file = *found->second;
  const std::optional<FileState> now = StateOf(path.c_str());
  if (now == file.state || (now && HasSameContent(file, *now, path))) return std::nullopt;
  const std::string was = fmt::format("{} were loaded", StateText(*file.state));
  if (!now) return Refusal{fmt::format("it was removed after it was loaded ({})", was), kRestart};
  const bool in_place = now->IsSameFile(*file.state);
  return Refusal{
      fmt::format("it was {} after it was loaded ({}, there are {} now)", in_place ? "rewritten in place" : "replaced",
                  was, StateText(*now)),
      in_place ? fmt::format("{}; write plugins under another name and rename them, since a program that uses one "
                             "crashes when it is rewritten",
                             kRestart)
               : kRestart};
}

bool OpenedFiles::IsOpen(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return by_path_.count(path) > 0;
}

std::optional<FileState> OpenedFiles::StateWhenOpened(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_path_.find(path);
  return found == by_path_.end() || found->second->plugin == nullptr ? std::nullopt : found->second->state;
}

void OpenedFiles::Add(std::shared_ptr<const Plugin> plugin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile& file = files_.emplace_back(OpenedFile{std::move(plugin), {}, {}, {}});
  by_path_[file.plugin->path] = &file;
}

}  // namespace opsrun::host
