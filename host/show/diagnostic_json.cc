// host/show/diagnostic_json.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/diagnostic_json.h"

#include <nlohmann/json.hpp>

namespace opsrun::host {
namespace {

using Json = nlohmann::ordered_json;

Json PositionJson(const Position& p, const SourceLines* lines) {
  const std::optional<size_t> byte = lines == nullptr ? std::nullopt : lines->ByteOffset(p);
  return {{"line", p.line}, {"column", p.column}, {"byte", byte ? Json(*byte) : Json()}};
}

Json SpanJson(const Label& label, bool primary, const SourceLines* lines) {
  return {{"primary", primary},
          {"label", label.text},
          {"begin", PositionJson(label.span.begin, lines)},
          {"end", PositionJson(label.span.end, lines)}};
}

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

std::string OneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string DiagnosticJson(const Diagnostic& d, const SourceLines* lines) {
  const SourceLines* of_file = lines != nullptr && lines->path() == d.file ? lines : nullptr;
  Json spans = Json::array();
  if (d.where.known()) spans.push_back(SpanJson({d.where, d.label}, true, of_file));
  for (const Label& label : d.also) {
    if (label.span.known()) spans.push_back(SpanJson(label, false, of_file));
  }
  return OneLine({{"level", d.severity == Diagnostic::Severity::kError ? "error" : "warning"},
                  {"code", d.code.text()},
                  {"message", d.message},
                  {"file", TextOrNull(d.file)},
                  {"spans", spans},
                  {"suggestion", TextOrNull(d.suggestion)},
                  {"help", Json(d.help)},
                  {"notes", Json(d.notes)}});
}

std::string RemarkJson(std::string_view level, std::string_view text) {
  return OneLine({{"level", level}, {"message", text}});
}

}  // namespace opsrun::host
