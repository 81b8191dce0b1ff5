// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows in runs of 16-bit samples, by picture/rows.h.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "../core/clones.h"
#include "containers_job.h"
#include "rows.h"

namespace coalesce {
namespace {

constexpr int kRun = 768;        // pixels at a time, whole groups of v210
constexpr int kGrain = 1 << 16;  // bytes of rows, at least, for a thread

// With all bits of samples that are alone in a container.
PixelFormat whole_samples(PixelFormat format) {
  for (PixelComponent &c : format.component)
    if (c.container == Container::u8 || c.container == Container::u16)
      c.shift = 0, c.bits = static_cast<std::uint8_t>(container_bits(c.container));
  return format;
}

COALESCE_CLONES void narrow(const std::uint16_t *__restrict in, int count,
                            std::uint8_t *__restrict out) {
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<std::uint8_t>(in[i]);
}

COALESCE_CLONES void widen(const std::uint8_t *__restrict in, int count,
                           std::uint16_t *__restrict out) {
  for (int i = 0; i < count; ++i)
    out[i] = in[i];
}

void unpack_row(const RowReader &read, const std::uint8_t *row, int count, bool to_words,
                std::uint8_t *out) {
  if (to_words) return read(row, 0, count, reinterpret_cast<std::uint16_t *>(out));
  std::uint16_t samples[kRun];
  for (int x = 0; x < count; x += kRun) {
    const int run = std::min(count - x, kRun);
    read(row, x, run, samples);
    narrow(samples, run, out + x);
  }
}

// Takes these bits of each word from another row.
COALESCE_CLONES void keep_bits(const std::uint8_t *__restrict from, std::ptrdiff_t words,
                               std::uint32_t mask, std::uint8_t *__restrict row) {
  for (std::ptrdiff_t i = 0; i < words; ++i) {
    std::uint32_t before, word;
    std::memcpy(&before, from + 4 * i, sizeof before);
    std::memcpy(&word, row + 4 * i, sizeof word);
    word = (word & ~mask) | (before & mask);
    std::memcpy(row + 4 * i, &word, sizeof word);
  }
}

constexpr std::uint32_t little_endian(std::uint32_t word) {
  return std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
}

class Packer {
 public:
  explicit Packer(const ContainerJob &job)
      : job_(job), format_(whole_samples(job.format)), write_(format_, 0, job.width) {
    for (int i = 0; i < format_.components; ++i)
      if (!job.filters(i)) read_[i] = RowReader(format_.component[i]);
  }

  void operator()(int y) const {
    const std::uint8_t *in = job_.in.row(y);
    std::uint8_t *out = job_.out.row(y);
    std::uint16_t buffer[4][kRun];
    for (int x = 0; x < job_.width; x += kRun) {
      const int pixels = std::min(job_.width - x, kRun);
      const std::uint16_t *samples[4] = {};
      for (int i = 0; i < format_.components; ++i)
        samples[i] = samples_of(i, in, y, x, pixels, buffer[i]);
      write_(out, x, pixels, samples);
    }
    keep_spare_bits(in, out);
  }

 private:
  const std::uint16_t *samples_of(int component, const std::uint8_t *in, int y, int x, int pixels,
                                  std::uint16_t *buffer) const {
    const int log2 = format_.component[component].log2_width;
    const int first = x >> log2, count = -(-pixels >> log2);
    if (!job_.filters(component)) {
      read_[component](in, first, count, buffer);
      return buffer;
    }
    const std::uint8_t *row = job_.filtered[component].row(y);
    if (job_.in_words) return reinterpret_cast<const std::uint16_t *>(row) + first;
    widen(row + first, count, buffer);
    return buffer;
  }

  // Of words and groups of fields, which the writer fills.
  void keep_spare_bits(const std::uint8_t *in, std::uint8_t *out) const {
    const std::ptrdiff_t all = job_.in.width / 4;
    if (format_.component[0].container == Container::u32) {
      std::uint32_t spare = ~0u;
      for (int i = 0; i < format_.components; ++i)
        spare &= ~(((1u << format_.component[i].bits) - 1) << format_.component[i].shift);
      if (spare != 0) keep_bits(in, all, spare, out);
    } else if (format_.component[0].container == Container::v210) {
      const std::ptrdiff_t fields = 2 * ((std::ptrdiff_t{job_.width} + 1) & ~std::ptrdiff_t{1});
      const std::ptrdiff_t words = fields / 3, last = words * 4;
      keep_bits(in, words, little_endian(3u << 30), out);
      if (words == all) return;
      keep_bits(in + last, 1, little_endian(~0u << 10 * (fields % 3)), out + last);
      std::memcpy(out + last + 4, in + last + 4, static_cast<std::size_t>(4 * (all - words - 1)));
    }
  }

  const ContainerJob &job_;
  const PixelFormat format_;
  const RowWriter write_;
  RowReader read_[4];
};

template <class Body>
void for_rows(const ContainerJob &job, ThreadPool *pool, const Body &body) {
  for_ranges(pool, job.height, std::max(1, kGrain / job.in.width), [&](int first, int last) {
    for (int y = first; y < last; ++y)
      body(y);
  });
}

}  // namespace

void unpack_containers_cpu(const ContainerJob &job, ThreadPool *pool) {
  const PixelFormat format = whole_samples(job.format);
  RowReader read[4];
  for (int i = 0; i < format.components; ++i)
    if (job.filters(i)) read[i] = RowReader(format.component[i]);
  for_rows(job, pool, [&](int y) {
    for (int i = 0; i < format.components; ++i)
      if (job.filters(i))
        unpack_row(read[i], job.in.row(y), job.columns(i), job.in_words, job.unpacked[i].row(y));
  });
}

void pack_containers_cpu(const ContainerJob &job, ThreadPool *pool) {
  const Packer pack(job);
  for_rows(job, pool, pack);
}

}  // namespace coalesce
