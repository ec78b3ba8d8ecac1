// plugins/list_ops/cpu_moves.h: rows moved by the host's threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "blocks.h"
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

}  // namespace list_ops
