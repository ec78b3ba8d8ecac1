// host/spec/parse_default.cc: see parse_default.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_default.h"

#include <string>
#include <vector>

#include "host/spec/read_literal.h"
#include "host/spec/read_message.h"
#include "host/spec/read_tensor.h"

namespace opsrun::host::spec {
namespace {

// { name: 'F' }. The attrs that a function may be given are not part of the contract.
bool ReadFunc(TextCursor* cursor, std::string* name) {
  return ReadMessage(cursor, {{"name", false, false, [=](TextCursor* c) { return ReadString(c, name); }}});
}

template <typename T, typename Element>
bool Append(bool (*read)(TextCursor*, T*), TextCursor* cursor, std::vector<Element>* to) {
  T value{};
  if (!read(cursor, &value)) return false;
  to->push_back(static_cast<Element>(value));
  return true;
}

// Reads one value of the kind of *value and adds it.
bool AppendOne(TextCursor* cursor, AttrValue* value) {
  switch (value->type.kind) {
    case OPSRUN_ATTR_INT:
      return Append(ReadInt<int64_t>, cursor, &value->ints);
    case OPSRUN_ATTR_FLOAT:
      return Append(ReadFloat<float>, cursor, &value->floats);
    case OPSRUN_ATTR_BOOL:
      return Append(ReadBool, cursor, &value->ints);
    case OPSRUN_ATTR_STRING:
      return Append(ReadString, cursor, &value->strings);
    case OPSRUN_ATTR_TYPE:
      return Append(ReadType, cursor, &value->ints);
    case OPSRUN_ATTR_SHAPE:
      return Append(ReadShape, cursor, &value->shapes);
    case OPSRUN_ATTR_TENSOR:
      return Append(ReadTensor, cursor, &value->tensors);
    default:
      return Append(ReadFunc, cursor, &value->strings);
  }
}

bool ReadList(TextCursor* cursor, AttrValue* value) {
  if (!cursor->Take('[')) return cursor->RefuseUnexpected("a list in brackets");
  cursor->SkipBlanks();
  if (cursor->Take(']')) return true;
  do {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->RefuseUnexpected("',' or ']'");
}

}  // namespace

bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value) {
  *value = {};
  value->type = type;
  if (type.list) {
    cursor->SkipBlanks();
    if (!ReadList(cursor, value)) return false;
    cursor->SkipBlanks();
  } else {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value)) return false;
    cursor->SkipBlanksAndComments();
  }
  return cursor->AtEnd() || cursor->Refuse(cursor->Found() + " is left over after the default");
}

}  // namespace opsrun::host::spec
