// host/show/kernel_rows.h: the kernels of an op in as few lines as possible.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/examine/plugin_note.h"
#include "host/spec/kernel_choice.h"

namespace opsrun::host {

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

}  // namespace opsrun::host
