// opsrun/internal/own_host.h: the hosts that have loaded this plugin, for lines of the log that are about no call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include "opsrun/c_api.h"
#include "opsrun/internal/string_memory.h"
#include "opsrun/namespace.h"

extern "C" {

// A host that has loaded this plugin and not shut it down yet.
struct opsrun_sdk_host {
  const opsrun_host* host;
  opsrun_sdk_host* next;
};

}  // extern "C"

// The list, the last host first, and what guards it: a host must not end while a line is given to it. Recursive, since
// what a host does with a line may run a kernel that logs. Constant at the start and never destroyed, because static
// objects may log before and after everything else.
inline OPSRUN_HIDDEN opsrun_sdk_host* opsrun_sdk_hosts = nullptr;
inline OPSRUN_HIDDEN pthread_mutex_t opsrun_sdk_hosts_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

inline OPSRUN_HIDDEN void opsrun_sdk_add_host(const opsrun_host* host) {
  pthread_mutex_lock(&opsrun_sdk_hosts_mutex);
  opsrun_sdk_hosts = new opsrun_sdk_host{host, opsrun_sdk_hosts};
  if (opsrun_sdk_strings.host.load() == nullptr) opsrun_sdk_count_strings_for(host);
  pthread_mutex_unlock(&opsrun_sdk_hosts_mutex);
}

// opsrun_plugin::shutdown, called as often as the entry with this host.
inline OPSRUN_HIDDEN void opsrun_sdk_shutdown(const opsrun_host* host) {
  pthread_mutex_lock(&opsrun_sdk_hosts_mutex);
  for (opsrun_sdk_host** at = &opsrun_sdk_hosts; *at != nullptr; at = &(*at)->next) {
    if ((*at)->host != host) continue;
    opsrun_sdk_host* const gone = *at;
    *at = gone->next;
    delete gone;
    if (opsrun_sdk_strings.host.load() == host)
      opsrun_sdk_count_strings_for(opsrun_sdk_hosts == nullptr ? nullptr : opsrun_sdk_hosts->host);
    break;
  }
  pthread_mutex_unlock(&opsrun_sdk_hosts_mutex);
}
