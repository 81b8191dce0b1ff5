// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-coalescedeinterlace
 * @title: coalescedeinterlace
 *
 * Fields of interlaced video to whole pictures. See docs/coalescedeinterlace.md.
 */
#include <algorithm>
#include <array>

#include "base/temporal.h"
#include "deinterlacecaps.h"
#include "deinterlacefilm.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "object/settings.h"
#include "telecine/combing.h"
#include "video/conversion.h"

GST_DEBUG_CATEGORY_STATIC(gst_coalesce_deinterlace_debug);
#define GST_CAT_DEFAULT gst_coalesce_deinterlace_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct DeinterlacePrivate {
  explicit DeinterlacePrivate(gpointer self) : settings(self) {}

  Settings<DeinterlaceSettings> settings;
  std::atomic<guint> caps_changes{1};  // of settings that caps depend on

  // The streaming thread's: those of the frames that are there now, with `fields` of the
  // caps that they came under.
  DeinterlaceSettings now;
  DeinterlaceRate rate = DeinterlaceRate::frame;
  DeinterlaceMode mode = DeinterlaceMode::automatic;
  Film film;
  bool top_first = true;  // of film
  // Of the frame in hand: its pictures, if they are those of film; else perhaps their time.
  bool is_film = false;
  FilmPicture film_pictures[kMostPictures];
  TemporalSpan span;

  // pattern=auto: that of the pictures to come, `field` for that of video. From any thread.
  std::atomic<DeinterlaceRate> wanted{DeinterlaceRate::field};
};

struct GstCoalesceDeinterlace {
  GstCoalesceTemporal parent;
  DeinterlacePrivate *priv;
};
struct GstCoalesceDeinterlaceClass {
  GstCoalesceTemporalClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstCoalesceDeinterlace, gst_coalesce_deinterlace, GST_TYPE_COALESCE_TEMPORAL)
GST_ELEMENT_REGISTER_DEFINE(coalescedeinterlace, "coalescedeinterlace", GST_RANK_NONE,
                            gst_coalesce_deinterlace_get_type())

namespace {

DeinterlacePrivate &priv_of(gpointer object) {
  return *reinterpret_cast<GstCoalesceDeinterlace *>(object)->priv;
}

const GstVideoInfo &info_of(gpointer object) {
  return GST_COALESCE_FILTER(object)->priv->in.info;
}

// ---- properties ------------------------------------------------------------------------------

void negotiate_again(gpointer self) {
  priv_of(self).caps_changes++;
  GST_DEBUG_OBJECT(self, "negotiates again");
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  DeinterlacePrivate &priv = priv_of(object);
  bool renegotiates = false;
  priv.settings.change([&](DeinterlaceSettings &settings) {
    const DeinterlaceSettings before = settings;
    const bool changed = deinterlace_properties().set(id, &settings, value);
    settings.ela_window |= 1;
    renegotiates = !settings.same_caps(before);
    return changed;
  });
  if (!renegotiates) return;
  gst_base_transform_reconfigure_sink(GST_BASE_TRANSFORM(object));
  negotiate_again(object);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read([&](const DeinterlaceSettings &settings) {
    deinterlace_properties().get(id, settings, value);
  });
}

// ---- caps ------------------------------------------------------------------------------------

gboolean convert_caps(GstCoalesceFilter *self, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  DeinterlacePrivate &priv = priv_of(self);
  return deinterlace_caps(priv.settings.snapshot(), priv.wanted, direction, alternative, structure);
}

gboolean set_info(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *out) {
  DeinterlacePrivate &priv = priv_of(self);
  const DeinterlaceSettings settings = priv.settings.snapshot();
  priv.mode = settings.mode;
  // (A property may have changed since the caps were made.)
  priv.rate = deinterlace_rate(settings, *in, *out);
  return TRUE;
}

// Do all frames under these caps pass? In the same memory GstBaseTransform then does the work.
bool all_pass(gpointer self, const GstVideoInfo &in) {
  const DeinterlaceMode mode = priv_of(self).mode;
  return mode == DeinterlaceMode::disabled ||
         (mode == DeinterlaceMode::automatic && !GST_VIDEO_INFO_IS_INTERLACED(&in));
}

gboolean is_identity(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *) {
  const bool passes = all_pass(self, *in);
  GST_DEBUG_OBJECT(self, passes ? "frames pass as they are" : "frames become pictures");
  return passes;
}

// ---- frames ----------------------------------------------------------------------------------

bool has_flag(const GstBuffer *buffer, guint flag) {
  return GST_BUFFER_FLAG_IS_SET(buffer, flag);
}

bool is_one_field(const GstBuffer *buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

bool top_is_first(gpointer self, const DeinterlaceSettings &settings, const GstBuffer *metadata) {
  if (settings.order != DeinterlaceOrder::automatic)
    return settings.order == DeinterlaceOrder::top_first;
  const GstVideoInfo &info = info_of(self);
  if (GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_INTERLEAVED &&
      GST_VIDEO_INFO_FIELD_ORDER(&info) != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    return GST_VIDEO_INFO_FIELD_ORDER(&info) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  return has_flag(metadata, GST_VIDEO_BUFFER_FLAG_TFF);
}

// Beside streams of such frames, what the flags of mixed video call progressive.
gboolean passes(GstCoalesceTemporal *self, GstBuffer *metadata) {
  const GstVideoInfo &info = info_of(self);
  return all_pass(self, info) ||
         (priv_of(self).mode == DeinterlaceMode::automatic &&
          GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_MIXED &&
          !has_flag(metadata, GST_VIDEO_BUFFER_FLAG_INTERLACED) && !is_one_field(metadata));
}

// Before each frame, and with new caps.
TemporalReach reach(GstCoalesceTemporal *self) {
  DeinterlacePrivate &priv = priv_of(self);
  priv.now = priv.settings.snapshot();
  if (priv.rate == DeinterlaceRate::field)
    priv.now.fields = DeinterlaceFields::all;
  else if (priv.now.fields == DeinterlaceFields::all)
    priv.now.fields = DeinterlaceFields::automatic;
  if (all_pass(self, info_of(self))) return {};
  if (priv.now.pattern != DeinterlacePattern::none) return {1, kFilmFramesAhead, kFilmBytes};
  const guint beside = priv.now.method >= DeinterlaceMethod::yadif ? 1 : 0;
  return {beside, beside, 0};
}

// As the flag RFF says. A frame that has the time of two fields only repeats none: pictures would
// come faster than the caps say. (nvh264dec of GStreamer 1.22 sets the flag where nothing repeats.)
bool repeats_first_field(gpointer self, const GstBuffer *metadata) {
  if (!has_flag(metadata, GST_VIDEO_BUFFER_FLAG_RFF)) return false;
  const GstVideoInfo &info = info_of(self);
  const GstClockTime duration = GST_BUFFER_DURATION(metadata);
  if (!GST_CLOCK_TIME_IS_VALID(duration) || GST_VIDEO_INFO_FPS_N(&info) <= 0) return true;
  const GstClockTime frame = gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info),
                                                       GST_VIDEO_INFO_FPS_N(&info));
  return duration > frame + frame / 4;
}

// A repeated first field is a third picture.
guint pictures_of_video(GstCoalesceTemporal *self, GstBuffer *metadata) {
  if (passes(self, metadata)) return kPasses;
  const bool all = priv_of(self).now.fields == DeinterlaceFields::all;
  if (!all || is_one_field(metadata)) return 1;
  return repeats_first_field(self, metadata) ? 3 : 2;
}

// ---- film ------------------------------------------------------------------------------------

Status measure(GstCoalesceTemporal *, const Frame &before, const Frame &in, const Frame &out,
               const Queue &queue) {
  return measure_combing(before.image(), in.image(), reinterpret_cast<Combing *>(out.plane(0).data),
                         queue);
}

// Of the frames from the one in hand on that are progressive by their flags, how many repeat a
// field?
guint count_repeats(GstCoalesceTemporal *self, const FrameWindow &in) {
  guint repeats = 0;
  for (int i = 0; in.has(i); i++)
    repeats += passes(self, in.metadata(i)) && repeats_first_field(self, in.metadata(i)) ? 1 : 0;
  return repeats;
}

// Progressive frames say nothing of the order: they have that of the next interlaced one, or of the
// one before.
Film::Window film_window(GstCoalesceTemporal *self, const FrameWindow &in) {
  DeinterlacePrivate &priv = priv_of(self);
  const bool flags_tell = count_repeats(self, in) > 0;
  const auto says_order = [&](int i) { return !passes(self, in.metadata(i)); };
  const auto order = [&](int i) { return top_is_first(self, priv.now, in.metadata(i)); };
  for (int i = 0; in.has(i); i++) {
    if (!says_order(i)) continue;
    priv.top_first = order(i);
    break;
  }
  int frames = 0;
  while (in.has(frames) && !is_one_field(in.metadata(frames)) &&
         (says_order(frames) ? order(frames) == priv.top_first : !flags_tell))
    frames++;
  const GstVideoInfo &info = info_of(self);
  const auto samples =
      std::uint64_t(GST_VIDEO_INFO_WIDTH(&info)) * std::uint64_t(GST_VIDEO_INFO_HEIGHT(&info));
  return {in, frames, priv.top_first, samples / 1024};
}

// pattern=auto: `wanted`.
DeinterlaceRate rate_of_film(GstCoalesceTemporal *self, const FrameWindow &in,
                             const Film::Window &window) {
  constexpr int kUncertain = 8;  // pictures, until film is given up
  DeinterlacePrivate &priv = priv_of(self);
  const DeinterlaceRate now = priv.wanted;
  if (!in.has(kFilmFramesAhead)) return now;  // the sequence ends, for new caps, too
  if (window.frames == 0) {
    const guint repeats = count_repeats(self, in);
    return repeats >= 2 ? DeinterlaceRate::film : repeats == 0 ? DeinterlaceRate::field : now;
  }
  if (priv.is_film && priv.film.uncertain() == 0) return now;
  if (const DeinterlaceRate found = priv.film.found(window); found != DeinterlaceRate::field)
    return found;
  return priv.is_film && priv.film.uncertain() < kUncertain ? now : DeinterlaceRate::field;
}

// Progressive frames with a repeated field have the time of film, too, but for the ends of a
// sequence.
TemporalSpan span_of_progressive(gpointer self, const FrameWindow &in) {
  const bool repeats = repeats_first_field(self, in.metadata(0));
  return {repeats && in.has(-1) ? 1 : 0, repeats ? 6 : in.has(1) ? 5 : 4, kFilmParts};
}

guint plan_film(GstCoalesceTemporal *self, const FrameWindow &in) {
  DeinterlacePrivate &priv = priv_of(self);
  const bool automatic = priv.now.pattern == DeinterlacePattern::automatic;
  const Film::Window window = film_window(self, in);
  priv.is_film = window.frames > 0 &&
                 (priv.rate == DeinterlaceRate::film || (priv.rate == DeinterlaceRate::frame &&
                                                         (!automatic || priv.wanted == priv.rate)));
  if (!in.has(-1)) priv.film.restart(priv.rate);
  const guint count = priv.is_film ? priv.film.plan(window, priv.rate, priv.film_pictures)
                                   : pictures_of_video(self, in.metadata(0));
  if (priv.rate == DeinterlaceRate::film && passes(self, in.metadata(0)))
    priv.span = span_of_progressive(self, in);
  if (!automatic) return count;
  const DeinterlaceRate wanted = rate_of_film(self, in, window);
  if (priv.wanted.exchange(wanted) != wanted) {
    GST_INFO_OBJECT(self, "pattern=auto: %s",
                    wanted == DeinterlaceRate::film    ? "film, 3:2"
                    : wanted == DeinterlaceRate::frame ? "film, 2:2"
                                                       : "video");
    negotiate_again(self);
  }
  return count;
}

guint pictures(GstCoalesceTemporal *self, const FrameWindow &in) {
  DeinterlacePrivate &priv = priv_of(self);
  priv.is_film = false;
  priv.span = {};
  const guint count = priv.now.pattern != DeinterlacePattern::none
                          ? plan_film(self, in)
                          : pictures_of_video(self, in.metadata(0));
  if (priv.is_film) return count;
  // The last picture of film may have some of this frame's time.
  if (priv.film.end() > 0 && priv.span.parts == 0)
    priv.span = {std::min(priv.film.end(), kFilmParts - 1), kFilmParts, kFilmParts};
  priv.film.restart(priv.rate);
  return count;
}

TemporalSpan span(GstCoalesceTemporal *self, guint number) {
  const DeinterlacePrivate &priv = priv_of(self);
  return priv.is_film ? priv.film_pictures[number].span : priv.span;
}

// Which field picture `number` of a frame keeps, and where it is in time.
FieldPicture field_picture(const DeinterlaceSettings &settings, bool top_first, guint number) {
  FieldPicture picture;
  bool top = top_first == (number != 1);
  if (settings.fields == DeinterlaceFields::top) top = true;
  if (settings.fields == DeinterlaceFields::bottom) top = false;
  picture.field = top ? 0 : 1;
  picture.second = top != top_first;
  return picture;
}

// A single field has no rows for the pictures of frames beside it.
bool has_whole(const FrameWindow &in, int offset) {
  return in.has(offset) && !is_one_field(in.metadata(offset));
}

// Its rows alone; the flag TFF says whose they are.
DeinterlaceMethod method_of_one_field(DeinterlaceMethod method) {
  if (method >= DeinterlaceMethod::yadif) return DeinterlaceMethod::bwdif;
  return method == DeinterlaceMethod::weave ? DeinterlaceMethod::line : method;
}

Status run_film(GstCoalesceTemporal *self, const FrameWindow &in, const FilmPicture &film,
                const Frame &out, const Queue &queue) {
  DeinterlaceParams params = priv_of(self).now;
  const bool top_first = priv_of(self).top_first, second = film.number == 1;
  const bool before = has_whole(in, film.frame - 1), after = has_whole(in, film.frame + 1);
  FieldPicture picture = {.out = out.image(), .field = top_first == second ? 1 : 0};
  picture.second = second;
  picture.end = second ? !after : !before;
  picture.across = second;
  if (film.woven) params.method = DeinterlaceMethod::weave;
  GST_LOG_OBJECT(self, "%s from field %d on", film.woven ? "film" : "not certain, video",
                 2 * film.frame + film.number);
  return deinterlace(params, in.frame(film.frame - (before ? 1 : 0)).image(),
                     in.frame(film.frame).image(), in.frame(film.frame + (after ? 1 : 0)).image(),
                     &picture, 1, queue);
}

Status run(GstCoalesceTemporal *self, const FrameWindow &in, const Frame *const *out,
           guint n_pictures, const Queue &queue) {
  if (priv_of(self).is_film) {
    Status s;
    for (guint i = 0; i < n_pictures && s.ok(); i++)
      s = run_film(self, in, priv_of(self).film_pictures[i], *out[i], queue);
    return s;
  }
  const DeinterlaceSettings &settings = priv_of(self).now;
  GstBuffer *metadata = in.metadata(0);
  DeinterlaceParams params = settings;
  const bool top_first = top_is_first(self, settings, metadata);
  const bool before = has_whole(in, -1), after = has_whole(in, 1);
  std::array<FieldPicture, kMostPictures> made;
  for (guint i = 0; i < n_pictures; i++) {
    made[i] = field_picture(settings, top_first, i);
    made[i].out = out[i]->image();
    made[i].end = made[i].second ? !after : !before;
  }
  if (passes(self, metadata)) {
    params.method = DeinterlaceMethod::weave;  // to another memory
  } else if (is_one_field(metadata)) {
    made[0].field = has_flag(metadata, GST_VIDEO_BUFFER_FLAG_TFF) ? 0 : 1;
    made[0].end = true;
    params.method = method_of_one_field(params.method);
  }
  GST_LOG_OBJECT(self, "%u pictures, top field %s, frames before: %d, after: %d", n_pictures,
                 top_first ? "first" : "second", before, after);
  const ConstImage frames[] = {in.frame(before ? -1 : 0).image(), in.frame(0).image(),
                               in.frame(after ? 1 : 0).image()};
  for (guint i = 0; i < n_pictures; i += 2)
    if (Status s = deinterlace(params, frames[0], frames[1], frames[2], &made[i],
                               static_cast<int>(std::min(2u, n_pictures - i)), queue);
        !s.ok())
      return s;
  return {};
}

gboolean start(GstBaseTransform *trans) {
  warn_of_ignored(trans, deinterlace_ignored(priv_of(trans).settings.snapshot()));
  return GST_BASE_TRANSFORM_CLASS(gst_coalesce_deinterlace_parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  priv_of(trans).wanted = DeinterlaceRate::field;
  priv_of(trans).film.restart(DeinterlaceRate::frame);
  return GST_BASE_TRANSFORM_CLASS(gst_coalesce_deinterlace_parent_class)->stop(trans);
}

}  // namespace

static void gst_coalesce_deinterlace_class_init(GstCoalesceDeinterlaceClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_coalesce_deinterlace_debug, "coalesce-deinterlace", 0,
                          "Deinterlacing");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  deinterlace_properties().install(object_class);
  deinterlace_register_types();
  GST_BASE_TRANSFORM_CLASS(klass)->start = guarded<start>;
  GST_BASE_TRANSFORM_CLASS(klass)->stop = guarded<stop>;
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->set_info = set_info;
  filter_class->is_identity = is_identity;
  filter_class->joins_fields = TRUE;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->settings_changes = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).caps_changes;
  };
  auto *temporal_class = GST_COALESCE_TEMPORAL_CLASS(klass);
  temporal_class->reach = reach;
  temporal_class->passes = passes;
  temporal_class->measure = measure;
  temporal_class->pictures = pictures;
  temporal_class->span = span;
  temporal_class->run = run;
  const std::string &formats = formats_of(kYuv | kGrey | kRgb);
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Deinterlacer", "Filter/Effect/Video/Deinterlace",
      "Deinterlaces video of 8 to 16 bits, on the GPU or on the CPU", "The gst-coalesce authors");
}

static void gst_coalesce_deinterlace_init(GstCoalesceDeinterlace *self) {
  initialise(self, [self] { self->priv = add_part<DeinterlacePrivate>(self, self); });
}
