// opsrun/logging.h: LOG, VLOG, CHECK and related macros. CHECK_EQ(a.size(), b.size()) << "one weight for each value";
//
// LOG writes a line to stderr. VLOG(n) writes a line if the environment variable OPSRUN_VLOG is at least n. A failed
// CHECK and LOG(FATAL) abort the running call: it fails with their message, and the host continues. DCHECKs are
// compiled out if NDEBUG is defined. Use OP_REQUIRES for errors that a user can cause.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/check.h"
#include "opsrun/internal/log_message.h"

// Macros that the source or another library has already defined are kept.
#ifndef LOG
#define LOG(severity) OPSRUN_STREAM_##severity
#define LOG_IF(severity, condition) \
  if (!(condition)) {               \
  } else                            \
    LOG(severity)
#endif
#define OPSRUN_STREAM_INFO ::OPSRUN_NAMESPACE::internal::LogMessage("I", __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_WARNING ::OPSRUN_NAMESPACE::internal::LogMessage("W", __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_ERROR ::OPSRUN_NAMESPACE::internal::LogMessage("E", __FILE__, __LINE__).stream()
#define OPSRUN_STREAM_FATAL OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, "")

#ifndef VLOG
#define VLOG_IS_ON(level) (::OPSRUN_NAMESPACE::internal::VlogLevel() >= (level))
#define VLOG(level)         \
  if (!VLOG_IS_ON(level)) { \
  } else                    \
    OPSRUN_STREAM_INFO
#endif

#ifndef CHECK
#define CHECK(condition)                \
  if (TF_PREDICT_TRUE(!!(condition))) { \
  } else                                \
    OPSRUN_GIVE_UP(::OPSRUN_NAMESPACE::error::INTERNAL, "Check failed: " #condition " ")

#define CHECK_EQ(a, b) OPSRUN_CHECK_OP(Equal, "==", a, b)
#define CHECK_NE(a, b) OPSRUN_CHECK_OP(NotEqual, "!=", a, b)
#define CHECK_LT(a, b) OPSRUN_CHECK_OP(Less, "<", a, b)
#define CHECK_LE(a, b) OPSRUN_CHECK_OP(LessEqual, "<=", a, b)
#define CHECK_GT(a, b) OPSRUN_CHECK_OP(Greater, ">", a, b)
#define CHECK_GE(a, b) OPSRUN_CHECK_OP(GreaterEqual, ">=", a, b)
#define CHECK_NOTNULL(pointer) ::OPSRUN_NAMESPACE::internal::CheckNotNull(__FILE__, __LINE__, #pointer, (pointer))
#endif

#define TF_CHECK_OK(...)                                                                                         \
  for (const ::OPSRUN_NAMESPACE::Status opsrun_checked = (__VA_ARGS__); TF_PREDICT_FALSE(!opsrun_checked.ok());) \
  OPSRUN_GIVE_UP(opsrun_checked.code(), opsrun_checked.message() + " ")

#if defined(NDEBUG)
#define OPSRUN_DEBUG_ONLY while (false)
#else
#define OPSRUN_DEBUG_ONLY
#endif
#ifndef DCHECK
#define DCHECK(condition) OPSRUN_DEBUG_ONLY CHECK(condition)
#define DCHECK_EQ(a, b) OPSRUN_DEBUG_ONLY CHECK_EQ(a, b)
#define DCHECK_NE(a, b) OPSRUN_DEBUG_ONLY CHECK_NE(a, b)
#define DCHECK_LT(a, b) OPSRUN_DEBUG_ONLY CHECK_LT(a, b)
#define DCHECK_LE(a, b) OPSRUN_DEBUG_ONLY CHECK_LE(a, b)
#define DCHECK_GT(a, b) OPSRUN_DEBUG_ONLY CHECK_GT(a, b)
#define DCHECK_GE(a, b) OPSRUN_DEBUG_ONLY CHECK_GE(a, b)
#endif
#define TF_DCHECK_OK(...) OPSRUN_DEBUG_ONLY TF_CHECK_OK(__VA_ARGS__)
