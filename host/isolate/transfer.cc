// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/transfer.h"

#include <algorithm>
#include <cstring>

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

bool IsPlanned(const opsrun_tensor& out) {
  return out.rank >= 0 && (out.flags & OPSRUN_TENSOR_PLANNED) != 0;
}

Status Damaged() {
  return Internal("the reply of the isolated process is damaged");
}

Status Allocate(opsrun_call* call, uint32_t i, const RunTensor& made, opsrun_tensor** view) {
  const int32_t code =
      call->host->allocate_output(call, i, static_cast<int32_t>(made.shape.size()), made.shape.data(), view);
  return code == OPSRUN_OK ? OkStatus() : Status(code, "an output of the isolated process was refused");
}

}  // namespace

size_t BytesOf(const opsrun_tensor& view) {
  size_t bytes = ElementBytes(DTypeFromNumber(view.dtype));
  for (int32_t i = 0; i < view.rank; ++i) bytes *= static_cast<size_t>(view.shape[i]);
  return bytes;
}

Stage::Stage(const Channel& channel, const SharedRegion& tensors)
    : channel_(channel), tensors_(tensors), left_(channel.most_bytes() / kAlignment * kAlignment) {}

Stage::~Stage() {
  const size_t end = channel_.most_bytes() / kAlignment * kAlignment;
  if (end - left_ >= size_t{1} << 20) channel_.memory().Release(channel_.request() + left_, end - left_);
}

char* Stage::For(void* memory, size_t bytes) {
  if (tensors_.Holds(memory, bytes)) return static_cast<char*>(memory);
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (bytes > left_ / 2) return nullptr;  // the message must fit, too
  left_ -= bytes;
  return channel_.request() + left_;
}

bool PlaceInput(const opsrun_tensor& in, Stage& stage, RunTensor& feed) {
  feed = {DTypeFromNumber(in.dtype), {in.shape, in.shape + std::max(in.rank, 0)}, 0, {}, true};
  const size_t bytes = BytesOf(in);
  if (feed.dtype == DType::kString) {
    const auto* const texts = static_cast<const opsrun_str*>(in.data);
    for (size_t k = 0; k < bytes / sizeof(opsrun_str); ++k) feed.strings.emplace_back(SlotText(texts[k]));
    return true;
  }
  if (HasHandles(feed.dtype)) return true;
  char* const at = stage.For(in.data, bytes);
  feed.address = reinterpret_cast<uintptr_t>(at);
  if (at != nullptr && at != in.data && bytes > 0) std::memcpy(at, in.data, bytes);
  return at != nullptr;
}

bool PlaceOutput(const opsrun_tensor& out, Stage& stage, RunPlace& place) {
  if (!IsPlanned(out)) return true;
  place.bytes = BytesOf(out);
  place.address = reinterpret_cast<uintptr_t>(stage.For(out.data, place.bytes));
  return place.address != 0;
}

Status TakeOutput(opsrun_call* call, uint32_t i, const RunTensor& made, const RunPlace& place,
                  const SharedRegion& memory) {
  const opsrun_tensor& out = *call->out[i];
  if (made.dtype != DTypeFromNumber(out.dtype)) return Damaged();
  if (IsPlanned(out)) {
    const auto* const written = reinterpret_cast<const char*>(place.address);
    if (written != out.data && place.bytes > 0) std::memcpy(out.data, written, place.bytes);
    return OkStatus();
  }
  opsrun_tensor* view = nullptr;
  if (Status status = Allocate(call, i, made, &view); !status.ok()) return status;
  const size_t bytes = BytesOf(*view);
  if (made.dtype != DType::kString) {
    const auto* const from = reinterpret_cast<const char*>(made.address);
    if (!memory.Holds(from, bytes)) return Damaged();
    if (bytes > 0) std::memcpy(view->data, from, bytes);
    return OkStatus();
  }
  if (made.strings.size() != bytes / sizeof(opsrun_str)) return Damaged();
  for (size_t k = 0; k < made.strings.size(); ++k) {
    const int32_t assigned = view->host->string_assign(view, k, made.strings[k].data(), made.strings[k].size());
    if (assigned != OPSRUN_OK) return {assigned, "a string of the isolated process does not fit the memory"};
  }
  return OkStatus();
}

Status TakeHandles(opsrun_call* call, uint32_t i, const RunTensor& made, const std::shared_ptr<UnusedTokens>& tokens) {
  const opsrun_tensor& out = *call->out[i];
  const auto n = static_cast<int64_t>(made.tokens.size());
  if (made.dtype != DTypeFromNumber(out.dtype) || NumElements(made.shape) != n) return Damaged();
  opsrun_tensor* view = nullptr;
  if (Status status = Allocate(call, i, made, &view); !status.ok()) return status;
  auto** const elements = static_cast<const opsrun_resource**>(view->data);
  for (size_t k = 0; k < made.tokens.size(); ++k) {
    if (made.tokens[k] == 0) continue;
    if (Status status = MakeProxy(call, tokens, made.tokens[k], &elements[k]); !status.ok()) return status;
  }
  return OkStatus();
}

}  // namespace opsrun::host
