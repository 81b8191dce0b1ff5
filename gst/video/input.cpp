// SPDX-License-Identifier: LGPL-2.1-or-later
#include "input.h"

#include "memory/planes.h"
#include "object/category.h"

namespace coalesce::gst {

namespace {

// libgstvideo 1.22 lets some sizes through whose strides overflow: such a frame counts 2^63 bytes,
// or rows that are shorter than their samples, even none at all.
bool usable_size(const GstVideoInfo &info) {
  if (GST_VIDEO_INFO_SIZE(&info) > G_MAXINT) return false;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    const gint stride = GST_VIDEO_INFO_PLANE_STRIDE(&info, p);
    if (stride < 0 || static_cast<gsize>(stride) < plane_row_bytes(info, p)) return false;
  }
  return true;
}

}  // namespace

bool usable_info(GstCaps *caps, GstVideoInfo *info) {
  return gst_video_info_from_caps(info, caps) && usable_size(*info);
}

const char *unusable_reason(const GstCaps *caps) {
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  const gchar *name = gst_structure_get_string(structure, "format");
  const GstVideoFormat format =
      name != nullptr ? gst_video_format_from_string(name) : GST_VIDEO_FORMAT_UNKNOWN;
  int width = 0, height = 0;
  gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, nullptr);
  // (Its own rows would be up to two bytes shorter than the last pair of pixels.)
  if (format == GST_VIDEO_FORMAT_UYVP && (width % 8 == 1 || width % 8 == 3))
    return "UYVP of a width of 8n + 1 or 8n + 3, which GStreamer has no whole rows for; another "
           "width will do";
  GstVideoInfo info;
  const bool raw = format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED &&
                   width > 0 && height > 0;
  return raw && !(gst_video_info_set_format(&info, format, static_cast<guint>(width),
                                            static_cast<guint>(height)) &&
                  usable_size(info))
             ? "frames of 2 GiB or more"
             : "no raw video";
}

bool has_fields_apart(const GstCaps *caps, guint index) {
  const gchar *mode =
      gst_structure_get_string(gst_caps_get_structure(caps, index), "interlace-mode");
  return g_strcmp0(mode, "fields") == 0 || g_strcmp0(mode, "alternate") == 0;
}

std::string interlacing_problem(const GstCaps *caps, bool joins_fields) {
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    if (!has_fields_apart(caps, i)) continue;
    const std::string mode =
        gst_structure_get_string(gst_caps_get_structure(caps, i), "interlace-mode");
    const bool invalid =
        mode == "alternate" && !gst_caps_features_contains(gst_caps_get_features(caps, i),
                                                           GST_CAPS_FEATURE_FORMAT_INTERLACED);
    if (joins_fields && mode == "alternate" && !invalid) continue;
    return "interlace-mode=" + mode +
           (invalid ? " requires the caps feature " GST_CAPS_FEATURE_FORMAT_INTERLACED
                    : " is not supported") +
           "; use progressive, interleaved or mixed" +
           (joins_fields ? ", or alternate with the feature " GST_CAPS_FEATURE_FORMAT_INTERLACED
                         : "");
  }
  return {};
}

// Without a peer GstBaseTransform takes the input's caps for the output's and expects passthrough.
// That ends in not-linked, as it should; work on caps that the source pad does not have would not.
bool unlinked_caps(GstBaseTransform *trans, GstCaps *out_caps) {
  GstCaps *possible = gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SRC_PAD(trans));
  const bool unlinked = !gst_caps_is_subset(out_caps, possible);
  gst_caps_unref(possible);
  return unlinked;
}

// Size and place of every sample stay what they were, so what is said about the picture (timecodes,
// regions, crop rectangles) stays true; what is said about its memory or colours does not.
bool is_about_picture(const GstMeta *meta) {
  const gchar *const *tags = gst_meta_api_type_get_tags(meta->info->api);
  for (; tags != nullptr && *tags != nullptr; tags++)
    if (!g_str_equal(*tags, GST_META_TAG_VIDEO_STR) &&
        !g_str_equal(*tags, GST_META_TAG_VIDEO_SIZE_STR) &&
        !g_str_equal(*tags, GST_META_TAG_VIDEO_ORIENTATION_STR))
      return false;
  return true;
}

void copy_metas_about_picture(GstBuffer *from, GstBuffer *to, bool same_size) {
  struct Copy {
    GstBuffer *to;
    bool same_size;
  } copy = {to, same_size};
  gst_buffer_foreach_meta(
      from,
      [](GstBuffer *buffer, GstMeta **meta, gpointer data) -> gboolean {
        const Copy &of = *static_cast<const Copy *>(data);
        const GstMetaInfo *info = (*meta)->info;
        GstMetaTransformCopy whole = {FALSE, 0, static_cast<gsize>(-1)};
        const GQuark size = g_quark_from_static_string(GST_META_TAG_VIDEO_SIZE_STR);
        if (is_about_picture(*meta) && info->transform_func &&
            (of.same_size || !gst_meta_api_type_has_tag(info->api, size)))
          info->transform_func(of.to, *meta, buffer, _gst_meta_transform_copy, &whole);
        return TRUE;
      },
      &copy);
}

GstFlowReturn post_bad_frame(GstElement *self, const char *which, const FrameInfo &info,
                             const std::string &problem, const char *pad) {
  const std::string of_pad = pad != nullptr ? "Pad " + std::string(pad) + ": " : "";
  GST_ELEMENT_ERROR(
      self, STREAM, FORMAT,
      ("%s%s %s frame of %dx%d: %s", of_pad.c_str(), which, GST_VIDEO_INFO_NAME(&info),
       GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info), problem.c_str()),
      (nullptr));
  return GST_FLOW_ERROR;
}

GstFlowReturn post_bad_frame(GstElement *self, const char *which, const Frame &frame,
                             const char *pad) {
  return post_bad_frame(self, which, frame.info(), frame.problem(), pad);
}

}  // namespace coalesce::gst
