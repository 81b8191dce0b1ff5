// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pagelocked.h"

#include <cstring>

#include "object/category.h"
#include "object/guarded.h"
#include "object/owned.h"

namespace {

using namespace coalesce::gst;

struct FencedBlock {
  std::unique_ptr<PageLockedBlock> block;
  Fence fence;
};

// Pieces of one memory (gst_memory_share()) point to what their parent owns.
struct PageLockedMemory {
  GstMemory parent;
  FencedBlock *fenced;
  guint8 *data;  // as aligned as was asked for
};

}  // namespace

struct GstCoalescePageLockedAllocator {
  GstAllocator parent;
  GstCudaContext *context;  // a part
};
using GstCoalescePageLockedAllocatorClass = GstAllocatorClass;

GType gst_coalesce_page_locked_allocator_get_type();
G_DEFINE_TYPE(GstCoalescePageLockedAllocator, gst_coalesce_page_locked_allocator,
              GST_TYPE_ALLOCATOR)

namespace {

PageLockedMemory *memory_of(GstMemory *memory) {
  return reinterpret_cast<PageLockedMemory *>(memory);
}

bool wait(PageLockedMemory *memory, GstMapFlags access) {
  const CUresult result = memory->fenced->fence.wait(access);
  if (result != CUDA_SUCCESS)
    GST_ERROR("waiting for the GPU failed: %s", cuda_error_text(result).c_str());
  return result == CUDA_SUCCESS;
}

// nullptr where there is none.
PageLockedMemory *make(GstCudaContext *context, gsize bytes) {
  CUresult error = CUDA_SUCCESS;
  auto block = bytes > 0 ? PageLockedBlock::create(context, bytes, &error) : nullptr;
  if (block == nullptr) {
    GST_WARNING("no page-locked memory of %" G_GSIZE_FORMAT " bytes, transfers will be slower: %s",
                bytes, cuda_error_text(error).c_str());
    return nullptr;
  }
  std::unique_ptr<FencedBlock> fenced(new FencedBlock{std::move(block), {}});
  auto *memory = new PageLockedMemory{{}, fenced.get(), fenced->block->data()};
  fenced.release();  // NOLINT: free_memory() deletes it
  return memory;
}

// Where there is no page-locked memory, ordinary memory will do.
GstMemory *alloc(GstAllocator *allocator, gsize size, GstAllocationParams *params) {
  gsize maxsize, bytes;
  if (!g_size_checked_add(&maxsize, size, params->prefix) ||
      !g_size_checked_add(&maxsize, maxsize, params->padding) ||
      !g_size_checked_add(&bytes, maxsize, params->align))
    return nullptr;
  auto *self = reinterpret_cast<GstCoalescePageLockedAllocator *>(allocator);
  PageLockedMemory *memory = guard(self, [&] { return make(self->context, bytes); });
  if (memory == nullptr) return gst_allocator_alloc(nullptr, size, params);
  // The alignment is a mask.
  memory->data += -reinterpret_cast<guintptr>(memory->data) & params->align;
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED) std::memset(memory->data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    std::memset(memory->data + params->prefix + size, 0, params->padding);
  gst_memory_init(&memory->parent, params->flags, allocator, nullptr, maxsize, params->align,
                  params->prefix, size);
  return &memory->parent;
}

void free_memory(GstAllocator *, GstMemory *memory) {
  PageLockedMemory *self = memory_of(memory);
  if (memory->parent == nullptr) {
    (void)self->fenced->fence.wait(GST_MAP_READWRITE);  // it goes, whatever has failed
    delete self->fenced;
  }
  delete self;
}

gpointer map(GstMemory *memory, gsize, GstMapFlags flags) {
  PageLockedMemory *self = memory_of(memory);
  return (flags & MAP_FENCED) != 0 || wait(self, flags) ? self->data : nullptr;
}

void unmap(GstMemory *) {}

gsize size_from(GstMemory *memory, gssize offset, gssize size) {
  return size == -1 ? memory->size - static_cast<gsize>(offset) : static_cast<gsize>(size);
}

// Ordinary memory: whoever copies a frame does so again and again, and page-locked memory is slow
// to make.
GstMemory *copy(GstMemory *memory, gssize offset, gssize size) {
  PageLockedMemory *self = memory_of(memory);
  const gsize bytes = size_from(memory, offset, size);
  GstMapInfo map;
  GstMemory *result =
      wait(self, GST_MAP_READ) ? gst_allocator_alloc(nullptr, bytes, nullptr) : nullptr;
  if (result == nullptr || !gst_memory_map(result, &map, GST_MAP_WRITE)) {
    g_clear_pointer(&result, gst_memory_unref);
    return nullptr;
  }
  std::memcpy(map.data, self->data + memory->offset + offset, bytes);
  gst_memory_unmap(result, &map);
  return result;
}

GstMemory *share(GstMemory *memory, gssize offset, gssize size) {
  PageLockedMemory *self = memory_of(memory);
  GstMemory *parent = memory->parent != nullptr ? memory->parent : memory;
  auto *piece = new PageLockedMemory{{}, self->fenced, self->data};
  const auto flags = static_cast<GstMemoryFlags>(GST_MINI_OBJECT_FLAGS(parent) |
                                                 GST_MINI_OBJECT_FLAG_LOCK_READONLY);
  gst_memory_init(&piece->parent, flags, memory->allocator, parent, memory->maxsize, memory->align,
                  memory->offset + offset, size_from(memory, offset, size));
  return &piece->parent;
}

}  // namespace

static void gst_coalesce_page_locked_allocator_class_init(
    GstCoalescePageLockedAllocatorClass *klass) {
  GST_ALLOCATOR_CLASS(klass)->alloc = guarded<alloc>;
  GST_ALLOCATOR_CLASS(klass)->free = free_memory;
}

static void gst_coalesce_page_locked_allocator_init(GstCoalescePageLockedAllocator *self) {
  self->parent.mem_type = "CoalescePageLockedMemory";
  self->parent.mem_map = guarded<map>;
  self->parent.mem_unmap = unmap;
  self->parent.mem_copy = guarded<copy>;
  self->parent.mem_share = guarded<share>;
}

namespace coalesce::gst {

AllocatorRef page_locked_allocator_new(GstCudaContext *context) {
  AllocatorRef allocator(GST_ALLOCATOR(
      gst_object_ref_sink(g_object_new(gst_coalesce_page_locked_allocator_get_type(), nullptr))));
  ContextRef own(GST_CUDA_CONTEXT(gst_object_ref(context)));
  reinterpret_cast<GstCoalescePageLockedAllocator *>(allocator.get())->context =
      add_part<ContextRef>(allocator.get(), std::move(own))->get();
  return allocator;
}

Fence *page_locked_fence(GstBuffer *buffer) {
  if (gst_buffer_n_memory(buffer) != 1) return nullptr;
  GstMemory *memory = gst_buffer_peek_memory(buffer, 0);
  if (memory->allocator == nullptr ||
      G_OBJECT_TYPE(memory->allocator) != gst_coalesce_page_locked_allocator_get_type())
    return nullptr;
  return &memory_of(memory)->fenced->fence;
}

}  // namespace coalesce::gst
