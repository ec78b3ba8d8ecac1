// tests/host/embed/open_locally.cc: a program that is not linked with libopsrun.so opens it as interpreters do, with
// RTLD_LOCAL. Plugins then see no symbol of the library and need none; nor does the program see theirs.
// usage: open_locally LIBRARY PLUGIN_DIRECTORY
//        open_locally LIBRARY --in FOLDER      goes to the folder, and takes the plugins that the library finds itself
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "opsrun/embed.h"

namespace {

constexpr char kGraph[] =
    "opsrun: 1\nfeeds: {x: {value: [7, 8], dtype: int32}}\nnodes: {z: {op: ZeroOut, in: x}}\noutputs: [z]\n";

#define FUNCTION(name) const auto name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name))

// plugins: null for the usual places.
int Run(void* library, const char* plugins) {
  FUNCTION(opsrun_engine_create_at_level);
  FUNCTION(opsrun_engine_destroy);
  FUNCTION(opsrun_graph_load_text);
  FUNCTION(opsrun_graph_run);
  FUNCTION(opsrun_graph_destroy);
  FUNCTION(opsrun_outs_free);
  const opsrun_str places[] = {opsrun_str_of(plugins == nullptr ? "" : plugins)};
  opsrun_engine_options options{};
  options.size = sizeof(options);
  if (plugins != nullptr) {
    options.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
    options.plugins = places;
    options.n_plugins = 1;
  }
  opsrun_engine* engine = nullptr;
  opsrun_graph* graph = nullptr;
  opsrun_out out{};
  int code = opsrun_engine_create_at_level(OPSRUN_EMBED_LEVEL, &options, &engine, nullptr);
  if (code == 0) {
    code = opsrun_graph_load_text(engine, opsrun_str_of("graph"), opsrun_str_of(kGraph), nullptr, &graph, nullptr);
  }
  if (code == 0) code = opsrun_graph_run(graph, nullptr, 0, &out, 1, nullptr, nullptr);
  if (code == 0) std::printf("%d\n", *static_cast<const int*>(out.array.data));
  if (dlsym(RTLD_DEFAULT, "opsrun_plugin_v1") != nullptr) std::puts("the plugin's entry is visible to everybody");
  opsrun_outs_free(&out, 1);
  opsrun_graph_destroy(graph);
  opsrun_engine_destroy(engine);
  return code;
}

}  // namespace

int main(int, char** argv) {
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::puts(dlerror());
    return 1;
  }
  if (std::strcmp(argv[2], "--in") != 0) return Run(library, argv[2]);
  return chdir(argv[3]) == 0 ? Run(library, nullptr) : 1;
}
