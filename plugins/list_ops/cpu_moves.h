// plugins/list_ops/cpu_moves.h: rows moved by the host's threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blocks.h"
#include "opsrun/tstring.h"
#include "rows.h"

namespace list_ops {

struct CpuMoves {
  static opsrun::Status Join(opsrun::OpKernelContext* context, const Rows& rows, const std::vector<const char*>& parts,
                             char* whole) {
    ForBytes(context, rows.bytes(),
             [&](int64_t begin, int64_t end) { list_ops::Join(rows, parts.data(), whole, begin, end); });
    return opsrun::Status::OK();
  }
  static opsrun::Status Cut(opsrun::OpKernelContext* context, const Rows& rows, const char* whole,
                            const std::vector<char*>& parts) {
    ForBytes(context, rows.bytes(),
             [&](int64_t begin, int64_t end) { list_ops::Cut(rows, whole, parts.data(), begin, end); });
    return opsrun::Status::OK();
  }
};

// The same of strings. A row's "bytes" are those of tstring objects.
struct StringMoves {
  static opsrun::Status Join(opsrun::OpKernelContext*, const Rows& rows, const std::vector<const char*>& parts,
                             char* whole) {
    ForRows(rows, parts, [&](const char* part, int64_t in_part, int64_t in_whole) {
      reinterpret_cast<opsrun::tstring*>(whole)[in_whole] = reinterpret_cast<const opsrun::tstring*>(part)[in_part];
    });
    return opsrun::Status::OK();
  }
  static opsrun::Status Cut(opsrun::OpKernelContext*, const Rows& rows, const char* whole,
                            const std::vector<char*>& parts) {
    ForRows(rows, parts, [&](char* part, int64_t in_part, int64_t in_whole) {
      reinterpret_cast<opsrun::tstring*>(part)[in_part] = reinterpret_cast<const opsrun::tstring*>(whole)[in_whole];
    });
    return opsrun::Status::OK();
  }

 private:
  // Calls move(part, index in it, index in the whole) for each element.
  template <typename Part, typename Move>
  static void ForRows(const Rows& rows, const std::vector<Part>& parts, const Move& move) {
    const int64_t n = rows.row_bytes / static_cast<int64_t>(sizeof(opsrun::tstring));
    int64_t in_whole = 0;
    for (int64_t row = 0; row < rows.rows; ++row) {
      for (const Part part : parts) {
        for (int64_t i = 0; i < n; ++i) move(part, row * n + i, in_whole++);
      }
    }
  }
};

}  // namespace list_ops
