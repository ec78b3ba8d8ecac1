// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

// Reads "(m,k),(k,n)->(m,n)".
class BatchParser : SpecParser {
 public:
  explicit BatchParser(const std::string& spec) : SpecParser(spec) {}

  std::optional<SpecError> Parse(const OpDef& op, const std::string& what, BatchDef* batch) {
    batch->text = spec_;
    const bool read = Groups("input", op.inputs.size(), &batch->inputs) && Arrow() &&
                      Groups("output", op.outputs.size(), &batch->outputs) && End();
    return read ? std::nullopt : std::optional(Error(what));
  }

 private:
  bool Arrow() { return cursor_.Take("->") || RefuseUnexpected("batch_form", "'->'"); }

  bool End() {
    cursor_.SkipBlanks();
    return cursor_.AtEnd() || RefuseUnexpected("batch_form", "the end");
  }

  bool Groups(const char* of, size_t expected, std::vector<uint32_t>* sizes) {
    const size_t begin = cursor_.offset();
    cursor_.SkipBlanks();
    if (cursor_.Peek() == '(') {
      do {
        if (!Group(&sizes->emplace_back(0))) return false;
        cursor_.SkipBlanks();
      } while (cursor_.Take(','));
    }
    return sizes->size() == expected || RefuseAt(begin, "batch_count",
                                                 fmt::format("it has sizes of {}, but the op has {}",
                                                             Several(sizes->size(), of), Several(expected, of)));
  }

  // "(m,k)"
  bool Group(uint32_t* n) {
    cursor_.SkipBlanks();
    if (!cursor_.Take('(')) return RefuseUnexpected("batch_form", "'('");
    cursor_.SkipBlanks();
    if (cursor_.Take(')')) return true;
    do {
      cursor_.SkipBlanks();
      if (cursor_.TakeWhile(IsNameChar).empty()) return RefuseUnexpected("batch_form", "the name of a size");
      cursor_.SkipBlanks();
      if (++*n > OPSRUN_MAX_RANK) return Refuse("batch_form", fmt::format("more than {} sizes", OPSRUN_MAX_RANK));
    } while (cursor_.Take(','));
    return cursor_.Take(')') || RefuseUnexpected("batch_form", "',' or ')'");
  }
};

}  // namespace

std::optional<SpecError> ParseBatch(const std::string& text, OpDef* op) {
  op->batch.reset();
  BatchDef batch;
  const bool broadcasts = (op->flags & OPSRUN_OP_BROADCASTS) != 0;
  std::optional<SpecError> error = BatchParser(text).Parse(*op, broadcasts ? "Broadcasts" : "Batches", &batch);
  if (!error) op->batch = std::move(batch);
  return error;
}

}  // namespace opsrun::host::spec
