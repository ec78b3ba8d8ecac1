// host/spec/parse_default.cc: see parse_default.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_default.h"

#include <limits>

#include "host/spec/read_literal.h"
#include "host/spec/read_message.h"
#include "host/spec/read_shape.h"
#include "host/spec/read_tensor.h"

namespace opsrun::host::spec {
namespace {

// { name: 'F' }. The attrs that a function may be given are not part of the contract.
bool ReadFunc(TextCursor* cursor, std::string* name, std::string* problem) {
  auto read = [name](TextCursor* c, std::string* p) { return ReadString(c, name, p); };
  return ReadMessage(cursor, {{"name", false, false, read}}, problem);
}

bool AppendFloat(TextCursor* cursor, AttrValue* value, std::string* problem) {
  float number = 0;
  if (!ReadFloat(cursor, &number, problem)) return false;
  value->floats.push_back(number);
  return true;
}

bool AppendBool(TextCursor* cursor, AttrValue* value, std::string* problem) {
  bool truth = false;
  if (!ReadBool(cursor, &truth, problem)) return false;
  value->ints.push_back(truth ? 1 : 0);
  return true;
}

bool AppendType(TextCursor* cursor, AttrValue* value, std::string* problem) {
  DType dtype = DType::kInvalid;
  if (!ReadType(cursor, &dtype, problem)) return false;
  value->ints.push_back(DTypeNumber(dtype));
  return true;
}

// Reads one value of the kind of *value and adds it.
bool AppendOne(TextCursor* cursor, AttrValue* value, std::string* problem) {
  using Int64 = std::numeric_limits<int64_t>;
  switch (value->type.kind) {
    case OPSRUN_ATTR_INT:
      return ReadInt(cursor, Int64::min(), Int64::max(), &value->ints.emplace_back(), problem);
    case OPSRUN_ATTR_FLOAT:
      return AppendFloat(cursor, value, problem);
    case OPSRUN_ATTR_BOOL:
      return AppendBool(cursor, value, problem);
    case OPSRUN_ATTR_STRING:
      return ReadString(cursor, &value->strings.emplace_back(), problem);
    case OPSRUN_ATTR_TYPE:
      return AppendType(cursor, value, problem);
    case OPSRUN_ATTR_SHAPE:
      return ReadShape(cursor, &value->shapes.emplace_back(), problem);
    case OPSRUN_ATTR_TENSOR:
      return ReadTensor(cursor, &value->tensors.emplace_back(), problem);
    default:
      return ReadFunc(cursor, &value->strings.emplace_back(), problem);
  }
}

bool ReadList(TextCursor* cursor, AttrValue* value, std::string* problem) {
  if (!cursor->Take('[')) return cursor->Refuse("a list in brackets", problem);
  cursor->SkipBlanks();
  if (cursor->Take(']')) return true;
  do {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value, problem)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->Refuse("',' or ']'", problem);
}

}  // namespace

bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value, std::string* problem) {
  problem->clear();
  *value = {};
  value->type = type;
  if (type.list) {
    cursor->SkipBlanks();
    if (!ReadList(cursor, value, problem)) return false;
    cursor->SkipBlanks();
  } else {
    cursor->SkipBlanksAndComments();
    if (!AppendOne(cursor, value, problem)) return false;
    cursor->SkipBlanksAndComments();
  }
  if (cursor->AtEnd()) return true;
  *problem = cursor->Found() + " is left over after the default";
  return false;
}

}  // namespace opsrun::host::spec
