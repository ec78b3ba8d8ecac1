// host/show/op_text.h: describes ops, their kernels, and plugin files with the findings about them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/examine/judge_library.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// Signature, plugin, documentation, inputs, outputs, attrs, kernels, and an example node.
std::string OpText(const RegisteredOp& op, const Registry& registry);

// One attr of the op: type, limits, default, documentation, and how to write it in a graph.
std::string AttrTextAlone(const RegisteredOp& op, const spec::AttrDef& attr);

// The output of explain, for programs.

// One JSON object: name, plugin, documentation, inputs, outputs, attrs, kernels, and the function in Python
// (PythonJson). Null means "none", such as no minimum or no input that determines an attr. A null default may also be a
// shape of unknown rank; has_default distinguishes them.
std::string OpJson(const RegisteredOp& op, const Registry& registry);

// The same for one attr, with the op's name.
std::string AttrJson(const RegisteredOp& op, const spec::AttrDef& attr);

// What the file beside the plugin gives the op: a line with the place for each of gradient, shape and doc, indented by
// `indent` spaces; empty if it gives nothing.
std::string OpsFileText(const RegisteredOp& op, size_t indent);

// Differences between two versions, a line for each, below what they are about. Empty if there are none.
std::string DifferencesText(const std::string& about, const std::vector<spec::OpChange>& changes);

// The gradient that an op declares, as text.

// "gradient" and its text below, or a line that the op is not differentiable; empty if the op declares neither. Lines
// are indented by `indent` spaces.
std::string DeclaredGradientText(const RegisteredOp& op, size_t indent);

// The kernels of an op in as few lines as possible.

// Kernels for one device that differ only in the values of their constraints: every combination of the values has a
// kernel.
struct KernelRow {
  using Values = std::set<std::pair<int64_t, std::string>>;  // sorted by number; shown as the text

  std::string device;  // "cpu"
  std::string label;
  std::string from;                       // the kernel's file, if it is not the op's
  std::map<std::string, Values> allowed;  // by attr
};

KernelRow RowOf(const KernelNote& kernel);
KernelRow RowOf(const spec::KernelDef& kernel);

// Merges rows that differ in only one attr, repeatedly. The result is ordered by device.
std::vector<KernelRow> MergeRows(std::vector<KernelRow> rows);

// "cpu  T in {float32, int32}, label 'fast'"
std::string RowText(const KernelRow& row);

struct JudgedPlugin {
  std::string file;
  PluginNote note;
  std::vector<Finding> findings;
  std::string hidden_by;           // the file that takes precedence; may be empty
  const Plugin* opened = nullptr;  // the file's plugin if it was opened, for its ops and gradients

  // "refused", "hidden", "ok" if a probe has opened it, otherwise "compatible".
  const char* Verdict() const;
};

// Name, levels, compilers, libraries, and ops with their kernels; then the findings if `checks`. Indented lines.
std::string JudgedPluginText(const JudgedPlugin& plugin, bool checks);

// A JSON array with an object for each plugin: file, verdict, name, version, units, ops, kernels, cuda, needs, signature, checks.
std::string JudgedPluginsJson(const std::vector<JudgedPlugin>& plugins);

}  // namespace opsrun::host
