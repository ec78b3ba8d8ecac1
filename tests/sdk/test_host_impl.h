// tests/sdk/test_host_impl.h: what is behind TestHost. Private to its sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "host/plan/infer_shapes.h"
#include "host/run/lane.h"
#include "host/tensor/resources.h"
#include "tests/host/run/counting_device.h"
#include "tests/sdk/test_host.h"

namespace opsrun_test {

namespace host = opsrun::host;

struct TestHost::Impl {
  bool MustFail() { return fails_in >= 0 && fails_in-- == 0; }

  std::shared_ptr<host::CountingDevice> device = std::make_shared<host::CountingDevice>();
  std::shared_ptr<const opsrun_host> table;
  Impl** number = nullptr;  // where the functions of its table find it
  std::vector<TestTensor> tensors;
  std::deque<host::TensorView> views;  // of tensors
  host::Resources resources;
  host::StopSignal stop;
  host::RunTimes times;
  std::vector<Span> spans;
  int held_tensors = 0, threads = 1, fails_in = -1;
};

// A shape call that knows what was asked of it.
struct WatchedShapeCall : host::ShapeCall {
  using ShapeCall::ShapeCall;
  std::vector<uint32_t> dim_ops;
  std::set<uint32_t> wanted;
};

}  // namespace opsrun_test
