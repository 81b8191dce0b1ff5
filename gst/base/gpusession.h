// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "retirelist.h"

namespace coalesce::gst {

// What an element holds while it uses a GPU. One context, one stream; everything made under them
// goes with them.
struct GpuSession {
  ContextRef context;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<RetireList> retired;
  bool warm = false;

  // nullptr and a reason on failure.
  static std::unique_ptr<GpuSession> open(GstCudaContext *context,
                                          const std::shared_ptr<Counters> &counters,
                                          std::string *why);
  ~GpuSession();
};

}  // namespace coalesce::gst
