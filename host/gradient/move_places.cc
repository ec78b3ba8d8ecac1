// host/gradient/move_places.cc: see move_places.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/move_places.h"

namespace opsrun::host {

void MovePlaces(const Span& span, Value& value) {
  value.span = span;
  for (Value& item : value.items) MovePlaces(span, item);
  for (Value::Entry& entry : value.entries) {
    entry.key_span = span;
    MovePlaces(span, entry.value);
  }
}

void MovePlaces(const Span& span, Node& node) {
  node.name.span = node.op.span = node.inputs_span = node.span = span;
  for (NodeInput& input : node.inputs) {
    input.arg.span = input.span = span;
    for (Reference& reference : input.from) reference.span = span;
  }
  for (NodeAttr& attr : node.attrs) {
    attr.name.span = span;
    MovePlaces(span, attr.value);
  }
  if (node.label) node.label->span = span;
  if (node.device) node.device->span = span;
}

}  // namespace opsrun::host
