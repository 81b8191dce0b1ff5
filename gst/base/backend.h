// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the work of an element is done: on the CPU's threads or on a GPU.
//
// An element of any class holds one. It has the properties backend, cuda-device-id, n-threads,
// active-backend and stats; the CUDA context, as GStreamer's elements share it, and the session
// there; and the errors of a GPU.
#pragma once

#include <mutex>
#include <string>
#include <thread>

#include "core/queue.h"
#include "core/thread_pool.h"
#include "cuda/gpu.h"
#include "memory/bufferpool.h"
#include "memory/gpusession.h"
#include "object/settings.h"
#include "video/memorycaps.h"

GST_DEBUG_CATEGORY_EXTERN(gst_coalesce_debug);

namespace coalesce::gst {

enum class BackendChoice { automatic, cuda, cpu };
enum class ActiveBackend { none, cpu, cuda };

template <class T>
class PropertyTable;

// What the properties say.
struct BackendSettings {
  BackendChoice choice = BackendChoice::automatic;
  int cuda_device_id = -1;
  int n_threads = 0;
};

class Backend {
 public:
  // The element, which holds it, outlives it.
  explicit Backend(GstElement *element) : element_(element), settings_(element) {}
  ~Backend() { set_context(nullptr); }

  GstElement *element() const { return element_; }

  // The properties, once for the class that holds a Backend, together with their types.
  static void install_properties(GObjectClass *klass);
  void set_property(guint id, const GValue *value);
  void get_property(guint id, GValue *value);

  // From any thread. May CUDA memory be offered on the pads?
  bool may_use_gpu();
  bool is_cuda_required() { return settings().choice == BackendChoice::cuda; }
  bool is_cpu_required() { return settings().choice == BackendChoice::cpu; }
  ContextRef context();
  // GstElementClass::set_context(), and a CONTEXT query.
  void take_context(GstContext *context);
  bool answer_context(GstQuery *query);

  // At the start of the element and at its stop. start() posts an element error where it returns
  // false.
  bool start();
  void stop();

  // The rest is of the streaming thread.

  // Chooses the back end for a stream and makes it ready. worth_the_trip: is the operation heavy
  // enough that system memory should go to the GPU and back? Posts an element error and returns
  // false if the GPU is needed and cannot be had.
  bool select(bool in_cuda, bool out_cuda, bool worth_the_trip);
  // For `worth_the_trip`: are so many multiplications and additions for each pixel worth the way to
  // a GPU and back? A core of the CPU does some 2^33 to 2^34 a second, so those of a frame that is
  // heavy enough take some 20 milliseconds on one and still several on many; the way takes about
  // one for a frame of 4K. (15 x 15 on 1280 x 960, or 7 x 7 on 4K; nothing separable below 17 + 17
  // on 4K.)
  bool is_heavy_enough(const GstVideoInfo &in, int for_each_pixel) const;
  // The CPU, until the next choice: a GPU that was chosen will not do.
  void use_cpu();
  ActiveBackend active() const { return active_; }
  bool is_on_gpu() const { return active_ == ActiveBackend::cuda; }
  Queue queue();
  // On the GPU only; but there may be one where the CPU works.
  GpuSession &session() { return *session_; }
  bool has_session() const { return session_ != nullptr; }

  // The context of an input that is not the session's, where its device will do; else nullptr, and
  // the input is copied. move_to() opens a session there, or posts an error and returns false.
  GstCudaContext *context_to_follow(GstBuffer *buffer);
  void close_session() { session_.reset(); }
  bool move_to(GstCudaContext *context);

  // Offers upstream memory for frames of the query's caps: CUDA memory of this context, or system
  // memory, page-locked if it is going to be uploaded. False if there is none.
  // least: buffers that are held.
  bool propose_memory(GstQuery *query, guint least = 0);
  // Chooses the memory of output frames, in a query that downstream has answered: our own, if it is
  // CUDA memory; downstream's own; else system memory, page-locked if it is going to be written by
  // the GPU.
  void decide_memory(GstQuery *query, bool cuda);
  // The pool that has been decided on gets its allocator, as GstBaseTransform does it.
  // (GstVideoAggregator's own function for this leaks the allocator.)
  static bool configure_pool(GstQuery *query);
  // Pools of frames where the work is done. On the GPU there is room for `at_once` frames, as far
  // as there is memory for them; posts an error and returns false if there is none for one.
  bool make_pool(FramePool *pool, GstCaps *caps, guint at_once = 0);

  // Waits for the session's first run, on scratch frames. Posts an error if that failed after it
  // was enqueued; whether it was, `enqueued` says. True: the kernels are loaded.
  bool end_warm_up(bool enqueued);

  // Waits until all work has ended, which may fail after its frame has gone on: then posts an
  // error.
  void finish();

  // Posts GST_ELEMENT_ERROR (RESOURCE, FAILED) with the GPU's name, the driver's version and the
  // caps in the text, once until the next start; nothing more is taken until then.
  void post_gpu_error(const std::string &what);
  void post_gpu_error(const char *doing, CUresult result);
  bool failed() const;  // from any thread; so, too, where an exception has left a function
  const std::string &gpu_name() const { return gpu_name_; }

  // While caps are being set, which the pads do not have yet: for error messages. The caps outlive
  // it.
  class NewCaps {
   public:
    NewCaps(Backend &backend, GstCaps *in, GstCaps *out) : backend_(backend) {
      backend_.new_caps_[0] = in;
      backend_.new_caps_[1] = out;
    }
    ~NewCaps() { backend_.new_caps_[0] = backend_.new_caps_[1] = nullptr; }
    NewCaps(const NewCaps &) = delete;
    NewCaps &operator=(const NewCaps &) = delete;

   private:
    Backend &backend_;
  };

  Counters &counters() { return *counters_; }

 private:
  static const PropertyTable<BackendSettings> &properties();
  BackendSettings settings() const { return settings_.snapshot(); }
  void set_active(ActiveBackend active);
  GstStructure *stats() const;

  bool make_ready();
  bool device_will_do(GstCudaContext *context) const;
  bool check_device_id();
  bool ask_for_context();
  bool is_handed_out();
  void set_context(GstCudaContext *context);
  bool open_session(GstCudaContext *context);
  bool ensure_session();
  CapsRef caps_of_pad(int direction);

  GstElement *element_;

  // Held from start to stop: caps and context are negotiated for them.
  Settings<BackendSettings> settings_;

  // Guards the context: the application, a neighbour's query and the streaming thread all come
  // here. Never held while asking anyone else. A thread that asks for a context gets it in a slot
  // of its own, which take_context(), re-entered in that thread, fills.
  std::mutex lock_;
  GstCudaContext *context_ = nullptr;
  GstCudaContext *asked_ = nullptr;
  std::thread::id asking_;

  // The streaming thread's own.
  std::unique_ptr<GpuSession> session_;
  std::string gpu_name_;  // and driver: a lost device cannot be asked any more
  std::unique_ptr<ThreadPool> threads_;
  GstCaps *new_caps_[2] = {};

  std::atomic<bool> failed_{false};
  std::atomic<ActiveBackend> active_{ActiveBackend::none};
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
};

}  // namespace coalesce::gst
