// SPDX-License-Identifier: LGPL-2.1-or-later
// The decoder on a GPU, but for its kernels.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "../../core/device.h"
#include "../tables/parts.h"
#include "cuda_decode_job.h"
#include "cuda_decoder.h"
#include "file_decoder.h"
#include "output.h"

namespace coalesce::jpeg {
namespace {

// Memory that grows, and is not kept.
class Growing {
 public:
  explicit Growing(Status (*make)(std::size_t bytes, DeviceMemory *memory)) : make_(make) {}

  Status at_least(std::size_t bytes) {
    if (bytes <= bytes_) return {};
    const std::size_t more = bytes + bytes / 8;
    bytes_ = 0;
    memory_ = DeviceMemory();
    if (Status s = make_(more, &memory_); !s.ok()) return s;
    bytes_ = more;
    return {};
  }
  template <class T>
  T *get() const {
    return static_cast<T *>(memory_.get());
  }

 private:
  Status (*make_)(std::size_t bytes, DeviceMemory *memory);
  DeviceMemory memory_;
  std::size_t bytes_ = 0;
};

// What kernels and the host hand over, beside the file.
struct Handed {
  BitTable tables[2 * kMostComponents];
  DecodeTable rest[2 * kMostComponents];
  std::uint8_t behind[kReadBehind];  // the file
  std::uint32_t result;
};

// A file under way.
class Slot {
 public:
  Status prepare(const DecodeParams &params) {
    params_ = params;
    if (Status s = DeviceMemory::page_locked(sizeof(Handed), &handed_); !s.ok()) return s;
    for (int i = 0; i < 2 * kMostComponents; ++i) {
      last_tables_[i] = {};
      handed()->rest[i] = decode_table({});
      handed()->tables[i] = bit_table(handed()->rest[i], i % 2 == 0);
    }
    std::memset(handed()->behind, 0, kReadBehind);
    handed()->behind[0] = 0xFF;
    handed()->behind[1] = static_cast<std::uint8_t>(Marker::eoi);
    if (Status s = DeviceStream::make(&stream_); !s.ok()) return s;
    if (Status s = DeviceEvent::make(&file_read_); !s.ok()) return s;
    return DeviceEvent::make(&output_ready_);
  }
  Status read(const std::uint8_t *file, std::size_t bytes);
  const Frame &frame() const { return reader_->frame(); }
  Status start(const Image &out, void *stream);
  Status wait(const char **broken);
  bool was_on_cpu() const { return on_cpu_; }
  void abandon() { (void)stream_.wait(); }

 private:
  Status place(const ScanPlan *plan);
  void hand_over(int number, const HuffmanTable &table);
  Status upload(const ScanPlan &plan);
  Status decode_bits(const ScanPlan &plan);
  Status decode_bits_on_cpu();
  Status take_back();
  Status finish(const ScanPlan *plan);
  Handed *handed() const { return static_cast<Handed *>(handed_.get()); }

  DecodeParams params_;
  std::optional<HeaderReader> reader_;
  Growing data_{DeviceMemory::page_locked}, coefficients_{DeviceMemory::page_locked};
  Growing memory_{DeviceMemory::on_device};
  DeviceMemory handed_;
  DeviceStream stream_;
  DeviceEvent file_read_, output_ready_;
  DecodeArrays arrays_ = {};
  HuffmanTable last_tables_[2 * kMostComponents];  // DC and AC of each component
  Image out_;
  bool may_start_ = false, may_wait_ = false, on_cpu_ = false;
  const char *broken_ = nullptr;
};

Status Slot::read(const std::uint8_t *file, std::size_t bytes) {
  may_start_ = may_wait_ = false;
  (void)stream_.wait();
  reader_.emplace(file, bytes);
  const Status s = reader_->first_scan(params_.max_pixels);
  may_start_ = s.ok();
  return s;
}

// Can the GPU have the scan's bits? (Components in another order than the frame's are rare.)
bool suits_gpu(HeaderReader *reader, std::size_t bytes) {
  const Scan &scan = reader->scan();
  if (reader->has_several_scans() || bytes > kMostScanBytes) return false;
  for (int i = 0; i < scan.components; ++i)
    if (scan.component[i].component != i) return false;
  return true;
}

Status Slot::place(const ScanPlan *plan) {
  const bool needs_samples = out_.format.has(Role::r);
  Layout size;
  (void)place_decode_arrays(frame(), plan, needs_samples, &size);
  if (Status s = memory_.at_least(size.end()); !s.ok()) return s;
  Layout placed(256, memory_.get<void>());
  arrays_ = place_decode_arrays(frame(), plan, needs_samples, &placed);
  return {};
}

Status Slot::start(const Image &out, void *stream) {
  if (!may_start_) return invalid_argument("jpeg: no file has been read");
  if (Status s = check_image(out); !s.ok()) return s;
  if (Status s = check_output(frame(), out.format, out.width, out.height); !s.ok()) return s;
  may_start_ = false;
  out_ = out;
  broken_ = nullptr;
  if (Status s = output_ready_.record(stream); !s.ok()) return s;
  const ByteSource &source = *reader_->source();
  const std::size_t bytes = source.size - std::min(source.size, source.at);
  on_cpu_ = !suits_gpu(&*reader_, bytes);
  Status s;
  if (on_cpu_) {
    s = decode_bits_on_cpu();
  } else {
    s = decode_bits(make_scan_plan(frame(), reader_->scan(), bytes));
    // Then the caller's memory may go. Page-locked memory is read long after cudaMemcpyAsync() has
    // returned. Other memory may be: CUDA promises nothing, though a copy of it is mostly made.
    if (s.ok()) s = file_read_.wait();
  }
  if (!s.ok()) (void)stream_.wait();  // for what is on its way to the caller's memory, or from it
  may_wait_ = s.ok();
  return s;
}

// Most files have the tables of the one before.
void Slot::hand_over(int number, const HuffmanTable &table) {
  HuffmanTable &last = last_tables_[number];
  if (last.counts == table.counts && last.symbols == table.symbols) return;
  last = table;
  handed()->rest[number] = decode_table(table);
  handed()->tables[number] = bit_table(handed()->rest[number], number % 2 == 0);
}

// The file, what is behind it, and tables. The driver copies the file to page-locked memory of its
// own, and from there piece by piece.
Status Slot::upload(const ScanPlan &plan) {
  const ByteSource &source = *reader_->source();
  if (plan.bytes != 0)
    if (Status s = copy_to_device(arrays_.data, source.data + source.at, plan.bytes, stream_.get());
        !s.ok())
      return s;
  if (Status s = file_read_.record(stream_.get()); !s.ok()) return s;
  if (Status s =
          copy_to_device(arrays_.data + plan.bytes, handed()->behind, kReadBehind, stream_.get());
      !s.ok())
    return s;
  const Scan &scan = reader_->scan();
  for (int i = 0; i < scan.components; ++i) {
    hand_over(2 * i, reader_->dc_table(scan.component[i].dc));
    hand_over(2 * i + 1, reader_->ac_table(scan.component[i].ac));
  }
  const std::size_t tables = 2 * static_cast<std::size_t>(scan.components);
  if (Status s = copy_to_device(arrays_.tables, handed()->tables, tables * sizeof(BitTable),
                                stream_.get());
      !s.ok())
    return s;
  return copy_to_device(arrays_.rest, handed()->rest, tables * sizeof(DecodeTable), stream_.get());
}

Status Slot::decode_bits(const ScanPlan &plan) {
  if (Status s = place(&plan); !s.ok()) return s;
  // First, as the GPU has time while the file is copied.
  const auto cleared = reinterpret_cast<std::uint8_t *>(arrays_.coefficients +
                                                        std::size_t{plan.blocks} * kCoefficients) -
                       reinterpret_cast<std::uint8_t *>(arrays_.result);
  if (Status s = clear_device(arrays_.result, static_cast<std::size_t>(cleared), stream_.get());
      !s.ok())
    return s;
  if (Status s = upload(plan); !s.ok()) return s;
  if (Status s = decode_bits_cuda(plan, arrays_, stream_.get()); !s.ok()) return s;
  if (Status s =
          copy_to_host(&handed()->result, arrays_.result, sizeof(std::uint32_t), stream_.get());
      !s.ok())
    return s;
  return finish(&plan);
}

Status Slot::decode_bits_on_cpu() {
  if (Status s = place(nullptr); !s.ok()) return s;
  const std::size_t numbers = frame().blocks() * kCoefficients;
  if (Status s = coefficients_.at_least(numbers * sizeof(std::int16_t)); !s.ok()) return s;
  auto *const coefficients = coefficients_.get<std::int16_t>();
  if (Status s = decode_coefficients(&*reader_, coefficients, &broken_); !s.ok()) return s;
  if (Status s = copy_to_device(arrays_.coefficients, coefficients, numbers * sizeof(std::int16_t),
                                stream_.get());
      !s.ok())
    return s;
  return finish(nullptr);
}

// From coefficients to the picture.
Status Slot::finish(const ScanPlan *plan) {
  if (Status s = output_ready_.hold_back(stream_.get()); !s.ok()) return s;
  const bool is_rgb = out_.format.has(Role::r);
  const SampleLayout layout = sample_layout(frame());
  SampleTarget targets[kMostComponents] = {};
  SamplePlane planes[kMostComponents] = {};
  const QuantTable *quant[kMostComponents] = {};
  for (int c = 0; c < frame().components; ++c) {
    const FrameComponent &f = frame().component[c];
    quant[c] = &reader_->quant(c);
    if (is_rgb) {
      targets[c] = {arrays_.samples + layout.offset[c], static_cast<std::size_t>(layout.pitch[c]),
                    1, f.padded_wide * kBlockSize, f.padded_high * kBlockSize};
      planes[c] = sample_plane(frame(), c, layout, arrays_.samples, params_.fancy_upsampling);
    } else {
      const PixelComponent &k = out_.format.component[c];
      targets[c] = {out_.of(k).data + k.first, out_.of(k).pitch, k.step, f.width, f.height};
    }
  }
  if (Status s = transform_blocks_cuda(frame(), plan, arrays_, quant, targets, stream_.get());
      !s.ok())
    return s;
  if (!is_rgb) return {};
  Image rgb = out_;
  rgb.format = with_spare_bytes(rgb.format);
  return write_rgb_cuda(frame(), planes, rgb, stream_.get());
}

// The data from the GPU, as the caller's memory may be gone.
Status Slot::take_back() {
  ByteSource *const source = reader_->source();
  const std::size_t header = std::min(source->size, source->at), bytes = source->size - header;
  if (Status s = data_.at_least(bytes + kReadBehind); !s.ok()) return s;
  if (Status s = copy_to_host(data_.get<void>(), arrays_.data, bytes + kReadBehind, stream_.get());
      !s.ok())
    return s;
  source->data = data_.get<std::uint8_t>();
  source->size = bytes;
  source->at -= header;
  return stream_.wait();
}

Status Slot::wait(const char **broken) {
  if (!may_wait_) return invalid_argument("jpeg: no file is under way");
  may_wait_ = false;
  if (Status s = stream_.wait(); !s.ok()) return s;
  if (!on_cpu_ && handed()->result != kAllBlocks) {
    on_cpu_ = true;
    if (Status s = take_back(); !s.ok()) return s;
    const Status decoded = decode_bits_on_cpu(), done = stream_.wait();
    if (!decoded.ok()) return decoded;
    if (!done.ok()) return done;
  }
  *broken = broken_ == nullptr && reader_->is_odd() ? kOddHeader : broken_;
  return {};
}

class Slots : public CudaDecoder {
 public:
  ~Slots() override {
    for (Slot &slot : slots_)
      slot.abandon();
  }
  Status prepare(const DecodeParams &params, int slots) {
    slots_.resize(static_cast<std::size_t>(slots));
    for (Slot &slot : slots_)
      if (Status s = slot.prepare(params); !s.ok()) return s;
    return {};
  }
  Status read(int slot, const std::uint8_t *file, std::size_t bytes) override {
    return at(slot).read(file, bytes);
  }
  const Frame &frame(int slot) const override {
    return slots_[static_cast<std::size_t>(slot)].frame();
  }
  Status start(int slot, const Image &out, void *stream) override {
    return at(slot).start(out, stream);
  }
  Status wait(int slot, const char **broken) override { return at(slot).wait(broken); }
  bool was_on_cpu(int slot) const override {
    return slots_[static_cast<std::size_t>(slot)].was_on_cpu();
  }

 private:
  Slot &at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }

  std::vector<Slot> slots_;
};

}  // namespace

Status make_cuda_decoder(const DecodeParams &params, int slots,
                         std::unique_ptr<CudaDecoder> *decoder) {
  return with_memory("jpeg: no memory for the decoder", [&] {
    auto made = std::make_unique<Slots>();
    const Status s = made->prepare(params, slots);
    if (s.ok()) *decoder = std::move(made);
    return s;
  });
}

}  // namespace coalesce::jpeg
