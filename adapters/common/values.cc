// adapters/common/values.cc
// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <algorithm>
#include <iterator>

#include "engine.h"

namespace opsrun_adapter {

uint32_t KindOf(std::string_view type) {
  static constexpr std::string_view kTypes[] = {"int", "float", "bool", "string", "type", "shape", "tensor", "func"};
  static_assert(OPSRUN_ATTR_INT == 1 && OPSRUN_ATTR_FLOAT == 2 && OPSRUN_ATTR_BOOL == 3 && OPSRUN_ATTR_STRING == 4 &&
                OPSRUN_ATTR_TYPE == 5 && OPSRUN_ATTR_SHAPE == 6 && OPSRUN_ATTR_TENSOR == 7 && OPSRUN_ATTR_FUNC == 8);
  if (type.substr(0, 5) == "list(") return KindOf(type.substr(5, type.size() - 6)) | OPSRUN_ATTR_LIST;
  return 1 + static_cast<uint32_t>(std::find(std::begin(kTypes), std::end(kTypes) - 1, type) - std::begin(kTypes));
}

void AttrList::Begin(std::string_view name, uint32_t kind) {
  list_.push_back({Keep(name), kind, {}, {}, {}, {}, {}});
}

void AttrList::AddShape(std::vector<int64_t> sizes) {
  const std::vector<int64_t>& kept = sizes_.emplace_back(std::move(sizes));
  list_.back().shapes.push_back({static_cast<int32_t>(kept.size()), 0, kept.data()});
}

std::vector<opsrun_attr> AttrList::all() const {
  std::vector<opsrun_attr> attrs;
  for (const Values& values : list_) {
    opsrun_attr& attr = attrs.emplace_back(opsrun_attr{});
    attr.name = values.name;
    attr.kind = values.kind;
    attr.count =
        values.ints.size() + values.floats.size() + values.strs.size() + values.shapes.size() + values.tensors.size();
    const bool list = (values.kind & OPSRUN_ATTR_LIST) != 0;
    switch (values.kind & ~OPSRUN_ATTR_LIST) {
      case OPSRUN_ATTR_FLOAT:
        list ? void(attr.v.floats = values.floats.data()) : void(attr.v.f = values.floats[0]);
        break;
      case OPSRUN_ATTR_STRING:
      case OPSRUN_ATTR_FUNC:
        list ? void(attr.v.strs = values.strs.data()) : void(attr.v.s = values.strs[0]);
        break;
      case OPSRUN_ATTR_SHAPE:
        attr.v.shapes = values.shapes.data();
        break;
      case OPSRUN_ATTR_TENSOR:
        attr.v.tensors = values.tensors.data();
        break;
      default:
        list ? void(attr.v.ints = values.ints.data()) : void(attr.v.i = values.ints[0]);
    }
  }
  return attrs;
}

opsrun_str AttrList::Keep(std::string_view text) {
  return Str(texts_.emplace_back(text));
}

}  // namespace opsrun_adapter
