// opsrun/plugin.h: OPSRUN_PLUGIN("acme.images", "1.4.0") sets the name and version of a plugin; at most once per
// plugin. Both must be string literals. Without it, the plugin is named after its file.
//
// OPSRUN_PLUGIN_META("Apache-2.0", "https://github.com/acme/images", "Filters for images") says more about it, for
// people and tools: the license, the home page and a line of text. 'opsrun inspect' shows them. Empty texts are left
// out.
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

#define OPSRUN_PLUGIN_META(license, homepage, summary)                                                           \
  OPSRUN_TEXT_NOTE(                                                                                              \
      opsrun_sdk_meta_note, OPSRUN_NOTE_META,                                                                    \
      (::OPSRUN_NAMESPACE::internal::NotedName{"license=" license "\nhomepage=" homepage "\nsummary=" summary}), \
      (::OPSRUN_NAMESPACE::internal::NotedName{"summary=" summary}))                                             \
  static_assert(sizeof(license homepage summary) > 0, "texts")

#define OPSRUN_PLUGIN(name, version)                                            \
  OPSRUN_TEXT_NOTE(opsrun_sdk_name_note, OPSRUN_NOTE_NAME,                      \
                   (::OPSRUN_NAMESPACE::internal::NotedName{name ";" version}), \
                   (::OPSRUN_NAMESPACE::internal::NotedName{"*"}))              \
  static ::OPSRUN_NAMESPACE::internal::PluginRegistration opsrun_sdk_plugin_registration(name, version)
