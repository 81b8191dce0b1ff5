// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc, with any properties: a codestream that is not the library's or cannot be decoded to the
// samples, more bytes than a rate allows, an error that names no property or format, is a finding,
// beside what is one in every session.
#include <optional>

#include "element_session.h"
#include "j2k/encoder/encoder.h"
#include "j2kenc/j2kenccoder.h"
#include "j2kenc_judge.h"

namespace test {
namespace {

using coalesce::gst::J2kCoder;
using coalesce::gst::J2kMedia;

// What is more takes its time: codestreams may have 2^40 packets.
constexpr gsize kLargestFrame = 1 << 12;
constexpr std::int64_t kMostPackets = 2000;
constexpr int kMostSteps = 20;

// Whether there is room for a region's shift takes some search: it is made a second time.
bool has_room_for_region(const J2kSettings &settings, const GstVideoInfo &info, J2kMedia media) {
  const int fields = coalesce::gst::j2k_fields(info, media);
  std::unique_ptr<coalesce::j2k::Encoder> encoder;
  for (int f = 0; f < fields; f++) {
    coalesce::j2k::EncoderParams params = params_of(settings, {info, f, fields, 0});
    params.targets.clear();
    params.component_bytes = 0;
    if (!coalesce::j2k::Encoder::make(params, &encoder).ok()) return false;
  }
  return true;
}

// Does a new encoder take them?
bool are_possible(const J2kSettings &settings, const GstVideoInfo &info, J2kMedia media) {
  std::string problem;
  const auto coder = J2kCoder::make(settings, info, media, &problem);
  fail_unless((coder == nullptr) != problem.empty(), "refused without a word, or taken with one");
  fail_unless(!contains(problem, "bit-planes") || !has_room_for_region(settings, info, media),
              "refused: %s", problem.c_str());
  std::unique_ptr<coalesce::j2k::Encoder> encoder;
  for (int f = 0; coder != nullptr && f < coder->fields(); f++)
    if (!coalesce::j2k::Encoder::make(coder->params(f), &encoder).ok()) return false;
  return coder != nullptr;
}

std::int64_t most_packets(const J2kSettings &s, const GstVideoInfo &info) {
  const auto pieces = [](int size, int piece) {
    return piece == 0 ? 1 : (std::int64_t{size} + piece - 1) / piece;
  };
  const std::int64_t precincts =
      s.precincts.empty() ? 1 : pieces(info.width, 8) * pieces(info.height, 8);
  return pieces(info.width, s.tile_width) * pieces(info.height, s.tile_height) * precincts *
         s.num_layers * s.num_resolutions * GST_VIDEO_INFO_N_COMPONENTS(&info);
}

// Not all is noise: whole planes of bits are 0, or everything is.
void make_plainer(Input &in, GstBuffer *buffer) {
  constexpr guint8 kMasks[] = {0xff, 0x00, 0x80, 0x0f, 0xf0, 0x01};
  const guint8 mask = in.pick(kMasks);
  GstMapInfo map;
  if (mask == 0xff || gst_buffer_n_memory(buffer) != 1 ||
      !gst_buffer_map(buffer, &map, GST_MAP_READWRITE))
    return;
  for (gsize i = 0; i < map.size; i++)
    map.data[i] &= mask;
  gst_buffer_unmap(buffer, &map);
}

class EncoderSession : public Session {
 public:
  explicit EncoderSession(Input &in) : Session("j2kenc", in) {
    g_signal_connect_swapped(harness_.element(), "notify::lossless",
                             G_CALLBACK(+[](EncoderSession *self) { self->lossless_notes_++; }),
                             this);
  }
  ~EncoderSession() override { g_signal_handlers_disconnect_by_data(harness_.element(), this); }

 private:
  std::string any_downstream() override {
    constexpr const char *kCaps[] = {"image/x-jpc",
                                     "image/x-j2c",
                                     "image/jp2",
                                     "ANY",
                                     "image/x-j2c; image/x-jpc",
                                     "image/jp2; image/x-jpc",
                                     "image/x-jpc, sampling=(string)YCbCr-4:2:0",
                                     "image/x-j2c, fields=(int)1",
                                     "image/x-jpc, width=(int)[ 1, 20 ]",
                                     "image/jp2, colorspace=(string){ sRGB, GRAY }",
                                     "image/x-jpc, profile=(int)3",
                                     "image/x-jpc, alignment=(string)stripe"};
    constexpr int kWithoutFields = 6;
    const int n = in_.below(G_N_ELEMENTS(kCaps));
    picky_ = n >= kWithoutFields;
    return kCaps[n];
  }

  std::string any_text(const GParamSpec *spec) override {
    constexpr std::pair<const char *, const char *> kTexts[] = {
        {"precincts", "64x64"},
        {"precincts", "8x8"},
        {"precincts", "128x128, 64x32 16x16"},
        {"precincts", "16x8,8x16,4x4"},
        {"precincts", "32768x32768"},
        {"layer-rates", "0.5"},
        {"layer-rates", "4 8"},
        {"layer-rates", "0.1, 1, 16"},
        {"layer-rates", "1e-9 1e300"},
        {"roi", "0,0,1,1"},
        {"roi", "3,2,7,9"},
        {"roi", "1 1 2 1"},
        {"roi", "5,5,2147483647,2147483647"},
        {"comment", "caf\xc3\xa9"},
        {"comment", "\xe2\x82\xac"},
        {"code-block-style", "bypass+termall"},
        {"code-block-style", "reset+causal+predictable-termination+segmentation-symbols"},
        {"profile", "broadcast-multi"},
        {"wavelet", "9/7"},
        {"lossless", "maybe"}};
    const char *texts[G_N_ELEMENTS(kTexts)] = {""};
    int count = 1;
    for (const auto &[name, text] : kTexts)
      if (g_str_equal(name, spec->name)) texts[count++] = text;
    return in_.flag() ? texts[in_.below(count)] : in_.text();
  }

  int any_number() override {
    return in_.once_in(16) ? static_cast<int>(in_.word())
           : in_.flag()    ? 1 << in_.below(14)
                           : in_.between(-1, 100);
  }

  void set_default(const char *name) {
    auto *object = G_OBJECT(harness_.element());
    const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
    g_object_set_property(object, name,
                          g_param_spec_get_default_value(const_cast<GParamSpec *>(spec)));
  }

  // Much does not go together: so now and then all begins anew, and mostly a rate takes the place
  // of another. (`lossless` cannot be unset.)
  void set_property() override {
    const std::vector<GParamSpec *> all = properties();
    const auto chosen = static_cast<gsize>(in_.below(static_cast<int>(all.size()) + 2));
    const bool anew = chosen >= all.size();
    const bool replace = !anew && is_rate(all[chosen]) && !in_.once_in(4);
    for (const GParamSpec *spec : all)
      if (replace ? is_rate(spec) : anew && !g_str_equal(spec->name, "lossless"))
        set_default(spec->name);
    if (anew) return;
    const guint notes = lossless_notes_;
    set_any(all[chosen]);
    if (!g_str_equal(all[chosen]->name, "lossless") || lossless_notes_ == notes) return;
    gboolean lossless;
    g_object_get(harness_.element(), "lossless", &lossless, nullptr);
    lossless_ = lossless != FALSE;
  }

  static bool is_rate(const GParamSpec *spec) {
    constexpr const char *kRates[] = {"bpp", "bitrate", "frame-size", "psnr", "quality"};
    return std::any_of(std::begin(kRates), std::end(kRates),
                       [spec](const char *rate) { return g_str_equal(rate, spec->name); });
  }

  J2kSettings settings() const {
    J2kSettings s;
    gint wavelet, order, profile;
    gboolean weighting, sop, eph, plt, tlm;
    gchar *rates, *precincts, *roi, *comment;
    g_object_get(harness_.element(), "wavelet", &wavelet, "bpp", &s.bpp, "bitrate", &s.bitrate,
                 "frame-size", &s.frame_size, "psnr", &s.psnr, "quality", &s.quality,
                 "visual-weighting", &weighting, "num-layers", &s.num_layers, "layer-rates", &rates,
                 "num-resolutions", &s.num_resolutions, "progression-order", &order, "tile-width",
                 &s.tile_width, "tile-height", &s.tile_height, "code-block-width", &s.block_width,
                 "code-block-height", &s.block_height, "precincts", &precincts, "code-block-style",
                 &s.block_style, "sop", &sop, "eph", &eph, "plt", &plt, "tlm", &tlm, "guard-bits",
                 &s.guard_bits, "roi", &roi, "comment", &comment, "profile", &profile,
                 "frames-in-flight", &s.frames_in_flight, nullptr);
    s.lossless = lossless_;
    s.wavelet = static_cast<coalesce::gst::J2kWavelet>(wavelet);
    s.progression = static_cast<coalesce::j2k::Progression>(order);
    s.profile = static_cast<coalesce::j2k::Profile>(profile);
    s.visual_weighting = weighting, s.sop = sop, s.eph = eph, s.plt = plt, s.tlm = tlm;
    s.layer_rates = Owned<char>(rates).get();
    s.precincts = Owned<char>(precincts).get();
    s.roi = Owned<char>(roi).get();
    s.comment = Owned<char>(comment).get();
    return s;
  }

  J2kMedia output_media() const {
    const CapsRef caps = harness_.output_caps();
    fail_unless(caps != nullptr, "no output caps");
    const gchar *name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
    for (J2kMedia media : coalesce::gst::kJ2kMedia)
      if (g_str_equal(name, coalesce::gst::j2k_media_type(media))) return media;
    fail_unless(false, "caps of %s", name);
    return J2kMedia::codestream;
  }

  // A property, or what is wrong with the caps or the frame. (GstBaseTransform says "not
  // negotiated" behind what the element has said.)
  void check_message(const std::string &text) override {
    const std::vector<GParamSpec *> all = properties();
    const auto named = [&text](const GParamSpec *spec) { return contains(text, spec->name); };
    fail_unless(std::any_of(all.begin(), all.end(), named) || contains(text, "caps") ||
                    contains(text, "interlace-mode") || contains(text, "input ") ||
                    text == "not negotiated",
                "names neither a property nor the format: %s", text.c_str());
  }

  // "bpp=1: ...; the least is bpp=1.5": that is enough.
  void check_least(const std::string &text, const J2kSettings &wanted) {
    const std::string rate = coalesce::gst::j2k_rate_text(wanted);
    const std::size_t at = text.find("the least is ");
    if (at == std::string::npos || rate.empty() || text.rfind(rate + ": ", 0) != 0) return;
    std::string problem;  // if there is one, it was said of settings from before
    if (J2kCoder::make(wanted, info_, output_media(), &problem) == nullptr) return;
    J2kSettings least = wanted;
    least.bpp = 0, least.bitrate = least.frame_size = 0;
    const char *setting = text.c_str() + at;
    fail_unless(std::sscanf(setting, "the least is frame-size=%u", &least.frame_size) == 1 ||
                    std::sscanf(setting, "the least is bitrate=%u", &least.bitrate) == 1 ||
                    std::sscanf(setting, "the least is bpp=%lf", &least.bpp) == 1,
                "no rate: %s", text.c_str());
    fail_unless(are_possible(least, info_, output_media()), "not enough: %s", text.c_str());
  }

  void restarted() override { good_.reset(); }

  // Asked for each frame, and twice.
  bool known_possible(const J2kSettings &settings, J2kMedia media) {
    for (const Known &k : known_)
      if (k.media == media && k.settings == settings && gst_video_info_is_equal(&k.info, &info_))
        return k.possible;
    if (known_.size() == 4) known_.erase(known_.begin());
    known_.push_back({settings, info_, media, are_possible(settings, info_, media)});
    return known_.back().possible;
  }

  // What the element should encode with: what is set, or else what it has encoded with before.
  std::optional<J2kSettings> expected(const J2kSettings &wanted) {
    if (!negotiated_) return {};
    const J2kMedia media = output_media();
    if (known_possible(wanted, media)) return wanted;
    return good_ && known_possible(*good_, media) ? good_ : std::nullopt;
  }

  void push_frame() override {
    if (info_.finfo == nullptr || GST_VIDEO_INFO_SIZE(&info_) > kLargestFrame) return;
    const J2kSettings wanted = settings();
    if (most_packets(wanted, info_) > kMostPackets ||
        (good_ && most_packets(*good_, info_) > kMostPackets))
      return;
    AnyFrame frame = any_frame(in_, info_);
    make_plainer(in_, frame.buffer.get());
    const std::optional<J2kSettings> before = expected(wanted);
    const bool must_do = frame.good && !eos_ && !picky_ && !failed_ && before;
    const GstFlowReturn flow = harness_.push(gst_buffer_ref(frame.buffer.get()));
    const Told told = take_messages();
    // (Behind a warning, an error is about settings from before.)
    check_least(told.warning.empty() ? told.error : told.warning, wanted);
    const char *name = gst_flow_get_name(flow);
    fail_unless(flow == GST_FLOW_OK || !must_do, "a good frame: %s: %s", name, told.error.c_str());
    fail_unless(told.errors <= 1, "%d errors", told.errors);
    fail_unless(flow != GST_FLOW_OK || told.errors == 0, "done, but: %s", told.error.c_str());
    fail_unless(flow != GST_FLOW_ERROR || failed_, "an error that is not told");
    const BufferRef out = harness_.pull();
    fail_unless((flow == GST_FLOW_OK) == (out != nullptr), "%s, and %s frame", name,
                out != nullptr ? "a" : "no");
    if (out == nullptr) return;
    look_at_caps();
    fail_unless(GST_BUFFER_PTS(out.get()) == GST_BUFFER_PTS(frame.buffer.get()));
    const std::optional<J2kSettings> used = expected(wanted);  // the media may have changed
    fail_unless(used.has_value(), "settings that are impossible were used");
    judge_coded({frame.buffer.get(), out.get(), info_, output_media()}, *used);
    good_ = used;
    failed_ = false;
  }

  struct Known {
    J2kSettings settings;
    GstVideoInfo info;
    J2kMedia media;
    bool possible;
  };

  std::vector<Known> known_;
  std::optional<bool> lossless_;  // if it was set
  guint lossless_notes_ = 0;
  std::optional<J2kSettings> good_;  // the last that it has encoded with since the start
  bool picky_ = false;               // downstream may not take what becomes of caps
};

}  // namespace
}  // namespace test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  test::Input in(data, size);
  test::EncoderSession(in).run(test::kMostSteps);
  return 0;
}
