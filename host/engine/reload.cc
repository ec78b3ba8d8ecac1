// host/engine/reload.cc: the new file of an open plugin. The dynamic linker knows a library by the name that it was
// opened by, and by its inode: so the new file, which has another inode, is opened by another spelling of its path.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/engine/engine.h"

namespace opsrun::host {

std::optional<Refusal> Engine::Reload(const std::string& path, std::string* name, bool* changed) {
  const std::lock_guard<std::mutex> lock(adding_);
  *changed = false;
  auto now = std::make_shared<Catalog>(*catalog());
  const auto old = std::ranges::find_if(now->entries, [&](const CatalogEntry& each) {
    return each.usable() && files_.StateWhenOpened(each.path) && FileIdentity(each.path) == FileIdentity(path);
  });
  if (old == now->entries.end()) return Refusal{"it is not open", "load it first"};
  *name = old->note.name;
  const std::optional<FileState> state = StateOf(path.c_str());
  const std::optional<Refusal> change = files_.Change(old->path);
  if (!change) return std::nullopt;
  if (!state || state->IsSameFile(*files_.StateWhenOpened(old->path))) return change;
  const std::filesystem::path file = path;
  std::filesystem::path again = file.parent_path();
  do {
    again /= ".";
  } while (files_.IsOpen((again / file.filename()).string()));
  CatalogEntry entry;
  if (std::optional<Refusal> refusal = LookAtEntry((again / file.filename()).string(),
                                                   {host_->level, options_.allow_writable, options_.keys}, &entry)) {
    return refusal;
  }
  if (entry.note.name != *name) {
    return Refusal{fmt::format("it is plugin '{}' now, and was '{}'", entry.note.name, *name),
                   "load it under another name of the file"};
  }
  const OpenedFile& opened = files_.Open(entry.path, entry.note);
  if (opened.refusal) return opened.refusal;
  for (const std::string& message : opened.plugin->messages) Note(fmt::format("{}: {}", path, message));
  for (CatalogEntry& each : now->entries) {
    if (each.hidden_by == old->path) each.hidden_by = entry.path;
  }
  entry.place = old->place;
  *old = std::move(entry);
  *changed = true;
  ++generation_;
  const std::lock_guard<std::mutex> writing(mutex_);
  catalog_ = std::move(now);
  return std::nullopt;
}

}  // namespace opsrun::host
