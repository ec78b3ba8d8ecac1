// host/spec/read_shape.cc: see read_shape.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/read_shape.h"

#include <limits>
#include <utility>

#include "host/spec/read_literal.h"
#include "host/spec/read_message.h"

namespace opsrun::host::spec {
namespace {

// { size: 2 name: 'rows' }. A dim without size has size 0; names are read and dropped.
bool ReadDim(TextCursor* cursor, int64_t* size, std::string* problem) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  std::string name;
  *size = 0;
  return ReadMessage(
      cursor,
      {{"size", false, false, [size](TextCursor* c, std::string* p) { return ReadInt(c, -1, kLargest, size, p); }},
       {"name", false, false, [&name](TextCursor* c, std::string* p) { return ReadString(c, &name, p); }}},
      problem);
}

}  // namespace

bool ReadShape(TextCursor* cursor, PartialShape* shape, std::string* problem) {
  const size_t begin = cursor->offset();
  PartialShape read;
  bool unknown_rank = false;
  auto dim = [&read](TextCursor* c, std::string* p) {
    int64_t size = 0;
    if (!ReadDim(c, &size, p)) return false;
    read.dims.push_back(size);
    return true;
  };
  auto rank = [&unknown_rank](TextCursor* c, std::string* p) { return ReadBool(c, &unknown_rank, p); };
  if (!ReadMessage(cursor, {{"dim", true, true, dim}, {"unknown_rank", false, false, rank}}, problem)) return false;
  read.rank_known = !unknown_rank;
  if (unknown_rank && !read.dims.empty()) *problem = "a shape of unknown rank has no dims";
  if (read.dims.size() > OPSRUN_MAX_RANK) *problem = "this shape has more than 32 dims";
  *shape = std::move(read);
  if (problem->empty()) return true;
  cursor->MoveTo(begin);
  return false;
}

}  // namespace opsrun::host::spec
