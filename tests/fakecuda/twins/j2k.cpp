// SPDX-License-Identifier: LGPL-2.1-or-later
// The twin of the JPEG 2000 encoder's kernels: the CPU encoder, in streams and memory of the
// simulated driver. Each slot has a stream of its own; what reads the samples is ordered with the
// caller's stream, what codes them is not.

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "../../../kernels/j2k/encoder/cuda_encoder.h"
#include "../../../kernels/j2k/encoder/encoder.h"
#include "../../../kernels/j2k/encoder/encoder_plan.h"
#include "../../../kernels/j2k/encoder/packet_tables.h"
#include "../driver_abi.h"
#include "../twin.h"

namespace coalesce::j2k {

namespace {

Status failed(CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return {StatusCode::out_of_memory, "j2k: no device memory for the encoder"};
  return {StatusCode::device_error, "j2k: the encoder's kernels failed"};
}

Status misused() {
  return {StatusCode::device_error, "j2k: a slot was used out of turn"};
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

// Bytes of a row that hold `width` samples.
std::size_t row_bytes(const Samples &s, int width) {
  const auto containers = static_cast<std::size_t>(s.first + (s.x0 + width - 1) * s.step + 1);
  const auto bytes = static_cast<std::size_t>(container_bytes(s.container));
  return s.container == Container::v210   ? (containers + 2) / 3 * bytes
         : s.container == Container::be10 ? (containers + 3) / 4 * bytes
                                          : containers * bytes;
}

// More than the largest codestream.
std::size_t codestream_room(const EncoderPlan &plan) {
  std::size_t packets = 0;
  for (const TilePlan &tile : plan.tiles)
    packets += tile.order.size();
  const auto layers = static_cast<std::size_t>(plan.params.layers);
  return plan.bytes + 16 * layers * plan.blocks.size() + 64 * (packets * layers + plan.tile_parts) +
         plan.params.comment.size() + 4096;
}

Status slot_memory(const EncoderParams &params, std::size_t *bytes) {
  EncoderPlan plan;
  if (Status s = make_plan(params, &plan); !s.ok()) return s;
  PacketTables tables;  // what is too large for the kernels is for their twin
  if (Status s = tables.make(plan); !s.ok()) return s;
  *bytes = codestream_room(plan);
  return {};
}

// A component's samples as the first kernel has taken them.
struct Taken {
  Samples from;
  std::size_t row_bytes, rows;
  std::vector<std::uint8_t> bytes;

  void read() {
    bytes.resize(row_bytes * rows);
    for (std::size_t y = 0; y < rows; ++y)
      std::memcpy(bytes.data() + y * row_bytes,
                  static_cast<const std::uint8_t *>(from.data) + y * from.pitch, row_bytes);
  }
  Samples samples() const {
    Samples s = from;
    s.data = bytes.data();
    s.pitch = row_bytes;
    return s;
  }
};

// What a slot's kernels work on. It outlives them.
struct Work {
  Encoder *encoder;
  std::mutex *lock;  // of the encoder: one thread starts frames while another one waits for them
  std::vector<LayerBudget> targets;  // when it was started; empty if there are none
  std::uint8_t *device;
  std::size_t room;
  std::vector<Taken> components;
  std::vector<std::uint8_t> bytes;
  Status status;

  void code() {
    Samples samples[kMaxComponents];
    for (std::size_t c = 0; c < components.size(); ++c)
      samples[c] = components[c].samples();
    bytes.clear();
    const std::lock_guard guard(*lock);
    if (!targets.empty()) status = encoder->set_targets(targets);
    if (targets.empty() || status.ok()) status = encoder->encode(samples, nullptr, &bytes);
    if (!status.ok()) return;
    if (bytes.size() > room)
      status = {StatusCode::device_error, "j2k: a codestream is larger than its room"};
    else
      std::memcpy(device, bytes.data(), bytes.size());
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
    std::size_t room = 0;
    if (Status s = slot_memory(params_, &room); !s.ok()) return s;
    if (Status s = Encoder::make(params_, &encoder_); !s.ok()) return s;
    for (int i = 0; i < slots; ++i) {
      Slot &slot = slots_.emplace_back();
      CUresult result = driver_.alloc(&slot.memory, room);
      if (result == CUDA_SUCCESS)
        result = driver_.stream_create(&slot.stream, CU_STREAM_NON_BLOCKING);
      for (CUevent *event : {&slot.given, &slot.taken})
        if (result == CUDA_SUCCESS) result = driver_.event_create(event, CU_EVENT_DISABLE_TIMING);
      if (Status s = failed(result); !s.ok()) return s;
      slot.work->encoder = encoder_.get();
      slot.work->lock = &lock_;
      slot.work->device = reinterpret_cast<std::uint8_t *>(slot.memory);
      slot.work->room = room;
    }
    return {};
  }

  Status set_targets(const std::vector<LayerBudget> &targets) override {
    const std::lock_guard guard(lock_);
    if (Status s = encoder_->set_targets(targets); !s.ok()) return s;
    params_.targets = targets;
    return {};
  }

  Status start(int number, const Samples *samples, void *stream) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::free) return misused();
    slot.stage = Stage::started;
    slot.work->targets = params_.targets;
    if (Status s = take(samples, slot.work.get()); !s.ok()) return s;
    const auto theirs = static_cast<CUstream>(stream);
    CUresult result = driver_.record(slot.given, theirs);
    if (result == CUDA_SUCCESS) result = driver_.wait_event(slot.stream, slot.given, 0);
    if (Status s = failed(result); !s.ok()) return s;
    const auto read = [work = slot.work] {
      for (Taken &component : work->components)
        component.read();
    };
    if (Status s = twin::launch(slot.stream, read); !s.ok()) return s;
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
    *bytes = slot.work->bytes.size();
    return slot.work->status;
  }

  Status fetch(int number, std::uint8_t *to) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::ready) return misused();
    const CUresult result = driver_.download(to, slot.memory, slot.work->bytes.size(), slot.stream);
    if (Status s = failed(result); !s.ok()) return s;
    if (Status s = failed(driver_.synchronize(slot.stream)); !s.ok()) return s;
    slot.stage = Stage::free;
    return {};
  }

  void abandon(int number) override {
    Slot &slot = at(number);
    if (slot.stage != Stage::free) (void)driver_.synchronize(slot.stream);
    slot.stage = Stage::free;
  }

 private:
  Slot &at(int number) { return slots_.at(static_cast<std::size_t>(number)); }

  Status take(const Samples *samples, Work *work) {
    work->components.resize(static_cast<std::size_t>(params_.coding.num_components));
    for (int c = 0; c < params_.coding.num_components; ++c) {
      const Rect rect = component_rect(params_.coding, c);
      Taken &taken = work->components[static_cast<std::size_t>(c)];
      taken.from = samples[c];
      taken.row_bytes = rect.empty() ? 0 : row_bytes(samples[c], rect.width());
      taken.rows = rect.empty() ? 0 : static_cast<std::size_t>(samples[c].y0 + rect.height());
      if (rect.empty()) continue;
      const Plane<const std::uint8_t> touched = {static_cast<const std::uint8_t *>(samples[c].data),
                                                 static_cast<int>(taken.row_bytes),
                                                 static_cast<int>(taken.rows), samples[c].pitch};
      if (Status s = twin::check_access({touched}); !s.ok()) return s;
    }
    return {};
  }

  const Driver driver_;
  EncoderParams params_;
  std::unique_ptr<Encoder> encoder_;
  std::mutex lock_;
  std::vector<Slot> slots_;
};

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
  try {
    return slot_memory(params, bytes);
  } catch (const std::bad_alloc &) {
    return no_memory();
  }
}

}  // namespace coalesce::j2k
