// tests/vectors/naming.cc: what ops and attrs are called in wrappers.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/naming.h"

#include "tests/vectors/section.h"

namespace opsrun::vectors {

Verdict RunNaming(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "camel", "snake", "op", "python", "snake_attr", "setter"});
  if (entry.Find("camel") != nullptr) return {entry["snake"].AsText(), host::spec::SnakeCase(entry.Text("camel")), {}};
  if (entry.Find("op") != nullptr) {
    return {entry["python"].AsText(), host::spec::PythonSignature(OpOf(entry["op"])), {}};
  }
  return {entry["setter"].AsText(), host::spec::SetterName(entry["snake_attr"].AsText()), {}};
}

}  // namespace opsrun::vectors
