// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linesmeta.h"

#include <gst/video/video.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "object/guarded.h"

namespace coalesce::gst {
namespace {

struct Record {
  float x0, y0, x1, y1, width, strength;
};

// Exact: ends are at most 23 bits.
Record record_of(const Line &line) {
  const auto units = [](std::int32_t number) { return static_cast<float>(number) / 256; };
  return {units(line.x0), units(line.y0),    units(line.x1),
          units(line.y1), units(line.width), units(line.strength)};
}

// also: nullptr, or another structure.
void set_records(GstStructure *structure, GstStructure *also, const std::vector<Record> &records,
                 guint found) {
  GBytes *bytes = g_bytes_new(records.data(), records.size() * sizeof(Record));
  for (GstStructure *each : {structure, also})
    if (each != nullptr)
      gst_structure_set(each, "lines", G_TYPE_BYTES, bytes, "count", G_TYPE_UINT,
                        static_cast<guint>(records.size()), "found", G_TYPE_UINT, found, nullptr);
  g_bytes_unref(bytes);
}

std::vector<Record> records_of(const GstStructure *structure) {
  const GValue *value = gst_structure_get_value(structure, "lines");
  if (value == nullptr || !G_VALUE_HOLDS(value, G_TYPE_BYTES)) return {};
  gsize size = 0;
  const gconstpointer data =
      g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(value)), &size);
  std::vector<Record> records(size / sizeof(Record));
  if (!records.empty()) std::memcpy(records.data(), data, records.size() * sizeof(Record));
  return records;
}

double length_of(const Record &record) {
  return std::hypot(record.x1 - record.x0, record.y1 - record.y0);
}

// Of a picture that is `across` times as wide and `down` times as high. Areas are so many times as
// large, and so is length times width.
Record scaled(const Record &record, double across, double down) {
  const auto at = [](float place, double factor) {
    return static_cast<float>((place + 0.5) * factor - 0.5);
  };
  Record result = {at(record.x0, across), at(record.y0, down), at(record.x1, across),
                   at(record.y1, down),   record.width,        record.strength};
  const double before = length_of(record), after = length_of(result);
  if (after > 0) result.width = static_cast<float>(record.width * across * down * before / after);
  return result;
}

gboolean copy_field(GQuark field, const GValue *value, gpointer to) {
  gst_structure_id_set_value(static_cast<GstStructure *>(to), field, value);
  return TRUE;
}

// Records of the scaled picture are made first: a failure leaves no meta.
gboolean transform(GstBuffer *to, GstCustomMeta *meta, GstBuffer *, GQuark type, gpointer data,
                   gpointer) {
  // (Whoever copies a buffer calls this, and has no bus that is known here.)
  return guard(nullptr, [&]() -> gboolean {
    const bool scales = GST_VIDEO_META_TRANSFORM_IS_SCALE(type);
    if (!scales && !GST_META_TRANSFORM_IS_COPY(type)) return FALSE;
    const GstStructure *from = gst_custom_meta_get_structure(meta);
    std::vector<Record> records;
    if (scales) {
      const auto &change = *static_cast<const GstVideoMetaTransform *>(data);
      const double across = double(change.out_info->width) / change.in_info->width,
                   down = double(change.out_info->height) / change.in_info->height;
      records = records_of(from);
      for (Record &record : records)
        record = scaled(record, across, down);
    }
    GstStructure *result =
        gst_custom_meta_get_structure(gst_buffer_add_custom_meta(to, kLinesMeta));
    gst_structure_foreach(from, copy_field, result);
    if (!scales) return TRUE;
    guint found = 0;
    gst_structure_get_uint(from, "found", &found);
    set_records(result, nullptr, records, found);
    return TRUE;
  });
}

}  // namespace

void register_lines_meta() {
  static const GstMetaInfo *const info = [] {
    const gchar *tags[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                           GST_META_TAG_VIDEO_ORIENTATION_STR, nullptr};
    return gst_meta_register_custom(kLinesMeta, tags, transform, nullptr, nullptr);
  }();
  (void)info;
}

void add_lines_meta(GstBuffer *buffer, GstStructure *message, const Line *lines,
                    const LineCount &count) {
  std::vector<Record> records(count.lines);
  for (std::size_t i = 0; i < records.size(); i++)
    records[i] = record_of(lines[i]);
  GstCustomMeta *meta = gst_buffer_get_custom_meta(buffer, kLinesMeta);
  if (meta == nullptr) meta = gst_buffer_add_custom_meta(buffer, kLinesMeta);
  set_records(gst_custom_meta_get_structure(meta), message, records, count.found);
}

}  // namespace coalesce::gst
