// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpusession.h"

namespace coalesce::gst {

std::unique_ptr<GpuSession> GpuSession::open(GstCudaContext *context,
                                             const std::shared_ptr<Counters> &counters,
                                             std::string *why) {
  auto session = std::make_unique<GpuSession>();
  session->context.reset(GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(context))));
  CUresult error = CUDA_SUCCESS;
  session->stream = Stream::create(context, &error);
  if (session->stream == nullptr) {
    *why = "a CUDA stream could not be made: " + cuda_error_text(error);
    return nullptr;
  }
  session->retired = std::make_unique<RetireList>(context, counters);
  return session;
}

GpuSession::~GpuSession() {
  // Everything enqueued has ended before the inputs it read are let go.
  if (stream != nullptr) {
    ContextScope scope(context.get());
    (void)stream->synchronize();
  }
  retired.reset();
  stream.reset();
}

}  // namespace coalesce::gst
