// host/yaml/parse_yaml.cc: the parser of yaml-cpp, driven. Its exceptions stop here.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/parse_yaml.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <future>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "host/yaml/reporter.h"
#include "host/yaml/sentences.h"
#include "host/yaml/tree_builder.h"

namespace opsrun::host {
namespace {

void ReportParserError(const YAML::Exception& exception, Reporter& reporter) {
  const Position begin = exception.mark.is_null() ? Position{1, 1}
                                                  : Position{static_cast<uint32_t>(exception.mark.line) + 1,
                                                             static_cast<uint32_t>(exception.mark.column) + 1};
  const std::string_view line = reporter.source().Line(begin.line);
  const std::string_view rest = line.substr(std::min<size_t>(begin.column - 1, line.size()));
  const YamlSentence sentence = ExplainYamlError(exception.msg, rest);
  Diagnostic& error = reporter.Error("G006", {begin, {begin.line, begin.column + 1}}, sentence.message);
  error.help.push_back(sentence.help);
}

// Whether the parser read to the end.
bool Drive(const std::string& text, TreeBuilder& builder, Reporter& reporter) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
    return true;
  } catch (const TreeBuilder::Stop&) {
  } catch (const YAML::Exception& exception) {
    ReportParserError(exception, reporter);
  } catch (const std::exception& exception) {
    reporter.Error("G006", {{1, 1}, {1, 2}}, fmt::format("the YAML parser failed: {}", exception.what()));
  }
  return false;
}

}  // namespace

ParsedText ParseText(const SourceFile& source, const ScannedText& scanned, const PlacedText& placed) {
  ParsedText parsed;
  Reporter reporter(source, parsed.diagnostics);
  TreeBuilder builder(scanned, placed.lines_before, reporter);
  if (!Drive(placed.text, builder, reporter)) return parsed;
  parsed.values = builder.values();
  if (builder.complete()) {
    parsed.root = builder.TakeRoot();
  } else {
    reporter.Error("G011", {{1, 1}, {1, 2}}, "the file is empty").help.push_back("begin with 'opsrun: 1'");
  }
  return parsed;
}

std::vector<ParsedText> ParseAtOnce(const SourceFile& source, const ScannedText& scanned,
                                    const std::vector<PlacedText>& texts) {
  std::vector<std::future<ParsedText>> others;
  const auto parse = [&](size_t i) { return ParseText(source, scanned, texts[i]); };
  std::vector<ParsedText> parsed;
  try {
    for (size_t i = 1; i < texts.size(); ++i) others.push_back(std::async(std::launch::async, parse, i));
    parsed.push_back(parse(0));
    for (std::future<ParsedText>& other : others) parsed.push_back(other.get());
  } catch (const std::system_error&) {  // no more threads: their futures have waited for those that there are
    parsed.clear();
  }
  return parsed;
}

}  // namespace opsrun::host
