// tests/sdk/fake_create.h: the making of one kernel object on a FakeHost.
//
//   FakeCreate create(host);
//   create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32).attrs.Int("k", 3);
//   void* kernel = nullptr;
//   EXPECT_EQ(create.Run(*table->kernels[0], &kernel), OPSRUN_OK);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_attrs.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

class FakeCreate {
 public:
  explicit FakeCreate(FakeHost& host, std::string op = "Op", std::string node = "node")
      : host_(host), op_(std::move(op)), node_(std::move(node)) {
    create_.size = sizeof(create_);
    create_.kind = OPSRUN_KIND_CREATE;
    create_.host = host.table();
    create_.device = {OPSRUN_DEVICE_CPU, 0};
  }
  ~FakeCreate() { host_.ForgetFailure(&create_); }
  FakeCreate(const FakeCreate&) = delete;
  FakeCreate& operator=(const FakeCreate&) = delete;

  FakeCreate& In(const std::string& name, int32_t dtype, uint32_t flags = 0) {
    return Arg(name, {dtype}, flags, &in_args_, &in_types_);
  }
  FakeCreate& InList(const std::string& name, const std::vector<int32_t>& dtypes) {
    return Arg(name, dtypes, OPSRUN_ARG_LIST, &in_args_, &in_types_);
  }
  FakeCreate& Out(const std::string& name, int32_t dtype, uint32_t flags = 0) {
    return Arg(name, {dtype}, flags, &out_args_, &out_types_);
  }
  FakeCreate& OutList(const std::string& name, const std::vector<int32_t>& dtypes) {
    return Arg(name, dtypes, OPSRUN_ARG_LIST, &out_args_, &out_types_);
  }

  // Valid until an attr or an argument is added.
  opsrun_create* handle() {
    create_.op = Str(op_);
    create_.node = Str(node_);
    create_.attrs = attrs.data();
    create_.n_attrs = attrs.size();
    create_.in_args = in_args_.data();
    create_.n_in_args = in_args_.size();
    create_.out_args = out_args_.data();
    create_.n_out_args = out_args_.size();
    create_.in_types = in_types_.data();
    create_.n_in = static_cast<uint32_t>(in_types_.size());
    create_.out_types = out_types_.data();
    create_.n_out = static_cast<uint32_t>(out_types_.size());
    return &create_;
  }

  int32_t Run(const opsrun_kernel& kernel, void** object) {
    host_.ForgetFailure(&create_);
    return kernel.create(kernel.ctx, handle(), object);
  }

  Failure failure() { return host_.FirstFailure(&create_); }

  FakeAttrs attrs;

 private:
  FakeCreate& Arg(const std::string& name, const std::vector<int32_t>& dtypes, uint32_t flags, FakeArgs* args,
                  std::vector<int32_t>* types) {
    args->Add(name, static_cast<uint32_t>(dtypes.size()), flags);
    types->insert(types->end(), dtypes.begin(), dtypes.end());
    return *this;
  }

  FakeHost& host_;
  std::string op_, node_;
  opsrun_create create_ = {};
  FakeArgs in_args_, out_args_;
  std::vector<int32_t> in_types_, out_types_;
};

}  // namespace opsrun_test
