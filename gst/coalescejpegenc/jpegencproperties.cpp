// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegencproperties.h"

#include "coding/framecoding.h"

namespace coalesce::gst {
namespace {

GType subsampling_type() {
  using jpeg::Subsampling;
  static const GEnumValue values[] = {
      {int(Subsampling::automatic), "Of YUV: as it is. Of RGB: 4:2:0", "auto"},
      {int(Subsampling::s444), "As many samples of chroma as of luma", "444"},
      {int(Subsampling::s422), "Half as many in a row", "422"},
      {int(Subsampling::s420), "Half as many in a row, and half as many rows", "420"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstCoalesceJpegEncSubsampling", values);
  return type;
}

// What can be another for each frame at no cost is controllable.
constexpr int kFlags = G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING;

using S = JpegSettings;
using Table = PropertyTable<S>;

void add_rates(Table *table) {
  table->set_flags(kFlags | GST_PARAM_CONTROLLABLE);
  table->add(
      &S::quality,
      {"quality", "Quality",
       "Quality of libjpeg's quantisation tables, 1 to 100; with a limit, the most that is tried"},
      1, 100);
  table->add(&S::max_frame_size,
             {"max-frame-size", "Maximum frame size",
              "Maximum size of every file in bytes: each frame has the best quality that fits "
              "(0 = no limit; set max-frame-size or bitrate at most)"});
  table->add(&S::bitrate,
             {"bitrate", "Bit rate",
              "Maximum rate in kbit/s, the same number of bytes for every frame; requires a "
              "framerate (0 = no limit; set max-frame-size or bitrate at most)"});
  table->set_flags(kFlags);
}

void add_coding(Table *table) {
  table->add(&S::subsampling,
             {"subsampling", "Subsampling",
              "Chroma subsampling of files made of RGB. YUV is coded with the subsampling that it "
              "has; another one is an error"},
             subsampling_type());
  table->add(&S::keep_rgb,
             {"keep-rgb", "Keep RGB",
              "Code R, G and B without conversion to YCbCr, with Adobe's marker; few readers other "
              "than libjpeg's expect it. No effect on YUV"});
  table->add(&S::optimize,
             {"optimize", "Optimize",
              "Make Huffman tables of each frame's statistics: smaller files, the same pixels"});
  table->add(&S::restart_interval,
             {"restart-interval", "Restart interval",
              "Number of MCUs between restart markers (-1 = auto: a row of MCUs in frames of 2^20 "
              "pixels and more, else none; 0 = none)"},
             kJpegAutomaticInterval, jpeg::kMostRestartInterval);
  table->add(&S::quant_table_luma,
             {"quant-table-luma", "Luma's quantisation table",
              "Quantisation table of luma, grey and RGB: 64 steps of 1 to 255, row by row; with a "
              "limit, those of a quality of 50 (empty = the quality's)"});
  table->add(&S::quant_table_chroma,
             {"quant-table-chroma", "Chroma's quantisation table",
              "Quantisation table of Cb and Cr: 64 steps of 1 to 255, row by row; with a limit, "
              "those of a quality of 50 (empty = the quality's)"});
  table->add(&S::frames_in_flight,
             {"frames-in-flight", "Frames in flight",
              "Number of frames that the GPU encodes at once (0 = up to 4, within half of the free "
              "device memory). All but one add to the reported latency. No effect on the CPU"},
             0, kMostFramesInFlight);
}

}  // namespace

const PropertyTable<JpegSettings> &jpeg_properties() {
  static const auto table = [] {
    Table table;
    add_rates(&table);
    add_coding(&table);
    return table;
  }();
  return table;
}

void jpeg_install_properties(GObjectClass *klass) {
  jpeg_properties().install(klass);
  gst_type_mark_as_plugin_api(subsampling_type(), GstPluginAPIFlags(0));
}

}  // namespace coalesce::gst
