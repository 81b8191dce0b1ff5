// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame's way through a filter.
#pragma once

#include "filter.h"

struct GstCoalesceFilterPrivate {
  GstVideoInfo in_info;
  GstVideoInfo out_info;
  GstCaps *in_caps = nullptr;
  GstCaps *out_caps = nullptr;
  bool in_cuda = false;
  bool out_cuda = false;
  // Device memory: for inputs that have to be uploaded, and for every output made on the GPU. On
  // the CPU, where they are needed: for frames whose samples are not aligned.
  coalesce::gst::PoolRef upload_pool;
  coalesce::gst::PoolRef output_pool;
};

namespace coalesce::gst {

// Both post an element error where they do not return GST_FLOW_OK.
GstFlowReturn filter_run_on_cpu(GstCoalesceFilter *self, GstBuffer *in, GstBuffer *out);
GstFlowReturn filter_run_on_gpu(GstCoalesceFilter *self, GstBuffer *in, GstBuffer *out);

// Runs once on scratch frames: the first launch loads the kernels, which takes milliseconds that
// the first frame should not have to wait for. Posts an error and returns false if it fails.
bool filter_warm_up(GstCoalesceFilter *self);

}  // namespace coalesce::gst
