// adapters/common/frame.h: one execution of a kernel, as far as it is the same in all adapters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

class Frame : public opsrun_call {
 public:
  Frame(const opsrun_host* table, const opsrun_kernel_object* its_kernel) : opsrun_call{}, kernel_(its_kernel) {
    size = sizeof(opsrun_call);
    kind = OPSRUN_KIND_CALL;
    host = table;
    device = {OPSRUN_DEVICE_CPU, 0};
  }
  Frame(const Frame&) = delete;

  const opsrun_kernel_object* kernel() const { return kernel_; }

  // After a failure: the reason, and what is at fault, such as "input:x".
  std::string text, subject;

  // The first failure counts. Any thread.
  int32_t Fail(int32_t code, std::string why, std::string whose = "") {
    const std::lock_guard<std::mutex> lock(failing_);
    if (text.empty()) {
      text = std::move(why);
      subject = std::move(whose);
    }
    return code == OPSRUN_OK ? OPSRUN_UNKNOWN : code;
  }

 protected:
  // The code that compute returned, with a text if it is a failure.
  int32_t Ended(int32_t code) {
    if (code != OPSRUN_OK && text.empty()) text = "the kernel gives no reason";
    return code;
  }

 private:
  const opsrun_kernel_object* const kernel_;
  std::mutex failing_;  // guards text and subject while the kernel runs
};

}  // namespace opsrun_adapter
