// host/yaml/sentences.h: what the YAML parser complains of, in words for the person who wrote the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

struct YamlSentence {
  std::string message;
  std::string help;
};

// `complaint` is the parser's own text. `rest` is the line from the place that it names.
YamlSentence ExplainYamlError(std::string_view complaint, std::string_view rest);

}  // namespace opsrun::host
