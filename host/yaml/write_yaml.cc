// host/yaml/write_yaml.cc: libyaml's emitter.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/write_yaml.h"

#include <yaml.h>

#include <new>
#include <string_view>
#include <utility>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr int kBlockLevels = 2;  // of maps: the sections of a graph, and what is in them

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const size_t size = DecodeUtf8(text).size;
    valid += size == 0 ? kReplacementCharacter : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return valid;
}

class Writer {
 public:
  Writer() {
    if (yaml_emitter_initialize(&emitter_) == 0) throw std::bad_alloc();
    yaml_emitter_set_output(&emitter_, Append, &text_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
  }
  Writer(const Writer&) = delete;
  ~Writer() { yaml_emitter_delete(&emitter_); }

  std::string Write(const Value& root) {
    yaml_event_t event;
    Emit(yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING), event);
    Emit(yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1), event);
    WriteValue(root, 0);
    Emit(yaml_document_end_event_initialize(&event, 1), event);
    Emit(yaml_stream_end_event_initialize(&event), event);
    return std::move(text_);
  }

 private:
  static int Append(void* text, unsigned char* bytes, size_t size) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  // The emitter takes the event over. It fails only without memory: the events are of one tree.
  void Emit(int made, yaml_event_t& event) {
    if (made == 0 || yaml_emitter_emit(&emitter_, &event) == 0) throw std::bad_alloc();
  }

  void WriteScalar(const std::string& given, bool quoted) {
    const std::string text = ReplaceInvalidUtf8(given);
    const yaml_scalar_style_t style = quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE;
    auto* const bytes = const_cast<yaml_char_t*>(reinterpret_cast<const yaml_char_t*>(text.data()));
    yaml_event_t event;
    Emit(yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes, static_cast<int>(text.size()), 1, 1, style),
         event);
  }

  void WriteList(const Value& list) {
    yaml_event_t event;
    Emit(yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, YAML_FLOW_SEQUENCE_STYLE), event);
    for (const Value& item : list.items) WriteValue(item, kBlockLevels);
    Emit(yaml_sequence_end_event_initialize(&event), event);
  }

  void WriteMap(const Value& map, int level) {
    const yaml_mapping_style_t style = level < kBlockLevels ? YAML_BLOCK_MAPPING_STYLE : YAML_FLOW_MAPPING_STYLE;
    yaml_event_t event;
    Emit(yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style), event);
    for (const Value::Entry& entry : map.entries) {
      WriteScalar(entry.key, false);
      WriteValue(entry.value, level + 1);
    }
    Emit(yaml_mapping_end_event_initialize(&event), event);
  }

  void WriteValue(const Value& value, int level) {
    switch (value.kind) {
      case Value::Kind::kNull:
        return WriteScalar("null", false);
      case Value::Kind::kScalar:
        return WriteScalar(value.text, value.quoted);
      case Value::Kind::kList:
        return WriteList(value);
      case Value::Kind::kMap:
        return WriteMap(value, level);
    }
  }

  yaml_emitter_t emitter_;
  std::string text_;
};

}  // namespace

std::string WriteYaml(const Value& root) {
  return Writer().Write(root);
}

}  // namespace opsrun::host
