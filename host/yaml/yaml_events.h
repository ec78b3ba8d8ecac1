// host/yaml/yaml_events.h: parses YAML text into events. The only file that uses libyaml's parser.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml.h>

#include <string_view>

#include "host/base/diagnostic.h"
#include "host/yaml/text_places.h"

namespace opsrun::host {

struct YamlEvent {
  yaml_event_type_t type = YAML_NO_EVENT;
  yaml_scalar_style_t style = YAML_ANY_SCALAR_STYLE;
  std::string_view text;    // of a scalar, unescaped; the name of an alias
  std::string_view anchor;  // empty: none
  std::string_view tag;     // in full, "tag:yaml.org,2002:str"; empty: none
  Span span;                // includes anchor and tag; for a list or map, only its beginning
  Extent extent;
};

// Why a text is not YAML, in libyaml's words.
struct YamlProblem {
  std::string_view problem;
  std::string_view context;  // "while scanning a quoted scalar"; may be empty
  Position place;
  Position context_place;
};

class YamlEvents {
 public:
  // Requires: CheckCharacters accepts the text, which must outlive this object.
  explicit YamlEvents(std::string_view text);
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;
  ~YamlEvents();

  // The next event, valid until the next call; null if there is a problem. Throws std::bad_alloc if memory runs out.
  const YamlEvent* Next();

  // Requires: Next has returned null.
  YamlProblem problem();

  const TextPlaces& places() const { return places_; }

 private:
  Position PositionOf(const yaml_mark_t& mark) { return places_.PositionOf(mark.line, mark.column); }

  TextPlaces places_;
  yaml_parser_t parser_{};
  yaml_event_t raw_{};
  YamlEvent event_;
};

}  // namespace opsrun::host
