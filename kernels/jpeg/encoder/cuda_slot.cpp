// SPDX-License-Identifier: LGPL-2.1-or-later
// The encoder on a GPU, but for its kernels.
#include <algorithm>
#include <cstring>
#include <vector>

#include "../../core/device.h"
#include "../plan/file_header.h"
#include "../tables/parts.h"
#include "cuda_encoder.h"
#include "cuda_job.h"
#include "quality_search.h"

namespace coalesce::jpeg {
namespace {

constexpr std::size_t kAlign = 256;

// Page-locked.
struct HostArrays {
  ScanResult *result;
  CodeTable *usual_codes;  // [2]
};
HostArrays place_host_arrays(Layout *layout) {
  return {layout->at<ScanResult>(1), layout->at<CodeTable>(2)};
}

// A frame under way.
class Slot {
 public:
  // device, host: the slot's part of the memory that all slots have together.
  Status prepare(const EncoderParams &params, const CodingPlan &plan, void *device, void *host);
  Status start(const EncoderParams &params, const ConstImage &image, void *stream, std::uint8_t *to,
               std::size_t room);
  Status wait(std::size_t *bytes);
  Status fetch(std::uint8_t *to);
  int quality() const { return params_.quality; }
  void abandon() { (void)stream_.wait(); }

 private:
  Status code();
  Status search();
  void make_header(int quality);
  std::size_t scan_bytes() const { return static_cast<std::size_t>(arrays_.result->bytes); }

  CodingPlan plan_ = {};
  DeviceStream stream_;
  DeviceEvent input_ready_, input_read_;
  SlotArrays arrays_ = {};
  CodeTable *usual_codes_ = nullptr;
  EncoderParams params_;  // of the frame under way
  std::vector<std::uint8_t> header_;
  int header_quality_ = 0;
  // What start() copies: where to, and how much of the scan.
  std::uint8_t *to_ = nullptr;
  std::size_t copied_ = 0, likely_bytes_ = 0;
};

Status Slot::prepare(const EncoderParams &params, const CodingPlan &plan, void *device,
                     void *host) {
  plan_ = plan;
  params_ = params;
  header_.reserve(kMostHeaderBytes);
  Layout on_device(kAlign, device), on_host(kAlign, host);
  arrays_ = place_arrays(params, plan, &on_device);
  const HostArrays host_arrays = place_host_arrays(&on_host);
  arrays_.result = host_arrays.result;
  usual_codes_ = host_arrays.usual_codes;
  *arrays_.result = {};
  if (Status s = DeviceStream::make(&stream_); !s.ok()) return s;
  if (Status s = DeviceEvent::make(&input_ready_); !s.ok()) return s;
  if (Status s = DeviceEvent::make(&input_read_); !s.ok()) return s;
  const HuffmanTables tables = usual_tables();
  for (int i = 0; i < 2; ++i)
    usual_codes_[i] = code_table(tables.dc[i], tables.ac[i]);
  if (Status s = copy_to_device(arrays_.codes, usual_codes_, 2 * sizeof(CodeTable), stream_.get());
      !s.ok())
    return s;
  return stream_.wait();
}

HuffmanTable table_of(const TableBytes &bytes) {
  HuffmanTable table;
  std::copy(bytes.counts, bytes.counts + kMostCodeBits, table.counts.begin());
  std::copy(bytes.symbols, bytes.symbols + kSymbols, table.symbols.begin());
  return table;
}

void Slot::make_header(int quality) {
  if (header_quality_ == quality && !params_.optimize) return;
  header_quality_ = quality;
  HuffmanTables tables = usual_tables();
  if (params_.optimize)
    for (int i = 0; i < 2; ++i) {
      tables.dc[i] = table_of(arrays_.result->dc[i]);
      tables.ac[i] = table_of(arrays_.result->ac[i]);
    }
  header_.clear();
  write_header(params_, plan_, quant_tables(params_, quality), tables, &header_);
}

// What comes behind quantisation.
Status Slot::code() {
  if (params_.optimize)
    if (Status s = best_codes_cuda(plan_, arrays_, stream_.get()); !s.ok()) return s;
  return scan_cuda(plan_, arrays_, stream_.get());
}

Status Slot::start(const EncoderParams &params, const ConstImage &image, void *stream,
                   std::uint8_t *to, std::size_t room) {
  params_ = params;
  const QuantTables quant = quant_tables(params_, params_.quality);
  if (Status s = input_ready_.record(stream); !s.ok()) return s;
  if (Status s = input_ready_.hold_back(stream_.get()); !s.ok()) return s;
  const bool quantise = params_.max_bytes == 0;
  if (Status s = transform_cuda(image, plan_, quant, quantise, arrays_, stream_.get()); !s.ok())
    return s;
  if (Status s = input_read_.record(stream_.get()); !s.ok()) return s;
  if (Status s = input_read_.hold_back(stream); !s.ok()) return s;
  to_ = nullptr;
  copied_ = 0;
  if (!quantise) {
    // The first step of the search.
    if (Status s = quantise_cuda(plan_, quant, arrays_, stream_.get()); !s.ok()) return s;
    return code();
  }
  if (Status s = code(); !s.ok()) return s;
  if (params_.optimize || to == nullptr) return {};
  make_header(params_.quality);
  if (room <= header_.size()) return {};
  to_ = to;
  copied_ = std::min({room - header_.size(), likely_bytes_, plan_.most_scan_bytes() + 2});
  if (copied_ == 0) return {};
  return copy_to_host(to_ + header_.size(), arrays_.scan, copied_, stream_.get());
}

// Of the quality, whose first step has been done.
Status Slot::search() {
  QualitySearch search(params_.quality);
  for (int tried = 0;;) {
    const int quality = search.is_over() ? search.best() : search.next();
    if (quality == 0)
      return invalid_argument(
          "jpeg: max-bytes is too small for the picture, even with a quality of 1");
    if (tried != 0 && quality != tried) {
      if (Status s = quantise_cuda(plan_, quant_tables(params_, quality), arrays_, stream_.get());
          !s.ok())
        return s;
      if (Status s = code(); !s.ok()) return s;
      if (Status s = stream_.wait(); !s.ok()) return s;
    }
    tried = quality;
    make_header(quality);
    if (search.is_over()) {
      params_.quality = quality;
      return {};
    }
    search.tried(header_.size() + scan_bytes() <= params_.max_bytes);
  }
}

Status Slot::wait(std::size_t *bytes) {
  if (Status s = stream_.wait(); !s.ok()) return s;
  if (params_.max_bytes != 0) {
    if (Status s = search(); !s.ok()) return s;
  } else {
    make_header(params_.quality);
  }
  likely_bytes_ = (scan_bytes() + scan_bytes() / 16 + 4095) / 4096 * 4096;
  *bytes = header_.size() + scan_bytes();
  return {};
}

Status Slot::fetch(std::uint8_t *to) {
  std::memcpy(to, header_.data(), header_.size());
  const std::size_t there = to == to_ ? std::min(copied_, scan_bytes()) : 0;
  if (there == scan_bytes()) return {};
  if (Status s = copy_to_host(to + header_.size() + there, arrays_.scan + there,
                              scan_bytes() - there, stream_.get());
      !s.ok())
    return s;
  return stream_.wait();
}

class Slots : public CudaEncoder {
 public:
  ~Slots() override {
    for (Slot &slot : slots_)
      slot.abandon();
  }

  Status prepare(const EncoderParams &params, int slots) {
    params_ = params;
    const CodingPlan plan = make_plan(params);
    slots_.resize(static_cast<std::size_t>(slots));
    Layout device(kAlign), host(kAlign);
    (void)place_arrays(params, plan, &device);
    (void)place_host_arrays(&host);
    if (Status s = DeviceMemory::on_device(slots_.size() * device.end(), &memory_); !s.ok())
      return s;
    if (Status s = DeviceMemory::page_locked(slots_.size() * host.end(), &host_memory_); !s.ok())
      return s;
    auto *on_device = static_cast<std::uint8_t *>(memory_.get());
    auto *on_host = static_cast<std::uint8_t *>(host_memory_.get());
    for (Slot &slot : slots_) {
      if (Status s = slot.prepare(params, plan, on_device, on_host); !s.ok()) return s;
      on_device += device.end();
      on_host += host.end();
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
  Status start(int slot, const ConstImage &image, void *stream, std::uint8_t *to,
               std::size_t room) override {
    if (Status s = check_image(image); !s.ok()) return s;
    if (!(image.format == params_.format) || image.width != params_.width ||
        image.height != params_.height)
      return invalid_argument("jpeg: a picture has another format or size than the encoder");
    return at(slot).start(params_, image, stream, to, room);
  }
  Status wait(int slot, std::size_t *bytes) override { return at(slot).wait(bytes); }
  Status fetch(int slot, std::uint8_t *to) override { return at(slot).fetch(to); }
  int quality(int slot) const override { return slots_[static_cast<std::size_t>(slot)].quality(); }
  void abandon(int slot) override { at(slot).abandon(); }

 private:
  Slot &at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  EncoderParams params_;  // of frames that are started
  // One allocation each, however many slots there are: they are what takes time.
  DeviceMemory memory_, host_memory_;
  std::vector<Slot> slots_;
};

}  // namespace

Status make_cuda_encoder(const EncoderParams &params, int slots,
                         std::unique_ptr<CudaEncoder> *encoder) {
  return with_memory("jpeg: no memory for the encoder", [&] {
    auto made = std::make_unique<Slots>();
    const Status s = made->prepare(params, slots);
    if (s.ok()) *encoder = std::move(made);
    return s;
  });
}

Status cuda_encoder_slot_memory(const EncoderParams &params, std::size_t *bytes) {
  Layout l;
  (void)place_arrays(params, make_plan(params), &l);
  *bytes = l.end();
  return {};
}

}  // namespace coalesce::jpeg
