// SPDX-License-Identifier: LGPL-2.1-or-later
#include "failing_new.h"

#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "fakecuda.h"

namespace {

std::atomic<bool> counting{false}, failed{false};
std::atomic<int> left{0};  // until one fails
std::atomic<long> living{0};

// Just before what an allocation returns.
struct alignas(16) Header {
  void *block;
  bool counted;
};

// Where libgstcuda is in memory. (The program is linked with it, so it is there before main().
// dladdr() for each allocation took a quarter of the test's time.)
struct Range {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
};

int add_segments(dl_phdr_info *library, std::size_t, void *range) noexcept {
  if (std::strstr(library->dlpi_name, "libgstcuda") == nullptr) return 0;
  auto &[begin, end] = *static_cast<Range *>(range);
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t address = library->dlpi_addr + segment.p_vaddr;
    begin = std::min(begin, address);
    end = std::max(end, address + segment.p_memsz);
  }
  return 1;
}

// From 1.24 on libgstcuda allocates so, too, and leaks where it fails.
bool is_libgstcuda(const void *caller) noexcept {
  static const Range library = [] {
    Range range;
    dl_iterate_phdr(add_segments, &range);
    return range;
  }();
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return address >= library.begin && address < library.end;
}

void *allocate(std::size_t size, std::size_t alignment, const void *caller) noexcept {
  const bool counted = counting && fakecuda_is_inside() == 0 && !is_libgstcuda(caller);
  if (counted && left.fetch_sub(1) == 1) {
    failed = true;
    return nullptr;
  }
  alignment = std::max(alignment, alignof(Header));
  if (size > SIZE_MAX - alignment - sizeof(Header)) return nullptr;
  void *block = std::malloc(size + alignment + sizeof(Header));
  if (block == nullptr) return nullptr;
  const auto first = reinterpret_cast<std::uintptr_t>(block) + sizeof(Header);
  const std::uintptr_t address = (first + alignment - 1) / alignment * alignment;
  *reinterpret_cast<Header *>(address - sizeof(Header)) = {block, counted};
  if (counted) living++;
  return reinterpret_cast<void *>(address);
}

void *allocate_or_throw(std::size_t size, std::size_t alignment, const void *caller) {
  if (void *memory = allocate(size, alignment, caller)) return memory;
  throw std::bad_alloc();
}

void release(void *memory) noexcept {
  if (memory == nullptr) return;
  const auto *header = reinterpret_cast<const Header *>(memory) - 1;
  if (header->counted) living--;
  std::free(header->block);
}

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

void *operator new(std::size_t size) {
  return allocate_or_throw(size, kUsual, __builtin_return_address(0));
}
void *operator new[](std::size_t size) {
  return allocate_or_throw(size, kUsual, __builtin_return_address(0));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void *operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, kUsual, __builtin_return_address(0));
}
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
  return allocate(size, kUsual, __builtin_return_address(0));
}
void *operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void *operator new[](std::size_t size, std::align_val_t alignment,
                     const std::nothrow_t &) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}

void operator delete(void *memory) noexcept {
  release(memory);
}
void operator delete[](void *memory) noexcept {
  release(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void *memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void *memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void *memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void *memory, const std::nothrow_t &) noexcept {
  release(memory);
}
void operator delete[](void *memory, const std::nothrow_t &) noexcept {
  release(memory);
}
void operator delete(void *memory, std::align_val_t, const std::nothrow_t &) noexcept {
  release(memory);
}
void operator delete[](void *memory, std::align_val_t, const std::nothrow_t &) noexcept {
  release(memory);
}

namespace simulated {

FailingNew::FailingNew(int nth) {
  failed = false;
  left = nth;
  counting = true;
}

FailingNew::~FailingNew() {
  counting = false;
}

bool FailingNew::has_failed() const {
  return failed;
}

long living_allocations() {
  return living;
}

}  // namespace simulated
