// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_slot.h"

#include <algorithm>
#include <vector>

#include "../pcrd/allocation.h"
#include "../tier1/context/context_model_cuda.h"
#include "../tier1/mq/mq_cuda.h"
#include "../transform/cuda/transform_cuda.h"
#include "cuda_encoder.h"

namespace coalesce::j2k {
namespace {

// Of the allocation that are enqueued at once: at first; and as many more as the last frame needed,
// and at most.
constexpr int kTurnsOfLayer = 8, kSpareTurns = 2, kMostTurns = 64;

Status bad_result(std::uint32_t errors) {
  if ((errors & PacketResult::kTooManyPackets) != 0)
    return {StatusCode::unsupported,
            "j2k: a tile-part has more packets than plt can list; use plt=false"};
  if ((errors & PacketResult::kTooLong) != 0)
    return {StatusCode::unsupported,
            "j2k: a tile-part has more than 4 GiB; use smaller tiles (tile-width, tile-height)"};
  return {StatusCode::device_error, "j2k: the codestream is longer than it can be"};
}

class Slots : public CudaEncoder {
 public:
  ~Slots() override {
    for (CudaSlot &slot : slots_)
      slot.abandon();
  }

  Status prepare(const EncoderParams &params, int slots) {
    if (Status s = format_.plan_for(params); !s.ok()) return s;
    if (Status s = format_.upload(); !s.ok()) return s;
    slots_.resize(static_cast<std::size_t>(slots));
    for (CudaSlot &slot : slots_)
      if (Status s = slot.prepare(format_); !s.ok()) return s;
    return {};
  }

  Status set_targets(const std::vector<LayerBudget> &targets) override {
    return format_.set_targets(targets);
  }
  Status start(int slot, const Samples *samples, void *stream) override {
    return at(slot).start(samples, stream);
  }
  Status wait(int slot, std::size_t *bytes) override { return at(slot).wait(bytes); }
  Status fetch(int slot, std::uint8_t *to) override { return at(slot).fetch(to); }
  void abandon(int slot) override { at(slot).abandon(); }

 private:
  CudaSlot &at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  CudaFormat format_;
  std::vector<CudaSlot> slots_;
};

}  // namespace

Status CudaSlot::prepare(const CudaFormat &format) {
  format_ = &format;
  likely_turns_ = std::min(kTurnsOfLayer * format.plan().params.layers, kMostTurns);
  Layout device;
  (void)format.place_slot(&device);
  if (Status s = DeviceMemory::on_device(device.end(), &memory_); !s.ok()) return s;
  arrays_ = format.place_slot(&(device = Layout(256, memory_.get())));
  const auto place = [&](Layout l) {
    result_ = l.at<PacketResult>(1);
    report_ = l.at<RateReport>(1);
    own_targets_ = l.at<LayerBudget>(format.targets().list().size());
    return l.end();
  };
  if (Status s = DeviceMemory::page_locked(place(Layout()), &host_memory_); !s.ok()) return s;
  place(Layout(256, host_memory_.get()));
  if (Status s = DeviceStream::make(&stream_); !s.ok()) return s;
  // The coders read a little further than symbols have been made, whatever stands there.
  if (Status s = clear_device(memory_.get(), device.end(), stream_.get()); !s.ok()) return s;
  if (Status s = DeviceEvent::make(&input_ready_); !s.ok()) return s;
  return DeviceEvent::make(&input_read_);
}

Status CudaSlot::start(const Samples *samples, void *stream) {
  if (Status s = input_ready_.record(stream); !s.ok()) return s;
  if (Status s = input_ready_.hold_back(stream_.get()); !s.ok()) return s;
  if (Status s =
          transform_cuda(format_->transform(), format_->transform_tiles(), samples,
                         arrays_.frame.coefficients, arrays_.transform_scratch, stream_.get());
      !s.ok())
    return s;
  if (Status s = input_read_.record(stream_.get()); !s.ok()) return s;
  if (Status s = input_read_.hold_back(stream); !s.ok()) return s;
  return code();
}

// What comes behind the transform and does not need the host.
Status CudaSlot::code() {
  const EncoderPlan &plan = format_->plan();
  const DeviceFrame &f = arrays_.frame;
  void *stream = stream_.get();
  if (Status s = model_blocks(f, format_->model(), 0, f.blocks, stream); !s.ok()) return s;
  if (Status s = code_blocks(f, plan.passes, arrays_.code_scratch, stream); !s.ok()) return s;
  if (format_->has_targets()) return allocate();
  if (Status s = fill_layers_cuda(f, plan.params.layers, arrays_.layers, stream); !s.ok()) return s;
  return write();
}

PacketJob CudaSlot::packet_job() const {
  const DeviceFrame &f = arrays_.frame;
  return {format_->packet_format(),
          arrays_.packets,
          {f.plan, f.passes, f.bytes, f.coded, arrays_.layers}};
}

RateJob CudaSlot::rate_job() const {
  return {rate_format_, arrays_.rate, arrays_.frame, arrays_.errors, packet_job(), arrays_.layers};
}

// The frame keeps those of now.
Status CudaSlot::take_targets() {
  rate_format_ = format_->rate_format(arrays_.targets);
  if (targets_ == format_->times_set()) return {};
  targets_ = format_->times_set();
  const std::vector<LayerBudget> &list = format_->targets().list();
  std::copy(list.begin(), list.end(), own_targets_);
  return copy_to_device(arrays_.targets, own_targets_, list.size() * sizeof(LayerBudget),
                        stream_.get());
}

// Some turns too many cost little; too few, a round trip.
Status CudaSlot::allocate() {
  if (Status s = take_targets(); !s.ok()) return s;
  const RateJob job = rate_job();
  if (job.format.wants_errors)
    if (Status s = final_errors_cuda(job.frame, arrays_.errors, stream_.get()); !s.ok()) return s;
  if (Status s = find_hulls_cuda(job, stream_.get()); !s.ok()) return s;
  turns_ = 0;
  if (Status s = take_turns(likely_turns_); !s.ok()) return s;
  return write();
}

Status CudaSlot::take_turns(int turns) {
  const RateJob job = rate_job();
  if (Status s = allocate_cuda(job, turns_, turns_ + turns, stream_.get()); !s.ok()) return s;
  turns_ += turns;
  return copy_to_host(report_, &job.scratch.progress->report, sizeof(RateReport), stream_.get());
}

// Packets that were made of what was not the end are made again, once.
Status CudaSlot::finish_turns() {
  const RateReport &report = *report_;
  if (report.step < PcrdStep::Kind::done) {
    do {
      if (Status s = take_turns(kMostTurns); !s.ok()) return s;
      if (Status s = stream_.wait(); !s.ok()) return s;
    } while (report.step < PcrdStep::Kind::done);
    if (Status s = write(); !s.ok()) return s;
    if (Status s = stream_.wait(); !s.ok()) return s;
  }
  likely_turns_ = std::min(report.turns + kSpareTurns, kMostTurns);
  return status_of(report.step);
}

Status CudaSlot::write() {
  if (Status s = packets_cuda(packet_job(), arrays_.out, arrays_.out_bytes, stream_.get()); !s.ok())
    return s;
  return copy_to_host(result_, arrays_.packets.result, sizeof(PacketResult), stream_.get());
}

Status CudaSlot::wait(std::size_t *bytes) {
  if (Status s = stream_.wait(); !s.ok()) return s;
  if (format_->has_targets())
    if (Status s = finish_turns(); !s.ok()) return s;
  if (result_->errors != 0) return bad_result(result_->errors);
  *bytes = length_ = result_->bytes;
  return {};
}

Status CudaSlot::fetch(std::uint8_t *to) {
  if (Status s = copy_to_host(to, arrays_.out, length_, stream_.get()); !s.ok()) return s;
  return stream_.wait();
}

void CudaSlot::abandon() {
  (void)stream_.wait();
}

Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder) {
  return with_memory([&] {
    auto made = std::make_unique<Slots>();
    const Status s = made->prepare(params, slots);
    if (s.ok()) *encoder = std::move(made);
    return s;
  });
}

Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes) {
  return with_memory([&] {
    CudaFormat format;
    Layout l;
    const Status s = format.plan_for(params);
    if (s.ok()) (void)format.place_slot(&l);
    if (s.ok()) *bytes = l.end();
    return s;
  });
}

}  // namespace coalesce::j2k
