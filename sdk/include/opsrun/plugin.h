// opsrun/plugin.h: OPSRUN_PLUGIN("acme.images", "1.4.0") sets the name and version of a plugin; at most once per
// plugin. Both must be string literals. Without it, the plugin is named after its file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/registration.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class PluginRegistration {
 public:
  PluginRegistration(const char* name, const char* version) {
    registration_.name = name;
    registration_.version = version;
    opsrun_sdk_register(&registration_);
  }
  PluginRegistration(const PluginRegistration&) = delete;

 private:
  opsrun_sdk_registration registration_ = {};
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

#define OPSRUN_PLUGIN(name, version)                                            \
  OPSRUN_TEXT_NOTE(opsrun_sdk_name_note, OPSRUN_NOTE_NAME,                      \
                   (::OPSRUN_NAMESPACE::internal::NotedName{name ";" version}), \
                   (::OPSRUN_NAMESPACE::internal::NotedName{"*"}))              \
  static ::OPSRUN_NAMESPACE::internal::PluginRegistration opsrun_sdk_plugin_registration(name, version)
