// opsrun/internal/registration.h: the list of what this plugin registers, and the entry that returns it to a host.
//
// Registrations are static objects that add themselves to the list when the plugin is loaded. All translation units of
// a plugin share the list, and different plugins have different lists. Its names are therefore hidden and outside the
// namespace of the SDK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/namespace.h"

extern "C" {

// One registration: an op, a kernel, or the name of the plugin. It is a static object that is linked into the list when
// it is constructed, and it is never destroyed.
struct opsrun_sdk_registration {
  const opsrun_op* op;
  const opsrun_kernel* kernel;
  const char* name;  // OPSRUN_PLUGIN
  const char* version;
  const char* trouble;  // an error message if this cannot be registered
  opsrun_sdk_registration* next;
};

}  // extern "C"

inline OPSRUN_HIDDEN opsrun_sdk_registration* opsrun_sdk_registrations = nullptr;
inline OPSRUN_HIDDEN opsrun_plugin opsrun_sdk_table = {};

inline OPSRUN_HIDDEN void opsrun_sdk_register(opsrun_sdk_registration* registration) {
  registration->next = opsrun_sdk_registrations;
  opsrun_sdk_registrations = registration;
}

inline OPSRUN_HIDDEN void opsrun_sdk_count(opsrun_plugin* table) {
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    table->n_ops += r->op != nullptr;
    table->n_kernels += r->kernel != nullptr;
    if (r->name != nullptr) {
      table->name = {r->name, strlen(r->name)};
      table->version = {r->version, strlen(r->version)};
    }
  }
}

// Fills the table from the list. The arrays live as long as the process.
inline OPSRUN_HIDDEN __attribute__((cold, noinline)) const opsrun_plugin* opsrun_sdk_make_table() {
  opsrun_plugin* table = &opsrun_sdk_table;
  table->size = sizeof(*table);
  table->header_level = OPSRUN_USE_LEVEL;
  table->min_level = OPSRUN_TARGET_LEVEL;
  table->flags = OPSRUN_BUILD_FLAGS;
  opsrun_sdk_count(table);
  auto** ops = new const opsrun_op*[table->n_ops];
  auto** kernels = new const opsrun_kernel*[table->n_kernels];
  table->ops = ops;
  table->kernels = kernels;
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    if (r->op != nullptr) *ops++ = r->op;
    if (r->kernel != nullptr) *kernels++ = r->kernel;
  }
  return table;
}

// The table, which is the same for every host. NULL, after a call of host->fail, if something cannot be registered.
inline OPSRUN_HIDDEN __attribute__((cold, noinline)) const opsrun_plugin* opsrun_sdk_plugin(const opsrun_host* host) {
  for (auto* r = opsrun_sdk_registrations; r != nullptr; r = r->next) {
    if (r->trouble == nullptr) continue;
    host->fail(nullptr, OPSRUN_INVALID_ARGUMENT, {r->trouble, strlen(r->trouble)}, {nullptr, 0});
    return nullptr;
  }
  static const opsrun_plugin* table = opsrun_sdk_make_table();
  return table;
}

// The exported entry. It only forwards: a static variable in it would be merged with the one of another plugin.
extern "C" inline __attribute__((used)) const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  return opsrun_sdk_plugin(host);
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Text and arrays of registrations are never freed, because static objects refer to them and a host may read them until
// the process ends.

OPSRUN_COLD inline opsrun_str KeepText(std::string_view text) {
  if (text.empty()) return {nullptr, 0};
  char* copy = new char[text.size()];
  memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

// Appends a copy of the text to the array *texts, which has *count elements.
OPSRUN_COLD inline void AppendKept(const opsrun_str** texts, uint32_t* count, std::string_view text) {
  auto* grown = new opsrun_str[*count + 1];
  for (uint32_t i = 0; i < *count; ++i) grown[i] = (*texts)[i];
  grown[*count] = KeepText(text);
  delete[] * texts;
  *texts = grown;
  ++*count;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
