// host/run/resource_slots.cc: objects that kernels share by name.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/call_arrays.h"
#include "host/run/call_slots.h"
#include "host/run/host_table.h"

namespace opsrun::host::slots {
namespace {

// Calls act(resources, key) for the resources of a call or a create. Fails if there are none. If `act` fails, the call
// does not: a kernel may go on if a resource is not found.
template <typename Act>
int32_t WithResources(void* where, const char* function, opsrun_str container, opsrun_str name, opsrun_str type,
                      const Act& act) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (KindOf(where) == OPSRUN_KIND_CALL) {
    const auto* call = static_cast<const opsrun_call*>(where);
    resources = SlotsOf(call).resources();
    plugin = SlotsOf(call).StepOf(call).kernel()->plugin->identity();
  } else if (KindOf(where) == OPSRUN_KIND_CREATE) {
    resources = CreateCallOf(where).resources;
    plugin = CreateCallOf(where).plugin;
  }
  const std::string called = TextOfPlugin(name), in = TextOfPlugin(container);
  if (resources == nullptr) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", called), "");
  }
  const int32_t code = act(*resources, ResourceKey{plugin, in, called, TextOfPlugin(type)});
  if (code == OPSRUN_OK) return code;
  const char* why = code == OPSRUN_NOT_FOUND ? "there is no" : "cannot make";
  return Refuse(HostAt(where), code,
                fmt::format("{}: {} object '{}'{}", function, why, called,
                            container.size == 0 ? "" : fmt::format(" in container '{}'", in)));
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

}  // namespace

int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  Maker maker{where, make, ctx};
  return WithResources(where, "resource", container, name, type, [&](Resources& resources, const ResourceKey& key) {
    return resources.FindOrMake(key, {make == nullptr ? nullptr : Maker::Run, &maker, destroy},
                                ShareHost(HostAt(where)), r);
  });
}

int32_t ResourceObject(const opsrun_resource* r, const opsrun_plugin* plugin, opsrun_str type, void** obj) {
  if (!Resources::IsOf(r, plugin, {type.data, type.size})) return OPSRUN_INVALID_ARGUMENT;
  *obj = r->obj;
  return OPSRUN_OK;
}

int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  return WithResources(where, "resource_delete", container, name, type,
                       [](Resources& resources, const ResourceKey& key) { return resources.Delete(key); });
}

}  // namespace opsrun::host::slots
