// host/cli/diagnostic_json.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/diagnostic_json.h"

#include <nlohmann/json.hpp>

namespace opsrun::host {
namespace {

using Json = nlohmann::ordered_json;

Json PositionJson(const Position& p) {
  return {{"line", p.line}, {"column", p.column}};
}

Json SpanJson(const Span& span, const std::string& label, bool primary) {
  return {{"primary", primary}, {"label", label}, {"begin", PositionJson(span.begin)}, {"end", PositionJson(span.end)}};
}

std::string OneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string DiagnosticJson(const Diagnostic& d) {
  Json spans = Json::array();
  if (d.where.known()) spans.push_back(SpanJson(d.where, d.label, true));
  for (const Label& label : d.also) {
    if (label.span.known()) spans.push_back(SpanJson(label.span, label.text, false));
  }
  return OneLine({{"level", d.severity == Diagnostic::Severity::kError ? "error" : "warning"},
                  {"code", d.code},
                  {"message", d.message},
                  {"file", d.file.empty() ? Json() : Json(d.file)},
                  {"spans", spans},
                  {"help", Json(d.help)},
                  {"notes", Json(d.notes)}});
}

std::string RemarkJson(std::string_view level, std::string_view text) {
  return OneLine({{"level", level}, {"message", text}});
}

}  // namespace opsrun::host
