// opsrun/thread_annotations.h: annotates which mutex guards what, for clang's -Wthread-safety; empty for other
// compilers.
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
#define TF_SHARED_TRYLOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(shared_trylock_function(__VA_ARGS__))
#define TF_UNLOCK_FUNCTION(...) OPSRUN_THREAD_ANNOTATION(unlock_function(__VA_ARGS__))
#define TF_ASSERT_EXCLUSIVE_LOCK(...) OPSRUN_THREAD_ANNOTATION(assert_exclusive_lock(__VA_ARGS__))
#define TF_ASSERT_SHARED_LOCK(...) OPSRUN_THREAD_ANNOTATION(assert_shared_lock(__VA_ARGS__))
#define TF_LOCK_RETURNED(x) OPSRUN_THREAD_ANNOTATION(lock_returned(x))
#define TF_ACQUIRE(...) OPSRUN_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define TF_ACQUIRE_SHARED(...) OPSRUN_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define TF_RELEASE(...) OPSRUN_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define TF_NO_THREAD_SAFETY_ANALYSIS OPSRUN_THREAD_ANNOTATION(no_thread_safety_analysis)
// For a variable that an unnamed mutex guards. Compilers do not check it.
#define TF_PT_GUARDED_VAR
#define GUARDED_VAR

// The older names, which other libraries also define.
#ifndef GUARDED_BY
#define GUARDED_BY(x) TF_GUARDED_BY(x)
#endif
#ifndef PT_GUARDED_BY
#define PT_GUARDED_BY(x) TF_PT_GUARDED_BY(x)
#endif
#ifndef ACQUIRED_BEFORE
#define ACQUIRED_BEFORE(...) TF_ACQUIRED_BEFORE(__VA_ARGS__)
#endif
#ifndef ACQUIRED_AFTER
#define ACQUIRED_AFTER(...) TF_ACQUIRED_AFTER(__VA_ARGS__)
#endif
#ifndef EXCLUSIVE_LOCKS_REQUIRED
#define EXCLUSIVE_LOCKS_REQUIRED(...) TF_EXCLUSIVE_LOCKS_REQUIRED(__VA_ARGS__)
#endif
#ifndef SHARED_LOCKS_REQUIRED
#define SHARED_LOCKS_REQUIRED(...) TF_SHARED_LOCKS_REQUIRED(__VA_ARGS__)
#endif
#ifndef LOCKS_EXCLUDED
#define LOCKS_EXCLUDED(...) TF_LOCKS_EXCLUDED(__VA_ARGS__)
#endif
#ifndef LOCK_RETURNED
#define LOCK_RETURNED(x) TF_LOCK_RETURNED(x)
#endif
#ifndef LOCKABLE
#define LOCKABLE TF_LOCKABLE
#endif
#ifndef SCOPED_LOCKABLE
#define SCOPED_LOCKABLE TF_SCOPED_LOCKABLE
#endif
#ifndef EXCLUSIVE_LOCK_FUNCTION
#define EXCLUSIVE_LOCK_FUNCTION(...) TF_EXCLUSIVE_LOCK_FUNCTION(__VA_ARGS__)
#endif
#ifndef SHARED_LOCK_FUNCTION
#define SHARED_LOCK_FUNCTION(...) TF_SHARED_LOCK_FUNCTION(__VA_ARGS__)
#endif
#ifndef EXCLUSIVE_TRYLOCK_FUNCTION
#define EXCLUSIVE_TRYLOCK_FUNCTION(...) TF_EXCLUSIVE_TRYLOCK_FUNCTION(__VA_ARGS__)
#endif
#ifndef SHARED_TRYLOCK_FUNCTION
#define SHARED_TRYLOCK_FUNCTION(...) TF_SHARED_TRYLOCK_FUNCTION(__VA_ARGS__)
#endif
#ifndef UNLOCK_FUNCTION
#define UNLOCK_FUNCTION(...) TF_UNLOCK_FUNCTION(__VA_ARGS__)
#endif
#ifndef ASSERT_EXCLUSIVE_LOCK
#define ASSERT_EXCLUSIVE_LOCK(...) TF_ASSERT_EXCLUSIVE_LOCK(__VA_ARGS__)
#endif
#ifndef ASSERT_SHARED_LOCK
#define ASSERT_SHARED_LOCK(...) TF_ASSERT_SHARED_LOCK(__VA_ARGS__)
#endif
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS TF_NO_THREAD_SAFETY_ANALYSIS
#endif
