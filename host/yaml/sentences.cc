// host/yaml/sentences.cc: what the YAML parser complains of, in words for the person who wrote the file.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/sentences.h"

#include <fmt/core.h>

#include <algorithm>

#include "host/yaml/reporter.h"

namespace opsrun::host {
namespace {

std::string FirstWord(std::string_view rest) {
  return Quote(rest.substr(0, std::min(rest.find_first_of(" \t,]}\r"), rest.size())));
}

bool Holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

YamlSentence ExplainYamlError(std::string_view complaint, std::string_view rest) {
  if (Holds(complaint, "illegal map value")) {
    return {"this ':' belongs to no key of the map around it",
            "begin all keys of a map in the same column, end each with ':', and quote a value that holds ': '"};
  }
  if (Holds(complaint, "end of map not found") || Holds(complaint, "end of sequence not found")) {
    return {fmt::format("{} does not fit what stands above it or before it", FirstWord(rest)),
            "begin all keys of a map, or all '-' of a list, in the same column"};
  }
  if (Holds(complaint, "illegal block entry")) {
    return {"a list cannot begin here with '-'", "begin each item on a line of its own, or write [a, b]"};
  }
  if (Holds(complaint, "flow not found")) {
    return {fmt::format("{} does not fit into the brackets around it", FirstWord(rest)), "put ',' between values"};
  }
  if (Holds(complaint, "unknown token")) {
    return {fmt::format("{} cannot begin a value", FirstWord(rest.substr(0, 1))), "put the text in quotes"};
  }
  if (Holds(complaint, "anchor is not defined")) {
    return {fmt::format("no anchor is named {}", FirstWord(rest.substr(rest.empty() ? 0 : 1))),
            "an anchor '&name' stands before its alias '*name'"};
  }
  if (Holds(complaint, "escape")) {
    return {fmt::format("a text in double quotes has a bad escape: {}", complaint),
            "write a backslash as \\\\, or use single quotes"};
  }
  return {fmt::format("this is not valid YAML: {}", complaint),
          "see docs/graph_format.md for the forms that a graph uses"};
}

}  // namespace opsrun::host
