// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convert_args.h"

#include <algorithm>

#include "../picture/rows.h"

namespace coalesce {
namespace {

PlaneWords plane_words(const Image &out, int plane) {
  const PixelFormat &format = out.format;
  const RowWriter::Layout layout = RowWriter(format, plane, out.width).layout();
  const PixelComponent *c = format.component;
  while (c->plane != plane)
    ++c;
  PlaneWords words;
  words.log2_width = c->log2_width;
  words.log2_height = c->log2_height;
  if (c->container == Container::v210) {
    words.bytes = 16;
    words.pixels = 6;
    return words;
  }
  const bool pairs = layout.components == 4 && layout.component[1] == 0;
  words.bytes =
      c->container == Container::be10
          ? 5
          : static_cast<std::uint8_t>((pairs ? 4 : c->step) * container_bytes(c->container));
  words.pixels = pairs ? 2 : 1;
  words.components = static_cast<std::uint8_t>(layout.components);
  words.ones = layout.ones;
  for (int i = 0; i < layout.components; ++i) {
    words.component[i] = static_cast<std::uint8_t>(layout.component[i]);
    words.shift[i] =
        static_cast<std::uint8_t>(words.bytes == 3 ? 8 * layout.shift[i] : layout.shift[i]);
  }
  return words;
}

// ---- Pictures in slots --------------------------------------------------------------------------

// The components in slots 0 to 2: the colours, in the order of memory where they share words.
struct Slots {
  int component[3] = {0, 1, 2};
};

bool is_before(const PixelComponent &a, const PixelComponent &b) {
  return a.container == Container::u32 ? a.shift < b.shift : a.first < b.first;
}

void sort_colours(const PixelFormat &format, int from, Slots *slots) {
  std::sort(slots->component + from, slots->component + 3,
            [&](int a, int b) { return is_before(format.component[a], format.component[b]); });
}

// __byte_perm() selectors: of byte i of the result, place[i].
std::uint16_t gathering(const int (&place)[4]) {
  return static_cast<std::uint16_t>(place[0] | place[1] << 4 | place[2] << 8 | place[3] << 12);
}
std::uint16_t scattering(const int (&place)[4]) {
  int inverse[4];
  for (int i = 0; i < 4; ++i)
    inverse[place[i]] = i;
  return gathering(inverse);
}

std::uint8_t alignment_of(const Plane<const std::uint8_t> &plane) {
  const auto bits = reinterpret_cast<std::uintptr_t>(plane.data) | plane.pitch | 16;
  return static_cast<std::uint8_t>(bits & -bits);
}

// Are planes aligned to the largest power of two, up to 16, that divides the bytes of a run, and
// their pitches numbers of 32 bits?
bool is_aligned(const ConstImage &image, int run) {
  for (int i = 0; i < image.format.components; ++i) {
    const PixelComponent &c = image.format.component[i];
    const int bytes = c.container == Container::v210 ? run * 8 / 3
                      : c.container == Container::be10
                          ? run * 5 / 2
                          : (run >> c.log2_width) * c.step * container_bytes(c.container);
    if (alignment_of(image.of(c)) < std::min(16, bytes & -bytes)) return false;
    if (image.of(c).pitch > UINT32_MAX) return false;
  }
  return true;
}

void set_plane(const ConstImage &image, int plane, int slot, PackedPicture *p) {
  p->plane[slot] = const_cast<std::uint8_t *>(image.plane[plane].data);
  p->pitch[slot] = image.plane[plane].pitch;
  p->alignment[slot] = alignment_of(image.plane[plane]);
}

// Pixels in words of one plane.
bool set_packed(const PixelFormat &format, bool output, Slots *slots, PackedPicture *p) {
  const PixelComponent &first = format.component[0];
  const PixelComponent *alpha = format.find(Role::alpha);
  if (first.container == Container::v210) {
    p->packing = Packing::v210;
    return true;
  }
  if (first.container == Container::be10) {
    p->packing = Packing::be10;
    return true;
  }
  if (format.is_packed_422()) {
    p->packing = first.container == Container::u8 ? Packing::pairs8 : Packing::pairs16;
    sort_colours(format, 1, slots);
    const int chroma[2] = {format.component[slots->component[1]].first,
                           format.component[slots->component[2]].first};
    const int place[4] = {first.first, first.first + 2, chroma[0], chroma[1]};
    p->selector = output ? scattering(place) : gathering(place);
    return p->packing == Packing::pairs8 || first.first == 0;
  }
  sort_colours(format, 0, slots);
  p->alpha = alpha != nullptr;
  p->spare = alpha == nullptr;
  if (first.container == Container::u32) {
    p->packing = Packing::fields10;
    return true;
  }
  if (first.step == 3) {
    p->packing = Packing::packed24;
    p->spare = false;
    return true;
  }
  if (first.step != 4) return false;
  int place[4] = {format.component[slots->component[0]].first,
                  format.component[slots->component[1]].first,
                  format.component[slots->component[2]].first, 0};
  place[3] = 6 - place[0] - place[1] - place[2];
  p->selector = output ? scattering(place) : gathering(place);
  p->packing = first.container == Container::u8 ? Packing::packed32 : Packing::packed64;
  p->alpha_first = place[3] == 0;
  // Elsewhere alpha is the first or the last of four.
  return p->packing == Packing::packed32 || (alpha != nullptr && place[3] % 3 == 0);
}

// False: a picture that only the kernel for any word has.
bool set_picture(const ConstImage &image, bool output, int chroma_rows, Slots *slots,
                 PackedPicture *p) {
  const PixelFormat &format = image.format;
  const PixelComponent &first = format.component[0];
  const PixelComponent *alpha = format.find(Role::alpha);
  const PixelComponent *u = format.find(Role::u);
  p->shift = first.container == Container::u16 ? first.shift : 0;
  p->mask = static_cast<std::uint16_t>((1 << first.bits) - 1);
  p->half = u != nullptr && u->log2_width == 1;
  p->half_rows = u != nullptr && u->log2_height == 1;
  p->chroma_columns = u != nullptr ? -(-image.width >> u->log2_width) : 0;
  p->chroma_rows = chroma_rows;
  p->colours = first.role == Role::grey ? 1 : 3;
  set_plane(image, 0, 0, p);
  if (u != nullptr && u->log2_width > 1) return false;
  if (format.planes == 1 && format.components > 1) {
    if (p->half) p->chroma = ChromaPacking::packed;
    return set_packed(format, output, slots, p);
  }
  p->packing = first.container == Container::u8 ? Packing::planes8 : Packing::planes16;
  if (format.components == 1) return true;
  if (format.planes == 2) {
    p->chroma = ChromaPacking::interleaved;
    sort_colours(format, 1, slots);
    set_plane(image, 1, 1, p);
    return true;
  }
  if (p->half) p->chroma = ChromaPacking::planes;
  for (int c = 0; c < 3; ++c)
    set_plane(image, format.component[c].plane, c, p);
  p->alpha = alpha != nullptr;
  if (alpha != nullptr) set_plane(image, alpha->plane, 3, p);
  return true;
}

// ---- Sums ---------------------------------------------------------------------------------------

SlotSum slot_sum(const ConvertJob &job, const ConvertSum &sum, const Slots &in) {
  SlotSum s;
  s.offset = sum.offset;
  s.maximum = sum.maximum;
  s.shift = sum.shift;
  s.dithered = sum.dithered;
  for (int slot = 0; slot < 3; ++slot) {
    const int j = in.component[slot];
    if (sum.from == j) s.weight[slot] = sum.weight[0];
    if (sum.from != ConvertSum::kMatrix) continue;
    const bool counts_more = sum.filtered && !job.filters(sum, j);
    s.weight[slot] = sum.weight[j] * (counts_more ? 1 << job.filter_bits : 1);
  }
  return s;
}

void set_sums(const Slots &in, const Slots &out, ConvertArgs *args) {
  const ConvertJob &job = args->job;
  for (int slot = 0; slot < args->out.colours; ++slot)
    args->sum[slot] = slot_sum(job, job.sum[out.component[slot]], in);
  SlotSum &last = args->sum[3];
  if (args->out.alpha) {
    const ConvertSum &alpha = job.sum[job.out.format.components - 1];
    last = slot_sum(job, alpha, {{-3, -3, -3}});
    if (alpha.from >= 0) last.alpha_weight = alpha.weight[0];
  } else if (args->out.spare) {
    last.maximum = args->out.packing == Packing::fields10 ? 3 : 255;
    last.offset = last.maximum;
  }
}

// ---- Filters ------------------------------------------------------------------------------------

// Of two columns (or rows) on either side of the pixel.
bool set_up(const ChromaTaps &taps, std::int32_t (*to_even)[2], std::int32_t (*to_odd)[2]) {
  if (taps.up != 1 || taps.count > 2) return false;
  const ChromaTaps::Phase &even = taps.phase[0], &odd = taps.phase[1];
  if (even.first < -1 || even.first > 0 || odd.first != 0) return false;
  if (even.first == 0 && even.tap[1] != 0) return false;
  (*to_even)[0] = even.first == 0 ? 0 : even.tap[0];
  (*to_even)[1] = even.first == 0 ? even.tap[0] : even.tap[1];
  (*to_odd)[0] = odd.tap[0];
  (*to_odd)[1] = odd.tap[1];
  return true;
}

// Chroma of slot 0 and of slot 2: one sample each, and not the same.
bool set_up_sums(ConvertArgs *args) {
  const auto &first = args->sum[0].weight, &middle = args->sum[1].weight,
             &last = args->sum[2].weight;
  const int one = first[2] == 0 && last[1] == 0 ? 1 : 2, other = 3 - one;
  if (first[other] != 0 || last[one] != 0) return false;
  UpArgs *up = &args->up;
  up->selector[0] = one == 1 ? 0x4410 : 0x4432;
  up->selector[1] = one == 1 ? 0x4432 : 0x4410;
  up->first = first[one], up->last = last[other];
  up->middle[0] = middle[one], up->middle[1] = middle[other];
  return true;
}

// Rows 2j + 1 and 2j + 2 of each field, from j = -1 on, by fields in turn: the last one may have a
// group less. Each group has a row of the picture.
int up_groups(const ConvertJob &job) {
  int groups = 0;
  for (int field = 0; field < 1 << job.log2_fields(); ++field) {
    const int rows = (job.out.height - field + job.log2_fields()) >> job.log2_fields();
    if (rows > 0) groups += rows / 2 + 1;
  }
  return groups;
}

// What convert_up.cuh has, if sums are narrow. Rows of pixels between rows j and j + 1 of chroma
// are an odd one and the even one behind it.
bool set_up_rows(ConvertArgs *args) {
  const ConvertJob &job = args->job;
  if (args->kind != RunKind::full || !args->in.half || args->out.colours != 3) return false;
  args->up.groups = args->in.half_rows ? up_groups(job) : job.out.height;
  for (int field = 0; field < 2 && args->in.half_rows; ++field)
    if (!set_up(job.down[field], &args->up.between[field][1], &args->up.between[field][0]))
      return false;
  return set_up_sums(args);
}

bool set_down(const ChromaTaps &taps, ConvertArgs *args) {
  const ChromaTaps::Phase &phase = taps.phase[0];
  if (taps.down != 1 || phase.first < -1 || phase.first + taps.count > 2) return false;
  for (int k = 0; k < taps.count; ++k)
    args->across[phase.first + 1 + k] = phase.tap[k];
  return true;
}

RunKind choose_kind(ConvertArgs *args) {
  const ChromaTaps &across = args->job.across;
  const bool in_half = args->in.half, out_half = args->out.half;
  if (!in_half && !out_half) return across.is_identity() ? RunKind::full : RunKind::none;
  if (in_half && !out_half) {
    // Grey has no colours that would be filtered.
    if (args->out.colours == 1) return RunKind::full;
    return set_up(across, &args->even, &args->odd) ? RunKind::full : RunKind::none;
  }
  if (in_half || args->in.colours == 1)
    return across.is_identity() || args->in.colours == 1 ? RunKind::half : RunKind::none;
  return set_down(across, args) ? RunKind::down : RunKind::none;
}

}  // namespace

ConvertArgs make_args(const ConvertJob &job) {
  ConvertArgs args;
  args.job = job;
  for (int p = 0; p < job.out.format.planes; ++p)
    args.words[p] = plane_words(job.out, p);
  args.groups = job.out.height;
  Slots in, out;
  const bool packed = set_picture(job.in, false, job.in_chroma_rows, &in, &args.in) &&
                      set_picture(job.out, true, job.out_chroma_rows, &out, &args.out);
  if (!packed) return args;
  set_sums(in, out, &args);
  if (args.in.packing == Packing::v210 || args.out.packing == Packing::v210) args.run = 12;
  args.kind = choose_kind(&args);
  args.up.fits = set_up_rows(&args);
  args.aligned = is_aligned(job.in, args.run) && is_aligned(job.out, args.run);
  args.shares_rows = args.kind != RunKind::none && args.out.half_rows;
  // Interlaced, a field may have a row more of luma, or of chroma.
  if (args.shares_rows) args.groups = std::max((job.out.height + 1) / 2 + 1, job.out_chroma_rows);
  return args;
}

}  // namespace coalesce
