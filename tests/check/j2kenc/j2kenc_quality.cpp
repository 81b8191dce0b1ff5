// SPDX-License-Identifier: LGPL-2.1-or-later
// What rates make of a picture, as OpenJPEG decodes it.
#include <algorithm>
#include <cmath>

#include "j2k/judges/j2k_openjpeg.h"
#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

using coalesce::test::Decoded;

double psnr(const Bytes &coded, const std::vector<Samples> &expected, int layers = 0) {
  const Decoded decoded = coalesce::test::decode_with_openjpeg(coded, layers);
  fail_unless(decoded.complaint.empty(), "%s", decoded.complaint.c_str());
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < expected.size(); c++)
    for (std::size_t i = 0; i < expected[c].values.size(); i++, count++) {
      const double difference = decoded.components[c].samples[i] - expected[c].values[i];
      sum += difference * difference;
    }
  return 10 * std::log10(255. * 255. * count / std::max(sum, 1e-9));
}

// Patches with edges, large and small, and some noise.
BufferRef patches(const GstVideoInfo &info) {
  BufferRef buffer(random_frame(info, {}, 9));
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer.get(), &map, GST_MAP_READWRITE));
  const auto stride = static_cast<gsize>(info.stride[0]);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] =
        static_cast<guint8>(map.data[i] % 24 + (i % stride / 21 * 37 + i / stride / 6 * 91) % 200);
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

struct Lossy {
  std::size_t bytes;
  double psnr, first_layer;
};

Lossy encode_lossy(const Properties &properties) {
  const std::string caps = video_caps("RGB", {320, 200});
  const GstVideoInfo info = video_info(caps);
  const BufferRef in = patches(info);
  Harness harness("j2kenc", properties);
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const Bytes bytes = bytes_of(harness.pull().get());
  const auto expected = samples_of(in.get(), info, 0, 1);
  return {bytes.size(), psnr(bytes, expected), psnr(bytes, expected, 1)};
}

// Errors of 5/3 add up less exactly than those of 9/7.
GST_START_TEST(decibels) {
  for (const auto &[wavelet, most] : {std::pair{"9/7", 0.3}, {"5/3", 1.0}}) {
    std::size_t before = 0;
    for (const auto &[text, wanted] : {std::pair{"30", 30.}, {"36", 36.}, {"42", 42.}}) {
      const Lossy lossy = encode_lossy({{"psnr", text}, {"wavelet", wavelet}});
      fail_unless(lossy.psnr > wanted - most && lossy.psnr < wanted + 2 * most + 0.5,
                  "psnr=%s %s: %f dB", text, wavelet, lossy.psnr);
      fail_unless(lossy.bytes > before, "psnr=%s: %zu bytes", text, lossy.bytes);
      before = lossy.bytes;
    }
  }
}
GST_END_TEST;

// More is better, and larger.
GST_START_TEST(qualities) {
  Lossy before{0, 0, 0};
  for (const char *quality : {"1", "25", "50", "75", "100"}) {
    const Lossy lossy = encode_lossy({{"quality", quality}});
    fail_unless(lossy.bytes > before.bytes && lossy.psnr > before.psnr + 1,
                "quality=%s: %zu bytes, %f dB", quality, lossy.bytes, lossy.psnr);
    before = lossy;
  }
  fail_unless(before.psnr > 50, "quality=100: %f dB", before.psnr);
}
GST_END_TEST;

GST_START_TEST(layers_refine) {
  for (const Properties &rate :
       {Properties{{"bpp", "2"}}, Properties{{"psnr", "38"}}, Properties{{"quality", "60"}}}) {
    Properties properties = rate;
    properties.emplace_back("num-layers", "4");
    const Lossy lossy = encode_lossy(properties);
    fail_unless(lossy.first_layer < lossy.psnr - 1 && lossy.first_layer > 15, "%s: %f and %f dB",
                rate[0].first, lossy.first_layer, lossy.psnr);
  }
}
GST_END_TEST;

}  // namespace

void add_j2kenc_quality_cases(Suite *suite) {
  TCase *quality = new_case(suite, "quality");
  tcase_add_test(quality, decibels);
  tcase_add_test(quality, qualities);
  tcase_add_test(quality, layers_refine);
}

}  // namespace test
