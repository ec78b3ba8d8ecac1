// host/yaml/read_yaml.cc: text to Value, by threads if it is long.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/read_yaml.h"

#include <iterator>
#include <utility>
#include <vector>

#include "host/yaml/check_characters.h"
#include "host/yaml/parse_yaml.h"
#include "host/yaml/pieces.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scan_text.h"

namespace opsrun::host {
namespace {

// Nothing if it cannot be cut, or has a mistake: whoever reads the whole says what it is.
std::optional<Value> ReadInPieces(const SourceFile& source, const ScannedText& scanned, const ReadingThreads& threads) {
  std::optional<CutText> cut = CutLongestSection(source.text, scanned, threads.most, threads.least_bytes);
  if (!cut) return std::nullopt;
  std::vector<PlacedText> texts = {std::move(cut->rest)};
  std::move(cut->pieces.begin(), cut->pieces.end(), std::back_inserter(texts));
  return JoinParts(source, cut->section_line, ParseAtOnce(source, scanned, texts));
}

}  // namespace

std::optional<Value> ReadYaml(const SourceFile& source, Diagnostics& diagnostics, const ReadingThreads& threads) {
  Reporter reporter(source, diagnostics);
  if (!CheckCharacters(reporter)) return std::nullopt;
  const std::optional<ScannedText> scanned = ScanText(reporter);
  if (!scanned) return std::nullopt;
  if (std::optional<Value> root = ReadInPieces(source, *scanned, threads)) return root;
  ParsedText parsed = ParseText(source, *scanned, {source.text});
  std::vector<Diagnostic>& found = parsed.diagnostics.all();
  std::move(found.begin(), found.end(), std::back_inserter(diagnostics.all()));
  return std::move(parsed.root);
}

}  // namespace opsrun::host
