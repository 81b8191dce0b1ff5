// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the CUDA context of an element comes from, and its session there.
#pragma once

#include "transform.h"

namespace coalesce::gst {

// From any thread.
ContextRef current_context(TransformState &state);
void set_context_slot(TransformState &state, GstCudaContext *context);
// GstElementClass::set_context().
void take_context(GstCoalesceTransform *self, GstContext *context);

// Is a context on the device that cuda-device-id names, if it names one?
bool device_will_do(const TransformState &state, GstCudaContext *context);

// A property that names a device which is not there is an error before anything runs.
bool check_device_id(GstCoalesceTransform *self);

// Both post an element error where they return false. The second asks for a context if there is no
// session yet.
bool open_session(GstCoalesceTransform *self, GstCudaContext *context);
bool ensure_session(GstCoalesceTransform *self);

}  // namespace coalesce::gst
