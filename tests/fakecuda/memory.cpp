// SPDX-License-Identifier: LGPL-2.1-or-later
// Device memory and page-locked memory: poisoned, guarded, and looked after once freed.

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "state.h"

namespace fakecuda {

namespace {

constexpr unsigned char poison = 0xCD, guard_byte = 0xA5;
constexpr std::size_t page = 4096;
constexpr std::size_t freed_limit = std::size_t{64} << 20;
constexpr std::size_t sparse_size = std::size_t{1} << 30;

// Without a branch for each byte, because the blocks are looked at often.
bool all(const char *first, const char *last, unsigned char value) {
  const std::uint64_t pattern = std::uint64_t{0x0101010101010101} * value;
  std::uint64_t wrong = 0, word = 0;
  for (; last - first >= 8; first += 8) {
    std::memcpy(&word, first, 8);
    wrong |= word ^ pattern;
  }
  for (; first < last; first++)
    wrong |= static_cast<unsigned>(static_cast<unsigned char>(*first) ^ value);
  return wrong == 0;
}

char *data_of(const Block &block) {
  return reinterpret_cast<char *>(block.data);
}

std::size_t bytes_on(const State &s, CUdevice device) {
  std::size_t bytes = 0;
  for (const auto &[address, block] : s.device_blocks)
    if (block.context->device == device) bytes += block.size;
  return bytes;
}

std::size_t free_on(const State &s, CUdevice device) {
  return s.device_memory - std::min(s.device_memory, bytes_on(s, device));
}

void set_protection(const Block &block, int protection) {
  mprotect(block.region, block.region_size, protection);
}

// Pages of so large a block that nobody touches take no memory: it has guards, and no poison.
bool is_sparse(const Block &block) {
  return block.size >= sparse_size;
}

// `shift` moves the block off its page boundary.
bool map_block(Block &block, Context &context, std::size_t size, std::size_t shift) {
  block.context = &context;
  block.size = size;
  block.region_size = (size + shift + 3 * page - 1) / page * page;
  void *region = mmap(nullptr, block.region_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) return false;
  block.region = static_cast<char *>(region);
  block.data = reinterpret_cast<std::uintptr_t>(block.region) + page + shift;
  char *const data = data_of(block), *const end = data + size;
  std::memset(block.region, guard_byte, page + shift);
  std::memset(end, guard_byte, block.region_size - page - shift - size);
  if (is_sparse(block))
    block.padding_written = true;  // so that nobody looks at it
  else
    std::memset(data, poison, size);
  return true;
}

void inspect(State &s, Block &block) {
  if (block.region == nullptr) return;
  const char *data = data_of(block), *end = data + block.size;
  if (!block.guards_broken && (!all(block.region, data, guard_byte) ||
                               !all(end, block.region + block.region_size, guard_byte))) {
    block.guards_broken = true;
    ++s.counts.guard_violations;
  }
  if (block.pitch == 0 || block.padding_written) return;
  for (const char *row = data; row < end; row += block.pitch) {
    if (all(row + block.row_bytes, row + block.pitch, poison)) continue;
    block.padding_written = true;
    ++s.counts.padding_writes;
    return;
  }
}

void inspect_freed(State &s, Block &block) {
  if (block.guards_broken || all(data_of(block), data_of(block) + block.size, poison)) return;
  block.guards_broken = true;
  ++s.counts.use_after_free;
}

// Freed memory stays mapped for a while, so that late readers see poison and late writers are seen.
void retire(State &s, Block block) {
  std::memset(data_of(block), poison, block.size);
  block.guards_broken = false;
  s.freed_bytes += block.size;
  s.freed.push_back(block);
  while (s.freed_bytes > freed_limit) {
    Block &oldest = s.freed.front();
    inspect_freed(s, oldest);
    munmap(oldest.region, oldest.region_size);
    s.freed_bytes -= oldest.size;
    s.freed.pop_front();
  }
}

CUresult allocate(State &s, Context &context, std::size_t size, Block block, CUdeviceptr *pointer) {
  if (size > free_on(s, context.device)) return CUDA_ERROR_OUT_OF_MEMORY;
  // Aligned to 512 bytes and no more, as nothing more is promised.
  std::size_t shift = 512 + s.counts.allocations % 3 * 1024;
  if (!map_block(block, context, size, shift)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (s.protect && s.device_access == 0) set_protection(block, PROT_NONE);
  s.device_blocks[block.data] = block;
  *pointer = block.data;
  ++s.counts.allocations;
  ++s.counts.allocations_live;
  s.counts.bytes += size;
  s.counts.bytes_live += size;
  return CUDA_SUCCESS;
}

CUresult allocate_host(void **pointer, std::size_t size, unsigned flags) {
  return in_context(FAKECUDA_ALLOC_HOST, [&](State &s, Context &context) {
    constexpr unsigned known =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (pointer == nullptr || size == 0 || (flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    Block block;
    if (size > s.device_memory || !map_block(block, context, size, 0))
      return CUDA_ERROR_OUT_OF_MEMORY;
    s.host_blocks[block.data] = block;
    *pointer = data_of(block);
    ++s.counts.host_allocations;
    ++s.counts.host_allocations_live;
    s.counts.host_bytes_live += size;
    return CUDA_SUCCESS;
  });
}

// A pitch nobody expects: a multiple of 512 that is larger than it need be. It depends on the shape
// alone, as a real one does: buffer pools rely on equal requests getting equal pitches.
std::size_t odd_pitch(std::size_t row_bytes, std::size_t rows) {
  std::size_t units = (row_bytes + 511) / 512;
  return 512 * (units + 1 + (units + rows) % 3);
}

}  // namespace

Block *find_block(Blocks &blocks, std::uintptr_t address) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return nullptr;
  Block &block = std::prev(after)->second;
  return address - block.data < block.size ? &block : nullptr;
}

bool touches_any(const Blocks &blocks, std::uintptr_t first, std::size_t size) {
  auto after = blocks.lower_bound(first + size);
  if (after == blocks.begin()) return false;
  const Block &block = std::prev(after)->second;
  return block.data + block.size > first;
}

bool inside(const Block &block, std::uintptr_t first, std::size_t size) {
  return first >= block.data && size <= block.size && first - block.data <= block.size - size;
}

void release_device_block(State &s, Blocks::iterator entry) {
  Block block = entry->second;
  {
    DeviceAccess access(s);
    inspect(s, block);
  }
  s.device_blocks.erase(entry);
  --s.counts.allocations_live;
  s.counts.bytes_live -= block.size;
  if (s.protect || is_sparse(block))
    munmap(block.region, block.region_size);
  else
    retire(s, block);
}

void release_host_block(State &s, Blocks::iterator entry) {
  Block block = entry->second;
  s.host_blocks.erase(entry);
  if (block.region == nullptr) {
    --s.counts.host_registrations_live;
    return;
  }
  inspect(s, block);
  --s.counts.host_allocations_live;
  s.counts.host_bytes_live -= block.size;
  if (is_sparse(block))
    munmap(block.region, block.region_size);
  else
    retire(s, block);
}

void check_blocks(State &s) {
  DeviceAccess access(s);
  for (auto &[address, block] : s.device_blocks)
    inspect(s, block);
  for (auto &[address, block] : s.host_blocks)
    inspect(s, block);
  for (Block &block : s.freed)
    inspect_freed(s, block);
}

DeviceAccess::DeviceAccess(State &s) : state_(s) {
  if (state_.device_access++ == 0 && state_.protect)
    for (const auto &[address, block] : state_.device_blocks)
      set_protection(block, PROT_READ | PROT_WRITE);
}

DeviceAccess::~DeviceAccess() {
  if (--state_.device_access == 0 && state_.protect)
    for (const auto &[address, block] : state_.device_blocks)
      set_protection(block, PROT_NONE);
}

}  // namespace fakecuda

using namespace fakecuda;

CUresult cuDeviceTotalMem_v2(std::size_t *bytes, CUdevice device) {
  return after_init(no_function, [&](State &s) {
    if (bytes == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device < 0 || device >= s.devices) return CUDA_ERROR_INVALID_DEVICE;
    *bytes = s.device_memory;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
  return in_context(no_function, [&](State &s, Context &context) {
    if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *free = free_on(s, context.device);
    *total = s.device_memory;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, std::size_t size) {
  return in_context(FAKECUDA_ALLOC, [&](State &s, Context &context) {
    if (pointer == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
    return allocate(s, context, size, {}, pointer);
  });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, std::size_t *pitch, std::size_t row_bytes,
                            std::size_t rows, unsigned element_size) {
  return in_context(FAKECUDA_ALLOC_PITCH, [&](State &s, Context &context) {
    if (pointer == nullptr || pitch == nullptr || row_bytes == 0 || rows == 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (element_size != 4 && element_size != 8 && element_size != 16)
      return CUDA_ERROR_INVALID_VALUE;
    if (row_bytes > s.device_memory || rows > s.device_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    Block block;
    block.row_bytes = row_bytes;
    block.pitch = odd_pitch(row_bytes, rows);
    std::size_t size;
    if (__builtin_mul_overflow(block.pitch, rows, &size)) return CUDA_ERROR_OUT_OF_MEMORY;
    *pitch = block.pitch;
    return allocate(s, context, size, block, pointer);
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return release_in_context([&](State &s, Context &) {
    auto block = s.device_blocks.find(pointer);
    if (block == s.device_blocks.end()) return CUDA_ERROR_INVALID_VALUE;
    synchronize_context(s, *block->second.context, s.counts.implicit_syncs);
    release_device_block(s, block);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAllocHost_v2(void **pointer, std::size_t size) {
  return allocate_host(pointer, size, 0);
}

CUresult cuMemHostAlloc(void **pointer, std::size_t size, unsigned flags) {
  return allocate_host(pointer, size, flags);
}

// No wait is promised, so there is none: a copy still queued will find its memory gone.
CUresult cuMemFreeHost(void *pointer) {
  return release_in_context([&](State &s, Context &) {
    auto block = s.host_blocks.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (block == s.host_blocks.end() || block->second.region == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    release_host_block(s, block);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister_v2(void *pointer, std::size_t size, unsigned flags) {
  return in_context(FAKECUDA_HOST_REGISTER, [&](State &s, Context &context) {
    constexpr unsigned known_flags = 0xF;
    if (pointer == nullptr || size == 0 || flags > known_flags) return CUDA_ERROR_INVALID_VALUE;
    Block block;
    block.context = &context;
    block.data = reinterpret_cast<std::uintptr_t>(pointer);
    block.size = size;
    if (touches_any(s.device_blocks, block.data, size)) return CUDA_ERROR_INVALID_VALUE;
    if (touches_any(s.host_blocks, block.data, size))
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    s.host_blocks[block.data] = block;
    ++s.counts.host_registrations;
    ++s.counts.host_registrations_live;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemHostRegister(void *pointer, std::size_t size, unsigned flags) {
  return cuMemHostRegister_v2(pointer, size, flags);
}

CUresult cuMemHostUnregister(void *pointer) {
  return release_in_context([&](State &s, Context &) {
    auto block = s.host_blocks.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (block == s.host_blocks.end() || block->second.region != nullptr)
      return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    release_host_block(s, block);
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  return after_init(
      no_function,
      [&](State &s) {
        Block *block = find_block(s.device_blocks, pointer);
        bool on_device = block != nullptr;
        if (block == nullptr) block = find_block(s.host_blocks, pointer);
        if (data == nullptr || block == nullptr) return CUDA_ERROR_INVALID_VALUE;
        switch (attribute) {
          case CU_POINTER_ATTRIBUTE_CONTEXT:
            *static_cast<CUcontext *>(data) = block->context->handle;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *static_cast<unsigned *>(data) = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            *static_cast<CUdeviceptr *>(data) = pointer;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            if (on_device) return CUDA_ERROR_INVALID_VALUE;
            *static_cast<CUdeviceptr *>(data) = pointer;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            *static_cast<int *>(data) = block->context->device;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            *static_cast<CUdeviceptr *>(data) = block->data;
            return CUDA_SUCCESS;
          case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            *static_cast<std::size_t *>(data) = block->size;
            return CUDA_SUCCESS;
        }
        return CUDA_ERROR_NOT_SUPPORTED;
      },
      Kind::question);
}
