// opsrun_compat/logging.h: the macros of opsrun/logging.h, and the less common ones of TensorFlow and abseil.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <sstream>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/logging.h"

#define OPSRUN_STREAM_QFATAL OPSRUN_STREAM_FATAL
#if defined(NDEBUG)
#define OPSRUN_STREAM_DFATAL OPSRUN_STREAM_ERROR
#else
#define OPSRUN_STREAM_DFATAL OPSRUN_STREAM_FATAL
#endif

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Severities as numbers.
inline constexpr int INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3, NUM_SEVERITIES = 4;

namespace internal {

// The text for messages of CHECK_STREQ.
inline std::string_view Shown(const char* text) {
  return text == nullptr ? std::string_view("(null)") : std::string_view(text);
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// A statement that writes its line only if a condition holds.
#define OPSRUN_LOG_WHEN(severity, condition)               \
  for (bool opsrun_now =                                   \
           [&] {                                           \
             static std::atomic<long long> count{0};       \
             [[maybe_unused]] const long long n = count++; \
             return condition;                             \
           }();                                            \
       opsrun_now; opsrun_now = false)                     \
  LOG(severity)
#ifndef LOG_EVERY_N
#define LOG_EVERY_N(severity, every) OPSRUN_LOG_WHEN(severity, n % (every) == 0)
#define LOG_FIRST_N(severity, first) OPSRUN_LOG_WHEN(severity, n < (first))
#define LOG_EVERY_POW_2(severity) OPSRUN_LOG_WHEN(severity, (n & (n - 1)) == 0)
#define LOG_EVERY_N_SEC(severity, seconds)                                                                         \
  OPSRUN_LOG_WHEN(severity, ([](double s) {                                                                        \
                    static std::atomic<long long> next{0};                                                         \
                    const long long now = std::chrono::steady_clock::now().time_since_epoch().count();             \
                    long long due = next.load();                                                                   \
                    return now >= due && next.compare_exchange_strong(due, now + static_cast<long long>(s * 1e9)); \
                  }(static_cast<double>(seconds))))
#endif
#ifndef DVLOG
#define DVLOG(level) OPSRUN_DEBUG_ONLY VLOG(level)
#define DLOG(severity) OPSRUN_DEBUG_ONLY LOG(severity)
#endif

#ifndef QCHECK
#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b) CHECK_EQ(a, b)
#define QCHECK_NE(a, b) CHECK_NE(a, b)
#define QCHECK_LT(a, b) CHECK_LT(a, b)
#define QCHECK_LE(a, b) CHECK_LE(a, b)
#define QCHECK_GT(a, b) CHECK_GT(a, b)
#define QCHECK_GE(a, b) CHECK_GE(a, b)
#define PCHECK(condition) CHECK(condition)
#endif
#ifndef CHECK_OK
#define CHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#define QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#define DCHECK_OK(...) TF_DCHECK_OK(__VA_ARGS__)
#endif
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#ifndef CHECK_STREQ
#define CHECK_STREQ(a, b) CHECK_EQ(::OPSRUN_NAMESPACE::internal::Shown(a), ::OPSRUN_NAMESPACE::internal::Shown(b))
#define CHECK_STRNE(a, b) CHECK_NE(::OPSRUN_NAMESPACE::internal::Shown(a), ::OPSRUN_NAMESPACE::internal::Shown(b))
#endif
#ifndef CHECK_NEAR
#define CHECK_NEAR(a, b, tolerance) CHECK_LE((a) < (b) ? (b) - (a) : (a) - (b), (tolerance))
#endif
