// SPDX-License-Identifier: LGPL-2.1-or-later
// The twin of the JPEG decoder's kernels: the CPU decoder, in streams and memory of the simulated
// driver. Each slot has a stream of its own, which waits for the caller's before it writes.

#include <memory>
#include <new>
#include <vector>

#include "../../../kernels/jpeg/decoder/cuda_decoder.h"
#include "../../../kernels/jpeg/decoder/output.h"
#include "../driver_abi.h"
#include "../twin.h"

namespace coalesce::jpeg {

namespace {

Status failed(CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return {StatusCode::out_of_memory, "jpeg: no device memory for the decoder"};
  return {StatusCode::device_error, "jpeg: the decoder's kernels failed"};
}

// The functions of the driver, which someone else has loaded.
struct DecodeDriver {
  decltype(&cuMemAlloc_v2) alloc;
  decltype(&cuMemFree_v2) free;
  decltype(&cuStreamCreate) stream_create;
  decltype(&cuStreamDestroy_v2) stream_destroy;
  decltype(&cuStreamSynchronize) synchronize;
  decltype(&cuStreamWaitEvent) wait_event;
  decltype(&cuEventCreate) event_create;
  decltype(&cuEventDestroy_v2) event_destroy;
  decltype(&cuEventRecord) record;
};

template <class Function>
bool find(const char *name, Function *function) {
  *function = reinterpret_cast<Function>(twin::driver_function(name));
  return *function != nullptr;
}

bool find_all(DecodeDriver *d) {
  return find("cuMemAlloc_v2", &d->alloc) && find("cuMemFree_v2", &d->free) &&
         find("cuStreamCreate", &d->stream_create) &&
         find("cuStreamDestroy_v2", &d->stream_destroy) &&
         find("cuStreamSynchronize", &d->synchronize) &&
         find("cuStreamWaitEvent", &d->wait_event) && find("cuEventCreate", &d->event_create) &&
         find("cuEventDestroy_v2", &d->event_destroy) && find("cuEventRecord", &d->record);
}

// What a slot's kernels work on. It outlives them.
struct DecodeWork {
  explicit DecodeWork(const DecodeParams &params) : decoder(params) {}

  std::vector<std::uint8_t> file;
  Decoder decoder;
  Image out;
  Status status;
  const char *broken = nullptr;
};

struct DecodeSlot {
  CUstream stream = nullptr;
  CUevent given = nullptr;
  CUdeviceptr memory = 0;
  std::size_t bytes = 0;
  std::shared_ptr<DecodeWork> work;
  const std::uint8_t *file = nullptr;  // the caller's, from read() to start()
  std::size_t file_bytes = 0;
  bool started = false;
};

class TwinDecoder final : public CudaDecoder {
 public:
  explicit TwinDecoder(const DecodeDriver &driver) : driver_(driver) {}

  ~TwinDecoder() override {
    for (DecodeSlot &slot : slots_) {
      if (slot.stream != nullptr) {
        (void)driver_.synchronize(slot.stream);
        (void)driver_.stream_destroy(slot.stream);
      }
      if (slot.given != nullptr) (void)driver_.event_destroy(slot.given);
      if (slot.memory != 0) (void)driver_.free(slot.memory);
    }
  }

  Status prepare(const DecodeParams &params, int slots) {
    for (int i = 0; i < slots; ++i) {
      DecodeSlot &slot = slots_.emplace_back();
      slot.work = std::make_shared<DecodeWork>(params);
      CUresult result = driver_.stream_create(&slot.stream, CU_STREAM_NON_BLOCKING);
      if (result == CUDA_SUCCESS)
        result = driver_.event_create(&slot.given, CU_EVENT_DISABLE_TIMING);
      if (Status s = failed(result); !s.ok()) return s;
    }
    return {};
  }

  Status read(int number, const std::uint8_t *file, std::size_t bytes) override {
    DecodeSlot &slot = at(number);
    (void)driver_.synchronize(slot.stream);
    slot.started = false;
    slot.file = file;
    slot.file_bytes = bytes;
    return slot.work->decoder.read(file, bytes);
  }
  const Frame &frame(int number) const override {
    return slots_.at(static_cast<std::size_t>(number)).work->decoder.frame();
  }

  Status start(int number, const Image &out, void *stream) override {
    DecodeSlot &slot = at(number);
    const Frame &frame = slot.work->decoder.frame();
    if (Status s = check_image(out); !s.ok()) return s;
    if (Status s = check_output(frame, out.format, out.width, out.height); !s.ok()) return s;
    for (int p = 0; p < out.format.planes; ++p)
      if (Status s = twin::check_access({out.plane[p]}); !s.ok()) return s;
    if (Status s = grow(&slot, frame.blocks() * kCoefficients * 2); !s.ok()) return s;
    slot.work->out = out;
    std::vector<std::uint8_t> &copy = slot.work->file;
    copy.assign(slot.file, slot.file + slot.file_bytes);
    if (Status s = slot.work->decoder.read(copy.data(), copy.size()); !s.ok()) return s;
    CUresult result = driver_.record(slot.given, static_cast<CUstream>(stream));
    if (result == CUDA_SUCCESS) result = driver_.wait_event(slot.stream, slot.given, 0);
    if (Status s = failed(result); !s.ok()) return s;
    slot.started = true;
    return twin::launch(slot.stream, [work = slot.work] {
      work->status = work->decoder.decode(work->out, &work->broken);
    });
  }

  Status wait(int number, const char **broken) override {
    DecodeSlot &slot = at(number);
    if (!slot.started) return invalid_argument("jpeg: no file is under way");
    slot.started = false;
    if (Status s = failed(driver_.synchronize(slot.stream)); !s.ok()) return s;
    *broken = slot.work->broken;
    return slot.work->status;
  }

  bool was_on_cpu(int) const override { return false; }

 private:
  // As much as coefficients take.
  Status grow(DecodeSlot *slot, std::size_t bytes) {
    if (bytes <= slot->bytes) return {};
    if (slot->memory != 0) (void)driver_.free(slot->memory);
    slot->memory = 0;
    slot->bytes = 0;
    if (Status s = failed(driver_.alloc(&slot->memory, bytes)); !s.ok()) return s;
    slot->bytes = bytes;
    return {};
  }
  DecodeSlot &at(int number) { return slots_.at(static_cast<std::size_t>(number)); }

  const DecodeDriver driver_;
  std::vector<DecodeSlot> slots_;
};

}  // namespace

Status make_cuda_decoder(const DecodeParams &params, int slots,
                         std::unique_ptr<CudaDecoder> *decoder) {
  DecodeDriver driver;
  if (!find_all(&driver)) return twin::no_driver();
  try {
    auto made = std::make_unique<TwinDecoder>(driver);
    if (Status s = made->prepare(params, slots); !s.ok()) return s;
    *decoder = std::move(made);
    return {};
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "jpeg: no memory for the decoder"};
  }
}

}  // namespace coalesce::jpeg
