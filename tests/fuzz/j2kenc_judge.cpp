// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenc_judge.h"

#include <cmath>

#include "../kernels/j2k/judges/j2k_stream_decoder.h"

namespace test {
namespace {

using coalesce::gst::J2kMedia;
using coalesce::test::Decoded;

// I.4: boxes one behind the other, the codestream's is the last.
Bytes codestream_of_file(const Bytes &file) {
  const auto u32 = [&file](std::size_t at) {
    fail_unless(at + 4 <= file.size(), "the file is cut off");
    return std::size_t{file[at]} << 24 | file[at + 1] << 16 | file[at + 2] << 8 | file[at + 3];
  };
  std::size_t at = 0;
  while (u32(at + 4) != 0x6A703263)  // jp2c
    at += std::max<std::size_t>(u32(at), 8);
  fail_unless(at + u32(at) == file.size(), "the box of the codestream has not its length");
  return Bytes(file.begin() + static_cast<std::ptrdiff_t>(at + 8), file.end());
}

std::vector<Bytes> take_apart(const Bytes &bytes, J2kMedia media) {
  if (media == J2kMedia::file) return {codestream_of_file(bytes)};
  return media == J2kMedia::box ? boxed_codestreams(bytes) : codestreams(bytes);
}

// The rows of one field. Of chroma, a field may have a row more than the frame: `certain` says how
// many there are for sure.
Samples field_of(const Samples &frame, int subsampled, const Part &part, int *certain) {
  Samples field = {
      frame.width, (part.rows() + (1 << subsampled) - 1) >> subsampled, frame.bits, {}};
  *certain = 0;
  for (int y = 0; y < field.height; y++) {
    const int from = part.field + part.fields * y;
    *certain += from < frame.height;
    const auto begin =
        frame.values.begin() + std::ptrdiff_t{frame.width} * std::min(from, frame.height - 1);
    field.values.insert(field.values.end(), begin, begin + frame.width);
  }
  return field;
}

// Adds the squared errors of the rows that are certain.
double squared_error(const Decoded::Component &got, const Samples &want, int certain) {
  fail_unless(got.width == want.width && got.height == want.height && got.bits == want.bits,
              "a component of %dx%d, %d bits", got.width, got.height, got.bits);
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(certain) * unsigned(want.width); i++) {
    const double off = got.samples[i] - want.values[i];
    sum += off * off;
  }
  return sum;
}

struct Judge {
  const J2kSettings &settings;
  const Part part;
  std::vector<Samples> samples;
  std::vector<int> certain;  // rows of them
  bool all_certain = true;

  Judge(const J2kSettings &s, const Part &p, const std::vector<Samples> &frame)
      : settings(s), part(p), certain(frame.size()) {
    for (std::size_t c = 0; c < frame.size(); c++) {
      const int down = GST_VIDEO_FORMAT_INFO_H_SUB(p.info.finfo, c);
      samples.push_back(field_of(frame[c], down, p, &certain[c]));
      all_certain = all_certain && certain[c] == samples[c].height;
    }
  }

  // psnr: what that comes to is the library's own matter.
  void run(const Bytes &bytes, const coalesce::gst::J2kCoder *psnr) const {
    const coalesce::j2k::EncoderParams params =
        psnr != nullptr ? psnr->params(part.field) : params_of(settings, part);
    const Decoded decoded = coalesce::test::decode_stream(bytes);
    fail_unless(decoded.complaint.empty(), "%s", decoded.complaint.c_str());
    fail_unless(decoded.components.size() == samples.size());
    double error = 0, count = 0;
    for (std::size_t c = 0; c < samples.size(); c++) {
      error += squared_error(decoded.components[c], samples[c], certain[c]);
      count += double(certain[c]) * samples[c].width;
    }
    const double most = most_error(settings, params);
    fail_unless(!is_exact(params) || error == 0, "lossless, and the squared error is %g", error);
    fail_unless(most == 0 || error <= most * count, "an error of %g, where %g may be",
                error / count, most);
    if (all_certain)
      fail_unless(bytes == encode_with_library(params, samples), "not the bytes of the library");
  }
};

}  // namespace

void judge_coded(const Coded &coded, const J2kSettings &settings) {
  const GstVideoInfo &info = coded.info;
  const Bytes bytes = bytes_of(coded.out);
  const double limit = frame_limit(settings, info);
  fail_unless(limit == 0 || double(bytes.size()) <= limit, "%zu bytes, of at most %g", bytes.size(),
              limit);
  const std::vector<Bytes> parts = take_apart(bytes, coded.media);
  const int fields = info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED &&
                             info.height > 1 && coded.media != J2kMedia::file
                         ? 2
                         : 1;
  fail_unless(parts.size() == static_cast<std::size_t>(fields), "%zu codestreams", parts.size());
  std::uint64_t overhead = bytes.size();
  for (const Bytes &part : parts)
    overhead -= part.size();
  // A GstVideoMeta may be of a larger frame; the samples are those of the caps.
  if (GstVideoMeta *meta = gst_buffer_get_video_meta(coded.in)) {
    meta->width = static_cast<guint>(info.width);
    meta->height = static_cast<guint>(info.height);
  }
  const GstVideoFieldOrder order = GST_VIDEO_INFO_FIELD_ORDER(&info);
  const bool top_first = order == GST_VIDEO_FIELD_ORDER_UNKNOWN
                             ? GST_BUFFER_FLAG_IS_SET(coded.in, GST_VIDEO_BUFFER_FLAG_TFF)
                             : order == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  const std::vector<Samples> samples = samples_of(coded.in, info, 0, 1);
  std::string problem;
  const auto psnr = settings.psnr > 0
                        ? coalesce::gst::J2kCoder::make(settings, info, coded.media, &problem)
                        : nullptr;
  for (int f = 0; f < fields; f++) {
    const int place = top_first ? f : fields - 1 - f;
    Judge(settings, {info, f, fields, overhead}, samples)
        .run(parts[static_cast<std::size_t>(place)], psnr.get());
  }
}

}  // namespace test
