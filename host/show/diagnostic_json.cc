// SPDX-License-Identifier: Apache-2.0
#include "host/show/diagnostic_json.h"

#include <optional>

namespace opsrun::host {
namespace {

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

Json FrameJson(const StackFrame& frame) {
  return {{"text", frame.text},
          {"function", OrNull(frame.function)},
          {"file", OrNull(frame.file)},
          {"line", frame.line == 0 ? Json() : Json(frame.line)},
          {"module", OrNull(frame.module)},
          {"left_out", frame.left_out}};
}

}  // namespace

Json DiagnosticJson(const Diagnostic& d, const SourceLines* lines) {
  const SourceLines* of_file = lines != nullptr && lines->path() == d.file ? lines : nullptr;
  Json spans = Json::array();
  if (d.where.known()) spans.push_back(SpanJson({d.where, d.label}, true, of_file));
  for (const Label& label : d.also) {
    if (label.span.known()) spans.push_back(SpanJson(label, false, of_file));
  }
  Json json = {{"level", d.severity == Diagnostic::Severity::kError ? "error" : "warning"},
               {"code", d.code.text()},
               {"message", d.message},
               {"file", OrNull(d.file)},
               {"spans", spans},
               {"suggestion", OrNull(d.suggestion)},
               {"help", Json(d.help)},
               {"notes", Json(d.notes)}};
  for (const StackFrame& frame : d.backtrace) json["backtrace"].push_back(FrameJson(frame));
  return json;
}

}  // namespace opsrun::host
