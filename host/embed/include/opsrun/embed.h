/* opsrun/embed.h: the engine of opsrun for any program: load graphs, run them on your own memory, call single ops.
 *
 * Link with libopsrun.so (pkg-config opsrun, or find_package(opsrun) and opsrun::opsrun). Plain C11; opsrun/embed.hpp is
 * a C++17 layer on it. docs/embed.md is the tour, examples/embed has two whole programs.
 *
 * How it grows
 *   - One integer, OPSRUN_EMBED_LEVEL. Levels only append functions, fields and constants. opsrun_embed_level() tells
 *     the level of the library that is loaded.
 *   - Structs marked G begin with `uint32_t size`, which the one who makes them sets to sizeof; they are only passed by
 *     pointer and get new fields at their end. The library reads and writes no field beyond size. Zero means the
 *     default in every field.
 *   - Structs marked V are values, frozen, and may stand in arrays.
 *   - Level 1 is not frozen yet: CHANGELOG.md says when it is.
 *
 * Answers
 *   - Functions that can fail return a code of opsrun/c_api.h: OPSRUN_OK, OPSRUN_INVALID_ARGUMENT and so on.
 *   - The last argument, `report`, may be NULL. Otherwise *report becomes NULL where there is nothing to say, or a
 *     report that the caller gives back with opsrun_report_free. A call that succeeds may report warnings.
 *   - On failure, objects that a function would have made are set to NULL.
 *   - An engine, graph, prepared call or builder that is NULL is INVALID_ARGUMENT, and so is a list that is NULL though
 *     its count is not 0; functions that only look answer 0, NULL or -1.
 *
 * Threads
 *   - [any]: any thread, at any time, several at once on one object.
 *   - [one]: one thread at a time on one object.
 *   Nothing here calls back into the caller, but for the log of the engine.
 *
 * Owners
 *   - What a *_create, *_load, *_prepare or *_build function gives is the caller's, who ends it with the function named
 *     beside it. These take NULL, and do nothing.
 *   - Graphs and prepared calls keep their engine alive, and results keep their memory: objects may be ended in any order.
 *   - Texts and structs that an object answers belong to it and live as long as it does. Texts are UTF-8, without a NUL
 *     at their end.
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

/* [any] The level and the version ("0.1.0") of the library that is loaded. */
OPSRUN_EXPORT uint32_t opsrun_embed_level(void);
OPSRUN_EXPORT const char* opsrun_embed_version(void);

/* DLPack's structs, which this header does not define. dlpack.h gives DLTensor no tag, so nobody else can declare it:
 * include dlpack.h before this header, and opsrun_dltensor is DLPack's DLTensor; otherwise it is an incomplete struct
 * of the same layout, to which a pointer is cast. */
#ifdef DLPACK_MAJOR_VERSION
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

/* V. A text from a C string. */
static inline opsrun_str opsrun_str_of(const char* text) {
  opsrun_str str = {text, 0};
  while (text != NULL && text[str.size] != '\0') ++str.size;
  return str;
}

/* ---- Texts that the caller owns. */

/* [any] The text; empty for NULL. */
OPSRUN_EXPORT opsrun_str opsrun_text_get(const opsrun_text* text);
OPSRUN_EXPORT void opsrun_text_free(opsrun_text* text);

/* ---- Reports: what was found wrong, or is worth knowing. */

/* V. Lines and columns are counted from 1, columns in bytes; [line:column, end_line:end_column). line 0: nowhere. */
typedef struct opsrun_place {
  uint32_t line, column, end_line, end_column;
} opsrun_place;

/* V. A further place in the same file, and what it has to do with it. */
typedef struct opsrun_label {
  opsrun_place place;
  opsrun_str text;
} opsrun_label;

#define OPSRUN_SEVERITY_ERROR 0
#define OPSRUN_SEVERITY_WARNING 1

/* G. One message. docs/diagnostics.md says what the parts mean, `opsrun explain CODE` what each code does. */
typedef struct opsrun_diagnostic {
  uint32_t size;
  int32_t severity;    /* OPSRUN_SEVERITY_* */
  int32_t exit_status; /* with which the program opsrun would end for it alone */
  uint32_t n_also, n_help, n_notes;
  opsrun_str code;    /* "G201" */
  opsrun_str message; /* one sentence */
  opsrun_str file;    /* that the places are in; empty: none */
  opsrun_place where;
  opsrun_str label; /* of `where` */
  const opsrun_label* also;
  const opsrun_str* help;  /* what to do */
  const opsrun_str* notes; /* what else there is to know */
  opsrun_str suggestion;   /* what may be meant instead of the text at `where` */
} opsrun_diagnostic;

#define OPSRUN_FORMAT_HUMAN 0 /* with the lines of the file and carets */
#define OPSRUN_FORMAT_SHORT 1 /* one line each: file:line:column: error[CODE]: ... */
#define OPSRUN_FORMAT_JSON 2  /* one object a line */

/* [any] How many messages there are; 0 for NULL. */
OPSRUN_EXPORT uint32_t opsrun_report_count(const opsrun_report* report);
/* [any] Message i; NULL if there is none. */
OPSRUN_EXPORT const opsrun_diagnostic* opsrun_report_get(const opsrun_report* report, uint32_t i);
/* [one] All messages as text, OPSRUN_FORMAT_*; the same as the program prints, without colors. Empty for NULL. */
OPSRUN_EXPORT opsrun_str opsrun_report_text(opsrun_report* report, int32_t format);
OPSRUN_EXPORT void opsrun_report_free(opsrun_report* report);

/* ---- The engine: plugins, threads, memory, and what kernels share. Two engines know nothing of each other. */

#define OPSRUN_ENGINE_NO_DEFAULT_PLUGINS 1u /* search no directories but those of `plugins` */

/* G. */
typedef struct opsrun_engine_options {
  uint32_t size, flags;      /* OPSRUN_ENGINE_* */
  const opsrun_str* plugins; /* n_plugins directories to search before OPSRUN_PLUGIN_PATH and the default ones */
  uint32_t n_plugins;
  uint32_t threads;      /* that runs use, their callers counted in; 0: as many as processors */
  uint32_t callers;      /* threads that will run graphs at the same time; 0: 1 */
  uint32_t cached_plans; /* that each graph keeps, and prepared calls that the engine keeps; 0: 64 */
  uint64_t memory_limit; /* bytes for all runs together; 0: none */
  /* Takes lines that plugins log and remarks on plugins (severity OPSRUN_LOG_*; file may be empty); NULL: standard
   * error. Called from any thread, several at once; the texts are borrowed. It may not call this library. It is called
   * until the engine and everything that keeps the engine alive have ended. */
  void (*log)(void* log_ctx, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line);
  void* log_ctx;
} opsrun_engine_options;

/* [any] Looks at the plugin files in the places and opens none. options may be NULL. FAILED_PRECONDITION: a directory of
 * options->plugins cannot be searched. End with opsrun_engine_destroy. */
OPSRUN_EXPORT int32_t opsrun_engine_create(const opsrun_engine_options* options, opsrun_engine** engine,
                                           opsrun_report** report);
/* [one] Ends the engine once all graphs and prepared calls of it are ended too: then shared objects are destroyed and
 * plugins shut down. */
OPSRUN_EXPORT void opsrun_engine_destroy(opsrun_engine* engine);

/* [any] Opens a plugin file, behind those that the engine knows: its ops are addressed as plugin.Op, and by their names
 * alone where no other plugin has them; it hides nothing. Graphs that are loaded keep what they have. A file that the
 * engine knows already is left as it is. FAILED_PRECONDITION: it is refused, or a plugin of that name is there. */
OPSRUN_EXPORT int32_t opsrun_engine_add_plugin(opsrun_engine* engine, opsrun_str path, opsrun_report** report);

#define OPSRUN_PLUGIN_OK 0
#define OPSRUN_PLUGIN_HIDDEN 1  /* by a plugin of that name in an earlier place: `reason` is its path */
#define OPSRUN_PLUGIN_REFUSED 2 /* for `reason`; `remedy` says what to do */

/* G. A plugin file, from its notes: nothing is opened. */
typedef struct opsrun_plugin_info {
  uint32_t size;
  int32_t state; /* OPSRUN_PLUGIN_* */
  opsrun_str name, version, path, reason, remedy;
  const opsrun_str* ops; /* n_ops names, sorted */
  uint32_t n_ops, reserved;
} opsrun_plugin_info;

/* The plugins that an engine knows, as of one moment. End with opsrun_listing_free. */
typedef struct opsrun_listing opsrun_listing;
/* [any] */
OPSRUN_EXPORT int32_t opsrun_engine_list(const opsrun_engine* engine, opsrun_listing** listing);
/* [any] How many; 0 for NULL. Plugin i; NULL if there is none. In the order in which they are searched. */
OPSRUN_EXPORT uint32_t opsrun_listing_count(const opsrun_listing* listing);
OPSRUN_EXPORT const opsrun_plugin_info* opsrun_listing_get(const opsrun_listing* listing, uint32_t i);
OPSRUN_EXPORT void opsrun_listing_free(opsrun_listing* listing);

/* V. An argument of an op. A list has number_attr or type_list_attr. */
typedef struct opsrun_op_arg {
  opsrun_str name, doc;
  int32_t dtype; /* OPSRUN_DT_*, or 0: an attr says it */
  uint32_t list; /* 1 for a list */
  opsrun_str type_attr, number_attr, type_list_attr;
} opsrun_op_arg;

/* V. An attr of an op. */
typedef struct opsrun_op_attr {
  opsrun_str name, doc;
  opsrun_str type;          /* as in its spec: "int", "list(type)" */
  opsrun_str default_value; /* as a graph writes it; empty without one: see has_default */
  uint32_t has_default, has_minimum;
  int64_t minimum;
} opsrun_op_attr;

/* G. An op, as its plugin declares it and as this host has read and checked it. End with opsrun_op_info_free. */
typedef struct opsrun_op_info {
  uint32_t size, flags; /* OPSRUN_OP_* */
  opsrun_str name, plugin, path, summary, description;
  const opsrun_op_arg* inputs;
  const opsrun_op_arg* outputs;
  const opsrun_op_attr* attrs;
  uint32_t n_inputs, n_outputs, n_attrs, n_kernels;
  opsrun_str json; /* what `opsrun explain --json` prints: also kernels, limits and what gives an attr its value */
} opsrun_op_info;

/* [any] Opens the plugins that the op needs. name: "ZeroOut", or "plugin.Op". NOT_FOUND: there is no such op, or it is
 * in a plugin that was refused. */
OPSRUN_EXPORT int32_t opsrun_engine_find_op(opsrun_engine* engine, opsrun_str name, const opsrun_op_info** info,
                                            opsrun_report** report);
OPSRUN_EXPORT void opsrun_op_info_free(const opsrun_op_info* info);

/* ---- Tensors: how they go in and come out. */

/* V. An array in CPU memory. dtype is OPSRUN_DT_*; of strings, data is an array of opsrun_str. strides count elements;
 * NULL: dense and row-major. data may be NULL if there are no elements. */
typedef struct opsrun_array {
  void* data;
  const int64_t* shape; /* rank sizes */
  const int64_t* strides;
  int32_t dtype, rank; /* rank 0 to OPSRUN_MAX_RANK */
} opsrun_array;

/* V. A tensor that goes in: one of the two, the other NULL. It is not copied if it is dense and row-major and aligned as
 * its elements are, unless it holds strings; nobody may write to it before the call returns. dtype: overrides the data
 * type of `tensor` where DLPack has no number of its own for it (quantized numbers); otherwise 0. */
typedef struct opsrun_in {
  const opsrun_dltensor* tensor; /* on the CPU */
  const opsrun_array* array;
  int32_t dtype, reserved;
} opsrun_in;

/* V. A tensor that comes out. Set `into` before the call, or zero all of it. */
typedef struct opsrun_out {
  /* In: memory for the result, dense and row-major, of the result's data type; `shape` is the shape that is expected.
   * NULL: the library allocates. A result of another type or shape is INVALID_ARGUMENT and leaves this memory as it was;
   * after other failures its contents are undefined. Where it is aligned to 64 bytes and the shape is known before the
   * run, the kernel writes straight to it. Not for strings. */
  const opsrun_array* into;
  /* Out: the result; dense, row-major. Its memory and shape belong to `tensor` or `strings`; with `into`, data is
   * into->data, and the shape is that of `into`. */
  opsrun_array array;
  /* Out: the owner of the result, for DLPack's consumers: whoever takes it calls tensor->deleter(tensor), from any
   * thread, also after graph and engine are gone. NULL with `into` and for strings. */
  struct DLManagedTensorVersioned* tensor;
  opsrun_strings* strings; /* Out: the owner of a string result; otherwise NULL */
} opsrun_out;

/* [any] Gives back what a call left in n outs, unless it was taken (then set out->tensor to NULL). */
OPSRUN_EXPORT void opsrun_outs_free(opsrun_out* outs, uint32_t n);

/* V. What is known of a feed or an output before a run. */
typedef struct opsrun_tensor_info {
  opsrun_str name;
  int32_t dtype;        /* OPSRUN_DT_* */
  int32_t rank;         /* -1: unknown */
  const int64_t* shape; /* rank sizes, -1 where a size is open */
} opsrun_tensor_info;

/* ---- Stopping runs. */

/* [any] A signal that ends runs. One may be given to any number of runs. End with opsrun_stop_destroy, after them. */
OPSRUN_EXPORT int32_t opsrun_stop_create(opsrun_stop** stop);
/* [any; also in a signal handler] Runs that were given it end with CANCELLED as soon as their kernels return, also those
 * that begin later. */
OPSRUN_EXPORT void opsrun_stop_now(opsrun_stop* stop);
OPSRUN_EXPORT void opsrun_stop_destroy(opsrun_stop* stop);

/* ---- Graphs. */

#define OPSRUN_GRAPH_STRICT 1u /* warnings are errors */

/* G. */
typedef struct opsrun_graph_options {
  uint32_t size, flags; /* OPSRUN_GRAPH_* */
} opsrun_graph_options;

/* [any] Reads a graph file, opens the plugins that it needs, and checks everything that can be known before a run: all
 * mistakes are in the report. Paths in the graph are relative to the file. options may be NULL. INVALID_ARGUMENT: the
 * graph has mistakes; NOT_FOUND: there is no such file; FAILED_PRECONDITION: plugins are missing or refused. End with
 * opsrun_graph_destroy. */
OPSRUN_EXPORT int32_t opsrun_graph_load_file(opsrun_engine* engine, opsrun_str path,
                                             const opsrun_graph_options* options, opsrun_graph** graph,
                                             opsrun_report** report);
/* [any] The same from memory. name: what messages call it; paths in the graph are relative to the directory in it. */
OPSRUN_EXPORT int32_t opsrun_graph_load_text(opsrun_engine* engine, opsrun_str name, opsrun_str text,
                                             const opsrun_graph_options* options, opsrun_graph** graph,
                                             opsrun_report** report);
/* [one] After all its runs have returned. */
OPSRUN_EXPORT void opsrun_graph_destroy(opsrun_graph* graph);

/* [any] The declared feeds, which each run is given, and the outputs; both in the order of the file. */
OPSRUN_EXPORT uint32_t opsrun_graph_n_feeds(const opsrun_graph* graph);
OPSRUN_EXPORT uint32_t opsrun_graph_n_outputs(const opsrun_graph* graph);
/* [any] Feed i, output i; NULL if there is none. */
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_graph_feed(const opsrun_graph* graph, uint32_t i);
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_graph_output(const opsrun_graph* graph, uint32_t i);
/* [any] The number of the feed or output of that name; -1 if there is none. */
OPSRUN_EXPORT int32_t opsrun_graph_find_feed(const opsrun_graph* graph, opsrun_str name);
OPSRUN_EXPORT int32_t opsrun_graph_find_output(const opsrun_graph* graph, opsrun_str name);

/* [any] Runs the graph once: feeds in the order of opsrun_graph_feed, all of them; outputs in that of
 * opsrun_graph_output, the first n_outputs of them. The graph is planned once for each combination of data types and
 * shapes of the feeds (opsrun_engine_options.cached_plans), and each plan has kernel objects of its own: what an op
 * keeps in its object, and not in a shared resource, is per combination. `npy`, `print` and `checks` of the graph are
 * the program's and do nothing here. stop may be NULL. INVALID_ARGUMENT: a feed does not fit; CANCELLED: stopped;
 * RESOURCE_EXHAUSTED: no memory; otherwise the code of the kernel that failed, whose place in the graph is in the
 * report. After a failure no outs have anything to give back. */
OPSRUN_EXPORT int32_t opsrun_graph_run(opsrun_graph* graph, const opsrun_in* feeds, uint32_t n_feeds, opsrun_out* outputs,
                                       uint32_t n_outputs, opsrun_stop* stop, opsrun_report** report);

/* ---- Single ops. */

/* V. Data type and shape of a tensor that a prepared call is given; of one argument that is a list, `list` of them
 * follow each other. */
typedef struct opsrun_op_input {
  opsrun_str arg; /* the op's name for the argument */
  int32_t dtype, rank;
  const int64_t* shape;
  uint32_t list; /* 1: an element of a list argument */
  uint32_t reserved;
} opsrun_op_input;

/* [any] Prepares one op for inputs of these types and shapes. inputs: n_inputs of them, those of one list argument next
 * to each other; an empty list argument is left out. attrs: n_attrs values of opsrun/c_api.h; those left out follow from
 * the inputs or have their defaults. Calls of equal op, attrs and inputs share what was prepared, unless the op is
 * stateful: then each call of this function has a kernel object of its own. NOT_FOUND: there is no such op;
 * INVALID_ARGUMENT: it does not take these; UNIMPLEMENTED: no kernel does. End with opsrun_prepared_destroy. */
OPSRUN_EXPORT int32_t opsrun_engine_prepare(opsrun_engine* engine, opsrun_str op, const opsrun_op_input* inputs,
                                            uint32_t n_inputs, const opsrun_attr* attrs, uint32_t n_attrs,
                                            opsrun_prepared** prepared, opsrun_report** report);
/* [one] After all its calls have returned. */
OPSRUN_EXPORT void opsrun_prepared_destroy(opsrun_prepared* prepared);

/* [any] The op's outputs, lists flattened. A name is that of the argument; "parts.0" of an element of a list. */
OPSRUN_EXPORT uint32_t opsrun_prepared_n_outputs(const opsrun_prepared* prepared);
OPSRUN_EXPORT const opsrun_tensor_info* opsrun_prepared_output(const opsrun_prepared* prepared, uint32_t i);

/* [any] Calls the op: tensors in the order in which they were prepared, of just those data types and shapes. Otherwise
 * as opsrun_graph_run. */
OPSRUN_EXPORT int32_t opsrun_prepared_call(opsrun_prepared* prepared, const opsrun_in* inputs, uint32_t n_inputs,
                                           opsrun_out* outputs, uint32_t n_outputs, opsrun_stop* stop,
                                           opsrun_report** report);

/* ---- Graphs that are built by calls. Each writes a piece of a graph file; what is wrong is found when it is loaded. */

/* [any] End with opsrun_builder_destroy. */
OPSRUN_EXPORT int32_t opsrun_builder_create(opsrun_builder** builder);
OPSRUN_EXPORT void opsrun_builder_destroy(opsrun_builder* builder);

/* [one] A feed that each run is given. rank -1: any shape; -1 in shape: any size. */
OPSRUN_EXPORT int32_t opsrun_builder_feed(opsrun_builder* builder, opsrun_str name, int32_t dtype, int32_t rank,
                                          const int64_t* shape);
/* [one] A feed with a value, which is written into the graph. At most 1 Mi elements: larger ones belong into a declared
 * feed or an .npy file (RESOURCE_EXHAUSTED). */
OPSRUN_EXPORT int32_t opsrun_builder_constant(opsrun_builder* builder, opsrun_str name, const opsrun_in* value,
                                              opsrun_report** report);

/* V. What one argument of a node is given: names of feeds and nodes, "node.output", "node.output.0". */
typedef struct opsrun_node_input {
  opsrun_str arg; /* the op's name for it; empty: by position, as all others then */
  const opsrun_str* from;
  uint32_t n_from;
  uint32_t list; /* 1: a list, also of one or none */
} opsrun_node_input;

/* G. */
typedef struct opsrun_node {
  uint32_t size, reserved;
  opsrun_str name, op;
  const opsrun_node_input* inputs;
  const opsrun_attr* attrs;
  const opsrun_str* after; /* nodes to wait for */
  uint32_t n_inputs, n_attrs, n_after, reserved_2;
  opsrun_str label; /* of the kernel; may be empty */
} opsrun_node;

/* [one] INVALID_ARGUMENT: an attr that no graph file can hold. */
OPSRUN_EXPORT int32_t opsrun_builder_node(opsrun_builder* builder, const opsrun_node* node, opsrun_report** report);
/* [one] from: as in opsrun_node_input. */
OPSRUN_EXPORT int32_t opsrun_builder_output(opsrun_builder* builder, opsrun_str name, opsrun_str from);

/* [one] The graph file. Free it with opsrun_text_free. */
OPSRUN_EXPORT int32_t opsrun_builder_to_yaml(const opsrun_builder* builder, opsrun_text** yaml);
/* [one] Loads that text: opsrun_graph_load_text. The builder may go on afterwards. */
OPSRUN_EXPORT int32_t opsrun_builder_load(const opsrun_builder* builder, opsrun_engine* engine, opsrun_str name,
                                          const opsrun_graph_options* options, opsrun_graph** graph,
                                          opsrun_report** report);

#ifdef __cplusplus
}
#endif

#endif /* OPSRUN_EMBED_H_ */
