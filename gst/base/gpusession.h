// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "retirelist.h"

namespace coalesce::gst {

// What an element holds while it uses a GPU. One context, one stream; everything made under them
// goes with them.
struct GpuSession {
  ContextRef context;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<RetireList> retired;
  bool warm = false;  // the kernels have been loaded

  // nullptr and a reason on failure.
  static std::unique_ptr<GpuSession> open(GstCudaContext *context,
                                          const std::shared_ptr<Counters> &counters,
                                          std::string *why);
  ~GpuSession();

  // An event behind everything that the stream has been given so far; nullptr and a reason on
  // failure.
  std::shared_ptr<Event> mark(CUresult *error);

 private:
  // Every event made, in use or not: those that no one else holds any more are recorded again, so
  // that a running stream makes none.
  std::vector<std::shared_ptr<Event>> events_;
  std::size_t next_event_ = 0;
};

}  // namespace coalesce::gst
