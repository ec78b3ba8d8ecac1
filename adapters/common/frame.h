// adapters/common/frame.h: the parts of a kernel's execution that all adapters share.
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

  // After a failure: the reason, and the failed subject, such as "input:x".
  std::string text, subject;

  // Keeps the first failure. Any thread.
  int32_t Fail(int32_t code, std::string why, std::string whose = "") {
    const std::lock_guard<std::mutex> lock(failing_);
    if (text.empty()) {
      text = std::move(why);
      subject = std::move(whose);
    }
    return code == OPSRUN_OK ? OPSRUN_UNKNOWN : code;
  }

 protected:
  // Called with the code that compute returned; adds a text if a failure has none.
  int32_t Ended(int32_t code) {
    if (code != OPSRUN_OK && text.empty()) text = "the kernel gives no reason";
    return code;
  }

 private:
  const opsrun_kernel_object* const kernel_;
  std::mutex failing_;  // guards text and subject while the kernel runs
};

}  // namespace opsrun_adapter
