// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cudadriver.h"

#include <gmodule.h>

namespace coalesce::gst {
namespace {

struct Lookup {
  CudaDriver table{};
  std::string missing;
};

template <class Function>
void find(GModule *library, const char *name, Function *function, std::string *missing) {
  gpointer symbol = nullptr;
  if (g_module_symbol(library, name, &symbol))
    *function = reinterpret_cast<Function>(symbol);
  else if (missing->empty())
    *missing = std::string("the CUDA driver library lacks ") + name;
}

Lookup look_up() {
  Lookup result;
  // The library stays open for the life of the process, as the plugin does.
  GModule *library = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY);
  if (library == nullptr) {
    result.missing = "the CUDA driver library libcuda.so.1 could not be loaded";
    return result;
  }
#define COALESCE_FIND(field, name, arguments) \
  find(library, name, &result.table.field, &result.missing);
  COALESCE_CUDA_FUNCTIONS(COALESCE_FIND)
#undef COALESCE_FIND
  return result;
}

const Lookup &lookup() {
  static const Lookup once = look_up();
  return once;
}

}  // namespace

const CudaDriver *cuda_driver() {
  return lookup().missing.empty() ? &lookup().table : nullptr;
}

const std::string &cuda_driver_missing() {
  return lookup().missing;
}

std::string cuda_error_text(CUresult result) {
  const char *name = nullptr, *text = nullptr;
  if (const CudaDriver *driver = cuda_driver()) {
    driver->get_error_name(result, &name);
    driver->get_error_string(result, &text);
  }
  return std::string(name ? name : "unknown CUDA error") + " (" +
         (text ? text : std::to_string(result).c_str()) + ")";
}

// Owners come before what they own: what follows an allocation cannot be lost to the next one.
Stream::Stream(GstCudaContext *context, std::shared_ptr<Event> others_work)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))), others_work_(std::move(others_work)) {}

std::unique_ptr<Stream> Stream::create(GstCudaContext *context, CUresult *error) {
  auto event = Event::create(context, error);
  if (event == nullptr) return nullptr;
  std::unique_ptr<Stream> stream(new Stream(context, std::move(event)));
  ContextScope scope(context);
  *error = scope.ok() ? cuda_driver()->stream_create(&stream->handle_, CU_STREAM_NON_BLOCKING)
                      : CUDA_ERROR_UNKNOWN;
  return *error == CUDA_SUCCESS ? std::move(stream) : nullptr;
}

CUresult Stream::follow(CUstream other) const {
  const CUresult result = cuda_driver()->event_record(others_work_->handle(), other);
  return result == CUDA_SUCCESS
             ? cuda_driver()->stream_wait_event(handle_, others_work_->handle(), 0)
             : result;
}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  ContextScope scope(context_.get());
  cuda_driver()->stream_synchronize(handle_);
  cuda_driver()->stream_destroy(handle_);
}

Event::Event(GstCudaContext *context, std::shared_ptr<Counters> counters)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))), counters_(std::move(counters)) {}

std::shared_ptr<Event> Event::create(GstCudaContext *context, CUresult *error,
                                     std::shared_ptr<Counters> counters) {
  std::shared_ptr<Event> event(new Event(context, std::move(counters)));
  ContextScope scope(context);
  *error = scope.ok() ? cuda_driver()->event_create(&event->handle_, CU_EVENT_DISABLE_TIMING)
                      : CUDA_ERROR_UNKNOWN;
  return *error == CUDA_SUCCESS ? event : nullptr;
}

CUresult Event::wait() const {
  const CUresult result = query();
  if (result != CUDA_ERROR_NOT_READY) return result;
  if (counters_ != nullptr) counters_->synchronizations++;
  return cuda_driver()->event_synchronize(handle_);
}

CUresult Event::hold_back(const Stream &stream) const {
  if (stream.handle() == stream_) return CUDA_SUCCESS;
  return cuda_driver()->stream_wait_event(stream.handle(), handle_, 0);
}

Event::~Event() {
  if (handle_ == nullptr) return;
  ContextScope scope(context_.get());
  cuda_driver()->event_destroy(handle_);
}

PageLockedBlock::PageLockedBlock(GstCudaContext *context)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))) {}

std::unique_ptr<PageLockedBlock> PageLockedBlock::create(GstCudaContext *context, gsize bytes,
                                                         CUresult *error) {
  std::unique_ptr<PageLockedBlock> block(new PageLockedBlock(context));
  ContextScope scope(context);
  *error = scope.ok()
               ? cuda_driver()->mem_host_alloc(&block->data_, bytes, CU_MEMHOSTALLOC_PORTABLE)
               : CUDA_ERROR_UNKNOWN;
  return *error == CUDA_SUCCESS ? std::move(block) : nullptr;
}

PageLockedBlock::~PageLockedBlock() {
  if (data_ == nullptr) return;
  ContextScope scope(context_.get());
  cuda_driver()->mem_free_host(data_);
}

}  // namespace coalesce::gst
