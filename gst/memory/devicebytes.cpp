// SPDX-License-Identifier: LGPL-2.1-or-later
#include "devicebytes.h"

#include "object/category.h"

namespace coalesce::gst {

DeviceBytes::DeviceBytes(GstCudaContext *context, gsize bytes)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(context))), bytes_(bytes) {}

std::unique_ptr<DeviceBytes> DeviceBytes::create(GstCudaContext *context, gsize bytes) {
  std::unique_ptr<DeviceBytes> made(new DeviceBytes(context, bytes));
  ContextScope scope(context);
  const CUresult result =
      scope.ok() ? cuda_driver()->mem_alloc(&made->data_, bytes) : CUDA_ERROR_UNKNOWN;
  if (result == CUDA_SUCCESS) return made;
  GST_WARNING_OBJECT(context, "no %" G_GSIZE_FORMAT " bytes of device memory: %s", bytes,
                     cuda_error_text(result).c_str());
  made->data_ = 0;
  return nullptr;
}

DeviceBytes::~DeviceBytes() {
  if (data_ == 0) return;
  (void)fence_.fence.wait(GST_MAP_WRITE);  // a failure is reported where the frame is made
  ContextScope scope(context_.get());
  cuda_driver()->mem_free(data_);
}

CUresult DeviceBytes::fill(const void *from, Stream &stream) {
  const CUresult result = cuda_driver()->memcpy_htod_async(data_, from, bytes_, stream.handle());
  // Also after a failure: the copy may have begun.
  const CUresult waited = stream.synchronize();
  return result == CUDA_SUCCESS ? waited : result;
}

}  // namespace coalesce::gst
