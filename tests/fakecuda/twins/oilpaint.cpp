// SPDX-License-Identifier: LGPL-2.1-or-later
#include <type_traits>

#include "../../../kernels/oilpaint/kuwahara.h"
#include "../../../kernels/oilpaint/strokes.h"
#include "../twin.h"

namespace coalesce {
namespace {

Plane<std::uint32_t> plane_of(const OilWords &words) {
  return {words.data, words.width, words.height,
          static_cast<std::size_t>(words.width) * sizeof(std::uint32_t)};
}

// All that a channel has of a row.
template <class Byte>
Plane<Byte> plane_of(Byte *data, std::size_t pitch, const OilChannel &c, int rows) {
  return {data, (c.columns - 1) * c.step + 1, rows, pitch};
}

Status check_access(const OilPicture &p, const OilWords &words) {
  const auto check = [&](const OilChannel &c) {
    return twin::check_access({plane_of(c.in, c.in_pitch, c, c.in_rows),
                               plane_of(c.out, c.out_pitch, c, c.out_rows), plane_of(words)});
  };
  for (int i = 0; i < p.components; ++i)
    if (Status s = check(p.component[i]); !s.ok()) return s;
  for (int i = 0; i < p.copies; ++i)
    if (Status s = check(p.copy[i]); !s.ok()) return s;
  return {};
}

}  // namespace

Status oil_pack_cuda(const OilPicture &picture, const OilWords &words, void *stream) {
  if (Status s = check_access(picture, words); !s.ok()) return s;
  return twin::launch(stream, [=] { oil_pack_cpu(picture, words, nullptr); });
}

Status oil_unpack_cuda(const OilPicture &picture, const OilWords &words, void *stream) {
  if (Status s = check_access(picture, words); !s.ok()) return s;
  return twin::launch(stream, [=] { oil_unpack_cpu(picture, words, nullptr); });
}

Status oil_kuwahara_cuda(const OilKuwahara &kuwahara, const OilWords &in, const OilWords &out,
                         void *stream) {
  const OilWords lists = {kuwahara.lists, kuwahara.stride, kOilCodes * kOilLists};
  if (Status s = twin::check_access({plane_of(lists), plane_of(in), plane_of(out)}); !s.ok())
    return s;
  return twin::launch(stream, [=] {
    oil_kuwahara_lists_cpu(kuwahara, nullptr);
    oil_kuwahara_codes_cpu(in, out, nullptr);
    oil_kuwahara_paint_cpu(kuwahara, in, out, nullptr);
  });
}

Status oil_mode_cuda(const OilMode &mode, const OilWords &in, const OilWords &out, void *stream) {
  if (Status s = twin::check_access({plane_of(in), plane_of(out)}); !s.ok()) return s;
  return twin::launch(stream, [=] { oil_mode_cpu(mode, in, out, nullptr); });
}

Status oil_strokes_cuda(const OilStrokes &strokes, void *stream) {
  for (int i = 0; i < strokes.levels; ++i)
    if (Status s = twin::check_access({plane_of(strokes.level[i])}); !s.ok()) return s;
  for (int i = 0; i < strokes.brushes; ++i) {
    const OilBrush &b = strokes.brush[i];
    const auto of_cells = [&](auto *data) {
      return Plane<std::remove_pointer_t<decltype(data)>>{
          data, b.level.width, b.level.height,
          static_cast<std::size_t>(b.level.width) * sizeof *data};
    };
    if (Status s =
            twin::check_access({plane_of(b.canvas), of_cells(b.births), of_cells(b.strokes)});
        !s.ok())
      return s;
  }
  return twin::launch(stream, [=] { oil_strokes_cpu(strokes, nullptr); });
}

}  // namespace coalesce
