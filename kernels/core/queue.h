// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace coalesce {

class ThreadPool;

// Where an operation runs: on the threads of a pool, or in order on a CUDA stream.
//
// On the CPU an operation has finished when it returns. On CUDA it has been enqueued: the planes
// are device memory of the context that is current on the calling thread, the stream belongs to
// that context, and both must outlive the work. Nothing is allocated and nothing waits.
class Queue {
 public:
  // pool == nullptr runs on the calling thread.
  static Queue cpu(ThreadPool *pool = nullptr) { return Queue(pool, nullptr, false); }
  // stream is a cudaStream_t (the same thing as a CUstream).
  static Queue cuda(void *stream) { return Queue(nullptr, stream, true); }

  bool on_cuda() const { return on_cuda_; }
  ThreadPool *pool() const { return pool_; }
  void *stream() const { return stream_; }

 private:
  Queue(ThreadPool *pool, void *stream, bool on_cuda)
      : pool_(pool), stream_(stream), on_cuda_(on_cuda) {}

  ThreadPool *pool_;
  void *stream_;
  bool on_cuda_;
};

// True if this build contains the CUDA kernels (it was built with nvcc).
bool cuda_kernels_built();

}  // namespace coalesce
