/* opsrun/c_api.h: the contract between opsrun and its plugins.
 *
 * This is the only file that the host and a plugin share, and the only one that a plugin needs: it may be copied. It is
 * valid C11 and C++17 and includes only stdint.h and stddef.h. A plugin does not link against opsrun. The host reads
 * what a plugin is from notes in the file, before any of its code runs; then it calls one exported function,
 * opsrun_plugin_v1, which returns a constant table of ops and kernels.
 *
 * The promise
 *   - The major version is part of the name of the entry and of the type of each note, so another major version is
 *     never mistaken for this one.
 *   - Within a major version there is one integer, the level. A plugin states the lowest level that it requires; it
 *     runs in every host of that level or a later one. A level only adds; what a released level says never changes.
 *   - The level between a host and a plugin is the lower one of the host's and of the plugin's header_level (the lowest
 *     of its PLUGIN notes). A host shows a plugin nothing of a level above it: no data type, no kind of attr, no flag
 *     that changes what a field means, and no NULL in a field that is never NULL at level 1; it refuses the node
 *     instead. It ignores what a plugin's structs hold beyond that level.
 *   - Level 1 is not frozen yet: CHANGELOG.md says when it is.
 *
 * How a struct may grow
 *   - V, a value: frozen; may be an element of an array.
 *   - G, a growing struct: begins with its size, is always reached through a pointer, and gets new fields at its end.
 *     The one question to ask is OPSRUN_HAS: does this field lie within size? A reader requires the size of level 1,
 *     OPSRUN_LEVEL_1_SIZE_*, reads what it knows of the rest, and treats missing fields as zero.
 *   - No struct has padding, a bool, an enum, a long, a size_t or a bit-field.
 *   - Reserved words and flags that this file does not name are zero. A host refuses others in what a plugin of its own
 *     level or a lower one gives it, and ignores those of a plugin whose header_level is above its own. Reserved words
 *     of growing structs are never used: what comes later is appended.
 *
 * Threads, in brackets at each function
 *   [any]     any thread, at any time
 *   [load]    in the entry
 *   [create]  the thread of create, while it runs, with the object that was passed to it; several creates may run at
 *             once, each with its own object
 *   [call]    the thread of compute, while it runs, with the object that was passed to it
 *   [call*]   like [call], and any thread that works for this call: in blocks of parallel_for, in functions of
 *             try_schedule, and the plugin's own threads; of the latter, one at a time, while the thread of compute is
 *             in no function of the host
 *   [shape]   the thread of shape, while it runs, with the object that was passed to it
 *
 * Codes
 *   - Functions that return int32_t return a code, OPSRUN_OK or one of the canonical codes below, unless they say what
 *     else they return. Any other number counts as OPSRUN_UNKNOWN. Nothing throws.
 *   - The code that a callback returns decides whether it failed. `fail`, and functions of the host that return a code
 *     other than OPSRUN_OK, only record a reason: it is shown if the callback fails, and forgotten if it does not.
 *
 * Processes
 *   - Callbacks and the entry leave the floating-point mode, the locale, signal handlers and masks, and the working
 *     directory as they found them.
 *   - Kernels of one plugin may run in several processes. Nothing connects them but tensors and resources: not the
 *     variables of the plugin, nor an address in a tensor of another type than resource or variant.
 *   - The threads of a host do not survive fork: a host that had started them has one thread in the child, where
 *     parallel_for runs on its caller and try_schedule returns 0.
 *
 * Not frozen with level 1, because it has not run on a card: a create for any CUDA device (id -1).
 *
 * This file is laid out by hand, since the formatter would join the lines of tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
#ifndef OPSRUN_C_API_H_
#define OPSRUN_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX != UINT64_MAX
#error "opsrun needs 64-bit pointers"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the project, read from here by the build, the command line and the documents. 15 characters at most:
 * notes hold it with a NUL. */
#define OPSRUN_VERSION "0.1.0"

/* The level that this header describes. */
#define OPSRUN_LEVEL 1u

typedef char opsrun_version_is_too_long[sizeof(OPSRUN_VERSION) <= 16 ? 1 : -1];

/* The level that a plugin requires: the lowest one, unless its author needs features of a later level and defines this
 * before the include. */
#ifndef OPSRUN_TARGET_LEVEL
#define OPSRUN_TARGET_LEVEL 1u
#endif

/* The level up to which this file declares names; it becomes the header_level of the plugin. An author whose plugin
 * uses features of a later level where a host has them, and does without them elsewhere, defines it before the include,
 * in all translation units alike, and asks OPSRUN_HAS before each use. */
#ifndef OPSRUN_USE_LEVEL
#define OPSRUN_USE_LEVEL OPSRUN_TARGET_LEVEL
#endif
#if OPSRUN_USE_LEVEL > OPSRUN_LEVEL
#error "OPSRUN_TARGET_LEVEL or OPSRUN_USE_LEVEL is above OPSRUN_LEVEL: use a newer opsrun SDK, or lower it"
#endif
#if OPSRUN_TARGET_LEVEL > OPSRUN_USE_LEVEL
#error "OPSRUN_USE_LEVEL is below OPSRUN_TARGET_LEVEL: leave it out, or raise it"
#endif

/* True if the growing struct *p, as its maker built it, holds `field` of `type`. */
#define OPSRUN_HAS(p, type, field) ((p)->size >= offsetof(type, field) + sizeof(((const type*)0)->field))

/* What depends on the format of the file; everything else in this header holds for any. Hosts of level 1 read ELF
 * only: the other formats are there so that a plugin's source compiles everywhere.
 *
 * OPSRUN_EXPORT makes the entry visible regardless of compiler flags; it must stand on the first declaration.
 * OPSRUN_NOTE_ATTRIBUTES puts a variable into the section of notes. "used" keeps it, although nothing refers to it.
 * Notes must be adjacent, so clang's AddressSanitizer must not put anything between them; GCC's does not. */
#define OPSRUN_NOTE_SECTION ".note.opsrun"
#if defined(__ELF__)
#define OPSRUN_EXPORT __attribute__((visibility("default")))
#define OPSRUN_NOTE_PLACE OPSRUN_NOTE_SECTION
#elif defined(__APPLE__)
#define OPSRUN_EXPORT __attribute__((visibility("default")))
#define OPSRUN_NOTE_PLACE "__TEXT,__opsrun"
#elif defined(_WIN32)
#define OPSRUN_EXPORT __declspec(dllexport)
#define OPSRUN_NOTE_PLACE ".opsrun"
#else
#error "opsrun does not know the format of this system's shared libraries"
#endif
#if defined(__clang__)
#define OPSRUN_NOTE_ATTRIBUTES __attribute__((section(OPSRUN_NOTE_PLACE), used, aligned(4), no_sanitize("address")))
#else
#define OPSRUN_NOTE_ATTRIBUTES __attribute__((section(OPSRUN_NOTE_PLACE), used, aligned(4)))
#endif

/* ---- Codes. The canonical codes of gRPC and absl, with their numbers. */
#define OPSRUN_OK 0
#define OPSRUN_CANCELLED 1           /* the run was cancelled */
#define OPSRUN_UNKNOWN 2             /* an exception of an unknown type, or no better code */
#define OPSRUN_INVALID_ARGUMENT 3    /* an input or attr is wrong whatever the state of the system */
#define OPSRUN_DEADLINE_EXCEEDED 4   /* out of time */
#define OPSRUN_NOT_FOUND 5           /* a named thing does not exist */
#define OPSRUN_ALREADY_EXISTS 6      /* a named thing exists already */
#define OPSRUN_PERMISSION_DENIED 7   /* the system refused access */
#define OPSRUN_RESOURCE_EXHAUSTED 8  /* out of memory or another bounded resource */
#define OPSRUN_FAILED_PRECONDITION 9 /* not in this state; trying again does not help */
#define OPSRUN_ABORTED 10            /* lost a race; trying again may help */
#define OPSRUN_OUT_OF_RANGE 11       /* past the end */
#define OPSRUN_UNIMPLEMENTED 12      /* not offered by this host, op or kernel */
#define OPSRUN_INTERNAL 13           /* an invariant is broken: a bug */
#define OPSRUN_UNAVAILABLE 14        /* not now */
#define OPSRUN_DATA_LOSS 15          /* data is corrupt */
#define OPSRUN_UNAUTHENTICATED 16    /* no valid credentials */
/* 64 is reserved for kernels that complete later; no host of level 1 accepts it. */

/* ---- Data types. TensorFlow's numbers. At the right: code and bits of opsrun_tensor.dl for an element; lanes is 1. A
 * host may refuse any of them in a graph, with a message. The numbers 34 to 99 and 101 to 199 are kept for TensorFlow;
 * those of opsrun itself will begin at 1000. */
#define OPSRUN_DT_INVALID 0
#define OPSRUN_DT_FLOAT 1            /* 2, 32   IEEE binary32 */
#define OPSRUN_DT_DOUBLE 2           /* 2, 64   IEEE binary64 */
#define OPSRUN_DT_INT32 3            /* 0, 32 */
#define OPSRUN_DT_UINT8 4            /* 1, 8 */
#define OPSRUN_DT_INT16 5            /* 0, 16 */
#define OPSRUN_DT_INT8 6             /* 0, 8 */
#define OPSRUN_DT_STRING 7           /* 3, 128  slots: opsrun_str */
#define OPSRUN_DT_COMPLEX64 8        /* 5, 64   two floats: real, imaginary */
#define OPSRUN_DT_INT64 9            /* 0, 64 */
#define OPSRUN_DT_BOOL 10            /* 6, 8    0 or 1 */
#define OPSRUN_DT_QINT8 11           /* 3, 8 */
#define OPSRUN_DT_QUINT8 12          /* 3, 8 */
#define OPSRUN_DT_QINT32 13          /* 3, 32 */
#define OPSRUN_DT_BFLOAT16 14        /* 4, 16   the upper half of a binary32 */
#define OPSRUN_DT_QINT16 15          /* 3, 16 */
#define OPSRUN_DT_QUINT16 16         /* 3, 16 */
#define OPSRUN_DT_UINT16 17          /* 1, 16 */
#define OPSRUN_DT_COMPLEX128 18      /* 5, 128  two doubles */
#define OPSRUN_DT_HALF 19            /* 2, 16   IEEE binary16 */
#define OPSRUN_DT_RESOURCE 20        /* 3, 64   slots: const opsrun_resource* */
#define OPSRUN_DT_VARIANT 21         /* 3, 64   slots: const opsrun_resource* */
#define OPSRUN_DT_UINT32 22          /* 1, 32 */
#define OPSRUN_DT_UINT64 23          /* 1, 64 */
#define OPSRUN_DT_FLOAT8_E5M2 24     /* 12, 8   with infinities, as IEEE formats have them */
#define OPSRUN_DT_FLOAT8_E4M3FN 25   /* 10, 8   finite: no infinity; NaN is 0x7f and 0xff */
#define OPSRUN_DT_FLOAT8_E4M3FNUZ 26 /* 11, 8   finite, no negative zero; NaN is 0x80; bias 8 */
#define OPSRUN_DT_FLOAT8_E4M3B11FNUZ 27 /* 9, 8 as E4M3FNUZ with bias 11 */
#define OPSRUN_DT_FLOAT8_E5M2FNUZ 28 /* 13, 8   finite, no negative zero; NaN is 0x80; bias 16 */
/* Reserved: at level 1 they may be the value of an attr of type `type`, but no tensor has them. */
#define OPSRUN_DT_INT4 29            /* 0, 4 */
#define OPSRUN_DT_UINT4 30           /* 1, 4 */
#define OPSRUN_DT_INT2 31            /* 0, 2 */
#define OPSRUN_DT_UINT2 32           /* 1, 2 */
#define OPSRUN_DT_FLOAT4_E2M1FN 33   /* 17, 4   finite, no NaN */

/* The highest rank of a tensor, and the most elements of a value during shape inference. */
#define OPSRUN_MAX_RANK 64

/* ======================================================================= V: values, frozen */

/* Text or bytes, borrowed. UTF-8 where it is text. No NUL is promised at the end. data may be NULL if size is 0. */
typedef struct opsrun_str {
  const char* data;
  uint64_t size;
} opsrun_str;

/* DLPack's data type: code 0 int, 1 uint, 2 float, 3 opaque, 4 bfloat, 5 complex, 6 bool, 7 to 17 floats of 8 bits and
 * fewer; bits of one lane (of a complex number: both parts); lanes is 1. */
typedef struct opsrun_dldtype {
  uint8_t code, bits;
  uint16_t lanes;
} opsrun_dldtype;

/* DLPack's device, with DLPack's numbers. id is 0 for CPU memory; for CUDA, the CUDA runtime's number of the card in
 * this process. */
#define OPSRUN_DEVICE_CPU 1
#define OPSRUN_DEVICE_CUDA 2
#define OPSRUN_DEVICE_CUDA_HOST 3 /* CPU memory that is page-locked */
typedef struct opsrun_device {
  int32_t type, id;
} opsrun_device;

typedef struct opsrun_host opsrun_host;

/* A view of a tensor. Its address is the tensor's handle: views are made and owned by the host, and never copied or
 * built by a plugin to be passed to the host. Bytes 0 to 47 are a DLTensor.
 *
 * Elements are dense and row-major: a tensor has product of shape x dl.bits / 8 bytes. data has at least the alignment
 * that the element type has in C. Slots are always in CPU memory; they are zero in a fresh tensor, and tensors of slots
 * are never OPSRUN_TENSOR_PLANNED.
 *   - DT_STRING: opsrun_str[], read-only for the plugin; string_assign and string_swap change elements. No NUL is
 *     promised behind the bytes of an element.
 *   - DT_RESOURCE: const opsrun_resource*[]. Storing a pointer in a fresh element transfers a reference to the host.
 *   - DT_VARIANT: the same, with objects that are values of a type of the plugin: what is in a tensor never changes.
 *
 * Views on a device belong to one stream, that of the call which got them: a consumer on another stream gets another
 * view, after the host has ordered the two streams. */
#define OPSRUN_TENSOR_ALIGNED64 1u /* data is aligned to 64 bytes */
#define OPSRUN_TENSOR_CONST 2u     /* nobody may write to it */
#define OPSRUN_TENSOR_HOST 4u      /* set exactly if the CPU can read data; device says where data is */
#define OPSRUN_TENSOR_PLANNED 8u   /* memory and shape were planned before the run: needs no allocate_output */
/* A plugin ignores the other bits: 16 to 31 belong to the host, and a later level may set more. */
typedef struct opsrun_tensor {
  void* data; /* may be NULL only if there are no elements, or in an output that is not allocated yet */
  opsrun_device device;
  int32_t rank; /* 0 to OPSRUN_MAX_RANK; -1 in an output that is not allocated yet: then only dtype, dl, host and flags
                   are valid */
  opsrun_dldtype dl;
  int64_t* shape;       /* rank sizes; NULL if rank is 0 or -1 */
  int64_t* strides;     /* rank strides in elements, dense and row-major; NULL as shape is */
  uint64_t byte_offset; /* 0 */
  const opsrun_host* host; /* its owner: retain and release go through this table; a process may have several hosts */
  uint32_t flags;       /* OPSRUN_TENSOR_* */
  int32_t dtype;        /* OPSRUN_DT_* */
} opsrun_tensor;

/* A dimension during shape inference. Its address is its identity: equal addresses mean equal sizes, known or not. */
typedef struct opsrun_dim {
  int64_t value; /* -1 unknown; lower: an element of a value that is not a size, see set_output_value */
} opsrun_dim;

/* A shape during shape inference; identity as for a dimension. */
typedef struct opsrun_shape {
  int32_t rank; /* -1 unknown */
  uint32_t reserved;
  const opsrun_dim* const* dims; /* rank pointers; NULL if rank is 0 or -1 */
} opsrun_shape;

/* A shape as the value of an attr: sizes, or -1 where a size is unknown. */
typedef struct opsrun_partial {
  int32_t rank; /* -1 unknown */
  uint32_t reserved;
  const int64_t* dims;
} opsrun_partial;

/* The typed value of an attr. kind is one of OPSRUN_ATTR_*, with OPSRUN_ATTR_LIST or-ed in for a list. */
#define OPSRUN_ATTR_INT 1u    /* v.i;  list: v.ints */
#define OPSRUN_ATTR_FLOAT 2u  /* v.f;  list: v.floats */
#define OPSRUN_ATTR_BOOL 3u   /* v.i, 0 or 1;  list: v.ints */
#define OPSRUN_ATTR_STRING 4u /* v.s;  list: v.strs */
#define OPSRUN_ATTR_TYPE 5u   /* v.i, OPSRUN_DT_*;  list: v.ints */
#define OPSRUN_ATTR_SHAPE 6u  /* v.shapes, an array of one;  list: v.shapes */
#define OPSRUN_ATTR_TENSOR 7u /* v.tensors, an array of one, in CPU memory;  list: v.tensors */
#define OPSRUN_ATTR_FUNC 8u   /* v.s, the name of a function, whose meaning is the op's;  list: v.strs */
#define OPSRUN_ATTR_LIST 0x100u
typedef struct opsrun_attr {
  opsrun_str name;
  uint32_t kind, reserved;
  uint64_t count; /* 1, or a list's length; of an empty list the pointer may be NULL */
  union {
    int64_t i;
    double f;
    opsrun_str s;
    const int64_t* ints;
    const double* floats;
    const opsrun_str* strs;
    const opsrun_partial* shapes;
    const opsrun_tensor* const* tensors;
  } v;
} opsrun_attr;

/* The named range [first, first + count) that one argument of the op takes in the flat list of inputs or outputs. */
#define OPSRUN_ARG_LIST 1u        /* declared as a list, whatever its length */
#define OPSRUN_ARG_HOST_MEMORY 2u /* in CPU memory, as the kernel's registration asks */
typedef struct opsrun_arg {
  opsrun_str name;
  uint32_t first, count, flags, reserved;
} opsrun_arg;

/* How output `output` of a kernel may depend on input `input`, such as be in its memory; neither is a list. */
#define OPSRUN_ALIAS_READ_ONLY 1u /* the output shows the input's elements, in the input's memory or in its own */
#define OPSRUN_ALIAS_IN_PLACE 2u  /* the kernel may write the output over the input */
#define OPSRUN_ALIAS_ROWS 3u      /* no memory is shared. Row i of the output, along the first dimension, follows from row
                                     i of the input and from all of the inputs that have no such alias */
typedef struct opsrun_alias {
  opsrun_str output, input;
  uint32_t kind, reserved; /* OPSRUN_ALIAS_* */
} opsrun_alias;

/* ======================================================================= G: what the host offers */

/* The handle of a shared object, made by `resource` in the host's table. The host counts its references; all fields are
 * constant, and valid as long as a reference is held. A handle that comes from a tensor may be that of another plugin's
 * object: resource_object tells, and gives the object.
 *
 * destroy is called once, when the last reference is dropped, on whatever thread drops it, with none of the host's
 * locks held; it may release tensors and resources. NULL: obj needs no destruction. On a device, the device's primary
 * context is current. */
typedef struct opsrun_resource {
  uint32_t size, flags; /* no flags at level 1 */
  void* obj;
  const opsrun_host* host;
  void (*destroy)(void* obj);
  opsrun_str container, name, type;
  opsrun_str plugin; /* the name of the plugin that made it, for messages */
} opsrun_resource;

typedef struct opsrun_call opsrun_call;
typedef struct opsrun_create opsrun_create;
typedef struct opsrun_shape_call opsrun_shape_call;
typedef struct opsrun_plugin opsrun_plugin;

/* A piece of a parallel_for: works on [begin, end) and returns a code. */
typedef int32_t (*opsrun_range_fn)(void* ctx, int64_t begin, int64_t end);

/* Work that a kernel schedules: returns a code. */
typedef int32_t (*opsrun_task_fn)(void* ctx);

/* "where" is a call, a create or a shape_call. All three begin with uint32_t size, uint16_t kind, uint16_t flags. Flags
 * that are not named in this file may be set in a call of a later level, and mean nothing to a plugin of this one. */
#define OPSRUN_KIND_CALL 1
#define OPSRUN_KIND_CREATE 2
#define OPSRUN_KIND_SHAPE_CALL 3

#define OPSRUN_LOG_INFO 0
#define OPSRUN_LOG_WARNING 1
#define OPSRUN_LOG_ERROR 2

#define OPSRUN_TEMP_ON_HOST 1u /* CPU memory, also for a kernel on a device */
#define OPSRUN_TEMP_PINNED 2u  /* with ON_HOST: page-locked if the host can; a hint. Unknown bits are ignored */

#define OPSRUN_DIM_ADD 0u
#define OPSRUN_DIM_SUB 1u
#define OPSRUN_DIM_MUL 2u
#define OPSRUN_DIM_FLOORDIV 3u
#define OPSRUN_DIM_MIN 4u
#define OPSRUN_DIM_MAX 5u

/* The table of functions that a plugin may call. No slot of level 1 is NULL; a slot that this host does not support
 * returns OPSRUN_UNIMPLEMENTED and, if it has `where` or a call, records that as fail does (try_schedule, num_threads,
 * current_thread, cancelled and output_is_used return 0, 1, -1, 0 and 1, and wait_scheduled OPSRUN_OK). The table lives
 * until shutdown has returned, and as long as the plugin holds a tensor or a resource of this host; a plugin may keep
 * the pointer for that time. Functions that get no call, tensor or resource get the table itself: a plugin may have got
 * several. */
struct opsrun_host {
  uint32_t size, level;

  /* Records why a callback fails and returns `code` (OPSRUN_UNKNOWN for OPSRUN_OK), so that a callback can end with
   * `return host->fail(...)`. text and subject are copied. The first reason of a call is kept. subject names the cause:
   * "attr:N", "input:x", "output:y", several of them with spaces between; "plugin" for a mistake of the plugin's own,
   * whatever the graph; or nothing. The host shows its place in the user's graph. In the entry, `where` is NULL. [call*, create, shape, load] */
  int32_t (*fail)(const opsrun_host* host, void* where, int32_t code, opsrun_str text, opsrun_str subject);

  /* Gives the user of this host a line; severity is OPSRUN_LOG_*, file may be empty. The texts are copied. where: the
   * call that the line is about, or NULL. [any; with `where`, its threads] */
  void (*log)(const opsrun_host* host, void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line);

  /* The named interface `id`, such as OPSRUN_CUDA_1, or NULL if this host has none. It lives as long as the table. An
   * id means the same forever; what differs gets another number. [any] */
  const void* (*query)(const opsrun_host* host, opsrun_str id);

  /* Allocates output i, at most once a call; the contents are undefined; *view is call->out[i]. dims is copied. A shape
   * other than the planned one is INVALID_ARGUMENT, a second allocation INTERNAL. Optional for an output that is
   * OPSRUN_TENSOR_PLANNED. [call] */
  int32_t (*allocate_output)(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);

  /* Makes tensor t output i. t is an input, a temporary or a retained tensor, of the output's data type. Memory that
   * was allocated for the output is freed. The host may share or copy t. After set_output(t) or retain(t) nobody may
   * write to t. The host takes a reference of its own: the caller still releases the one that it holds. [call] */
  int32_t (*set_output)(opsrun_call* call, uint32_t i, const opsrun_tensor* t);

  /* Lets output `out` reuse the buffer of input `in` with the given shape. It succeeds if bit `in` of call->forwardable
   * is set, data types and numbers of elements are equal, and nobody else needs the buffer while the output lives.
   * Otherwise *view is NULL and the answer is still OPSRUN_OK: allocate the output then. [call] */
  int32_t (*forward_input)(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                           opsrun_tensor** view);

  /* Allocates a temporary tensor with one reference, which the caller releases; the contents are undefined. On a device
   * the memory is freed when the stream reaches the release; while the stream is captured, it is kept as long as what
   * was captured. flags: OPSRUN_TEMP_*. In a create for any device (id -1), device memory may be
   * OPSRUN_FAILED_PRECONDITION. A failure does not change *t; a kernel may try again with less. [call*, create] */
  int32_t (*allocate_temp)(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                           const opsrun_tensor** t);

  /* Takes a reference that outlives the call. *kept may be another handle than t: planned memory is copied, on a device
   * in the order of the view's stream. Called through t->host. [any] */
  int32_t (*retain)(const opsrun_tensor* t, const opsrun_tensor** kept);

  /* Drops one reference. The last one frees the memory, on a device once the view's stream has passed. Called through
   * t->host. [any] */
  void (*release)(const opsrun_tensor* t);

  /* Sets element i of a string tensor to the n bytes at p, which the host copies. Called through t->host.
   * [call*, and create for its own temporaries; different threads set different elements] */
  int32_t (*string_assign)(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n);

  /* Calls fn for blocks that together cover [0, n) once, on the caller's thread and on pool threads. unit_cost_ns: the
   * approximate cost of one index, in nanoseconds. Nested calls run inline. Returns the first failure. [call*] */
  int32_t (*parallel_for)(opsrun_call* call, int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);

  /* Swaps elements i and j of a string tensor without copying their bytes. Called through t->host. [call*] */
  int32_t (*string_swap)(const opsrun_tensor* t, uint64_t i, uint64_t j);

  /* Returns 1 if a thread of the pool will run fn(ctx), and 0 if none is idle: then the caller runs it. fn returns a
   * code. A compute that got a 1 calls wait_scheduled before it returns, even if it knows that fn is done; otherwise
   * its run waits, and fails. [call*] */
  int32_t (*try_schedule)(opsrun_call* call, opsrun_task_fn fn, void* ctx);

  /* Waits until all functions that this call has scheduled have returned, and returns the first code other than
   * OPSRUN_OK. The thread does nothing else meanwhile. In such a function: FAILED_PRECONDITION. [call] */
  int32_t (*wait_scheduled)(opsrun_call* call);

  /* How many threads parallel_for may use, at least 1. [call*] */
  int32_t (*num_threads)(opsrun_call* call);

  /* The index of the calling pool thread, 0 to num_threads - 1, or -1 for a thread outside the pool. Such a thread may
   * run blocks too, so scratch memory per thread needs num_threads + 1 entries. [call*] */
  int32_t (*current_thread)(opsrun_call* call);

  /* Not 0 once the run is cancelled. A long kernel checks it regularly and returns OPSRUN_CANCELLED. [call*] */
  int32_t (*cancelled)(opsrun_call* call);

  /* Finds a shared object or makes it. Its key is (container, name, the plugin, type). If make is NULL, a missing
   * object is NOT_FOUND. make runs on the caller's thread, and at most once until it succeeds; whoever asks for the
   * same object waits for it, and nobody else does. It may find or make other objects, on that thread; makes that would
   * wait for each other get OPSRUN_FAILED_PRECONDITION. Its code is returned if it fails, and *r is then not set. *r
   * holds one reference, which the caller releases. To implement "create", pass a make that records that it ran, and
   * return ALREADY_EXISTS if it did not run. [create, call*] */
  int32_t (*resource)(void* where, opsrun_str container, opsrun_str name, opsrun_str type,
                      int32_t (*make)(void* ctx, void** obj), void* ctx, void (*destroy)(void* obj),
                      const opsrun_resource** r);
  int32_t (*resource_retain)(const opsrun_resource* r);  /* adds a reference; through r->host [any] */
  int32_t (*resource_release)(const opsrun_resource* r); /* drops a reference; through r->host [any] */

  /* Sets *obj to the object of a handle, if `plugin`, the table that the entry of the caller's plugin returned, made it
   * with this type; otherwise INVALID_ARGUMENT, which records nothing. Called through r->host. [any] */
  int32_t (*resource_object)(const opsrun_resource* r, const opsrun_plugin* plugin, opsrun_str type, void** obj);

  /* Returns 0 if nothing reads output i, else 1. After a 0, this call may leave the output unallocated or unwritten.
   * [call*] */
  int32_t (*output_is_used)(opsrun_call* call, uint32_t i);

  /* Removes the object with that key, or returns NOT_FOUND. The object lives until its last reference is dropped.
   * [create, call*] */
  int32_t (*resource_delete)(void* where, opsrun_str container, opsrun_str name, opsrun_str type);

  /* The seven primitives of shape inference; everything else is code in the plugin. Handles live as long as the
   * inference. [shape] */

  /* Makes a dimension; -1 makes a new unknown one, a lower value an element of a value: see set_output_value. */
  int32_t (*make_dim)(opsrun_shape_call* call, int64_t value, const opsrun_dim** dim);

  /* Makes a shape of `rank` dimensions, or of unknown rank for -1. dims is copied, the dimensions are not. */
  int32_t (*make_shape)(opsrun_shape_call* call, int32_t rank, const opsrun_dim* const* dims,
                        const opsrun_shape** shape);

  /* Sets the shape of output i; one that is never set is unknown. A second call replaces the first. Of elements of a
   * value, -1 and what is not known become new unknown sizes, and other negative numbers are INVALID_ARGUMENT. */
  int32_t (*set_output_shape)(opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape);

  /* States that a and b are equal. Two different known values are INVALID_ARGUMENT. */
  int32_t (*equate)(opsrun_shape_call* call, const opsrun_dim* a, const opsrun_dim* b);

  /* Computes OPSRUN_DIM_* of two dimensions; needed only if one of them is unknown. A host that supports symbolic
   * dimensions returns one, any other host a new unknown dimension. UNIMPLEMENTED: an operation of a later
   * level; a plugin then makes an unknown dimension. */
  int32_t (*dim_op)(opsrun_shape_call* call, uint32_t op, const opsrun_dim* a, const opsrun_dim* b,
                    const opsrun_dim** out);

  /* Asks for the value of input i, if it is known before the run: as a tensor in CPU memory, and as a shape of its
   * elements, known in part (see set_output_value). value or as_shape may be NULL if it is not wanted. *value is NULL
   * if the value is unknown: the function runs again once it is known. *as_shape is NULL if nothing is known. Without
   * value, no node runs ahead for the answer: for functions that only pass the elements on. */
  int32_t (*want_value)(opsrun_shape_call* call, uint32_t i, const opsrun_tensor** value,
                        const opsrun_shape** as_shape);

  /* States the elements of output i, integers of 32 or 64 bits, row-major, as the dimensions of a shape: sizes, known
   * or not; make_dim(n - 1) for a negative number n; make_dim(INT64_MIN) if nothing is known. NULL or an unknown rank:
   * nothing is known. A second call replaces the first. The call fails if the output has another number of elements. */
  int32_t (*set_output_value)(opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape);
};

/* ======================================================================= G: one call */

/* One execution of one kernel: everything that it needs, so that reading an input costs no call. It belongs to a lane,
 * which is the set of calls and memory that one run uses; it is made once and reused by each run. */
#define OPSRUN_CALL_CAPTURING 1u /* the stream is being captured: launch, and allocate through the host only */
struct opsrun_call {
  uint32_t size;
  uint16_t kind; /* OPSRUN_KIND_CALL */
  uint16_t flags;
  const opsrun_tensor* const* in; /* n_in pointers, never NULL; each is its producer's own view. Inputs are not written,
                                     except through an alias or a forwarded buffer */
  opsrun_tensor* const* out;      /* n_out pointers, never NULL */
  uint32_t n_in, n_out;
  const opsrun_host* host;
  void* stream;         /* the device's own kind of queue (CUstream for CUDA; NULL is CUDA's default stream); on a CPU,
                           NULL. `device` says which it is. Kernels enqueue and never wait */
  uint64_t forwardable; /* bit i, for inputs 0 to 63: forward_input is worth asking for input i. It does not say that
                           the input may be written to */
  uint64_t run_id;      /* identifies the run */
  void* lane;           /* private to the host */
  opsrun_device device; /* that the kernel runs on, whatever memory its inputs are in */
  void* workspace;      /* the memory that the kernel's `workspace` asked for, on its device, aligned to 64 bytes, with
                           undefined contents; valid as a temporary is, for this call. NULL if the host has not planned
                           it, as where shapes are known too late: the kernel calls allocate_temp then */
  uint64_t workspace_bytes; /* its size; 0 for NULL */
};

/* The arguments of create, which makes one kernel object. op, in_args, out_args, in_types and out_types are borrowed
 * until that object is destroyed, all else until create returns. */
struct opsrun_create {
  uint32_t size;
  uint16_t kind; /* OPSRUN_KIND_CREATE */
  uint16_t flags;
  const opsrun_host* host;
  opsrun_str node, op;      /* node: a label for messages; may be empty; not unique */
  opsrun_device device;     /* id -1: any device of that type */
  const opsrun_attr* attrs; /* in declared order, defaults filled in */
  const opsrun_arg* in_args;
  const opsrun_arg* out_args;
  const int32_t* in_types; /* n_in data types, lists flattened */
  const int32_t* out_types;
  void* stream; /* to prepare memory on the device, as in a call; create may wait for it. NULL on a CPU, and if the
                   device's id is -1 */
  uint32_t n_attrs, n_in_args, n_out_args, n_in, n_out, reserved;
};

/* One call of a shape function. Everything is borrowed until it returns. */
struct opsrun_shape_call {
  uint32_t size;
  uint16_t kind; /* OPSRUN_KIND_SHAPE_CALL */
  uint16_t flags;
  const opsrun_host* host;
  const opsrun_attr* attrs;
  const opsrun_arg* in_args;
  const opsrun_arg* out_args;
  const opsrun_shape* const* in; /* n_in shapes, lists flattened */
  uint32_t n_attrs, n_in_args, n_out_args, n_in, n_out, reserved;
};

/* ======================================================================= G: what a plugin offers */

/* An op: its strings exactly as the author wrote them. Only the host parses them. */
#define OPSRUN_OP_STATEFUL 1u            /* never merged with an equal node, never run before the run */
#define OPSRUN_OP_COMMUTATIVE 2u         /* inputs may be swapped */
#define OPSRUN_OP_AGGREGATE 4u           /* (a + b) + c = a + (b + c) */
#define OPSRUN_OP_UNINITIALIZED_INPUT 8u /* accepts an input that was never written */
#define OPSRUN_OP_NOT_DIFFERENTIABLE 16u /* it has no gradient, and needs none: nothing flows back through it */
#define OPSRUN_OP_BROADCASTS 32u         /* the leading dimensions of `batch` are broadcast, by NumPy's rules */
typedef struct opsrun_op {
  uint32_t size, flags; /* OPSRUN_OP_* */
  uint64_t must_understand; /* an unknown bit drops this op and no other one; level 1 defines no bits */
  opsrun_str name, doc;
  const opsrun_str* inputs; /* "to_zero: T" */
  const opsrun_str* outputs;
  const opsrun_str* control_outputs;
  const opsrun_str* attrs; /* "T: {float, int32}" */
  uint32_t n_inputs, n_outputs, n_control_outputs, n_attrs, deprecated_version;
  uint32_t gradient_line; /* of the plugin's source, where `gradient` begins; 0: unknown */
  opsrun_str deprecated_text;
  int32_t (*shape)(void* shape_ctx, opsrun_shape_call* call); /* NULL: shapes are known at run time. Pure; may run
                                                                 any number of times [any] */
  void* shape_ctx;
  opsrun_str gradient; /* a graph, as text, that computes the gradients of the inputs; empty: none is declared. A text
                          in a later format than the first one states it, `opsrun: 2`; a host that cannot read it says
                          so when a gradient is asked for */
  opsrun_str batch; /* "(m,k),(k,n)->(m,n)": for each input and output, the names of the dimensions that the op works
                       on. Those in front of them, any number and the same in all inputs, are a batch, of which each
                       element is computed on its own. All tensors of a list are alike. Empty: nothing is said */
} opsrun_op;

/* A kernel: code for one op on one type of device, for some values of its attrs. The op may be in another plugin. A
 * host drops a kernel, and no other one, with a message, if it has a device, an attr's kind, a data type, a kind of
 * alias or a bit of must_understand that the host does not know, or names an argument that the op lacks.
 *
 * `op` is the name of an op, "ZeroOut", or that of an op of one plugin, "acme.images.ZeroOut". A kernel for the mere
 * name serves the plugin's own op, or else the op that graphs find by that name. */
#define OPSRUN_KERNEL_ASYNC 1u                 /* reserved; no host of level 1 accepts it */
#define OPSRUN_KERNEL_CAPTURABLE 2u            /* for equal shapes, attrs and values in host memory, it launches the
                                                  same work; compute is not called when that is replayed */
#define OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM 4u /* outputs in host memory hold their values only when the stream has
                                                  passed; without it, when compute returns */
#define OPSRUN_KERNEL_WAITS 8u                 /* may wait for its stream, such as for the size of an output; never
                                                  captured */
#define OPSRUN_KERNEL_ELEMENTWISE 16u          /* it has one output. Of inputs of the output's shape, each element is
                                                  computed from those at its place, and written after they are read;
                                                  inputs of other shapes are read at will. So the output may be
                                                  written over an input of its type and shape, as for an alias in
                                                  place. A host ignores it for several outputs */
#define OPSRUN_KERNEL_TILED 32u                /* a call may be for some rows of the node's tensors, as if they were
                                                  all, and gives the same bits. Messages name no positions. With
                                                  ELEMENTWISE, rows are taken from inputs of the output's shape; other
                                                  inputs are scalars, or the op is marked OPSRUN_OP_BROADCASTS for
                                                  elements, "(),()->()". Otherwise aliases of kind ROWS name the inputs
                                                  with rows. A host ignores it for several outputs */
#define OPSRUN_KERNEL_FUSES 64u                /* it can compute nodes that follow, too: see opsrun_fuse */
typedef struct opsrun_kernel {
  uint32_t size, flags;         /* OPSRUN_KERNEL_* */
  uint64_t must_understand;     /* as for an op: this kernel is dropped */
  opsrun_str op, device, label; /* device: "CPU"; "GPU", which is CUDA; or "DEFAULT", which is used on each device for
                                   which no kernel of its own matches the node */
  const opsrun_attr* constraints; /* each: the allowed values of one attr (types, ints, strings, bools) as a list,
                                     never empty; one for an attr at most */
  const opsrun_str* host_memory; /* arguments of the op that are in CPU memory */
  const opsrun_alias* aliases;   /* a host may ignore them: the kernel compares the two data, and copies if they
                                    differ */
  uint32_t n_constraints, n_host_memory, n_aliases;
  int32_t priority; /* the highest of all kernels for the device that match is used; a tie is an error, and so are two
                       kernels for DEFAULT that match */

  /* Makes the kernel object: once per node, or, in a host without nodes, once per distinct (op, attrs, types,
   * device). What the object stores is not the state of a call site. May be slow. *kernel may be NULL. On a device,
   * the device's primary context is current, as in compute and destroy. UNIMPLEMENTED: try the next kernel. [any] */
  int32_t (*create)(void* ctx, opsrun_create* create, void** kernel);

  /* One execution. Re-entrant: several threads may run one kernel object. On a device it returns after enqueueing its
   * work; inputs, outputs and temporaries, those in CPU memory too, stay valid until the stream has passed it. [any] */
  int32_t (*compute)(void* kernel, opsrun_call* call);

  /* After the last call has returned and its stream has passed. Called for every object whose create returned
   * OPSRUN_OK. [any] */
  void (*destroy)(void* kernel);
  void* ctx;

  /* May be NULL. Sets *bytes to the memory that compute will need besides its outputs, for n_in inputs of these shapes,
   * with lists flattened, all of which are known. A plan counts it, so a run fails if it is not available, and no call
   * allocates it: see opsrun_call. At a code other than OPSRUN_OK there is no workspace. No device's context is current.
   * [any] */
  int32_t (*workspace)(void* kernel, uint32_t n_in, const opsrun_partial* in, uint64_t* bytes);
} opsrun_kernel;

/* A plugin. Constant data, or built once in the entry; it lives as long as the process. Ops and kernels are in no
 * particular order.
 *
 * The host copies the table, and refuses a file
 *   - whose opsrun_plugin or one of whose functions does not lie in the file (arrays and texts may be on the heap);
 *   - with a kernel whose create, compute or destroy is NULL;
 *   - with more than 65,536 ops or kernels, 1,024 elements in another list, 1 MiB in a text, 64 MiB in all;
 *   - with a text that is not UTF-8, a name that is empty or not on one line, or a plugin's name with other characters
 *     than letters, digits, '_' and '-', which dots may separate.
 * An op or a kernel without a note (see below) is dropped with a message. */
struct opsrun_plugin {
  uint32_t size, header_level, min_level, flags; /* as in one PLUGIN note; where they differ, the notes count */
  opsrun_str name, version; /* as in the NAME note; without one both are empty, and the name is the file's */
  const opsrun_op* const* ops;
  const opsrun_kernel* const* kernels;
  uint32_t n_ops, n_kernels;
  void (*shutdown)(const opsrun_host* host); /* may be NULL; once for each call of the entry that returned the table,
                                                after all kernels and resources of that host are destroyed; other hosts
                                                may continue */
  const void* (*query)(opsrun_str id);       /* may be NULL; a named interface that the plugin offers, or NULL if it has
                                                none of that id. It lives as long as the process [any] */
};

/* The entry. Called at least once per host, by several threads at once if a process has several hosts; every call
 * returns the same table. The plugin uses `host` to fail (host->fail(host, NULL, ...), then return NULL), to log, and
 * to read the level. In C++ it is not an inline function with static variables: g++ would merge them with those of
 * another plugin. [any] */
typedef const opsrun_plugin* (*opsrun_entry_fn)(const opsrun_host* host);
OPSRUN_EXPORT const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host);
#define OPSRUN_ENTRY_NAME "opsrun_plugin_v1"

/* ======================================================================= Named interfaces, of `query` */

/* What CUDA kernels may need beyond their stream. */
#define OPSRUN_CUDA_1 "opsrun.cuda/1"
typedef struct opsrun_cuda {
  uint32_t size, flags; /* no flags yet */

  /* The memory of t is used on `stream` too: it is not freed or used again before the work that is now on it is done. t
   * is a tensor of this host in CUDA memory, else OPSRUN_INVALID_ARGUMENT. [call*] */
  int32_t (*record_use)(const opsrun_tensor* t, void* stream);

  /* A stream beside the call's own, on the same card: number i, from 0 to 3, else OPSRUN_OUT_OF_RANGE. It belongs to
   * the host. The kernel orders the two with events, and makes the call's stream wait before it returns. [call*] */
  int32_t (*side_stream)(opsrun_call* call, uint32_t i, void** stream);
} opsrun_cuda;

/* Which lines of the log are shown. */
#define OPSRUN_LOG_1 "opsrun.log/1"
typedef struct opsrun_log {
  uint32_t size, flags; /* no flags yet */

  /* The lowest severity that is shown: lines below it need not be made. OPSRUN_LOG_ERROR + 1: none is. [any] */
  int32_t (*threshold)(const opsrun_host* host);
} opsrun_log;

/* Parts of a kernel's work, which a trace shows within the node's own time. */
#define OPSRUN_TRACE_1 "opsrun.trace/1"
typedef struct opsrun_trace {
  uint32_t size, flags; /* no flags yet */

  /* The time now, in nanoseconds of the steady clock; 0 if nobody records this run. [call*] */
  int64_t (*now)(opsrun_call* call);

  /* Records a part that began at `begin`, a result of now, and ends now, on the calling thread; nothing if begin is 0.
   * The name is copied. A host may leave out parts if there are very many. [call*] */
  void (*span)(opsrun_call* call, opsrun_str name, int64_t begin);
} opsrun_trace;

/* Memory that a plugin allocates by itself, counted against the limits of a host. */
#define OPSRUN_MEMORY_1 "opsrun.memory/1"
typedef struct opsrun_memory {
  uint32_t size, flags; /* no flags yet */

  /* Counts bytes of CPU memory that the plugin is about to allocate. OPSRUN_RESOURCE_EXHAUSTED if the limit does not
   * allow them: then they are not counted, and the plugin does without. The host may free memory of its own first, and
   * so destroy resources: call it without locks that they need. [any] */
  int32_t (*reserve)(const opsrun_host* host, uint64_t bytes);

  /* Counts bytes of reserve no longer. At the end of shutdown, all must be given back but what belongs to resources that
   * are still held. [any] */
  void (*give_back)(const opsrun_host* host, uint64_t bytes);
} opsrun_memory;

/* Nodes that one call computes; an interface of a plugin that has kernels with OPSRUN_KERNEL_FUSES. */
#define OPSRUN_FUSE_1 "opsrun.fuse/1"
typedef struct opsrun_fused_node {
  opsrun_str op; /* the name of its op, "Relu" */
  void* kernel;
  const opsrun_partial* in; /* the shapes of its inputs, all of which are known */
  uint32_t n_in, chained;   /* input `chained` is the output of the node before it; 0 for the first node */
} opsrun_fused_node;
typedef struct opsrun_fuse {
  uint32_t size, flags; /* no flags yet */

  /* Asks once, before the first call of nodes[0].kernel, how many of the nodes it computes from then on, which get the
   * same bits as before; 1 if nothing changes, also if the code is not OPSRUN_OK. Its calls then have the inputs of all
   * these nodes in their order, without those that are outputs of the others, and the output of the last one. All nodes
   * run on the CPU by kernels of the plugin, for ops of the plugin that are not stateful. Each has one output, of one
   * shape and type, which nobody but the next one reads. [any] */
  int32_t (*fuse)(uint32_t n, const opsrun_fused_node* nodes, uint32_t* fused);
} opsrun_fuse;

/* ======================================================================= Notes
 *
 * What a plugin is, as ELF notes in section .note.opsrun with owner "opsrun": constant bytes, 4-byte aligned,
 * little-endian, with internal linkage, in any number and order. A type is 'O' 'P', a byte for the major version and a
 * byte for the kind.
 *
 *   PLUGIN  an opsrun_note_plugin; one per translation unit. The highest min_level and the lowest header_level count,
 *           every fingerprint must match.
 *   NAME    "name;version"; at most one in a file.
 *   OP      the name of an op.
 *   KERNEL  "Op;CPU", then ";attr=3,1" for each type constraint (numbers of data types), then ";#label".
 *   CUDA    "rt=13000;arch=800,900", the runtime's version and what nvcc was told to compile for; one per translation
 *           unit that nvcc compiled. The code itself is what counts, where a host can read it.
 *   META    lines "license=Apache-2.0", "homepage=URL", "summary=...", 4,096 bytes at most, for people and tools: hosts
 *           show them, and decide nothing by them. Other keys are ignored. Of several, the first text of a key counts.
 *
 * A text that is not a constant expression is written as "*": there is more, which is known only after loading. A file
 * that has other notes of this owner but no PLUGIN note is damaged. */
#define OPSRUN_NOTE_OWNER "opsrun"
#define OPSRUN_NOTE_PLUGIN 0x4F500101u
#define OPSRUN_NOTE_NAME 0x4F500102u
#define OPSRUN_NOTE_OP 0x4F500103u
#define OPSRUN_NOTE_KERNEL 0x4F500104u
#define OPSRUN_NOTE_CUDA 0x4F500105u
#define OPSRUN_NOTE_META 0x4F500106u

/* How the translation unit was built. A plugin that was built with a sanitizer loads only in a host with the same
 * one. */
#define OPSRUN_BUILD_ASAN 1u
#define OPSRUN_BUILD_TSAN 2u
#define OPSRUN_BUILD_MSAN 4u
#define OPSRUN_BUILD_DEBUG_LIBRARY 16u /* _GLIBCXX_DEBUG */

/* What the compiler may use beyond the base of the architecture: I(bit of `cpu`, the name in Linux's /proc/cpuinfo, the
 * compiler's macro). A host refuses a file that needs one of these which the processor lacks, and ignores bits that it
 * does not know. A unit whose code runs only after the plugin has asked the processor defines OPSRUN_CPU_CHECKED before
 * the include, and needs nothing. */
#define OPSRUN_X86_CPU(I)                                                                                           \
  I(0, "pni", __SSE3__) I(1, "ssse3", __SSSE3__) I(2, "sse4_1", __SSE4_1__) I(3, "sse4_2", __SSE4_2__)              \
  I(4, "popcnt", __POPCNT__) I(5, "avx", __AVX__) I(6, "f16c", __F16C__) I(7, "fma", __FMA__)                       \
  I(8, "avx2", __AVX2__) I(9, "bmi1", __BMI__) I(10, "bmi2", __BMI2__) I(11, "abm", __LZCNT__)                      \
  I(12, "movbe", __MOVBE__) I(13, "avx512f", __AVX512F__) I(14, "avx512cd", __AVX512CD__)                           \
  I(15, "avx512bw", __AVX512BW__) I(16, "avx512dq", __AVX512DQ__) I(17, "avx512vl", __AVX512VL__)                   \
  I(18, "avx512ifma", __AVX512IFMA__) I(19, "avx512vbmi", __AVX512VBMI__) I(20, "avx512_vbmi2", __AVX512VBMI2__)    \
  I(21, "avx512_vnni", __AVX512VNNI__) I(22, "avx512_bitalg", __AVX512BITALG__)                                     \
  I(23, "avx512_vpopcntdq", __AVX512VPOPCNTDQ__) I(24, "avx512_bf16", __AVX512BF16__)                               \
  I(25, "avx512_fp16", __AVX512FP16__) I(26, "avx_vnni", __AVXVNNI__) I(27, "sse4a", __SSE4A__)                     \
  I(28, "fma4", __FMA4__) I(29, "xop", __XOP__) I(30, "aes", __AES__) I(31, "pclmulqdq", __PCLMUL__)                \
  I(32, "sha_ni", __SHA__) I(33, "gfni", __GFNI__) I(34, "vaes", __VAES__) I(35, "vpclmulqdq", __VPCLMULQDQ__)      \
  I(36, "adx", __ADX__) I(37, "rdrand", __RDRND__) I(38, "rdseed", __RDSEED__)                                      \
  I(39, "avx512_vp2intersect", __AVX512VP2INTERSECT__) I(40, "amx_tile", __AMX_TILE__)                              \
  I(41, "amx_int8", __AMX_INT8__) I(42, "amx_bf16", __AMX_BF16__) I(43, "avx_ifma", __AVXIFMA__)                    \
  I(44, "avx_vnni_int8", __AVXVNNIINT8__) I(45, "avx_ne_convert", __AVXNECONVERT__) I(46, "sha512", __SHA512__)
#define OPSRUN_ARM_CPU(I)                                                                                           \
  I(0, "atomics", __ARM_FEATURE_ATOMICS) I(1, "asimddp", __ARM_FEATURE_DOTPROD)                                     \
  I(2, "asimdhp", __ARM_FEATURE_FP16_VECTOR_ARITHMETIC) I(3, "bf16", __ARM_FEATURE_BF16)                            \
  I(4, "i8mm", __ARM_FEATURE_MATMUL_INT8) I(5, "sve", __ARM_FEATURE_SVE) I(6, "sve2", __ARM_FEATURE_SVE2)           \
  I(7, "aes", __ARM_FEATURE_AES) I(8, "sha2", __ARM_FEATURE_SHA2) I(9, "crc32", __ARM_FEATURE_CRC32)                \
  I(10, "fphp", __ARM_FEATURE_FP16_SCALAR_ARITHMETIC) I(11, "asimdfhm", __ARM_FEATURE_FP16_FML)                     \
  I(12, "asimdrdm", __ARM_FEATURE_QRDMX) I(13, "fcma", __ARM_FEATURE_COMPLEX) I(14, "jscvt", __ARM_FEATURE_JCVT)    \
  I(15, "frint", __ARM_FEATURE_FRINT) I(16, "lrcpc", __ARM_FEATURE_RCPC) I(17, "sha3", __ARM_FEATURE_SHA3)          \
  I(18, "sha512", __ARM_FEATURE_SHA512) I(19, "sm4", __ARM_FEATURE_SM4) I(20, "sme", __ARM_FEATURE_SME)

/* The content of a PLUGIN note. Grows only at its end; readers check size. Texts are padded with NUL. A fingerprint
 * is a weighted sum of the offsets and sizes of the level-1 fields of one struct, and a number for the signatures of
 * its functions; never of sizeof a growing struct, nor of reserved words. The fields of a later level get a word of
 * their own, which is compared only if the note has it. */
typedef struct opsrun_note_plugin {
  uint32_t size, header_level, min_level, flags; /* flags: OPSRUN_BUILD_* */
  uint32_t cpu[2];                               /* bits 0 to 31 and 32 to 63 of OPSRUN_X86_CPU in a file for x86-64,
                                                    of OPSRUN_ARM_CPU in one for arm64 */
  char sdk_version[16], compiler[32];
  uint32_t fp_str, fp_dldtype, fp_device, fp_tensor, fp_resource, fp_dim, fp_shape, fp_partial, fp_attr, fp_arg,
      fp_alias;
  uint32_t fp_host, fp_call, fp_create, fp_shape_call, fp_op, fp_kernel, fp_plugin;
} opsrun_note_plugin;

/* ---- Level 1 as lists: all fields of the structs that fingerprints are made of, numbered from 1, as F(struct, field,
 * number), and reserved words as R(struct, field). Tests compare them with the structs. */
#define OPSRUN_FIELDS_STR(F, R)                   \
  F(opsrun_str, data, 1u) F(opsrun_str, size, 2u)
#define OPSRUN_FIELDS_DLDTYPE(F, R)                                                    \
  F(opsrun_dldtype, code, 1u) F(opsrun_dldtype, bits, 2u) F(opsrun_dldtype, lanes, 3u)
#define OPSRUN_FIELDS_DEVICE(F, R)                    \
  F(opsrun_device, type, 1u) F(opsrun_device, id, 2u)
#define OPSRUN_FIELDS_TENSOR(F, R)                                                                            \
  F(opsrun_tensor, data, 1u) F(opsrun_tensor, device, 2u) F(opsrun_tensor, rank, 3u) F(opsrun_tensor, dl, 4u) \
  F(opsrun_tensor, shape, 5u) F(opsrun_tensor, strides, 6u) F(opsrun_tensor, byte_offset, 7u)                 \
  F(opsrun_tensor, host, 8u) F(opsrun_tensor, flags, 9u) F(opsrun_tensor, dtype, 10u)
#define OPSRUN_FIELDS_RESOURCE(F, R)                                                             \
  F(opsrun_resource, size, 1u) F(opsrun_resource, flags, 2u) F(opsrun_resource, obj, 3u)         \
  F(opsrun_resource, host, 4u) F(opsrun_resource, destroy, 5u) F(opsrun_resource, container, 6u) \
  F(opsrun_resource, name, 7u) F(opsrun_resource, type, 8u) F(opsrun_resource, plugin, 9u)
#define OPSRUN_FIELDS_DIM(F, R) \
  F(opsrun_dim, value, 1u)
#define OPSRUN_FIELDS_SHAPE(F, R)                                               \
  F(opsrun_shape, rank, 1u) R(opsrun_shape, reserved) F(opsrun_shape, dims, 2u)
#define OPSRUN_FIELDS_PARTIAL(F, R)                                                   \
  F(opsrun_partial, rank, 1u) R(opsrun_partial, reserved) F(opsrun_partial, dims, 2u)
#define OPSRUN_FIELDS_ATTR(F, R)                                                                       \
  F(opsrun_attr, name, 1u) F(opsrun_attr, kind, 2u) R(opsrun_attr, reserved) F(opsrun_attr, count, 3u) \
  F(opsrun_attr, v, 4u)
#define OPSRUN_FIELDS_ARG(F, R)                                                                      \
  F(opsrun_arg, name, 1u) F(opsrun_arg, first, 2u) F(opsrun_arg, count, 3u) F(opsrun_arg, flags, 4u) \
  R(opsrun_arg, reserved)
#define OPSRUN_FIELDS_ALIAS(F, R) \
  F(opsrun_alias, output, 1u) F(opsrun_alias, input, 2u) F(opsrun_alias, kind, 3u) R(opsrun_alias, reserved)
#define OPSRUN_FIELDS_HOST(F, R)                                                                                  \
  F(opsrun_host, size, 1u) F(opsrun_host, level, 2u) F(opsrun_host, fail, 3u) F(opsrun_host, log, 4u)             \
  F(opsrun_host, query, 5u) F(opsrun_host, allocate_output, 6u) F(opsrun_host, set_output, 7u)                    \
  F(opsrun_host, forward_input, 8u) F(opsrun_host, allocate_temp, 9u) F(opsrun_host, retain, 10u)                 \
  F(opsrun_host, release, 11u) F(opsrun_host, string_assign, 12u) F(opsrun_host, parallel_for, 13u)               \
  F(opsrun_host, string_swap, 14u) F(opsrun_host, try_schedule, 15u) F(opsrun_host, wait_scheduled, 16u)          \
  F(opsrun_host, num_threads, 17u) F(opsrun_host, current_thread, 18u) F(opsrun_host, cancelled, 19u)             \
  F(opsrun_host, resource, 20u) F(opsrun_host, resource_retain, 21u) F(opsrun_host, resource_release, 22u)        \
  F(opsrun_host, resource_object, 23u) F(opsrun_host, output_is_used, 24u) F(opsrun_host, resource_delete, 25u)   \
  F(opsrun_host, make_dim, 26u) F(opsrun_host, make_shape, 27u) F(opsrun_host, set_output_shape, 28u)             \
  F(opsrun_host, equate, 29u) F(opsrun_host, dim_op, 30u) F(opsrun_host, want_value, 31u)                         \
  F(opsrun_host, set_output_value, 32u)
#define OPSRUN_FIELDS_CALL(F, R)                                                                                    \
  F(opsrun_call, size, 1u) F(opsrun_call, kind, 2u) F(opsrun_call, flags, 3u) F(opsrun_call, in, 4u)                \
  F(opsrun_call, out, 5u) F(opsrun_call, n_in, 6u) F(opsrun_call, n_out, 7u) F(opsrun_call, host, 8u)               \
  F(opsrun_call, stream, 9u) F(opsrun_call, forwardable, 10u) F(opsrun_call, run_id, 11u) F(opsrun_call, lane, 12u) \
  F(opsrun_call, device, 13u) F(opsrun_call, workspace, 14u) F(opsrun_call, workspace_bytes, 15u)
#define OPSRUN_FIELDS_CREATE(F, R)                                                                             \
  F(opsrun_create, size, 1u) F(opsrun_create, kind, 2u) F(opsrun_create, flags, 3u) F(opsrun_create, host, 4u) \
  F(opsrun_create, node, 5u) F(opsrun_create, op, 6u) F(opsrun_create, device, 7u) F(opsrun_create, attrs, 8u) \
  F(opsrun_create, in_args, 9u) F(opsrun_create, out_args, 10u) F(opsrun_create, in_types, 11u)                \
  F(opsrun_create, out_types, 12u) F(opsrun_create, stream, 13u) F(opsrun_create, n_attrs, 14u)                \
  F(opsrun_create, n_in_args, 15u) F(opsrun_create, n_out_args, 16u) F(opsrun_create, n_in, 17u)               \
  F(opsrun_create, n_out, 18u) R(opsrun_create, reserved)
#define OPSRUN_FIELDS_SHAPE_CALL(F, R)                                                                       \
  F(opsrun_shape_call, size, 1u) F(opsrun_shape_call, kind, 2u) F(opsrun_shape_call, flags, 3u)              \
  F(opsrun_shape_call, host, 4u) F(opsrun_shape_call, attrs, 5u) F(opsrun_shape_call, in_args, 6u)           \
  F(opsrun_shape_call, out_args, 7u) F(opsrun_shape_call, in, 8u) F(opsrun_shape_call, n_attrs, 9u)          \
  F(opsrun_shape_call, n_in_args, 10u) F(opsrun_shape_call, n_out_args, 11u) F(opsrun_shape_call, n_in, 12u) \
  F(opsrun_shape_call, n_out, 13u) R(opsrun_shape_call, reserved)
#define OPSRUN_FIELDS_OP(F, R)                                                                               \
  F(opsrun_op, size, 1u) F(opsrun_op, flags, 2u) F(opsrun_op, must_understand, 3u) F(opsrun_op, name, 4u)    \
  F(opsrun_op, doc, 5u) F(opsrun_op, inputs, 6u) F(opsrun_op, outputs, 7u) F(opsrun_op, control_outputs, 8u) \
  F(opsrun_op, attrs, 9u) F(opsrun_op, n_inputs, 10u) F(opsrun_op, n_outputs, 11u)                           \
  F(opsrun_op, n_control_outputs, 12u) F(opsrun_op, n_attrs, 13u) F(opsrun_op, deprecated_version, 14u)      \
  F(opsrun_op, gradient_line, 15u) F(opsrun_op, deprecated_text, 16u) F(opsrun_op, shape, 17u)               \
  F(opsrun_op, shape_ctx, 18u) F(opsrun_op, gradient, 19u) F(opsrun_op, batch, 20u)
#define OPSRUN_FIELDS_KERNEL(F, R)                                                                           \
  F(opsrun_kernel, size, 1u) F(opsrun_kernel, flags, 2u) F(opsrun_kernel, must_understand, 3u)               \
  F(opsrun_kernel, op, 4u) F(opsrun_kernel, device, 5u) F(opsrun_kernel, label, 6u)                          \
  F(opsrun_kernel, constraints, 7u) F(opsrun_kernel, host_memory, 8u) F(opsrun_kernel, aliases, 9u)          \
  F(opsrun_kernel, n_constraints, 10u) F(opsrun_kernel, n_host_memory, 11u) F(opsrun_kernel, n_aliases, 12u) \
  F(opsrun_kernel, priority, 13u) F(opsrun_kernel, create, 14u) F(opsrun_kernel, compute, 15u)               \
  F(opsrun_kernel, destroy, 16u) F(opsrun_kernel, ctx, 17u) F(opsrun_kernel, workspace, 18u)
#define OPSRUN_FIELDS_PLUGIN(F, R)                                                                               \
  F(opsrun_plugin, size, 1u) F(opsrun_plugin, header_level, 2u) F(opsrun_plugin, min_level, 3u)                  \
  F(opsrun_plugin, flags, 4u) F(opsrun_plugin, name, 5u) F(opsrun_plugin, version, 6u) F(opsrun_plugin, ops, 7u) \
  F(opsrun_plugin, kernels, 8u) F(opsrun_plugin, n_ops, 9u) F(opsrun_plugin, n_kernels, 10u)                     \
  F(opsrun_plugin, shutdown, 11u) F(opsrun_plugin, query, 12u)

/* S(struct, the field of opsrun_note_plugin, its list, a number for the signatures of its functions), in the order of
 * the note. scripts/abi_snapshot computes the numbers from the text of the signatures; a test compares them. */
#define OPSRUN_STRUCTS(S)                                              \
  S(opsrun_str, fp_str, OPSRUN_FIELDS_STR, 0u)                         \
  S(opsrun_dldtype, fp_dldtype, OPSRUN_FIELDS_DLDTYPE, 0u)             \
  S(opsrun_device, fp_device, OPSRUN_FIELDS_DEVICE, 0u)                \
  S(opsrun_tensor, fp_tensor, OPSRUN_FIELDS_TENSOR, 0u)                \
  S(opsrun_resource, fp_resource, OPSRUN_FIELDS_RESOURCE, 0xd40f90d0u) \
  S(opsrun_dim, fp_dim, OPSRUN_FIELDS_DIM, 0u)                         \
  S(opsrun_shape, fp_shape, OPSRUN_FIELDS_SHAPE, 0u)                   \
  S(opsrun_partial, fp_partial, OPSRUN_FIELDS_PARTIAL, 0u)             \
  S(opsrun_attr, fp_attr, OPSRUN_FIELDS_ATTR, 0u)                      \
  S(opsrun_arg, fp_arg, OPSRUN_FIELDS_ARG, 0u)                         \
  S(opsrun_alias, fp_alias, OPSRUN_FIELDS_ALIAS, 0u)                   \
  S(opsrun_host, fp_host, OPSRUN_FIELDS_HOST, 0xef7b295cu)             \
  S(opsrun_call, fp_call, OPSRUN_FIELDS_CALL, 0u)                      \
  S(opsrun_create, fp_create, OPSRUN_FIELDS_CREATE, 0u)                \
  S(opsrun_shape_call, fp_shape_call, OPSRUN_FIELDS_SHAPE_CALL, 0u)    \
  S(opsrun_op, fp_op, OPSRUN_FIELDS_OP, 0x4a427a14u)                   \
  S(opsrun_kernel, fp_kernel, OPSRUN_FIELDS_KERNEL, 0x62507369u)       \
  S(opsrun_plugin, fp_plugin, OPSRUN_FIELDS_PLUGIN, 0xd189b920u)

/* The sizes of the growing structs at level 1: the least that a reader may require. */
#define OPSRUN_LEVEL_1_SIZE_RESOURCE 96u
#define OPSRUN_LEVEL_1_SIZE_HOST 248u
#define OPSRUN_LEVEL_1_SIZE_CALL 96u
#define OPSRUN_LEVEL_1_SIZE_CREATE 128u
#define OPSRUN_LEVEL_1_SIZE_SHAPE_CALL 72u
#define OPSRUN_LEVEL_1_SIZE_OP 168u
#define OPSRUN_LEVEL_1_SIZE_KERNEL 144u
#define OPSRUN_LEVEL_1_SIZE_PLUGIN 88u
#define OPSRUN_LEVEL_1_SIZE_NOTE_PLUGIN 144u

/* One field's part of a fingerprint, and a struct's fingerprint. */
#define OPSRUN_FP_FIELD(T, f, n) \
  + ((uint32_t)offsetof(T, f) * 31u + (uint32_t)sizeof(((const T*)0)->f)) * (2u * (n) + 1u) * 2654435761u
#define OPSRUN_FP_RESERVED(T, f)
#define OPSRUN_FP(T, fp, FIELDS, signatures) (signatures FIELDS(OPSRUN_FP_FIELD, OPSRUN_FP_RESERVED)),

/* clang-format on */

/* How this translation unit is being built. */
#if defined(__has_feature)
#define OPSRUN_HAS_FEATURE(x) __has_feature(x)
#else
#define OPSRUN_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || OPSRUN_HAS_FEATURE(address_sanitizer)
#define OPSRUN_BUILT_ASAN OPSRUN_BUILD_ASAN
#else
#define OPSRUN_BUILT_ASAN 0u
#endif
#if defined(__SANITIZE_THREAD__) || OPSRUN_HAS_FEATURE(thread_sanitizer)
#define OPSRUN_BUILT_TSAN OPSRUN_BUILD_TSAN
#else
#define OPSRUN_BUILT_TSAN 0u
#endif
#if OPSRUN_HAS_FEATURE(memory_sanitizer)
#define OPSRUN_BUILT_MSAN OPSRUN_BUILD_MSAN
#else
#define OPSRUN_BUILT_MSAN 0u
#endif
#ifdef _GLIBCXX_DEBUG
#define OPSRUN_BUILT_DEBUG_LIBRARY OPSRUN_BUILD_DEBUG_LIBRARY
#else
#define OPSRUN_BUILT_DEBUG_LIBRARY 0u
#endif
#define OPSRUN_BUILD_FLAGS (OPSRUN_BUILT_ASAN | OPSRUN_BUILT_TSAN | OPSRUN_BUILT_MSAN | OPSRUN_BUILT_DEBUG_LIBRARY)

/* 1 if `macro` is defined as 1, and 0 if it is not defined: then the name itself arrives at the end. */
#define OPSRUN_AS_1 ~,
#define OPSRUN_SECOND(first, second, ...) second
#define OPSRUN_IS_ONE__(as) OPSRUN_SECOND(as UINT64_C(1), UINT64_C(0), 0)
#define OPSRUN_IS_ONE_(value) OPSRUN_IS_ONE__(OPSRUN_AS_##value)
#define OPSRUN_IS_ONE(macro) OPSRUN_IS_ONE_(macro)
#define OPSRUN_CPU_BIT(bit, name, macro) | OPSRUN_IS_ONE(macro) << bit
#if defined(OPSRUN_CPU_CHECKED)
#define OPSRUN_BUILT_CPU UINT64_C(0)
#elif defined(__x86_64__)
#define OPSRUN_BUILT_CPU (UINT64_C(0) OPSRUN_X86_CPU(OPSRUN_CPU_BIT))
#elif defined(__aarch64__)
#define OPSRUN_BUILT_CPU (UINT64_C(0) OPSRUN_ARM_CPU(OPSRUN_CPU_BIT))
#else
#define OPSRUN_BUILT_CPU UINT64_C(0)
#endif

#define OPSRUN_TEXT_(x) #x
#define OPSRUN_TEXT(x) OPSRUN_TEXT_(x)
#if defined(__clang__)
#define OPSRUN_COMPILER \
  "clang " OPSRUN_TEXT(__clang_major__) "." OPSRUN_TEXT(__clang_minor__) "." OPSRUN_TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define OPSRUN_COMPILER \
  "gcc " OPSRUN_TEXT(__GNUC__) "." OPSRUN_TEXT(__GNUC_MINOR__) "." OPSRUN_TEXT(__GNUC_PATCHLEVEL__)
#else
#define OPSRUN_COMPILER "unknown"
#endif

/* The content of this translation unit's PLUGIN note. */
#define OPSRUN_NOTE_PLUGIN_CONTENT                                                                         \
  {                                                                                                        \
    (uint32_t)sizeof(opsrun_note_plugin), OPSRUN_USE_LEVEL, OPSRUN_TARGET_LEVEL, OPSRUN_BUILD_FLAGS,       \
        {(uint32_t)OPSRUN_BUILT_CPU, (uint32_t)(OPSRUN_BUILT_CPU >> 32)}, OPSRUN_VERSION, OPSRUN_COMPILER, \
        OPSRUN_STRUCTS(OPSRUN_FP)                                                                          \
  }

/* Writes the PLUGIN note; `id` names the variable. In C++ the headers of the SDK write it. */
#define OPSRUN_C_PLUGIN_NOTE(id)                                                                                 \
  static const struct {                                                                                          \
    uint32_t namesz, descsz, type;                                                                               \
    char owner[8];                                                                                               \
    opsrun_note_plugin content;                                                                                  \
  } id OPSRUN_NOTE_ATTRIBUTES = {7, (uint32_t)sizeof(opsrun_note_plugin), OPSRUN_NOTE_PLUGIN, OPSRUN_NOTE_OWNER, \
                                 OPSRUN_NOTE_PLUGIN_CONTENT}

/* Writes any other note from a string literal. C only: in C++ an array may not be shorter than its literal. */
#define OPSRUN_C_NOTE(id, note_type, literal) \
  static const struct {                       \
    uint32_t namesz, descsz, type;            \
    char owner[8];                            \
    char text[(sizeof(literal) + 2) / 4 * 4]; \
  } id OPSRUN_NOTE_ATTRIBUTES = {7, (uint32_t)sizeof(literal) - 1u, note_type, OPSRUN_NOTE_OWNER, literal}

#ifdef __cplusplus
}
#endif

#endif /* OPSRUN_C_API_H_ */
