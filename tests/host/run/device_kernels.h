// tests/host/run/device_kernels.h: kernels of the ops of reference_ops.h for a FakeDevice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/host/run/fake_device.h"
#include "tests/host/run/reference_ops.h"

namespace opsrun::host::reference {

inline FakeDevice::Queue* QueueOf(const opsrun_call* call) {
  return static_cast<FakeDevice::Queue*>(call->stream);
}

// Rows that are read when the work is done, not when it is enqueued; but those in CPU memory are read at once.
inline std::function<Rows()> LateInputs(const opsrun_call* call) {
  std::vector<std::function<Row()>> in;
  for (uint32_t i = 0; i < call->n_in; ++i) {
    const int32_t* const data = Ints(call->in[i]);
    const int64_t count = Count(call->in[i]);
    if ((call->in[i]->flags & OPSRUN_TENSOR_HOST) != 0) {
      in.emplace_back([row = Row(data, data + count)] { return row; });
    } else {
      in.emplace_back([=] { return Row(data, data + count); });
    }
  }
  return [in] {
    Rows rows;
    for (const auto& row : in) rows.push_back(row());
    return rows;
  };
}

// The first thing that a kernel does: output 0 is as long as its first input.
inline int32_t BeginLikeFirst(opsrun_call* call, opsrun_tensor** out) {
  if (int32_t code = Begin(call)) return code;
  return AllocateLikeInput(call, out);
}
// What fn makes of the inputs goes to `to`.
template <Rows (*fn)(const Rows&, size_t)>
void EnqueueRow(void* stream, const opsrun_call* call, int32_t* to) {
  FakeDevice::Enqueue(static_cast<FakeDevice::Queue*>(stream), [in = LateInputs(call), to] {
    const Row row = fn(in(), 1)[0];
    return std::copy(row.begin(), row.end(), to), true;
  });
}

// For what is as long as its first input: enqueues the work and returns.
template <Rows (*fn)(const Rows&, size_t)>
int32_t Enqueued(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = BeginLikeFirst(call, &out)) return code;
  EnqueueRow<fn>(call->stream, call, Ints(out));
  return OPSRUN_OK;
}

// The same through a temporary of the device, and one of the CPU, which are released before the work is done.
template <Rows (*fn)(const Rows&, size_t)>
int32_t ThroughTemporaries(void*, opsrun_call* call) {
  const opsrun_host* host = call->host;
  const opsrun_tensor* first = call->in[0];
  opsrun_tensor* out = nullptr;
  const opsrun_tensor *on_device = nullptr, *on_host = nullptr;
  if (int32_t code = BeginLikeFirst(call, &out)) return code;
  if (int32_t code = host->allocate_temp(call, OPSRUN_DT_INT32, first->rank, first->shape, 0, &on_device)) return code;
  if (int32_t code =
          host->allocate_temp(call, OPSRUN_DT_INT32, first->rank, first->shape, OPSRUN_TEMP_ON_HOST, &on_host))
    return code;
  FakeDevice::Queue* const queue = QueueOf(call);
  EnqueueRow<fn>(queue, call, Ints(on_device));
  const auto copy = [n = Count(first)](const int32_t* from, int32_t* to) {
    return [=] { return std::copy_n(from, n, to), true; };
  };
  FakeDevice::Enqueue(queue, copy(Ints(on_device), Ints(on_host)));
  FakeDevice::Enqueue(queue, copy(Ints(on_host), Ints(out)));
  host->release(on_device);
  host->release(on_host);
  return OPSRUN_OK;
}

// For what has a length that only its values tell: a kernel with OPSRUN_KERNEL_WAITS. What it waited for does not order
// it after what other threads enqueue meanwhile, so its own work is enqueued too.
template <Rows (*fn)(const Rows&, size_t)>
int32_t Measured(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  if (!QueueOf(call)->device->Drain(call->stream).ok()) return OPSRUN_INTERNAL;
  const Rows rows = fn(InputsOf(call), call->n_out);
  for (uint32_t i = 0; i < call->n_out; ++i) {
    const auto n = static_cast<int64_t>(rows[i].size());
    opsrun_tensor* out = nullptr;
    if (int32_t code = call->host->allocate_output(call, i, 1, &n, &out)) return code;
    const auto write = [row = rows[i], to = Ints(out)] { return std::copy(row.begin(), row.end(), to), true; };
    if ((out->flags & OPSRUN_TENSOR_HOST) != 0) {
      write();
    } else {
      FakeDevice::Enqueue(QueueOf(call), write);
    }
  }
  return OPSRUN_OK;
}

// Its temporary becomes the output.
inline int32_t SetToEnqueued(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  return SetToTemporary(call, call->in[0]->rank, call->in[0]->shape,
                        [call](const opsrun_tensor& temp) { EnqueueRow<Sum>(call->stream, call, Ints(&temp)); });
}

// On a stream beside the call's own, which waits for it. The input may be used again before that, were it not told.
template <Rows (*fn)(const Rows&, size_t)>
int32_t OnTheSide(void*, opsrun_call* call) {
  const auto* const cuda = static_cast<const opsrun_cuda*>(call->host->query(call->host, C(OPSRUN_CUDA_1)));
  opsrun_tensor* out = nullptr;
  void* side = nullptr;
  if (int32_t code = BeginLikeFirst(call, &out)) return code;
  if (int32_t code = cuda->side_stream(call, 1, &side)) return code;
  FakeDevice& device = *QueueOf(call)->device;
  const Event event = *device.TakeEvent();
  (void)device.Record(event, call->stream);
  (void)device.Follow(side, event);
  device.GiveEvent(event);
  EnqueueRow<fn>(side, call, Ints(out));
  for (uint32_t i = 0; i < call->n_in; ++i) {
    if (int32_t code = cuda->record_use(call->in[i], side)) return code;
  }
  return cuda->record_use(out, side);
}

// In its input's block, if the host gives it.
inline int32_t TwiceEnqueued(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = BeginInPlace(call, &out)) return code;
  EnqueueRow<Twice>(call->stream, call, Ints(out));
  return OPSRUN_OK;
}

// What Turn tells is in CPU memory: the row when the stream has passed, or, with the count, when the kernel returns.
inline int32_t TurnOnStream(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  opsrun_tensor* out = nullptr;
  opsrun_tensor* count = nullptr;
  const int64_t one = 1;
  if (int32_t code = call->host->allocate_output(call, 0, 1, call->in[0]->shape, &out)) return code;
  if (int32_t code = call->host->allocate_output(call, 1, 1, &one, &count)) return code;
  FakeDevice::Enqueue(QueueOf(call), [in = LateInputs(call), to = Ints(out), n = Ints(count)] {
    const Rows rows = TurnAndCount(in(), 2);
    std::copy(rows[0].begin(), rows[0].end(), to);
    *n = rows[1][0];
    return true;
  });
  return OPSRUN_OK;
}

struct DeviceKernel {
  std::string op;
  ComputeFn compute = nullptr;
  std::vector<std::string> host_memory = {};
  uint32_t flags = 0;
};

inline const std::vector<DeviceKernel>& DeviceKernels() {
  static const std::vector<DeviceKernel> kernels = {
      {"Sum", Enqueued<Sum>, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"SumInPlace", Enqueued<Sum>, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"LateSum", OnTheSide<Sum>},
      {"Loop", ThroughTemporaries<TwiceTheSum>, {"b"}},
      {"Twice", TwiceEnqueued, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"LateTwice", TwiceEnqueued, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"Share", Share, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"LateShare", Share, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"Temporary", SetToEnqueued, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"LateTemporary", SetToEnqueued, {}, OPSRUN_KERNEL_CAPTURABLE},
      {"Even", Measured<Even>, {}, OPSRUN_KERNEL_WAITS},
      {"Deal", Measured<Deal>, {"ys"}, OPSRUN_KERNEL_WAITS},
      {"Chain", Measured<Chain>, {}, OPSRUN_KERNEL_WAITS},
      {"Turn", TurnOnStream, {"y", "n"}, OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM},
      {"Keep", Keep},
  };
  return kernels;
}

// Kernels for every op that `wants` answers true for.
template <typename Fn>
void AddDeviceKernels(InProcessOps& ops, Fn wants) {
  for (const DeviceKernel& from : DeviceKernels()) {
    const auto op =
        std::find_if(Ops().begin(), Ops().end(), [&](const Op& each) { return each.strings.name == from.op; });
    if (!wants(from.op)) continue;
    RegisteredKernel& kernel = ops.AddKernel(from.op, from.compute, op->create);
    kernel.def.device = "GPU";
    kernel.def.host_memory = from.host_memory;
    kernel.flags = from.flags;
    kernel.aliases = op->aliases;
    kernel.destroy = op->destroy;
  }
}

}  // namespace opsrun::host::reference
