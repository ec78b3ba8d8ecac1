// host/run/resource_slots.cc: objects that kernels share by name.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/run/host_slots.h"
#include "host/run/host_table.h"

namespace opsrun::host::slots {
namespace {

// The resources of a call or a create, and the plugin of its kernel; false for other structs.
bool FindResources(void* where, Resources** resources, const void** plugin) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      const auto* call = static_cast<const opsrun_call*>(where);
      *resources = SlotsOf(call).resources();
      *plugin = SlotsOf(call).StepOf(call).kernel->plugin;
      return *resources != nullptr;
    }
    case OPSRUN_KIND_CREATE:
      *resources = CreateCallOf(where).resources;
      *plugin = CreateCallOf(where).plugin;
      return *resources != nullptr;
    default:
      return false;
  }
}

// Creates an object, which may throw.
struct Maker {
  void* where;
  int32_t (*make)(void*, void**);
  void* ctx;

  static int32_t Run(void* maker, void** object) {
    const Maker& it = *static_cast<Maker*>(maker);
    return CallPlugin(it.where, "the maker of a resource", [&] { return it.make(it.ctx, object); });
  }
};

// Does not record a failure of the call: a kernel may go on if a resource is not found.
int32_t RefuseResource(void* where, int32_t code, const char* function, opsrun_str name, opsrun_str container) {
  const char* why = code == OPSRUN_NOT_FOUND ? "there is no" : "cannot make";
  const std::string in = container.size == 0 ? "" : fmt::format(" in container '{}'", TextOfPlugin(container));
  return Refuse(HostAt(where), code, fmt::format("{}: {} object '{}'{}", function, why, TextOfPlugin(name), in));
}

}  // namespace

int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (!FindResources(where, &resources, &plugin)) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", TextOfPlugin(name)),
                  "");
  }
  Maker maker{where, make, ctx};
  const int32_t code =
      resources->FindOrMake({plugin, TextOfPlugin(container), TextOfPlugin(name), TextOfPlugin(type)},
                            {make == nullptr ? nullptr : Maker::Run, &maker, destroy}, ShareHost(HostAt(where)), r);
  return code == OPSRUN_OK ? code : RefuseResource(where, code, "resource", name, container);
}

int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (!FindResources(where, &resources, &plugin)) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", TextOfPlugin(name)),
                  "");
  }
  const int32_t code = resources->Delete({plugin, TextOfPlugin(container), TextOfPlugin(name), TextOfPlugin(type)});
  return code == OPSRUN_OK ? code : RefuseResource(where, code, "resource_delete", name, container);
}

}  // namespace opsrun::host::slots
