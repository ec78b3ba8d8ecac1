// opsrun/thread_annotations.h: states which mutex guards what, for clang's -Wthread-safety; empty for other compilers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__clang__)
#define OPSRUN_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define OPSRUN_THREAD_ANNOTATION(x)
#endif

#define TF_GUARDED_BY(x) OPSRUN_THREAD_ANNOTATION(guarded_by(x))
#define TF_PT_GUARDED_BY(x) OPSRUN_THREAD_ANNOTATION(pt_guarded_by(x))
#define TF_ACQUIRED_BEFORE(...) OPSRUN_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define TF_ACQUIRED_AFTER(...) OPSRUN_THREAD_ANNOTATION(acquired_after(__VA_ARGS__))
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...) OPSRUN_THREAD_ANNOTATION(exclusive_locks_required(__VA_ARGS__))
#define TF_SHARED_LOCKS_REQUIRED(...) OPSRUN_THREAD_ANNOTATION(shared_locks_required(__VA_ARGS__))
#define TF_LOCKS_EXCLUDED(...) OPSRUN_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define TF_LOCKABLE OPSRUN_THREAD_ANNOTATION(lockable)
#define TF_SCOPED_LOCKABLE OPSRUN_THREAD_ANNOTATION(scoped_lockable)
#define TF_EXCLUSIVE_LOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(exclusive_lock_function(__VA_ARGS__))
#define TF_SHARED_LOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(shared_lock_function(__VA_ARGS__))
#define TF_EXCLUSIVE_TRYLOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(exclusive_trylock_function(__VA_ARGS__))
#define TF_UNLOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(unlock_function(__VA_ARGS__))
#define TF_NO_THREAD_SAFETY_ANALYSIS OPSRUN_THREAD_ANNOTATION(no_thread_safety_analysis)

// The older names, which other libraries define too.
#ifndef GUARDED_BY
#define GUARDED_BY(x) TF_GUARDED_BY(x)
#endif
#ifndef PT_GUARDED_BY
#define PT_GUARDED_BY(x) TF_PT_GUARDED_BY(x)
#endif
#ifndef LOCKS_EXCLUDED
#define LOCKS_EXCLUDED(...) TF_LOCKS_EXCLUDED(__VA_ARGS__)
#endif
#ifndef SHARED_LOCKS_REQUIRED
#define SHARED_LOCKS_REQUIRED(...) TF_SHARED_LOCKS_REQUIRED(__VA_ARGS__)
#endif
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS TF_NO_THREAD_SAFETY_ANALYSIS
#endif
#ifndef EXCLUSIVE_LOCKS_REQUIRED
#define EXCLUSIVE_LOCKS_REQUIRED(...) TF_EXCLUSIVE_LOCKS_REQUIRED(__VA_ARGS__)
#endif
