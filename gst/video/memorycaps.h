// SPDX-License-Identifier: LGPL-2.1-or-later
// The memory of frames in caps, and the choice between caps in several.
#pragma once

#include <string>
#include <vector>

#include "frame.h"

namespace coalesce::gst {

// Do features, or the features of the first structure, name CUDA memory? (ANY does not.)
bool names_cuda(GstCapsFeatures *features);
bool caps_are_cuda(GstCaps *caps);

// `features` with the memory it names replaced.
GstCapsFeatures *with_memory(GstCapsFeatures *features, Memory memory);

// The caps of a pad's template; those in CUDA memory only if `cuda`.
GstCaps *template_caps_of(GstPad *pad, bool cuda);

// Does the pad's peer name CUDA memory? Nobody else gets it.
bool peer_names_cuda(GstPad *pad);

// The structure to negotiate: CUDA memory only where the other side asks for it by name, and then
// where the caps on this side are, first.
guint choose_structure(GstCaps *caps, bool from_cuda, bool may_be_cuda);

// The formats of the pad's template that a structure may have, in the template's order. They live
// as long as the template.
std::vector<const gchar *> possible_formats(GstPad *pad, const GstStructure *structure);

// Fixes what a structure leaves open: the format as the first of the pad's template that is
// possible, shape and interlacing as the defaults of video caps.
void fixate_video(GstPad *pad, GstStructure *structure);

bool is_progressive(const GstStructure *structure);

// Caps for a template: these formats (as in "{ UYVY, YUY2 }", most preferred first), of any size,
// in CUDA and in system memory.
GstCaps *template_caps(const char *formats, const char *framerate = "[ 0, max ]");

// Any of these formats.
void set_formats(GstStructure *structure, const char *formats);

}  // namespace coalesce::gst
