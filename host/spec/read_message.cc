// host/spec/read_message.cc: see read_message.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/read_message.h"

#include "host/base/near_names.h"

namespace opsrun::host::spec {
namespace {

// [v, v]: not empty, no comma at the end.
bool ReadValues(TextCursor* cursor, const MessageField& field) {
  do {
    cursor->SkipBlanksAndComments();
    if (!field.read(cursor)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->RefuseUnexpected("',' or ']'");
}

// What stands after a field's name.
bool ReadFieldValue(TextCursor* cursor, const MessageField& field) {
  cursor->SkipBlanksAndComments();
  if (!cursor->Take(':') && !field.is_message) return cursor->RefuseUnexpected("':'");
  cursor->SkipBlanksAndComments();
  if (field.repeated && cursor->Take('[')) return ReadValues(cursor, field);
  return field.read(cursor);
}

}  // namespace

bool ReadMessage(TextCursor* cursor, const std::vector<MessageField>& fields) {
  const char close = cursor->Peek() == '<' ? '>' : '}';
  if (!cursor->Take('{') && !cursor->Take('<')) return cursor->RefuseUnexpected("'{'");
  std::vector<bool> seen(fields.size());
  for (;;) {
    cursor->SkipBlanksAndComments();
    if (cursor->Take(close)) return true;
    const size_t begin = cursor->offset();
    std::string_view name = cursor->TakeWhile(IsNameChar);
    if (name.empty()) return cursor->RefuseUnexpected(close == '}' ? "a field or '}'" : "a field or '>'");
    size_t i = 0;
    while (i < fields.size() && fields[i].name != name) ++i;
    if (i == fields.size()) {
      std::vector<std::string> names;
      for (const MessageField& field : fields) names.emplace_back(field.name);
      return cursor->RefuseAt(
          begin, "there is no field '" + std::string(name) + "' here; " + DidYouMean(name, names, "fields"));
    }
    if (seen[i] && !fields[i].repeated) {
      return cursor->RefuseAt(begin, "field '" + std::string(name) + "' is given twice");
    }
    seen[i] = true;
    if (!ReadFieldValue(cursor, fields[i])) return false;
  }
}

}  // namespace opsrun::host::spec
