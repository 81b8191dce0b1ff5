// SPDX-License-Identifier: LGPL-2.1-or-later
// Which caps an aggregator accepts on its inputs, and which it makes of them.
#pragma once

#include "aggregator.h"

namespace coalesce::gst {

// From any thread: the answers to CAPS and ACCEPT_CAPS queries.
GstCaps *aggregator_sink_caps(GstCoalesceAggregator *self, GstPad *pad, GstCaps *filter);
bool aggregator_accepts(GstCoalesceAggregator *self, GstPad *pad, GstCaps *caps);
GstCaps *aggregator_source_caps(GstCoalesceAggregator *self, GstCaps *filter);

// Can frames of these caps be read, beside the other inputs? Posts an error and returns false if
// not.
bool aggregator_can_take(GstCoalesceAggregator *self, Input &input, GstCaps *caps);

// GstAggregatorClass::update_src_caps() and fixate_src_caps().
GstFlowReturn aggregator_update_src_caps(GstAggregator *aggregator, GstCaps *downstream,
                                         GstCaps **result);
GstCaps *aggregator_fixate_src_caps(GstAggregator *aggregator, GstCaps *caps);

// The sink pads of now.
void aggregator_collect_inputs(GstCoalesceAggregator *self);

bool aggregator_has_cuda_input(GstCoalesceAggregator *self);
bool aggregator_is_worth_the_trip(GstCoalesceAggregator *self);

}  // namespace coalesce::gst
