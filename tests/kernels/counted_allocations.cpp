// SPDX-License-Identifier: LGPL-2.1-or-later
#include "counted_allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "core/clones.h"

#if defined(COALESCE_SANITIZED)
#define SANITIZED 1
// (As in <sanitizer/allocator_interface.h>, which GCC does not install.)
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *,
                                                                             std::size_t),
                                                         void (*free_hook)(const volatile void *));
#else
#define SANITIZED 0
#endif

namespace coalesce::test {
namespace {

std::atomic<long> count{0};
std::atomic<long> left{0};  // until one fails

#if SANITIZED
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, std::size_t) { ++count; }, [](const volatile void *) {});
#endif

}  // namespace

long allocations() {
  return count;
}

bool fail_allocation(long nth) {
  left = nth;
  return SANITIZED == 0;
}

bool allocation_has_failed() {
  return left < 0;
}

}  // namespace coalesce::test

#if !SANITIZED
void *operator new(std::size_t size) {
  ++coalesce::test::count;
  if (coalesce::test::left != 0 && --coalesce::test::left == 0) {
    coalesce::test::left = -1;
    throw std::bad_alloc();
  }
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
