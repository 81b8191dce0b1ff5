// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convert_job.h"

#include <algorithm>

#include "../picture/formats.h"

namespace coalesce {
namespace {

using Family = Role;  // of a format: that of its first component, grey, y or r

Family family(const PixelFormat &format) {
  return format.component[0].role;
}

bool is_chroma(const PixelComponent &c) {
  return c.role == Role::u || c.role == Role::v;
}

Status check_params(const ConvertParams &params) {
  if (params.matrix > YuvMatrix::fcc) return invalid_argument("convert: no such matrix");
  if (params.in_range > SampleRange::limited || params.out_range > SampleRange::limited)
    return invalid_argument("convert: no such range");
  if (params.chroma > ChromaFilter::nearest) return invalid_argument("convert: no such filter");
  if (params.dither > Dither::ordered) return invalid_argument("convert: no such dither");
  return {};
}

// The rows of picture/rows.h are those of these formats.
bool is_named(const PixelFormat &format) {
  const auto all = named_formats();
  return std::any_of(all.begin(), all.end(),
                     [&](const NamedFormat &named) { return named.format == format; });
}

// Rows of chroma that all its planes have.
int chroma_rows(const ConstImage &image) {
  const PixelComponent *u = image.format.find(Role::u), *v = image.format.find(Role::v);
  if (u == nullptr || u->log2_height == 0) return image.height;
  return std::min(image.of(*u).height, image.of(*v).height);
}

// Those of them that pixels have.
int used_chroma_rows(const ConstImage &image) {
  const PixelComponent *u = image.format.find(Role::u);
  const int rows = chroma_rows(image);
  return u != nullptr ? std::min(rows, used_rows(image, u->plane)) : rows;
}

// ---- Filters ------------------------------------------------------------------------------------

struct ChromaSizes {
  int across, down;  // log2 of the luma samples that share one
};

ChromaSizes chroma_sizes(const PixelFormat &format) {
  const PixelComponent *u = format.find(Role::u);
  return u != nullptr ? ChromaSizes{u->log2_width, u->log2_height} : ChromaSizes{0, 0};
}

// Down, in a field: MPEG-2's chroma is 1/4 of the distance of the field's rows from the first of
// two in the top field, and 3/4 in the bottom field.
ChromaPlace place_down(int log2, ChromaSite site, bool by_field, int field) {
  if (log2 == 1 && by_field && !site.v_cosited) return {log2, field == 0 ? 1 : 3};
  return {log2, chroma_site(log2, site.v_cosited)};
}

void set_filters(const ConvertParams &params, ConvertJob *job) {
  const ChromaSizes in = chroma_sizes(job->in.format), out = chroma_sizes(job->out.format);
  job->across =
      chroma_taps(params.chroma, {in.across, chroma_site(in.across, params.in_site.h_cosited)},
                  {out.across, chroma_site(out.across, params.out_site.h_cosited)});
  // Less chroma than there was is the mean of the field's rows that share it, as rgb2yuv has it.
  const bool by_field = job->in.interlaced, out_by_field = by_field && in.down >= out.down;
  for (int field = 0; field < 2; ++field)
    job->down[field] =
        chroma_taps(params.chroma, place_down(in.down, params.in_site, by_field, field),
                    place_down(out.down, params.out_site, out_by_field, field));
  job->filter_bits = static_cast<std::uint8_t>(job->across.bits + job->down[0].bits);
}

bool has_identity_filters(const ConvertJob &job) {
  return job.across.is_identity() && job.down[0].is_identity() && job.down[1].is_identity();
}

// ---- Sums ---------------------------------------------------------------------------------------

// Bits of the weights, for samples of so many bits. To RGB, weights for 8 bits then fit 16 bits and
// sign. Elsewhere from 16 bits to 8 and back loses nothing.
constexpr int bits_to_rgb(int in_bits) {
  return in_bits + 5;
}
constexpr int bits_elsewhere(int in_bits) {
  return in_bits + (in_bits > 12 ? 9 : 7);
}

// What a component's numbers mean, on either side.
struct Meaning {
  SampleScale scale;
  int levels, zero;
};

Meaning meaning(const PixelComponent &c, SampleRange range) {
  if (c.role == Role::alpha) range = SampleRange::full;
  const SampleScale scale = {range, c.bits};
  if (is_chroma(c)) return {scale, scale.chroma_levels(), scale.middle()};
  return {scale, scale.levels(), scale.black()};
}

// Completes a sum whose weights of all inputs with this zero add up to `total` in units of 2^-q.
void finish(const ConvertParams &params, int in_bits, const PixelComponent &out, int q,
            std::int64_t zeros, int out_zero, int filter_bits, ConvertSum *sum) {
  const std::int64_t one = std::int64_t{1} << q;
  sum->shift = static_cast<std::uint8_t>(q + filter_bits);
  sum->offset = (out_zero * one - zeros) * (std::int64_t{1} << filter_bits);
  sum->maximum = (1 << out.bits) - 1;
  sum->dithered = params.dither == Dither::ordered && out.bits < in_bits &&
                  out.role != Role::alpha && sum->shift > 0;
  if (!sum->dithered) sum->offset += (std::int64_t{1} << sum->shift) / 2;
}

// Of one component: weight levels / levels, exact in as few bits as it can be.
ConvertSum single(const ConvertParams &params, const ConvertJob &job, int from,
                  const PixelComponent &out) {
  const PixelComponent &in = job.in.format.component[from];
  const Meaning i = meaning(in, params.in_range), o = meaning(out, params.out_range);
  int q = 0;
  while (q < bits_elsewhere(in.bits) && (std::int64_t{o.levels} << q) % i.levels != 0)
    ++q;
  ConvertSum sum;
  sum.from = static_cast<std::int8_t>(from);
  sum.filtered = is_chroma(out) && !has_identity_filters(job);
  sum.weight[0] = static_cast<std::int32_t>(((std::int64_t{o.levels} << (q + 1)) + i.levels) /
                                            (2 * std::int64_t{i.levels}));
  finish(params, in.bits, out, q, std::int64_t{sum.weight[0]} * i.zero, o.zero,
         sum.filtered ? job.filter_bits : 0, &sum);
  return sum;
}

ConvertSum constant(const ConvertParams &params, const PixelComponent &out) {
  ConvertSum sum;
  const Meaning m = meaning(out, params.out_range);
  sum.maximum = m.scale.maximum();
  sum.offset = out.role == Role::alpha ? sum.maximum : m.zero;
  return sum;
}

ConvertSum matrix(const ConvertParams &params, const ConvertJob &job, int number) {
  const PixelComponent &in = job.in.format.component[0];
  const PixelComponent &out = job.out.format.component[number];
  const Meaning o = meaning(out, params.out_range);
  const int q = job.to_rgb ? bits_to_rgb(in.bits) : bits_elsewhere(in.bits);
  const SampleScale from = {params.in_range, in.bits};
  const ColourWeights w = job.to_rgb ? yuv_to_rgb(params.matrix, from, o.scale, q)
                                     : rgb_to_yuv(params.matrix, from, o.scale, q);
  // Grey has one component of these.
  const int row = out.role == Role::grey ? 0 : number;
  ConvertSum sum;
  sum.from = ConvertSum::kMatrix;
  sum.filtered = (job.to_rgb || is_chroma(out)) && !has_identity_filters(job);
  std::int64_t zeros = 0;
  for (int j = 0; j < 3; ++j) {
    sum.weight[j] = w.weight[row][j];
    zeros +=
        std::int64_t{sum.weight[j]} * meaning(job.in.format.component[j], params.in_range).zero;
  }
  finish(params, in.bits, out, q, zeros, o.zero, sum.filtered ? job.filter_bits : 0, &sum);
  return sum;
}

// Which of the input's components a component is made of.
ConvertSum make_sum(const ConvertParams &params, const ConvertJob &job, int number) {
  const PixelFormat &in = job.in.format, &out = job.out.format;
  const PixelComponent &c = out.component[number];
  if (c.role == Role::alpha) {
    if (!in.has(Role::alpha)) return constant(params, c);
    return single(params, job, in.components - 1, c);
  }
  const Family from = family(in), to = family(out);
  if (from == to) return single(params, job, number, c);
  if (from == Role::grey) return is_chroma(c) ? constant(params, c) : single(params, job, 0, c);
  if (from == Role::y && to == Role::grey) return single(params, job, 0, c);
  return matrix(params, job, number);
}

// Do filtered samples fit 15 bits, and the sum, in any order, 31 and sign?
bool is_narrow(const ConvertJob &job, const ConvertSum &sum) {
  if (sum.from == ConvertSum::kConstant) return true;
  const bool all = sum.from == ConvertSum::kMatrix;
  std::int64_t above = std::max<std::int64_t>(sum.offset, 0);
  std::int64_t below = std::min<std::int64_t>(sum.offset, 0);
  if (sum.dithered) above += std::int64_t{1} << sum.shift;
  for (int j = 0; j < (all ? 3 : 1); ++j) {
    const PixelComponent &c = job.in.format.component[all ? j : sum.from];
    const std::int64_t most = ((std::int64_t{1} << c.bits) - 1)
                              << (sum.filtered ? job.filter_bits : 0);
    if (most > INT16_MAX) return false;
    (sum.weight[j] > 0 ? above : below) += sum.weight[j] * most;
  }
  return above <= INT32_MAX && below >= INT32_MIN;
}

}  // namespace

Status make_job(const ConvertParams &params, const ConstImage &in, const Image &out,
                ConvertJob *job) {
  if (Status s = check_params(params); !s.ok()) return s;
  if (Status s = check_image(in); !s.ok()) return s;
  if (Status s = check_image(out); !s.ok()) return s;
  if (!is_named(in.format) || !is_named(out.format))
    return invalid_argument("convert: a format is none of picture/formats.h");
  if (in.width != out.width || in.height != out.height || in.interlaced != out.interlaced)
    return invalid_argument("convert: the pictures differ in size or interlacing");
  *job = {};
  job->in = in;
  job->out = out;
  job->in_chroma_rows = used_chroma_rows(in);
  job->out_chroma_rows = chroma_rows(out);
  job->to_rgb = family(in.format) == Role::y && family(out.format) == Role::r;
  set_filters(params, job);
  for (int i = 0; i < out.format.components; ++i) {
    job->sum[i] = make_sum(params, *job, i);
    job->wide = job->wide || !is_narrow(*job, job->sum[i]);
  }
  return {};
}

}  // namespace coalesce
