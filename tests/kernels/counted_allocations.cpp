// SPDX-License-Identifier: LGPL-2.1-or-later
#include "counted_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/allocator_interface.h>
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

namespace coalesce::test {
namespace {

std::atomic<long> count{0};

#if SANITIZED
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, std::size_t) { ++count; }, [](const volatile void *) {});
#endif

}  // namespace

long allocations() {
  return count;
}

}  // namespace coalesce::test

#if !SANITIZED
void *operator new(std::size_t size) {
  ++coalesce::test::count;
  if (void *memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept {
  std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}
#endif
