// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/thread_pool.h"
#include "pagelocked.h"
#include "retirelist.h"
#include "stagingring.h"

namespace coalesce::gst {

// What an element holds while it uses a GPU. One context; everything made under it goes with it.
struct GpuSession {
  ContextRef context;
  std::shared_ptr<Counters> counters;
  std::shared_ptr<Stream> stream;  // the kernels of the frame in hand
  // Transfers have streams of their own, so that the next frame comes in and the last one goes out
  // while this one is worked on. They are made when first needed.
  std::unique_ptr<Stream> uploads;
  std::unique_ptr<Stream> downloads;
  std::unique_ptr<RetireList> retired;
  AllocatorRef page_locked;
  std::unique_ptr<StagingRing> staging;
  int n_threads = 0;                    // the element's property
  std::unique_ptr<ThreadPool> stagers;  // who fill staging; made when first needed
  bool warm = false;                    // the kernels have been loaded

  // nullptr and a reason on failure.
  static std::unique_ptr<GpuSession> open(GstCudaContext *context,
                                          const std::shared_ptr<Counters> &counters,
                                          std::string *why);
  ~GpuSession();

  // The frame in hand has this stream; nullptr: one of the session's own two, by turns, so that
  // frames overlap where one of them does not fill the GPU.
  CUresult go_on_in(std::shared_ptr<Stream> other);

  // An event behind everything that a stream of the session has been given so far; nullptr and a
  // reason on failure.
  std::shared_ptr<Event> mark(const Stream &on, CUresult *error);

  // Waits for all streams. The first failure of any work, if one has failed.
  CUresult synchronize();

 private:
  std::array<std::shared_ptr<Stream>, 2> own_streams_;  // the second is made when first needed
  std::size_t turn_ = 0;
  // Every event made, in use or not: those that no one else holds any more are recorded again, so
  // that a running stream makes none.
  std::vector<std::shared_ptr<Event>> events_;
  std::size_t next_event_ = 0;
};

}  // namespace coalesce::gst
