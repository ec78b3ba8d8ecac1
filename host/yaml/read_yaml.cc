// host/yaml/read_yaml.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/read_yaml.h"

#include "host/yaml/check_characters.h"
#include "host/yaml/reporter.h"
#include "host/yaml/tree_reader.h"

namespace opsrun::host {

std::optional<Value> ReadYaml(const SourceFile& source, Diagnostics& diagnostics) {
  Reporter reporter(source, diagnostics);
  if (!CheckCharacters(reporter)) return std::nullopt;
  return ReadTree(reporter);
}

}  // namespace opsrun::host
