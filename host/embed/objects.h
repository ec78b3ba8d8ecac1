// host/embed/objects.h: what functions of the C interface return: codes, reports, texts, and the objects behind
// handles; and the conversion of tensors before and after a call, also from and to DLPack. No exception crosses the
// interface. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/engine/callable_plan.h"
#include "host/engine/loaded_graph.h"
#include "host/engine/op_cache.h"
#include "opsrun/c_api.h"
#include "opsrun/embed.h"
#include "opsrun/embed_host.h"

struct opsrun_report {
  opsrun::host::Diagnostics diagnostics;
  std::shared_ptr<const opsrun::host::SourceFile> source;  // the file that the diagnostics refer to; may be null
  std::vector<opsrun_diagnostic> views;
  std::deque<std::vector<opsrun_label>> labels;
  std::deque<std::vector<opsrun_str>> lists;
  std::string texts[3];  // one per format, filled on demand
};

struct opsrun_text {
  std::string text;
};

namespace opsrun::host {

inline opsrun_str StrOf(std::string_view text) {
  return {text.data(), text.size()};
}
inline opsrun_place PlaceOf(const Span& span) {
  return {span.begin.line, span.begin.column, span.end.line, span.end.column};
}
inline std::string TextOf(opsrun_str text) {
  return text.data == nullptr ? std::string() : std::string(text.data, text.size);
}

// Thrown for an argument that no caller may pass; Guarded reports it as F306.
struct BadArgument {
  int32_t code;
  std::string text, help;
};
[[noreturn]] inline void RefuseArgument(int32_t code, std::string text, std::string help) {
  throw BadArgument{code, std::move(text), std::move(help)};
}

// A list passed by the caller, which may not be NULL if its count is not 0.
template <typename T>
std::span<T> ListOf(T* items, size_t n) {
  if (items == nullptr && n > 0)
    RefuseArgument(OPSRUN_INVALID_ARGUMENT, "a list is NULL, but its count is not 0", "pass 0 with NULL");
  return {items, n};
}

template <typename List>
uint32_t CountOf(const List& list) {
  return static_cast<uint32_t>(list.size());
}

// A growing struct that callers make: its name in messages, and its size at level 1 and in this library.
struct Growing {
  const char* name;
  uint32_t level_1, latest;
};
template <typename T>
inline constexpr Growing kGrowing = {};
template <>
inline constexpr Growing kGrowing<opsrun_engine_options> = {
    "opsrun_engine_options", OPSRUN_EMBED_LEVEL_1_SIZE_ENGINE_OPTIONS, sizeof(opsrun_engine_options)};
template <>
inline constexpr Growing kGrowing<opsrun_graph_options> = {
    "opsrun_graph_options", OPSRUN_EMBED_LEVEL_1_SIZE_GRAPH_OPTIONS, sizeof(opsrun_graph_options)};
template <>
inline constexpr Growing kGrowing<opsrun_run_options> = {"opsrun_run_options", OPSRUN_EMBED_LEVEL_1_SIZE_RUN_OPTIONS,
                                                         sizeof(opsrun_run_options)};
template <>
inline constexpr Growing kGrowing<opsrun_prepare_options> = {
    "opsrun_prepare_options", OPSRUN_EMBED_LEVEL_1_SIZE_PREPARE_OPTIONS, sizeof(opsrun_prepare_options)};
template <>
inline constexpr Growing kGrowing<opsrun_node> = {"opsrun_node", OPSRUN_EMBED_LEVEL_1_SIZE_NODE, sizeof(opsrun_node)};

// Copies what this library knows of a growing struct of `size` bytes. Throws BadArgument if no level's struct has that
// size, and if what is beyond the known fields is not zero.
void CopyGrowing(const Growing& growing, const void* given, uint32_t size, void* known);

// The same for a caller's struct; all zero if it is NULL.
template <typename T>
T Known(const T* given) {
  static_assert(kGrowing<T>.latest == sizeof(T));
  T known{};
  if (given != nullptr) CopyGrowing(kGrowing<T>, given, given->size, &known);
  return known;
}

// These throw BadArgument. what: the field in messages, "opsrun_in.flags".

void RequireFlags(const char* what, uint64_t flags, uint64_t known);
inline void RequireZero(const char* what, uint64_t reserved) {
  RequireFlags(what, reserved, 0);
}

// Sets *report, unless `report` is null, to a report of one error without a place; help may be empty. Returns
// status.code().
int32_t ReportStatus(Code code, const Status& status, opsrun_report** report, const std::string& help = {});

// The same for F306.
int32_t ReportBadArgument(const BadArgument& bad, opsrun_report** report);

// Returns the result of `body`. RESOURCE_EXHAUSTED if it runs out of memory, the code of a BadArgument that it throws,
// INTERNAL after any other exception. INVALID_ARGUMENT, without calling it, if `object` (the subject of the function)
// is null. First sets *report to null, if `report` is not null.
template <typename Body>
int32_t Guarded(const void* object, opsrun_report** report, Body body) {
  if (report != nullptr) *report = nullptr;
  if (object == nullptr) return OPSRUN_INVALID_ARGUMENT;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  } catch (const BadArgument& bad) {
    try {
      return ReportBadArgument(bad, report);
    } catch (...) {  // no memory for the report
      return bad.code;
    }
  } catch (...) {
    return OPSRUN_INTERNAL;
  }
}

// Sets *report, unless `report` is null, to a report of the diagnostics, if there are any. Returns OPSRUN_OK without
// errors, or a code for the first error: NOT_FOUND for a missing op or file, UNIMPLEMENTED for a missing kernel,
// INVALID_ARGUMENT for other errors in a graph, FAILED_PRECONDITION for plugins, RESOURCE_EXHAUSTED for memory,
// otherwise `otherwise`.
int32_t Report(Diagnostics diagnostics, std::shared_ptr<const SourceFile> source, opsrun_report** report,
               int32_t otherwise = OPSRUN_INTERNAL);

// The parts of functions that make an object; first, they set *made to null.

// make(): a unique_ptr to the object.
template <typename T, typename Make>
int32_t Making(const void* object, T** made, Make make) {
  *made = nullptr;
  return Guarded(object, nullptr, [&] {
    *made = make().release();
    return OPSRUN_OK;
  });
}

// make(): the text.
template <typename Make>
int32_t MakingText(const void* object, opsrun_text** text, Make make) {
  return Making(object, text, [&] { return std::make_unique<opsrun_text>(opsrun_text{make()}); });
}

// make(diagnostics, &source): what the object is constructed from; ignored after errors, which refer to the text
// source.
template <typename T, typename Make>
int32_t MakingWithReport(const void* object, T** made, opsrun_report** report, Make make) {
  *made = nullptr;
  return Guarded(object, report, [&] {
    Diagnostics diagnostics;
    std::shared_ptr<const SourceFile> source;
    auto from = make(diagnostics, &source);
    const int32_t code = Report(std::move(diagnostics), source, report);
    if (code == OPSRUN_OK) *made = new T(std::move(from));
    return code;
  });
}

}  // namespace opsrun::host

struct opsrun_engine {
  std::shared_ptr<opsrun::host::Engine> engine;
  uint32_t cached_plans = 64;
  std::shared_ptr<opsrun::host::OpCache> ops;
};

struct opsrun_typed_op {
  explicit opsrun_typed_op(std::shared_ptr<const opsrun::host::TypedOp> typed);

  std::shared_ptr<const opsrun::host::TypedOp> op;
  std::vector<uint32_t> dims;  // in_dims, then out_dims
  opsrun_typed_op_info info{};
  std::vector<int32_t> types;  // of inputs, then of outputs
};

struct opsrun_kernel_object {
  explicit opsrun_kernel_object(std::shared_ptr<const opsrun::host::KernelObject> made);

  std::shared_ptr<const opsrun::host::KernelObject> kernel;
  opsrun_kernel_object_info info{};
};

struct opsrun_stop {
  opsrun::host::StopSignal signal;
};

struct opsrun_builder {
  opsrun::host::GraphBuilder graph;
};

namespace opsrun::host {

// Feeds or outputs as the C interface returns them.
class TensorInfos {
 public:
  // `shape` is ignored if rank_known is false.
  void Add(std::string name, DType dtype, bool rank_known, Shape shape);
  size_t size() const { return infos_.size(); }
  const opsrun_tensor_info* Get(uint32_t i) const { return i < infos_.size() ? &infos_[i]->info : nullptr; }
  int32_t Find(opsrun_str name) const;  // -1: not found

 private:
  struct Info {
    std::string name;
    Shape shape;
    opsrun_tensor_info info{};
  };
  std::vector<std::unique_ptr<Info>> infos_;
};

}  // namespace opsrun::host

struct opsrun_graph {
  opsrun_graph(std::shared_ptr<opsrun::host::LoadedGraph> loaded, size_t most_plans)
      : callable(std::move(loaded), most_plans), cached_plans(most_plans) {}

  opsrun::host::CallableGraph callable;
  const size_t cached_plans;
  opsrun::host::TensorInfos feeds, outputs;
};

namespace opsrun::host {

// flags: those that are allowed.
LoadOptions OptionsOf(const opsrun_graph_options* given, uint32_t flags = OPSRUN_GRAPH_STRICT);
KernelWish WishOf(const opsrun_prepare_options* given);

// The inputs of an op. F305 for what cannot be a tensor. without_shapes: shapes are ignored, and handles are allowed.
std::vector<OpInput> ReadInputs(std::span<const opsrun_op_input> inputs, bool without_shapes, Diagnostics& diagnostics);

// Takes the graph if it has no errors; reports errors and warnings in any case.
int32_t TakeGraph(size_t cached_plans, std::shared_ptr<LoadedGraph> loaded, opsrun_graph** graph,
                  opsrun_report** report);

// The same as Report with the source of `about`.
int32_t Report(Diagnostics diagnostics, const LoadedGraph& about, opsrun_report** report);

}  // namespace opsrun::host

struct opsrun_prepared {
  explicit opsrun_prepared(std::shared_ptr<opsrun::host::PreparedOp> made);

  std::shared_ptr<opsrun::host::PreparedOp> op;
  opsrun::host::TensorInfos outputs;
};

struct opsrun_dltensor {
  void* data;
  opsrun_device device;
  int32_t ndim;
  opsrun_dldtype dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: dense and row-major
  uint64_t byte_offset;
};
static_assert(sizeof(opsrun_dltensor) == 48, "a DLTensor has 48 bytes");

struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  opsrun_dltensor dl_tensor;
};
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32, "the DLTensor follows the flags");

namespace opsrun::host {

// An array that is stored inline if it has few elements, as in most calls.
template <typename T, size_t kInline>
class FewOf {
 public:
  explicit FewOf(size_t n) : n_(n) {
    if (n > kInline) more_ = std::make_unique<T[]>(n);
  }
  std::span<T> all() { return {more_ ? more_.get() : few_, n_}; }

 private:
  const size_t n_;
  T few_[kInline];
  std::unique_ptr<T[]> more_;
};

// Checks that this can be an array on the CPU, and counts its elements; otherwise INVALID_ARGUMENT.
Status CheckType(DType dtype, int32_t rank, const int64_t* shape, std::optional<int64_t>* elements);

// Adds F305: the input is not a tensor, or cannot be converted to one; or D201: its device cannot be used.
void ReportInput(const std::string& name, const Status& status, Diagnostics& diagnostics);

// The tensor for a plan: the caller's memory if it is dense, row-major and aligned for its elements, otherwise, on the
// CPU, a copy, which is stored in *copy. INVALID_ARGUMENT if it is no tensor, or not on the device that it names; other
// codes if that cannot be used. devices: null if only tensors on the CPU are wanted.
Status ReadTensor(const opsrun_in& in, Devices* devices, TensorRef* ref, Tensor* copy);

// Fast path for a dense array of the right type, without a copy: ten times as fast. False if ReadTensor is needed.
bool ReadPlain(const opsrun_in& in, const FeedType& type, TensorRef* ref);

// The device of a caller's tensor: null for the CPU.
Result<Device*> DeviceOf(const opsrun_device& device, Devices& devices);

// Call this before the run. INVALID_ARGUMENT if `into` cannot be memory of a result. Throws BadArgument.
Status PlaceResult(const opsrun_out& out, Devices& devices, CallOutput* output);
// Call this after the run. Moves *output to *out.
Status GiveResult(CallOutput& output, opsrun_out* out);

}  // namespace opsrun::host
