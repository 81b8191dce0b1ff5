// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes out are the bytes of the library, with the parameters that the properties say.
#include <cmath>
#include <functional>

#include "j2k/encoder/encoder.h"
#include "j2k/pcrd/rate.h"
#include "j2k/transform/quantiser.h"
#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

namespace j2k = coalesce::j2k;
using j2k::EncoderParams;
using j2k::LayerBudget;

const Size kSize{300, 170};

EncoderParams default_params() {
  EncoderParams params;
  params.coding.image = {0, 0, kSize.width, kSize.height};
  params.coding.num_components = 3;
  params.colour_transform = true;
  return params;
}

// Of packed RGB.
Bytes encode_with_library(const EncoderParams &params, GstBuffer *frame) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(frame, &map, GST_MAP_READ));
  j2k::Samples samples[3];
  for (int c = 0; c < 3; c++) {
    samples[c].data = map.data;
    samples[c].pitch = GST_ROUND_UP_4(3 * static_cast<std::size_t>(kSize.width));
    samples[c].first = c;
    samples[c].step = 3;
  }
  std::unique_ptr<j2k::Encoder> encoder;
  coalesce::Status status = j2k::Encoder::make(params, &encoder);
  Bytes bytes;
  if (status.ok()) status = encoder->encode(samples, nullptr, &bytes);
  gst_buffer_unmap(frame, &map);
  fail_unless(status.ok(), "%s", status.message());
  return bytes;
}

// Something to compress: a slope, and a little noise.
GstBuffer *picture() {
  const GstVideoInfo info = video_info(video_caps("RGB", kSize));
  GstBuffer *buffer = random_frame(info, {}, 5);
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_READWRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = static_cast<guint8>(map.data[i] % 16 + i / 3 % 300 / 2 + i / 900 / 2);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

struct Case {
  Properties properties;
  std::function<void(EncoderParams &)> change;
};

LayerBudget bytes_target(std::uint64_t bytes) {
  return {LayerBudget::Kind::bytes, bytes};
}

void use_97(EncoderParams &p) {
  p.wavelet = j2k::Wavelet::irreversible_97;
  p.base_step = j2k::fine_base_step(true);
}

constexpr int kPixels = 300 * 170;

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {{}, [](EncoderParams &) {}},
      {{{"lossless", "true"}}, [](EncoderParams &) {}},
      {{{"lossless", "false"}}, [](EncoderParams &p) { use_97(p); }},
      {{{"lossless", "false"}, {"wavelet", "5/3"}}, [](EncoderParams &) {}},
      {{{"lossless", "false"}, {"wavelet", "9/7"}}, [](EncoderParams &p) { use_97(p); }},
      {{{"quality", "100"}}, [](EncoderParams &p) { use_97(p); }},
      {{{"quality", "50"}}, [](EncoderParams &p) { use_97(p), p.base_step *= 16; }},
      {{{"num-resolutions", "1"}}, [](EncoderParams &p) { p.coding.levels = 0; }},
      {{{"num-resolutions", "11"}}, [](EncoderParams &p) { p.coding.levels = 10; }},
      {{{"progression-order", "rlcp"}},
       [](EncoderParams &p) { p.progression = j2k::Progression::rlcp; }},
      {{{"progression-order", "cprl"}},
       [](EncoderParams &p) { p.progression = j2k::Progression::cprl; }},
      {{{"tile-width", "128"}, {"tile-height", "100"}},
       [](EncoderParams &p) { p.coding.tile_width = 128, p.coding.tile_height = 100; }},
      {{{"code-block-width", "16"}, {"code-block-height", "256"}},
       [](EncoderParams &p) { p.coding.block_x = 4, p.coding.block_y = 8; }},
      {{{"precincts", "256x128, 128x256"}},
       [](EncoderParams &p) {
         for (int r = 0; r < 6; r++)
           p.coding.precinct[static_cast<std::size_t>(r)] =
               r == 5 ? j2k::PrecinctSize{8, 7} : j2k::PrecinctSize{7, 8};
       }},
      {{{"code-block-style", "bypass+termall"}}, [](EncoderParams &p) { p.block_style = 5; }},
      {{{"code-block-style", "reset+causal+predictable-termination+segmentation-symbols"}},
       [](EncoderParams &p) { p.block_style = 2 + 8 + 16 + 32; }},
      {{{"sop", "true"}, {"eph", "true"}}, [](EncoderParams &p) { p.sop = p.eph = true; }},
      {{{"plt", "true"}}, [](EncoderParams &p) { p.plt = true; }},
      {{{"tlm", "true"}}, [](EncoderParams &p) { p.tlm = true; }},
      {{{"guard-bits", "5"}}, [](EncoderParams &p) { p.guard_bits = 5; }},
      {{{"roi", "10,20,100,50"}},
       [](EncoderParams &p) {
         p.roi = {10, 20, 110, 70};
       }},
      {{{"roi", "10,20,100,50"}, {"bpp", "2"}},  // a coarser step leaves room for the shift
       [](EncoderParams &p) {
         p.roi = {10, 20, 110, 70};
         use_97(p), p.base_step *= std::exp2(1.125);
         p.targets = {bytes_target(kPixels / 4)};
       }},
      {{{"comment", "caf\xc3\xa9"}}, [](EncoderParams &p) { p.comment = "caf\xe9"; }},
      {{{"num-layers", "4"}},
       [](EncoderParams &p) {
         p.layers = 4;
         p.targets.assign(3, {LayerBudget::Kind::automatic, 0});
         p.targets.push_back({});
       }},
      {{{"bpp", "1.5"}},
       [](EncoderParams &p) {
         use_97(p);
         p.targets = {bytes_target(kPixels * 3 / 16)};
       }},
      {{{"bpp", "1.5"}, {"wavelet", "5/3"}, {"visual-weighting", "true"}},
       [](EncoderParams &p) {
         p.visual_weighting = true;
         p.targets = {bytes_target(kPixels * 3 / 16)};
       }},
      {{{"frame-size", "5000"}},
       [](EncoderParams &p) { use_97(p), p.targets = {bytes_target(5000)}; }},
      {{{"bitrate", "1000"}},  // at 25 frames a second
       [](EncoderParams &p) { use_97(p), p.targets = {bytes_target(5000)}; }},
      {{{"frame-size", "20000"}, {"num-layers", "3"}, {"layer-rates", "0.5 1"}},
       [](EncoderParams &p) {
         use_97(p);
         p.layers = 3;
         p.targets = {bytes_target(kPixels / 16), bytes_target(kPixels / 8), bytes_target(20000)};
       }},
      {{{"psnr", "35"}},
       [](EncoderParams &p) {
         use_97(p);
         p.targets = {j2k::target_at_psnr(p, 35)};
       }},
  };
  return all;
}

std::string text_of(const Properties &properties) {
  std::string text;
  for (const auto &[name, value] : properties)
    text += std::string(name) + "=" + value + " ";
  return text;
}

GST_START_TEST(bytes_of_the_library) {
  const BufferRef frame(picture());
  for (const auto &[properties, change] : cases()) {
    EncoderParams params = default_params();
    change(params);
    Harness harness("j2kenc", properties);
    fail_unless(harness.set_input(video_caps("RGB", kSize)), "%s", text_of(properties).c_str());
    fail_unless_equals_int(harness.push(gst_buffer_ref(frame.get())), GST_FLOW_OK);
    const Bytes bytes = bytes_of(harness.pull().get());
    fail_unless(bytes == encode_with_library(params, frame.get()), "%s",
                text_of(properties).c_str());
  }
}
GST_END_TEST;

// The step goes with the range of the samples: of the same picture in 16 bits nothing is different
// but what SIZ says of them.
GST_START_TEST(quality_of_more_bits) {
  const std::string caps8 = video_caps("GRAY8", {64, 48}),
                    caps16 = video_caps("GRAY16_LE", {64, 48});
  const BufferRef eight(random_frame(video_info(caps8), {}, 3));
  Bytes wide;
  for (const std::uint8_t sample : bytes_of(eight.get()))
    wide.insert(wide.end(), {0, sample});
  BufferRef sixteen(gst_buffer_new_and_alloc(wide.size()));
  gst_buffer_fill(sixteen.get(), 0, wide.data(), wide.size());
  for (const char *quality : {"30", "60", "100"}) {
    Harness a("j2kenc", {{"quality", quality}}), b("j2kenc", {{"quality", quality}});
    fail_unless(a.set_input(caps8) && b.set_input(caps16));
    fail_unless_equals_int(a.push(gst_buffer_ref(eight.get())), GST_FLOW_OK);
    fail_unless_equals_int(b.push(gst_buffer_ref(sixteen.get())), GST_FLOW_OK);
    Bytes expected = bytes_of(a.pull().get());
    constexpr std::size_t kBits = 42;
    fail_unless_equals_int(expected[kBits], 8 - 1);
    expected[kBits] = 16 - 1;
    fail_unless(bytes_of(b.pull().get()) == expected, "quality=%s", quality);
  }
}
GST_END_TEST;

}  // namespace

void add_j2kenc_library_cases(Suite *suite) {
  TCase *library = new_case(suite, "library");
  tcase_add_test(library, bytes_of_the_library);
  tcase_add_test(library, quality_of_more_bits);
}

}  // namespace test
