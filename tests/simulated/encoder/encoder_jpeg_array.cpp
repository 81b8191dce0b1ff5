// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array of coalescejpegenc: every value of each setting meets every value of every
// other one, in each memory and on both back ends. Each file is the reference's, and libjpeg reads
// it without a warning.
#include "../../check/coalescejpegenc/jpegenc_reference.h"
#include "../../support/covering_array.h"
#include "j2k.h"
#include "jpeg/libjpeg_judge.h"
#include "picture/formats.h"

using namespace simulated;

namespace {

enum class Where { cpu, gpu_from_system, cuda_memory };
enum class Limit { none, bytes, loose, bitrate };

struct Setting {
  std::string format;
  Size size = {};
  Where where = Where::cpu;
  int quality = 0, subsampling = 0, restart_interval = 0;
  bool keep_rgb = false, optimize = false, luma_table = false, chroma_table = false;
  Limit limit = Limit::none;
  int frames = 1;
};
using JpegArray = coalesce::test::CoveringArray<Setting>;

template <class Value, class Text>
JpegArray::Factor factor(const char *name, const std::vector<Value> &values, Value Setting::*member,
                         Text text) {
  JpegArray::Factor made = {name, {}};
  for (const Value &value : values)
    made.values.push_back({text(value), [=](Setting *s) { s->*member = value; }});
  return made;
}

JpegArray::Factor numbers(const char *name, const std::vector<int> &values, int Setting::*member) {
  return factor<int>(name, values, member, [](int v) { return std::to_string(v); });
}

JpegArray::Factor flag(const char *name, bool Setting::*member) {
  return factor<bool>(name, {false, true}, member, [](bool v) { return v ? "yes" : "no"; });
}

std::vector<std::string> formats() {
  GstElementFactory *element = gst_element_factory_find("coalescejpegenc");
  fail_unless(element != nullptr);
  std::vector<std::string> found;
  for (const coalesce::NamedFormat &f : coalesce::named_formats())
    if (f.format.in_bytes() &&
        gst_video_format_from_string(std::string(f.name).c_str()) != GST_VIDEO_FORMAT_UNKNOWN) {
      const CapsRef caps = parse_caps("video/x-raw, format=" + std::string(f.name));
      if (gst_element_factory_can_sink_any_caps(element, caps.get())) found.emplace_back(f.name);
    }
  gst_object_unref(element);
  return found;
}

// YUV is coded with the subsampling that it has; the property may say so.
bool is_allowed(const Setting &s) {
  const coalesce::PixelFormat format = coalesce::pixel_format(s.format.c_str());
  const coalesce::PixelComponent *u = format.find(coalesce::Role::u);
  if (u == nullptr || s.subsampling == 0) return true;
  const int across = s.subsampling == 1 ? 0 : 1, down = s.subsampling == 3 ? 1 : 0;
  return u->log2_width == across && u->log2_height == down;
}

const JpegArray &array() {
  static const JpegArray made(
      {
          factor<std::string>("format", formats(), &Setting::format,
                              [](const std::string &v) { return v; }),
          factor<Size>(
              "size", {{1, 1}, {17, 9}, {40, 33}, {70, 18}}, &Setting::size,
              [](Size v) { return std::to_string(v.width) + "x" + std::to_string(v.height); }),
          factor<Where>("where", {Where::cpu, Where::gpu_from_system, Where::cuda_memory},
                        &Setting::where,
                        [](Where v) {
                          return v == Where::cpu               ? "CPU"
                                 : v == Where::gpu_from_system ? "GPU from system memory"
                                                               : "CUDA memory";
                        }),
          numbers("quality", {1, 50, 85, 100}, &Setting::quality),
          numbers("subsampling", {0, 1, 2, 3}, &Setting::subsampling),
          numbers("restart-interval", {-1, 0, 1, 3, 65535}, &Setting::restart_interval),
          flag("keep-rgb", &Setting::keep_rgb),
          flag("optimize", &Setting::optimize),
          flag("quant-table-luma", &Setting::luma_table),
          flag("quant-table-chroma", &Setting::chroma_table),
          factor<Limit>("limit", {Limit::none, Limit::bytes, Limit::loose, Limit::bitrate},
                        &Setting::limit, [](Limit v) { return std::to_string(int(v)); }),
          numbers("frames-in-flight", {1, 3}, &Setting::frames),
      },
      is_allowed);
  return made;
}

std::string table(int step, int more) {
  std::string text;
  for (int i = 0; i < 64; i++)
    text += std::to_string(1 + (step + i * more) % 255) + " ";
  return text;
}

void set_properties(GstElement *element, const Setting &s) {
  g_object_set(element, "quality", s.quality, "subsampling", s.subsampling, "restart-interval",
               s.restart_interval, "keep-rgb", s.keep_rgb, "optimize", s.optimize, nullptr);
  if (s.luma_table) g_object_set(element, "quant-table-luma", table(5, 7).c_str(), nullptr);
  if (s.chroma_table) g_object_set(element, "quant-table-chroma", table(16, 0).c_str(), nullptr);
  // Between the files of quality 1 and of 100, or above both.
  const auto pixels = static_cast<guint>(s.size.width * s.size.height);
  const guint bytes = 1000 + pixels;
  if (s.limit == Limit::bytes) g_object_set(element, "max-frame-size", bytes, nullptr);
  if (s.limit == Limit::loose) g_object_set(element, "max-frame-size", 100 * bytes, nullptr);
  if (s.limit == Limit::bitrate) g_object_set(element, "bitrate", bytes / 5, nullptr);
}

void check_row(int row) {
  const Setting s = array().at(row);
  const std::string text = array().text(row);
  const J2kCase c = {s.format.c_str(), s.size.width,     s.size.height, "", "",
                     "image/jpeg",     "coalescejpegenc"};
  const char *memory = s.where == Where::cuda_memory ? kCuda : kSystem;
  J2kBench bench(c, memory, s.frames, s.where == Where::cpu ? "backend=cpu" : "backend=cuda");
  set_properties(bench.element(), s);
  bench.push_pictures(1, 2);
  bench.end();
  fail_unless(bench.received() == 2, "%s: %u files", text.c_str(), bench.received());
  const GstVideoInfo info = video_info(in_caps(c, kSystem));
  for (unsigned seed = 1; seed <= 2; seed++) {
    const Bytes file = take_bytes(bench.pull());
    const test::BufferRef frame(system_buffer(info, seed));
    const std::string wrong = jpeg_difference(bench.element(), frame.get(), info, file);
    fail_unless(wrong.empty(), "%s: %s", text.c_str(), wrong.c_str());
    if (!coalesce::test::have_libjpeg()) continue;
    const coalesce::test::LibjpegPicture read = coalesce::test::libjpeg_planes(file);
    fail_unless(read.error.empty() && !read.warned, "%s: libjpeg says %s", text.c_str(),
                read.error.c_str());
    fail_unless(read.planes[0].width == s.size.width && read.planes[0].height == s.size.height,
                "%s: another size", text.c_str());
  }
  const std::vector<std::string> errors = bench.errors();
  fail_unless(errors.empty(), "%s: %s", text.c_str(), errors.empty() ? "" : errors[0].c_str());
  expect_string(active_backend(bench.element()), s.where == Where::cpu ? "cpu" : "cuda");
}

}  // namespace

// What does not meet cannot.
GST_START_TEST(pairs) {
  const JpegArray &a = array();
  fail_unless(a.size() > 100 && a.size() < 400, "%d rows", a.size());
  for (const auto &pair : coalesce::test::missing_pairs(a.factors().values, a.rows()))
    fail_unless(!coalesce::test::may_occur(a.factors(), pair), "%s", a.text(pair).c_str());
}
GST_END_TEST

// A part of the rows; in a small run a third of these parts.
constexpr int kParts = 18;
GST_START_TEST(rows) {
  for (int row = __i__; row < array().size(); row += kParts)
    check_row(row);
}
GST_END_TEST

static Suite *encoder_jpeg_array_suite() {
  return j2k_suite("encoder-jpeg-array", [](TCase *tests) {
    tcase_add_test(tests, pairs);
    add_sampled_loop_test(tests, rows, kParts);
  });
}
SIMULATED_MAIN(encoder_jpeg_array)
