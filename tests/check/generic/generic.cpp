// SPDX-License-Identifier: LGPL-2.1-or-later
#include "generic_cases.h"

namespace test {

GstBuffer *nth_frame(const std::string &caps, int n) {
  GstBuffer *buffer = random_frame(video_info(caps), {}, static_cast<guint32>(n));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(n) * 40 * GST_MSECOND;
  GST_BUFFER_DURATION(buffer) = 40 * GST_MSECOND;
  return buffer;
}

namespace {

std::string milliseconds(GstClockTime time) {
  return GST_CLOCK_TIME_IS_VALID(time) ? std::to_string(time / GST_MSECOND) : "none";
}

std::string describe_caps(GstEvent *event) {
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  gint width = 0, height = 0;
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "height", &height);
  return "caps " + std::to_string(width) + "x" + std::to_string(height);
}

// Empty for the tags of an encoder's own, which come before its first frame.
std::string describe(GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:
      return describe_caps(event);
    case GST_EVENT_SEGMENT: {
      const GstSegment *segment = nullptr;
      gst_event_parse_segment(event, &segment);
      return "segment " + milliseconds(segment->start);
    }
    case GST_EVENT_GAP: {
      GstClockTime start = 0;
      gst_event_parse_gap(event, &start, nullptr);
      return "gap " + milliseconds(start);
    }
    case GST_EVENT_TAG: {
      GstTagList *tags = nullptr;
      gst_event_parse_tag(event, &tags);
      gchar *title = nullptr;
      gst_tag_list_get_string(tags, GST_TAG_TITLE, &title);
      const std::string result = title ? std::string("tag ") + title : std::string();
      g_free(title);
      return result;
    }
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return std::string("custom ") + gst_structure_get_name(gst_event_get_structure(event));
    default:
      return GST_EVENT_TYPE_NAME(event);
  }
}

}  // namespace

Recorder::Recorder(Harness &harness)
    : pad_(GST_PAD(gst_object_ref(harness.from_element()))),
      probe_(gst_pad_add_probe(
          pad_,
          GstPadProbeType(GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH),
          record, this, nullptr)) {}

Recorder::~Recorder() {
  gst_pad_remove_probe(pad_, probe_);
  gst_object_unref(pad_);
}

GstPadProbeReturn Recorder::record(GstPad *, GstPadProbeInfo *info, gpointer self) {
  auto &lines = static_cast<Recorder *>(self)->lines;
  const bool is_buffer = GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER;
  const std::string line =
      is_buffer ? "buffer " + milliseconds(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)))
                : describe(GST_PAD_PROBE_INFO_EVENT(info));
  if (!line.empty()) lines.push_back(line);
  return GST_PAD_PROBE_OK;
}

std::string Recorder::text() const {
  std::string all;
  for (const std::string &line : lines)
    all += (all.empty() ? "" : ", ") + line;
  return all;
}

int Recorder::count(const std::string &start) const {
  int result = 0;
  for (const std::string &line : lines)
    result += line.rfind(start, 0) == 0;
  return result;
}

}  // namespace test
