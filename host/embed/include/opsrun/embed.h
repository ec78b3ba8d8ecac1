/* opsrun/embed.h: the engine of opsrun as a library: load graphs, run them on your own memory, and call single ops.
 *
 * Link with libopsrun.so (pkg-config opsrun, or find_package(opsrun) and opsrun::opsrun). The header is plain C11;
 * opsrun/embed.hpp is a C++17 layer on top of it. docs/embed.md is a tour, and examples/embed has two complete
 * programs.
 *
 * Compatibility
 *   - There is one integer, OPSRUN_EMBED_LEVEL. A new level only adds functions, fields and constants. Every level of
 *     opsrun/c_api.h is also a new level here: embed level 1 is level 1 of that header.
 *   - A program tells the library its level when it creates an engine. The level between them is the lower one of the
 *     program's and of the library's, opsrun_embed_level(): the engine, and everything made with it, shows the program
 *     nothing above that level.
 *   - Structs marked G begin with `uint32_t size`, which the creator of the struct sets to its sizeof. They are only
 *     passed by pointer and get new fields at their end. Zero means the default in every field.
 *   - Structs marked V are values. They are frozen and may be elements of arrays.
 *   - What this file does not name is refused, so that a later level can use it. INVALID_ARGUMENT: a flag that is not
 *     named here, a reserved word that is not zero, a size that no level's struct has. UNIMPLEMENTED: a struct of a
 *     later level whose further fields are not zero, and a field of which this file says so. docs/abi.md has a table.
 *   - Level 1 is not frozen yet: CHANGELOG.md says when it is.
 *
 * Results
 *   - Functions that can fail return a code of opsrun/c_api.h: OPSRUN_OK, OPSRUN_INVALID_ARGUMENT and so on.
 *   - The last argument, `report`, may be NULL. Otherwise *report is set to NULL if there is nothing to report, or to a
 *     report that the caller frees with opsrun_report_free. A successful call may report warnings.
 *   - On failure, the objects that a function would have made are set to NULL.
 *   - INVALID_ARGUMENT is returned if an engine, graph, prepared call or builder is NULL, or if a list is NULL and its
 *     count is not 0. Functions that only read return 0, NULL or -1 in that case.
 *
 * Threads
 *   - [any]: may be called from any thread at any time, also by several threads at once on the same object.
 *   - [one]: only one thread at a time may call it on the same object.
 *   The library does not call back into the caller, except for the engine's log function.
 *   A process may fork while no thread is in a function of this library. Its child can use engines and what was made
 *   with them, without devices other than the CPU, and on one thread if their threads had been started.
 *
 * Ownership
 *   - The caller owns the result of a *_create, *_load, *_prepare or *_build function and ends it with the function
 *     that its comment names. These functions accept NULL and then do nothing.
 *   - Graphs and prepared calls keep their engine alive, and results keep their memory alive: objects may be ended in
 *     any order.
 *   - Texts and structs that an object returns belong to it and live as long as it does. Texts are UTF-8 and not
 *     terminated by a NUL.
 *   - Arguments are borrowed until the function returns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef OPSRUN_EMBED_H_
#define OPSRUN_EMBED_H_

#include <stddef.h>
#include <stdint.h>

#include "opsrun/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OPSRUN_EMBED_LEVEL 1u

/* [any] The level and the version ("0.1.0") of the loaded library. */
OPSRUN_EXPORT uint32_t opsrun_embed_level(void);
OPSRUN_EXPORT const char* opsrun_embed_version(void);

/* DLPack's tensor struct, which this header does not define. DLTensor has no tag in dlpack.h, so other headers cannot
 * declare it. If dlpack.h is included before this header, opsrun_dltensor is DLTensor. Otherwise it is an incomplete
 * struct with the same layout, and a pointer to a DLTensor must be cast. */
#if defined(DLPACK_MAJOR_VERSION) || defined(DLPACK_VERSION) /* the latter before DLPack 0.8, as in Debian 12 */
typedef DLTensor opsrun_dltensor;
#else
typedef struct opsrun_dltensor opsrun_dltensor;
#endif
struct DLManagedTensorVersioned;

typedef struct opsrun_engine opsrun_engine;
typedef struct opsrun_graph opsrun_graph;
typedef struct opsrun_prepared opsrun_prepared;
typedef struct opsrun_builder opsrun_builder;
typedef struct opsrun_stop opsrun_stop;
typedef struct opsrun_report opsrun_report;
typedef struct opsrun_text opsrun_text;
typedef struct opsrun_strings opsrun_strings;

/* V. A text that refers to a C string. */
static inline opsrun_str opsrun_str_of(const char* text) {
  opsrun_str str = {text, 0};
  while (text != NULL && text[str.size] != '\0') ++str.size;
  return str;
}

/* ---- Texts that the caller owns. */

/* [any] The text; empty for NULL. */
OPSRUN_EXPORT opsrun_str opsrun_text_get(const opsrun_text* text);
OPSRUN_EXPORT void opsrun_text_free(opsrun_text* text);

/* ---- Reports: errors, warnings and other messages. */

/* V. Lines and columns start at 1, and columns count bytes; [line:column, end_line:end_column). If line is 0, there is
 * no place. */
typedef struct opsrun_place {
  uint32_t line, column, end_line, end_column;
} opsrun_place;

/* V. Another place in the same file, and how it is related to the message. */
typedef struct opsrun_label {
  opsrun_place place;
  opsrun_str text;
} opsrun_label;

#define OPSRUN_SEVERITY_ERROR 0
#define OPSRUN_SEVERITY_WARNING 1

/* G. One message. docs/diagnostics.md describes its parts, and `opsrun explain CODE` describes each code. */
typedef struct opsrun_diagnostic {
  uint32_t size;
  int32_t severity;    /* OPSRUN_SEVERITY_* */
  int32_t exit_status; /* the exit status of the program opsrun if this is the only message */
  uint32_t n_also, n_help, n_notes;
  opsrun_str code;    /* "G201" */
  opsrun_str message; /* one sentence */
  opsrun_str file;    /* the file that the places refer to; empty: none */
  opsrun_place where;
  opsrun_str label; /* text for `where` */
  const opsrun_label* also;
  const opsrun_str* help;  /* what to do */
  const opsrun_str* notes; /* further information */
  opsrun_str suggestion;   /* a likely replacement for the text at `where` */
} opsrun_diagnostic;

#define OPSRUN_FORMAT_HUMAN 0 /* with lines of the file and carets */
#define OPSRUN_FORMAT_SHORT 1 /* one line each: file:line:column: error[CODE]: ... */
#define OPSRUN_FORMAT_JSON 2  /* one JSON object per line */

/* [any] The number of messages; 0 for NULL. */
OPSRUN_EXPORT uint32_t opsrun_report_count(const opsrun_report* report);
/* [any] Message i, or NULL if there is none. */
OPSRUN_EXPORT const opsrun_diagnostic* opsrun_report_get(const opsrun_report* report, uint32_t i);
/* [one] All messages as text in a format OPSRUN_FORMAT_*: the same text as the program prints, without colors. Empty
 * for NULL. */
OPSRUN_EXPORT opsrun_str opsrun_report_text(opsrun_report* report, int32_t format);
OPSRUN_EXPORT void opsrun_report_free(opsrun_report* report);

/* ---- The engine: plugins, threads, memory, and objects that kernels share. Engines are independent of each other. */

#define OPSRUN_ENGINE_NO_DEFAULT_PLUGINS 1u /* search only the directories in `plugins` */
#define OPSRUN_ENGINE_NO_PROBE 2u           /* open plugins without trying each in a process of its own first */
#define OPSRUN_ENGINE_STRICT_PLACEMENT 4u   /* refuse a node whose op has no kernel for its device */
#define OPSRUN_ENGINE_NO_CUDA_GRAPHS 8u     /* launch each node on a GPU by itself, never several as one CUDA graph */
#define OPSRUN_ENGINE_ALLOW_WRITABLE 16u    /* accept plugins that other users can change or replace: docs/trust.md */
#define OPSRUN_ENGINE_SANDBOX 32u           /* isolated plugins get no network, no new processes and no other files */

/* G. A line for the log. What is not known is empty. The texts are borrowed until the function returns. */
typedef struct opsrun_log_line {
  uint32_t size;
  int32_t severity;     /* OPSRUN_LOG_* */
  uint32_t source_line; /* in `source` */
  uint32_t reserved;
  opsrun_str text;
  opsrun_str plugin;  /* the plugin that logs it, if a kernel does so in a call */
  opsrun_str node;    /* the node of that call */
  opsrun_str graph;   /* the file, or the name, of the node's graph */
  opsrun_place place; /* of the node in its graph; line 0: not known */
  opsrun_str source;  /* the file of the plugin's source */
} opsrun_log_line;

/* G. */
typedef struct opsrun_engine_options {
  uint32_t size, flags;      /* OPSRUN_ENGINE_* */
  const opsrun_str* plugins; /* n_plugins directories to search before OPSRUN_PLUGIN_PATH and the default ones */
  uint32_t n_plugins;
  uint32_t threads;      /* number of threads for runs, including their callers; 0: one per processor */
  uint32_t callers;      /* number of threads that run graphs at the same time; 0: 1 */
  uint32_t cached_plans; /* per graph, and prepared calls of the engine; 0: 64. Fewer if they take over 256 MiB */
  uint64_t memory_limit; /* in bytes, for all runs together, on the CPU and on each GPU; 0: no limit */
  /* Receives the lines that plugins give to `log` of opsrun/c_api.h, and remarks about plugins. NULL: they are written
   * to standard error, as is always what a plugin writes there itself. It may be called from any thread, and by several
   * at once, until the engine and everything that keeps it alive have ended. It must not call this library. */
  void (*log)(void* log_ctx, const opsrun_log_line* line);
  void* log_ctx;
  /* Where nodes run that do not say it: "cpu" (also if empty), "gpu", "gpu:1", or "auto", the first GPU if there is
   * one. A node whose op has no kernel for that device runs on the CPU. Feeds and results may be anywhere. A device is
   * opened by the first graph that needs it; that it is missing is an error of that graph. */
  opsrun_str device;
  uint64_t gpu_memory_limit; /* another limit for each GPU; 0: memory_limit */
  /* The first node whose kernel fails, with its inputs, is written to this folder, which must not exist or be empty;
   * `opsrun run` runs it alone. Kernels take longer, since their inputs are copied. Empty: none is written. */
  opsrun_str repro_dir;
  /* n_isolate names of plugins, or of nodes of graphs, whose plugins then run in processes of their own: docs/isolation.md.
   * "all": every plugin. "none": no plugin, whatever else is in the list or in a graph. */
  const opsrun_str* isolate;
  uint32_t n_isolate;
  uint32_t node_timeout_ms; /* most time for isolated nodes that follow each other; 0: no limit */
  uint64_t child_memory;    /* most bytes that such a process has for itself; 0: no limit */
} opsrun_engine_options;

/* [any] Reads the notes of the plugin files in the search directories and opens none of the files. level: the
 * OPSRUN_EMBED_LEVEL of the header that the program was written for, at least 1; it may be above the library's. options
 * may be NULL. FAILED_PRECONDITION: a directory in options->plugins cannot be searched. Errors of repro_dir are
 * INVALID_ARGUMENT. End with opsrun_engine_destroy. */
OPSRUN_EXPORT int32_t opsrun_engine_create_at_level(uint32_t level, const opsrun_engine_options* options,
                                                    opsrun_engine** engine, opsrun_report** report);
/* [any] The same at the level of this header. */
static inline int32_t opsrun_engine_create(const opsrun_engine_options* options, opsrun_engine** engine,
                                           opsrun_report** report) {
  return opsrun_engine_create_at_level(OPSRUN_EMBED_LEVEL, options, engine, report);
}
/* [one] Ends the engine as soon as all its graphs and prepared calls have ended too. Shared objects are then destroyed
 * and plugins are shut down. */
OPSRUN_EXPORT void opsrun_engine_destroy(opsrun_engine* engine);

/* [any] Opens a plugin file and adds it after the plugins that the engine already knows. Its ops can be addressed as
 * plugin.Op, or by their names alone if no other plugin has an op of that name. A plugin of the same name that the
 * engine found in a directory is hidden by it, unless it is already open. Loaded graphs do not change. A file that the
 * engine already knows is left unchanged. name: the plugin's name, to be freed with opsrun_text_free; it may be NULL.
 * FAILED_PRECONDITION: the plugin is refused, a plugin of that name is open, or the file has changed since it was
 * opened. RESOURCE_EXHAUSTED: no memory for it. */
OPSRUN_EXPORT int32_t opsrun_engine_add_plugin(opsrun_engine* engine, opsrun_str path, opsrun_text** name,
                                               opsrun_report** report);

/* [any] Opens a plugin file; `file` completes its ops, as a file NAME.opsrun.yaml beside it does, and instead of that.
 * The plugin need not be known to the engine yet, and this does not add it. FAILED_PRECONDITION: the plugin or the file
 * is refused, or the plugin is open without that file. RESOURCE_EXHAUSTED: no memory for it. */
OPSRUN_EXPORT int32_t opsrun_engine_attach(opsrun_engine* engine, opsrun_str path, opsrun_str file,
                                           opsrun_report** report);

/* [any] Opens the new file of a plugin that is open, after the file was replaced: graphs that are loaded and ops that
 * are prepared from now on use it, those that exist keep the old code. *changed: 0 if that file is open already,
 * otherwise 1. name: as above. FAILED_PRECONDITION: the file is refused, is not open, was rewritten in place, or is a
 * plugin of another name. RESOURCE_EXHAUSTED: no memory for it. */
OPSRUN_EXPORT int32_t opsrun_engine_reload(opsrun_engine* engine, opsrun_str path, opsrun_text** name, int32_t* changed,
                                           opsrun_report** report);

/* [any] Gives memory back that the engine keeps for later calls; waits for runs that have returned before their work was
 * done. Memory of running calls and of results stays. docs/embed.md says how much is kept without this. */
OPSRUN_EXPORT int32_t opsrun_engine_trim(opsrun_engine* engine);

/* [any] A stream (a CUstream) of the GPU `device` for programs that have none: always the same one. It lives as long as
 * the engine and what keeps it alive, results included. INVALID_ARGUMENT: the device is the CPU; UNAVAILABLE: it cannot
 * be used. */
OPSRUN_EXPORT int32_t opsrun_engine_stream(opsrun_engine* engine, opsrun_device device, void** stream,
                                           opsrun_report** report);
/* [any] Work that is enqueued on `then` from now on waits for the work that is now on `first`: two streams of the GPU
 * `device`; 1 and 2 are CUDA's default streams. then == NULL: the call waits. INVALID_ARGUMENT: a stream is not one of
 * the GPU; another code of an error in the work on `first`. */
OPSRUN_EXPORT int32_t opsrun_engine_order(opsrun_engine* engine, opsrun_device device, void* first, void* then,
                                          opsrun_report** report);

#define OPSRUN_PLUGIN_OK 0
#define OPSRUN_PLUGIN_HIDDEN 1  /* a plugin of that name is in an earlier directory: `reason` is its path */
#define OPSRUN_PLUGIN_REFUSED 2 /* `reason` says why; `remedy` says what to do */

/* G. A plugin file, as described by its notes; the file is not opened. */
typedef struct opsrun_plugin_info {
  uint32_t size;
  int32_t state; /* OPSRUN_PLUGIN_* */
  opsrun_str name, version, path, reason, remedy;
  const opsrun_str* ops; /* n_ops names, sorted */
  uint32_t n_ops, reserved;
} opsrun_plugin_info;

/* A snapshot of the plugins that an engine knows. End with opsrun_listing_free. */
typedef struct opsrun_listing opsrun_listing;
/* [any] */
OPSRUN_EXPORT int32_t opsrun_engine_list(const opsrun_engine* engine, opsrun_listing** listing);
/* [any] The number of plugins (0 for NULL), and plugin i (NULL if there is none), in the order of the search. */
OPSRUN_EXPORT uint32_t opsrun_listing_count(const opsrun_listing* listing);
OPSRUN_EXPORT const opsrun_plugin_info* opsrun_listing_get(const opsrun_listing* listing, uint32_t i);
OPSRUN_EXPORT void opsrun_listing_free(opsrun_listing* listing);

/* V. An argument of an op. A list has number_attr or type_list_attr set. */
typedef struct opsrun_op_arg {
  opsrun_str name, doc;
  int32_t dtype; /* OPSRUN_DT_*, or 0 if an attr determines it */
  uint32_t list; /* 1 for a list */
  opsrun_str type_attr, number_attr, type_list_attr;
} opsrun_op_arg;

/* V. An attr of an op. */
typedef struct opsrun_op_attr {
  opsrun_str name, doc;
  opsrun_str type;          /* as in its spec: "int", "list(type)" */
  opsrun_str default_value; /* as in a graph file; see has_default */
  uint32_t has_default, has_minimum;
  int64_t minimum;
} opsrun_op_attr;

/* G. An op, as its plugin declares it and this host has parsed and checked it. End with opsrun_op_info_free. */
typedef struct opsrun_op_info {
  uint32_t size, flags; /* OPSRUN_OP_* */
  opsrun_str name, plugin, path, summary, description;
  const opsrun_op_arg* inputs;
  const opsrun_op_arg* outputs;
  const opsrun_op_attr* attrs;
  uint32_t n_inputs, n_outputs, n_attrs, n_kernels;
  opsrun_str json; /* the output of `opsrun explain --json`: also kernels, limits and how attrs get their values */
} opsrun_op_info;

/* [any] Opens the plugins that the op needs. name: "ZeroOut" or "plugin.Op". NOT_FOUND: there is no such op, or its
 * plugin was refused. */
OPSRUN_EXPORT int32_t opsrun_engine_find_op(opsrun_engine* engine, opsrun_str name, const opsrun_op_info** info,
                                            opsrun_report** report);
OPSRUN_EXPORT void opsrun_op_info_free(const opsrun_op_info* info);

/* ---- Tensors: inputs and outputs. */

/* V. An array. dtype is OPSRUN_DT_*; for strings, data is an array of opsrun_str. strides count elements; NULL: dense
 * and row-major. data may be NULL if there are no elements. */
typedef struct opsrun_array {
  void* data;
  const int64_t* shape; /* rank sizes */
  const int64_t* strides;
  int32_t dtype, rank;  /* rank 0 to OPSRUN_MAX_RANK */
  opsrun_device device; /* of the memory: OPSRUN_DEVICE_CUDA, or the CPU, which is meant by all zero too */
} opsrun_array;

/* V. An input tensor: exactly one of the two pointers is set. It is not copied if it is dense, row-major and aligned
 * for its elements and does not hold strings; on a GPU, others are INVALID_ARGUMENT. It must not be written to before
 * the call returns; on a GPU by no work that is not ordered after the run, if opsrun_run_options.stream is set. */
typedef struct opsrun_in {
  const opsrun_dltensor* tensor; /* on the CPU (also page-locked) or a GPU that CUDA knows */
  const opsrun_array* array;
  int32_t dtype; /* overrides the data type of `tensor` if DLPack cannot express it (quantized numbers); otherwise 0 */
  uint32_t flags;       /* none are defined */
  /* For a tensor on a GPU: a CUstream of that GPU whose present work makes the tensor; the run begins after it. NULL:
   * the tensor is complete, or the stream in opsrun_run_options makes it. 1 and 2 are CUDA's default streams, as in
   * DLPack. On the CPU: NULL. */
  void* stream;
  uint64_t reserved[2];
} opsrun_in;

/* V. An output tensor. Set the whole struct to zero before the call, and then the fields marked "In" that you need. */
typedef struct opsrun_out {
  /* In: memory for the result, dense and row-major, with the data type of the result; `shape` is the expected shape.
   * NULL: the library allocates the memory. If the result has another type or shape, the call returns INVALID_ARGUMENT
   * and this memory is unchanged. After other failures, its contents are undefined. If it is aligned to 64 bytes and
   * the shape is known before the run, the kernel writes directly to it. Not supported for strings. */
  const opsrun_array* into;
  /* Out: the result, dense and row-major. Its memory and shape belong to `tensor` or `strings`. With `into`, data is
   * into->data, and the shape is that of `into`. */
  opsrun_array array;
  /* Out: the owner of the result, for consumers of DLPack: the one that takes it calls tensor->deleter(tensor), from
   * any thread, even after the graph and the engine have ended. NULL with `into` and for strings. */
  struct DLManagedTensorVersioned* tensor;
  opsrun_strings* strings; /* Out: the owner of a string result; otherwise NULL */
  /* In: where the result goes: OPSRUN_DEVICE_CUDA, or the CPU, which is meant by all zero too. With `into`: all
   * zero, or the device of `into`. Strings are always on the CPU. */
  opsrun_device device;
  /* In: for a result on a GPU, a CUstream of that GPU which reads it: its work from the call's return on follows the
   * run, and the memory is freed after its work at the time of the deleter, so it must live until then. With `into`, the
   * run also begins after its present work. NULL: that of opsrun_run_options, if it is one of this GPU; otherwise the
   * result is complete when the call returns, and may only be freed when what uses it is done. */
  void* stream;
  uint64_t reserved[2];
} opsrun_out;

/* [any] Frees the results of a call in n outs. If you have taken out->tensor, set it to NULL first. */
OPSRUN_EXPORT void opsrun_outs_free(opsrun_out* outs, uint32_t n);

/* V. What is known about a feed or an output before a run. */
typedef struct opsrun_tensor_info {
  opsrun_str name;
  int32_t dtype;        /* OPSRUN_DT_* */
  int32_t rank;         /* -1: unknown */
  const int64_t* shape; /* rank sizes; -1: unknown */
} opsrun_tensor_info;

/* ---- Stopping runs. */

/* [any] A signal that stops runs. It may be passed to any number of runs. End with opsrun_stop_destroy, after these
 * runs. */
OPSRUN_EXPORT int32_t opsrun_stop_create(opsrun_stop** stop);
/* [any; also in a signal handler] The runs that the signal was passed to end with CANCELLED as soon as their running
 * kernels return. This includes runs that begin later. */
OPSRUN_EXPORT void opsrun_stop_now(opsrun_stop* stop);
OPSRUN_EXPORT void opsrun_stop_destroy(opsrun_stop* stop);

/* G. How a graph or an op runs. */
typedef struct opsrun_run_options {
  uint32_t size, flags; /* no flags are defined */
  opsrun_stop* stop;    /* stops this run too; may be NULL */
  /* A CUstream of the GPU on which the run, or a feed or output of it, is; 1 and 2 are CUDA's default streams. The run
   * begins after its present work, and its later work follows the run. If all nodes run on that GPU, and all feeds and
   * outputs are there too, the call returns as soon as everything is enqueued; otherwise when the run is done. An error
   * that comes to light after the call has returned is reported by a later call, or by opsrun_graph_wait. NULL: none. */
  void* stream;
  uint64_t timeout_ms;  /* the run ends with DEADLINE_EXCEEDED after this time, as a stop ends it; 0: never */
} opsrun_run_options;

/* ---- Graphs. */

#define OPSRUN_GRAPH_STRICT 1u /* warnings are errors */
#define OPSRUN_GRAPH_FROZEN 2u /* of a file: whatever differs from its lock is an error, and so is a missing lock */

/* G. */
typedef struct opsrun_graph_options {
  uint32_t size, flags; /* OPSRUN_GRAPH_* */
  /* Where nodes run that do not say it: as opsrun_engine_options.device, which empty means; or "feeds": on the GPU of the
   * first feed that is on one, otherwise as if it were empty. */
  opsrun_str device;
} opsrun_graph_options;

/* [any] Reads a graph file, opens the plugins that it needs, and checks everything that can be known before a run. The
 * report has all errors. Paths in the graph are relative to the file. If `opsrun lock` has written a lock beside it, what
 * has changed incompatibly since is an error, and opsrun_engine_options.log gets a line about other changes. options may
 * be NULL. INVALID_ARGUMENT: the graph has errors; NOT_FOUND: there is no such file, or no op of a name; UNIMPLEMENTED: an
 * op has no kernel for what it gets; FAILED_PRECONDITION: plugins are missing or refused. The code is that of the first
 * error in the file. End with opsrun_graph_destroy. */
OPSRUN_EXPORT int32_t opsrun_graph_load_file(opsrun_engine* engine, opsrun_str path,
                                             const opsrun_graph_options* options, opsrun_graph** graph,
                                             opsrun_report** report);
/* [any] The same for a text in memory, which has no lock. name: the name of the text in messages. Paths in the graph are
 * relative to its directory. */
OPSRUN_EXPORT int32_t opsrun_graph_load_text(opsrun_engine* engine, opsrun_str name, opsrun_str text,
                                             const opsrun_graph_options* options, opsrun_graph** graph,
                                             opsrun_report** report);
/* [one] Call it after all runs of the graph have returned. */
OPSRUN_EXPORT void opsrun_graph_destroy(opsrun_graph* graph);

/* [any] The number of declared feeds, which every run needs, and of outputs. Both are in the order of the file. */
OPSRUN_EXPORT uint32_t opsrun_graph_n_feeds(const opsrun_graph* graph);
OPSRUN_EXPORT uint32_t opsrun_graph_n_outputs(const opsrun_graph* graph);
/* [any] Feed i and output i, or NULL if there is none. */
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_graph_feed(const opsrun_graph* graph, uint32_t i);
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_graph_output(const opsrun_graph* graph, uint32_t i);
/* [any] The index of the feed or output of that name, or -1 if there is none. */
OPSRUN_EXPORT int32_t opsrun_graph_find_feed(const opsrun_graph* graph, opsrun_str name);
OPSRUN_EXPORT int32_t opsrun_graph_find_output(const opsrun_graph* graph, opsrun_str name);

/* [any] Runs the graph once. feeds are all feeds, in the order of opsrun_graph_feed; outputs are the first n_outputs
 * outputs, in the order of opsrun_graph_output. The graph is planned once for each combination of data types and shapes
 * of the feeds (see opsrun_engine_options.cached_plans), and each plan has its own kernel objects. State that an op
 * keeps in its object, and not in a shared resource, is therefore per combination. `npy`, `print` and `checks` of the
 * graph are for the program opsrun and have no effect here. options may be NULL. INVALID_ARGUMENT: a feed does not
 * match; CANCELLED: the run was stopped; RESOURCE_EXHAUSTED: out of memory; otherwise the code of the kernel that failed,
 * whose place in the graph is in the report. After a failure, outs hold nothing to free. */
OPSRUN_EXPORT int32_t opsrun_graph_run(opsrun_graph* graph, const opsrun_in* feeds, uint32_t n_feeds,
                                       opsrun_out* outputs, uint32_t n_outputs, const opsrun_run_options* options,
                                       opsrun_report** report);

/* [any] Waits for the runs that returned before they were done: see opsrun_run_options.stream. Returns the code of the
 * first of them that failed, with its node and place in the report. Runs that other threads begin meanwhile may not be
 * waited for. opsrun_graph_destroy waits too. */
OPSRUN_EXPORT int32_t opsrun_graph_wait(opsrun_graph* graph, opsrun_report** report);

/* [any] The text of the graph file. Free it with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_graph_to_yaml(const opsrun_graph* graph, opsrun_text** yaml);

/* V. A declared feed that a run reads from an array of an .npz file. npz: the path, relative to the graph file. */
typedef struct opsrun_feed_file {
  opsrun_str feed, npz, key;
} opsrun_feed_file;

/* [any] The text of the graph file in which n_files declared feeds are read from files, so that a graph and its weights
 * are stored together: write the text and the files. Comments are lost. INVALID_ARGUMENT: the graph declares no such
 * feed. Free the text with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_graph_to_yaml_with(const opsrun_graph* graph, const opsrun_feed_file* files,
                                                uint32_t n_files, opsrun_text** yaml, opsrun_report** report);

/* [any] What is known of the graph before a run, as `opsrun graph --json` prints it: feeds, nodes and outputs with
 * their data types and shapes. Free it with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_graph_to_json(const opsrun_graph* graph, opsrun_text** json);
/* [any] The graph as a picture in the language of Graphviz. Free it with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_graph_to_dot(const opsrun_graph* graph, opsrun_text** dot);

#define OPSRUN_PLAN_JSON 1u /* what `opsrun plan --json` prints, instead of text for people */

/* [any] How the graph would run: the order, the kernel of each node and why, the memory. feeds: declared feeds whose
 * data types and shapes are known, by name, as for a run with them; for the others, and with n_feeds 0, what the graph
 * declares. flags: OPSRUN_PLAN_*. INVALID_ARGUMENT: a feed does not match. Free the text with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_graph_plan(const opsrun_graph* graph, const opsrun_tensor_info* feeds, uint32_t n_feeds,
                                        uint32_t flags, opsrun_text** text, opsrun_report** report);

/* V. A tensor to differentiate: a feed, "node", "node.output" or "node.output.0". gradient: the tensor of the graph
 * that is the gradient to begin with, of the same type and shape; if empty, ones: the sum of the tensor is
 * differentiated. */
typedef struct opsrun_gradient_of {
  opsrun_str tensor, gradient;
} opsrun_gradient_of;

/* V. The gradient of a node whose op declares none: a text in the language of declared gradients. */
typedef struct opsrun_node_gradient {
  opsrun_str node, gradient;
} opsrun_node_gradient;

/* [any] Differentiates the sum of n_of tensors with respect to n_wrt tensors, by what the ops on the way declare, and
 * by n_given gradients of nodes, and loads the result. It has the feeds and outputs of `graph`, and then an output for
 * each tensor of wrt, in that order, with the name grad_NAME, or that and a number if the name is taken;
 * opsrun_graph_to_yaml shows it. `graph` does not change. INVALID_ARGUMENT: no such tensor, an op without a gradient,
 * or an invalid one. End with opsrun_graph_destroy. */
OPSRUN_EXPORT int32_t opsrun_graph_differentiate(const opsrun_graph* graph, const opsrun_gradient_of* of, uint32_t n_of,
                                                 const opsrun_str* wrt, uint32_t n_wrt,
                                                 const opsrun_node_gradient* given, uint32_t n_given,
                                                 opsrun_graph** gradients, opsrun_report** report);

/* ---- Single ops. */

#define OPSRUN_LIST_ELEMENT 1u /* an element of a list argument */
#define OPSRUN_LIST_EMPTY 2u   /* a list argument without elements: there is no tensor */

/* V. The data type and shape of an input tensor of a prepared call. A list argument has one struct for each element,
 * next to each other; an empty one has one struct, whose type and shape are ignored. */
typedef struct opsrun_op_input {
  opsrun_str arg; /* the name of the argument in the op */
  int32_t dtype, rank;
  const int64_t* shape;
  uint32_t list; /* 0: a single tensor; OPSRUN_LIST_* */
  uint32_t reserved;
} opsrun_op_input;

/* G. Which kernel a single op runs with. */
typedef struct opsrun_prepare_options {
  uint32_t size, flags; /* no flags are defined */
  opsrun_str device;    /* where it runs, as in a graph file: "cpu", "gpu:1"; empty: the engine's */
  opsrun_str label;     /* the kernel of that label; empty: the one that has no label */
} opsrun_prepare_options;

/* [any] Prepares one op for inputs of these types and shapes. inputs: n_inputs inputs; those of one list argument must
 * be adjacent. attrs: n_attrs values of opsrun/c_api.h; omitted attrs are inferred from the inputs or have their
 * defaults. options may be NULL. Calls with equal op, attrs, inputs and options share what was prepared, unless the op
 * is stateful: in that case every call of this function makes its own kernel object. NOT_FOUND: there is no such op;
 * INVALID_ARGUMENT: the op does not accept the inputs or attrs; UNIMPLEMENTED: no kernel supports them; UNAVAILABLE:
 * there is no such device. End with opsrun_prepared_destroy. */
OPSRUN_EXPORT int32_t opsrun_engine_prepare(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs,
                                            uint32_t n_inputs, const opsrun_attr* attrs, uint32_t n_attrs,
                                            const opsrun_prepare_options* options, opsrun_prepared** prepared,
                                            opsrun_report** report);
/* [one] Call it after all calls of the op have returned. */
OPSRUN_EXPORT void opsrun_prepared_destroy(opsrun_prepared* prepared);

/* [any] The outputs of the op, with lists flattened. The name is that of the argument, or "parts.0" for an element of a
 * list. */
OPSRUN_EXPORT uint32_t opsrun_prepared_n_outputs(const opsrun_prepared* prepared);
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_prepared_output(const opsrun_prepared* prepared, uint32_t i);

/* [any] Calls the op. The tensors are in the order in which they were prepared and have exactly those data types and
 * shapes; they may be on any device, and the op runs on that of opsrun_prepare_options. Otherwise like
 * opsrun_graph_run. */
OPSRUN_EXPORT int32_t opsrun_prepared_call(opsrun_prepared* prepared, const opsrun_in* inputs, uint32_t n_inputs,
                                           opsrun_out* outputs, uint32_t n_outputs, const opsrun_run_options* options,
                                           opsrun_report** report);

/* [any] As opsrun_graph_wait. */
OPSRUN_EXPORT int32_t opsrun_prepared_wait(opsrun_prepared* prepared, opsrun_report** report);

/* ---- Building graphs with function calls. Each call adds a part of a graph file; loading it finds the errors. */

/* [any] End with opsrun_builder_destroy. */
OPSRUN_EXPORT int32_t opsrun_builder_create(opsrun_builder** builder);
OPSRUN_EXPORT void opsrun_builder_destroy(opsrun_builder* builder);

/* [one] Adds a feed that every run needs. rank -1: any shape; -1 in shape: any size. */
OPSRUN_EXPORT int32_t opsrun_builder_feed(opsrun_builder* builder, opsrun_str name, int32_t dtype, int32_t rank,
                                          const int64_t* shape);
/* [one] Adds a feed with a value, which is written into the graph. At most 1 Mi elements (otherwise
 * RESOURCE_EXHAUSTED): use a declared feed or an .npy file for larger values. */
OPSRUN_EXPORT int32_t opsrun_builder_constant(opsrun_builder* builder, opsrun_str name, const opsrun_in* value,
                                              opsrun_report** report);

/* V. The sources of one argument of a node: names of feeds and nodes, "node.output", "node.output.0". */
typedef struct opsrun_node_input {
  opsrun_str arg; /* the name of the argument in the op; if empty, all inputs of the node are matched by position */
  const opsrun_str* from;
  uint32_t n_from;
  uint32_t list; /* 1: a list, even with one element or none; otherwise 0 */
} opsrun_node_input;

/* G. */
typedef struct opsrun_node {
  uint32_t size, reserved;
  opsrun_str name, op;
  const opsrun_node_input* inputs;
  const opsrun_attr* attrs;
  const opsrun_str* after; /* nodes that must run first */
  uint32_t n_inputs, n_attrs, n_after, reserved_2;
  opsrun_str label;  /* label of the kernel; may be empty */
  opsrun_str device; /* where it runs, as in a graph file: "gpu:1"; may be empty */
} opsrun_node;

/* [one] Adds a node. INVALID_ARGUMENT: an attr cannot be written in a graph file. */
OPSRUN_EXPORT int32_t opsrun_builder_node(opsrun_builder* builder, const opsrun_node* node, opsrun_report** report);
/* [one] Adds an output. from: as in opsrun_node_input. */
OPSRUN_EXPORT int32_t opsrun_builder_output(opsrun_builder* builder, opsrun_str name, opsrun_str from);

/* [one] The text of the graph file. Free it with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_builder_to_yaml(const opsrun_builder* builder, opsrun_text** yaml);
/* [one] Loads that text like opsrun_graph_load_text. The builder can be used afterwards. */
OPSRUN_EXPORT int32_t opsrun_builder_load(const opsrun_builder* builder, opsrun_engine* engine, opsrun_str name,
                                          const opsrun_graph_options* options, opsrun_graph** graph,
                                          opsrun_report** report);

/* The sizes of the growing structs that a program makes, at level 1: the least that the library accepts. */
#define OPSRUN_EMBED_LEVEL_1_SIZE_ENGINE_OPTIONS 120u
#define OPSRUN_EMBED_LEVEL_1_SIZE_GRAPH_OPTIONS 24u
#define OPSRUN_EMBED_LEVEL_1_SIZE_RUN_OPTIONS 32u
#define OPSRUN_EMBED_LEVEL_1_SIZE_PREPARE_OPTIONS 40u
#define OPSRUN_EMBED_LEVEL_1_SIZE_NODE 112u

#ifdef __cplusplus
}
#endif

#endif /* OPSRUN_EMBED_H_ */
