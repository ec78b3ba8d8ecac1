// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/yaml_events.h"

#include <new>

namespace opsrun::host {
namespace {

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

YamlEvent View(const yaml_event_t& raw) {
  const auto& scalar = raw.data.scalar;
  switch (raw.type) {
    case YAML_SCALAR_EVENT:
      return {raw.type,
              scalar.style,
              {reinterpret_cast<const char*>(scalar.value), scalar.length},
              View(scalar.anchor),
              View(scalar.tag)};
    case YAML_ALIAS_EVENT:
      return {raw.type, {}, View(raw.data.alias.anchor)};
    case YAML_SEQUENCE_START_EVENT:
      return {raw.type, {}, {}, View(raw.data.sequence_start.anchor), View(raw.data.sequence_start.tag)};
    case YAML_MAPPING_START_EVENT:
      return {raw.type, {}, {}, View(raw.data.mapping_start.anchor), View(raw.data.mapping_start.tag)};
    default:
      return {raw.type};
  }
}

}  // namespace

YamlEvents::YamlEvents(std::string_view text) : places_(text) {
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlEvents::~YamlEvents() {
  yaml_event_delete(&raw_);
  yaml_parser_delete(&parser_);
}

const YamlEvent* YamlEvents::Next() {
  yaml_event_delete(&raw_);
  if (yaml_parser_parse(&parser_, &raw_) == 0) {
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    return nullptr;
  }
  event_ = View(raw_);
  event_.span = {PositionOf(raw_.start_mark), PositionOf(raw_.end_mark)};
  event_.extent = {places_.OffsetOf(event_.span.begin), places_.OffsetOf(event_.span.end)};
  return &event_;
}

YamlProblem YamlEvents::problem() {
  return {parser_.problem == nullptr ? "" : parser_.problem, parser_.context == nullptr ? "" : parser_.context,
          PositionOf(parser_.problem_mark), PositionOf(parser_.context_mark)};
}

}  // namespace opsrun::host
