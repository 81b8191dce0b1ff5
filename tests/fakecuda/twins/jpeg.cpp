// SPDX-License-Identifier: LGPL-2.1-or-later
// The twin of the JPEG encoder's kernels: the CPU encoder, in streams and memory of the simulated
// driver. Each slot has a stream of its own; what reads the picture is ordered with the caller's
// stream, what codes it is not.

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "../../../kernels/jpeg/encoder/cuda_encoder.h"
#include "../../../kernels/jpeg/encoder/encoder.h"
#include "../../../kernels/jpeg/plan/coding_plan.h"
#include "../driver_abi.h"
#include "../twin.h"

namespace coalesce::jpeg {

namespace {

Status failed(CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return {StatusCode::out_of_memory, "jpeg: no device memory for the encoder"};
  return {StatusCode::device_error, "jpeg: the encoder's kernels failed"};
}

Status misused() {
  return {StatusCode::device_error, "jpeg: a slot was used out of turn"};
}

// The functions of the driver, which someone else has loaded.
struct Driver {
  decltype(&cuMemAlloc_v2) alloc;
  decltype(&cuMemFree_v2) free;
  decltype(&cuMemcpyDtoHAsync_v2) download;
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

bool find_all(Driver *d) {
  return find("cuMemAlloc_v2", &d->alloc) && find("cuMemFree_v2", &d->free) &&
         find("cuMemcpyDtoHAsync_v2", &d->download) && find("cuStreamCreate", &d->stream_create) &&
         find("cuStreamDestroy_v2", &d->stream_destroy) &&
         find("cuStreamSynchronize", &d->synchronize) &&
         find("cuStreamWaitEvent", &d->wait_event) && find("cuEventCreate", &d->event_create) &&
         find("cuEventDestroy_v2", &d->event_destroy) && find("cuEventRecord", &d->record);
}

std::size_t file_room(const EncoderParams &params) {
  return make_plan(params).most_scan_bytes() + 4096;
}

// What a slot's kernels work on. It outlives them.
struct Work {
  EncoderParams params;
  ConstImage image;
  std::vector<std::uint8_t> planes[4];  // of the picture, as the first kernel has read them
  std::uint8_t *device = nullptr;
  std::vector<std::uint8_t> file;
  int quality = 0;
  Status status;

  void read() {
    for (int p = 0; p < image.format.planes; ++p) {
      const Plane<const std::uint8_t> from = image.plane[p];
      const auto width = static_cast<std::size_t>(from.width);
      planes[p].resize(width * static_cast<std::size_t>(from.height));
      for (int y = 0; y < from.height; ++y)
        std::memcpy(planes[p].data() + width * static_cast<std::size_t>(y), from.row(y), width);
      image.plane[p] = {planes[p].data(), from.width, from.height, width};
    }
  }
  void code() {
    std::unique_ptr<Encoder> encoder;
    file.clear();
    status = Encoder::make(params, &encoder);
    if (status.ok()) status = encoder->encode(image, &file);
    if (!status.ok()) return;
    quality = encoder->quality();
    std::memcpy(device, file.data(), file.size());
  }
};

enum class Stage { free, started, ready };

struct Slot {
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  CUevent given = nullptr, taken = nullptr;
  std::shared_ptr<Work> work = std::make_shared<Work>();
  Stage stage = Stage::free;
};

class TwinEncoder final : public CudaEncoder {
 public:
  TwinEncoder(const Driver &driver, const EncoderParams &params)
      : driver_(driver), params_(params) {}

  ~TwinEncoder() override {
    for (Slot &slot : slots_) {
      if (slot.stream != nullptr) {
        (void)driver_.synchronize(slot.stream);
        (void)driver_.stream_destroy(slot.stream);
      }
      for (CUevent event : {slot.given, slot.taken})
        if (event != nullptr) (void)driver_.event_destroy(event);
      if (slot.memory != 0) (void)driver_.free(slot.memory);
    }
  }

  Status prepare(int slots) {
    for (int i = 0; i < slots; ++i) {
      Slot &slot = slots_.emplace_back();
      CUresult result = driver_.alloc(&slot.memory, file_room(params_));
      if (result == CUDA_SUCCESS)
        result = driver_.stream_create(&slot.stream, CU_STREAM_NON_BLOCKING);
      for (CUevent *event : {&slot.given, &slot.taken})
        if (result == CUDA_SUCCESS) result = driver_.event_create(event, CU_EVENT_DISABLE_TIMING);
      if (Status s = failed(result); !s.ok()) return s;
      slot.work->device = reinterpret_cast<std::uint8_t *>(slot.memory);
    }
    return {};
  }

  Status set_quality(int quality) override {
    EncoderParams changed = params_;
    changed.quality = quality;
    if (Status s = check_params(changed); !s.ok()) return s;
    params_ = changed;
    return {};
  }
  Status set_max_bytes(std::size_t max_bytes) override {
    if ((max_bytes == 0) != (params_.max_bytes == 0))
      return invalid_argument("jpeg: an encoder has a limit of bytes always, or never");
    params_.max_bytes = max_bytes;
    return {};
  }

  Status start(int number, const ConstImage &image, void *stream, std::uint8_t *,
               std::size_t) override {
    if (Status s = check_image(image); !s.ok()) return s;
    if (!(image.format == params_.format) || image.width != params_.width ||
        image.height != params_.height)
      return invalid_argument("jpeg: a picture has another format or size than the encoder");
    Slot &slot = at(number);
    if (slot.stage != Stage::free) return misused();
    slot.stage = Stage::started;
    slot.work->params = params_;
    slot.work->image = image;
    for (int p = 0; p < image.format.planes; ++p)
      if (Status s = twin::check_access({image.plane[p]}); !s.ok()) return s;
    const auto theirs = static_cast<CUstream>(stream);
    CUresult result = driver_.record(slot.given, theirs);
    if (result == CUDA_SUCCESS) result = driver_.wait_event(slot.stream, slot.given, 0);
    if (Status s = failed(result); !s.ok()) return s;
    if (Status s = twin::launch(slot.stream, [work = slot.work] { work->read(); }); !s.ok())
      return s;
    result = driver_.record(slot.taken, slot.stream);
    if (result == CUDA_SUCCESS) result = driver_.wait_event(theirs, slot.taken, 0);
    if (Status s = failed(result); !s.ok()) return s;
    return twin::launch(slot.stream, [work = slot.work] { work->code(); });
  }

  Status wait(int number, std::size_t *bytes) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::started) return misused();
    if (Status s = failed(driver_.synchronize(slot.stream)); !s.ok()) return s;
    slot.stage = Stage::ready;
    *bytes = slot.work->file.size();
    return slot.work->status;
  }

  Status fetch(int number, std::uint8_t *to) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::ready) return misused();
    const CUresult result = driver_.download(to, slot.memory, slot.work->file.size(), slot.stream);
    if (Status s = failed(result); !s.ok()) return s;
    if (Status s = failed(driver_.synchronize(slot.stream)); !s.ok()) return s;
    slot.stage = Stage::free;
    return {};
  }

  int quality(int number) const override {
    return slots_.at(static_cast<std::size_t>(number)).work->quality;
  }

  void abandon(int number) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::free) (void)driver_.synchronize(slot.stream);
    slot.stage = Stage::free;
  }

 private:
  Slot &at(int number) { return slots_.at(static_cast<std::size_t>(number)); }

  const Driver driver_;
  EncoderParams params_;
  std::vector<Slot> slots_;
};

Status no_memory() {
  return {StatusCode::out_of_memory, "jpeg: no memory for the encoder"};
}

}  // namespace

Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder) {
  Driver driver;
  if (!find_all(&driver)) return twin::no_driver();
  try {
    auto made = std::make_unique<TwinEncoder>(driver, params);
    if (Status s = made->prepare(slots); !s.ok()) return s;
    *encoder = std::move(made);
    return {};
  } catch (const std::bad_alloc &) {
    return no_memory();
  }
}

Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes) {
  *bytes = file_room(params);
  return {};
}

}  // namespace coalesce::jpeg
