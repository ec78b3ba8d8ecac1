// host/plugin/copy_table.h: a plugin's table, checked and copied into structs that the host owns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/guarded_table.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/checked_read.h"
#include "host/plugin/plugin.h"
#include "host/spec/parse_op.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct TableOp {
  spec::OpStrings strings;
  std::string gradient;        // a graph as text; empty: not declared
  uint32_t gradient_line = 0;  // line in the plugin's source; 0: unknown
  int32_t (*shape)(void*, opsrun_shape_call*) = nullptr;
  void* shape_ctx = nullptr;
};

struct PluginTable {
  std::string name;  // empty without a NAME note
  std::string version;
  std::vector<TableOp> ops;
  std::vector<RegisteredKernel> kernels;  // their plugin is set later
  void (*shutdown)(const opsrun_host*) = nullptr;
  std::vector<std::string> dropped_ops;  // need a feature that this host lacks, or have no note
  std::vector<std::string> messages;     // why ops and kernels were dropped, one line each
};

// Fills in *copy, or returns why the table is refused; *copy is then incomplete. `table` must be the result of the
// entry of the library in `file`; it may be an invalid pointer. host_level: offered by this host, at most OPSRUN_LEVEL.
// header_level: from the plugin's notes. If it is above host_level, flags and reserved words that this host does not
// know are ignored, otherwise they are refused. Parts of structs above both levels are not read.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, uint32_t host_level,
                                 uint32_t header_level, PluginTable* copy);

// Copies the parts of a plugin's table, all of which are untrusted.
//
// Functions return false for an invalid pointer, an excessive count or an unprintable text; problem() then describes
// it. Callers pass the position in the table as text: "ops[2] 'ZeroOut'".
class TableReader {
 public:
  // file must outlive this object. level: of the contract between this host and the plugin.
  TableReader(const FileSegments& file, uint32_t level) : file_(file), level_(level) {}

  // The first error, as a sentence; empty if there is none.
  const std::string& problem() const { return problem_; }

  // Records an error and returns false.
  bool Fail(const std::string& where, std::string_view what);

  // A growing struct: reads its size, then the part that `level` has. Members that a smaller struct lacks become zero.
  template <typename T>
  bool Struct(const T* from, const std::string& where, T* to);

  // An array of n elements. `field` is the name of the pointer, and "n_" + field that of the count.
  template <typename T>
  bool Array(const T* from, uint64_t n, uint64_t most, const std::string& where, std::string_view field,
             std::vector<T>* to);

  // May contain any bytes.
  bool Bytes(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to);
  bool Text(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to);
  // A nonempty text on one line.
  bool Name(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to);
  bool Texts(const opsrun_str* from, uint32_t n, const std::string& where, std::string_view field,
             std::vector<std::string>* to);

  // A function, which must be in this file.
  template <typename F>
  bool Code(F* function, const std::string& where, std::string_view field) {
    return CheckCode(reinterpret_cast<uintptr_t>(function), where, field);
  }

 private:
  // field: empty for the struct itself.
  bool FailUnreadable(const std::string& where, std::string_view field);
  bool CheckCode(uintptr_t address, const std::string& where, std::string_view field);
  bool CheckArray(const void* from, uint64_t n, uint64_t most, const std::string& where, std::string_view field);
  bool CheckSize(uint32_t size, size_t least, const std::string& where);
  // Subtracts n bytes from the total limit for copies.
  bool Spend(uint64_t n, const std::string& where);

  const FileSegments& file_;
  const uint32_t level_;
  uint64_t budget_ = 64 << 20;
  std::string problem_;
};

template <typename T>
bool TableReader::Struct(const T* from, const std::string& where, T* to) {
  static_assert(offsetof(T, size) == 0);
  *to = {};
  if (from == nullptr) return Fail(where, "is NULL");
  uint32_t size = 0;
  if (!CheckedRead(from, sizeof(size), &size)) return FailUnreadable(where, "");
  if (!CheckSize(size, kLevel1Size<T>, where) || !Spend(sizeof(T), where)) return false;
  return CheckedRead(from, std::min(size, SizeAt<T>(level_)), to) || FailUnreadable(where, "");
}

template <typename T>
bool TableReader::Array(const T* from, uint64_t n, uint64_t most, const std::string& where, std::string_view field,
                        std::vector<T>* to) {
  if (n == 0) return true;
  if (!CheckArray(from, n, most, where, field) || !Spend(n * sizeof(T), where)) return false;
  to->resize(n);
  return CheckedRead(from, n * sizeof(T), to->data()) || FailUnreadable(where, field);
}

}  // namespace opsrun::host
