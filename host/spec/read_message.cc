// host/spec/read_message.cc: see read_message.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/read_message.h"

#include "host/base/near_names.h"

namespace opsrun::host::spec {
namespace {

// [v, v]: not empty, no comma at the end.
bool ReadValues(TextCursor* cursor, const MessageField& field, std::string* problem) {
  do {
    cursor->SkipBlanksAndComments();
    if (!field.read(cursor, problem)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->Refuse("',' or ']'", problem);
}

// What stands after a field's name.
bool ReadFieldValue(TextCursor* cursor, const MessageField& field, std::string* problem) {
  cursor->SkipBlanksAndComments();
  if (!cursor->Take(':') && !field.is_message) return cursor->Refuse("':'", problem);
  cursor->SkipBlanksAndComments();
  if (field.repeated && cursor->Take('[')) return ReadValues(cursor, field, problem);
  return field.read(cursor, problem);
}

bool RefuseField(std::string_view name, const std::vector<MessageField>& fields, std::string* problem) {
  std::vector<std::string> names;
  for (const MessageField& field : fields) names.emplace_back(field.name);
  *problem = "there is no field '" + std::string(name) + "' here; " + DidYouMean(name, names, "fields");
  return false;
}

}  // namespace

bool ReadMessage(TextCursor* cursor, const std::vector<MessageField>& fields, std::string* problem) {
  const char close = cursor->Peek() == '<' ? '>' : '}';
  if (!cursor->Take('{') && !cursor->Take('<')) return cursor->Refuse("'{'", problem);
  std::vector<bool> seen(fields.size());
  for (;;) {
    cursor->SkipBlanksAndComments();
    if (cursor->Take(close)) return true;
    const size_t begin = cursor->offset();
    std::string_view name = cursor->TakeWhile(IsNameChar);
    if (name.empty()) return cursor->Refuse(close == '}' ? "a field or '}'" : "a field or '>'", problem);
    size_t i = 0;
    while (i < fields.size() && fields[i].name != name) ++i;
    if (i == fields.size()) {
      cursor->MoveTo(begin);
      return RefuseField(name, fields, problem);
    }
    if (seen[i] && !fields[i].repeated) {
      cursor->MoveTo(begin);
      *problem = "field '" + std::string(name) + "' is given twice";
      return false;
    }
    seen[i] = true;
    if (!ReadFieldValue(cursor, fields[i], problem)) return false;
  }
}

}  // namespace opsrun::host::spec
