// host/yaml/value.cc: YAML as our own small tree.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/value.h"

#include "host/yaml/scalar.h"

namespace opsrun::host {

const Value* Value::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string KindText(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a map";
    case Value::Kind::kScalar:
      break;
  }
  if (AsBool(value)) return "a boolean";
  if (AsInt(value) || AsUint(value)) return "an integer";
  if (AsFloat(value)) return "a decimal number";
  return "a string";
}

}  // namespace opsrun::host
