// SPDX-License-Identifier: LGPL-2.1-or-later
// COALESCE_CLONES before a function: a second copy of it for AVX2, chosen when the program is
// loaded. The dynamic linker does that before a sanitizer is ready, so not with one.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COALESCE_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COALESCE_SANITIZED 1
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(COALESCE_SANITIZED)
#define COALESCE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define COALESCE_CLONES
#endif
