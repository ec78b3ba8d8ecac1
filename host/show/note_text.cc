// host/show/note_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/note_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "host/show/display_text.h"
#include "host/show/kernel_rows.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

std::string Join(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string Line(const char* what, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:10}{}\n", what, text);
}

std::string LevelText(const std::vector<UnitNote>& units) {
  if (units.empty()) return {};
  uint32_t least = 0, header = 0;
  for (const UnitNote& unit : units) {
    least = std::max(least, unit.min_level);
    header = std::max(header, unit.header_level);
  }
  return fmt::format("needs {}, built with {} (this opsrun: {})", least, header, OPSRUN_LEVEL);
}

std::string BuildText(uint32_t flags) {
  std::set<std::string> words;
  if ((flags & OPSRUN_BUILD_ASAN) != 0) words.insert("address sanitizer");
  if ((flags & OPSRUN_BUILD_TSAN) != 0) words.insert("thread sanitizer");
  if ((flags & OPSRUN_BUILD_MSAN) != 0) words.insert("memory sanitizer");
  if ((flags & OPSRUN_BUILD_DEBUG_LIBRARY) != 0) words.insert("debug mode of the C++ library");
  return Join(words);
}

std::string UnitsText(const std::vector<UnitNote>& units) {
  std::set<std::string> sdks, compilers;
  uint32_t flags = 0;
  for (const UnitNote& unit : units) {
    sdks.insert(unit.sdk_version);
    compilers.insert(unit.compiler);
    flags |= unit.flags;
  }
  return Line("level", LevelText(units)) + Line("sdk", Join(sdks)) + Line("compiler", Join(compilers)) +
         Line("built for", BuildText(flags));
}

std::string KernelsText(const PluginNote& note, const std::string& op) {
  std::vector<KernelRow> rows;
  for (const KernelNote& kernel : note.kernels) {
    if (kernel.op == op) rows.push_back(RowOf(kernel));
  }
  std::string text;
  for (const KernelRow& row : MergeRows(std::move(rows))) text += fmt::format("    {}\n", RowText(row));
  return text;
}

// Ops of the file, then ops of other plugins that it has kernels for.
std::string OpsText(const PluginNote& note) {
  const std::set<std::string> ops(note.ops.begin(), note.ops.end());
  std::set<std::string> foreign;
  for (const KernelNote& kernel : note.kernels) {
    if (ops.count(kernel.op) == 0) foreign.insert(kernel.op);
  }
  std::string text;
  for (const std::string& op : ops) text += fmt::format("  op {}\n{}", op, KernelsText(note, op));
  for (const std::string& op : foreign) text += fmt::format("  kernels for {}\n{}", op, KernelsText(note, op));
  if (note.more) text += "  more ops or kernels, named while it is loaded\n";
  return text;
}

}  // namespace

std::string NoteText(const PluginNote& note) {
  const std::string version = note.version.empty() ? "" : " " + note.version;
  const std::set<std::string> cuda(note.cuda.begin(), note.cuda.end());
  const std::set<std::string> needed(note.needed.begin(), note.needed.end());
  return Printable(fmt::format("  {:10}{}{}\n", "plugin", note.name, version) + UnitsText(note.units) +
                   Line("cuda", Join(cuda)) + Line("needs", Join(needed)) + OpsText(note));
}

}  // namespace opsrun::host
