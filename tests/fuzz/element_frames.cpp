// SPDX-License-Identifier: LGPL-2.1-or-later
#include "element_caps.h"

namespace test {
namespace {

void split(GstBuffer *buffer, gsize at) {
  const gsize size = gst_buffer_get_size(buffer);
  if (at >= size) return;
  GstMemory *whole = gst_buffer_get_all_memory(buffer);
  gst_buffer_remove_all_memory(buffer);
  gst_buffer_append_memory(buffer, gst_memory_share(whole, 0, static_cast<gssize>(at)));
  gst_buffer_append_memory(
      buffer, gst_memory_share(whole, static_cast<gssize>(at), static_cast<gssize>(size - at)));
  gst_memory_unref(whole);
}

// One claim of the GstVideoMeta becomes something else.
void lie(Input &in, GstVideoMeta *meta) {
  constexpr gint kStrides[] = {0, -1, 1, G_MAXINT, G_MININT, 1 << 20, -64};
  constexpr gsize kOffsets[] = {0, 1, G_MAXSIZE, G_MAXSIZE - 64, gsize{1} << 32, gsize{1} << 62};
  const int plane = in.below(4);
  switch (in.below(8)) {
    case 0:
      meta->stride[plane] = in.pick(kStrides);
      break;
    case 1:
      meta->stride[plane] += in.between(-40, 40);
      break;
    case 2:
      meta->offset[plane] = in.pick(kOffsets);
      break;
    case 3:
      meta->offset[plane] += static_cast<gsize>(in.below(100));
      break;
    case 4:
      meta->n_planes = in.byte();
      break;
    case 5:
      meta->format = static_cast<GstVideoFormat>(in.below(300));
      break;
    case 6:
      (in.flag() ? meta->width : meta->height) = in.once_in(3) ? in.word() : in.byte();
      break;
    default:
      meta->flags = static_cast<GstVideoFrameFlags>(in.word());
  }
}

void shorten(Input &in, GstBuffer *buffer) {
  const gsize size = gst_buffer_get_size(buffer);
  if (in.once_in(8))
    gst_buffer_remove_all_memory(buffer);
  else
    gst_buffer_set_size(buffer,
                        static_cast<gssize>(in.flag() ? size - std::min<gsize>(size, 1 + in.byte())
                                                      : in.word() % (size + 1)));
}

void add_flags(Input &in, GstBuffer *buffer) {
  constexpr guint kFlags[] = {
      GST_VIDEO_BUFFER_FLAG_INTERLACED, GST_VIDEO_BUFFER_FLAG_TFF, GST_VIDEO_BUFFER_FLAG_RFF,
      GST_VIDEO_BUFFER_FLAG_ONEFIELD,   GST_BUFFER_FLAG_GAP,       GST_BUFFER_FLAG_DISCONT,
      GST_BUFFER_FLAG_CORRUPTED,        GST_BUFFER_FLAG_DROPPABLE};
  const unsigned which = in.byte();
  for (unsigned i = 0; i < G_N_ELEMENTS(kFlags); i++)
    if ((which >> i & 1) != 0) GST_BUFFER_FLAG_SET(buffer, kFlags[i]);
  if (in.flag()) GST_BUFFER_PTS(buffer) = in.flag() ? in.word() : GST_CLOCK_TIME_NONE - in.word();
}

}  // namespace

AnyFrame any_frame(Input &in, const GstVideoInfo &info) {
  Layout layout;
  layout.with_meta = in.flag();
  if (layout.with_meta) {
    layout.extra_stride = in.below(in.once_in(4) ? 100 : 10);
    layout.offset = static_cast<gsize>(in.below(20));
    layout.misalign = static_cast<gsize>(in.below(9));
  }
  AnyFrame frame{BufferRef(random_frame(info, layout, in.byte())), true};
  GstBuffer *buffer = frame.buffer.get();
  const unsigned odd = in.byte();
  if ((odd & 7) == 1) {
    split(buffer, static_cast<gsize>(2 * in.below(600)));
    frame.good = !layout.with_meta;  // a GstVideoMeta has each plane in one memory
  }
  if ((odd & 7) == 2) add_flags(in, buffer);
  if ((odd & 7) == 3) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta(buffer);
    crop->x = in.byte(), crop->y = in.byte(), crop->width = in.word(), crop->height = in.word();
  }
  // Of what is not good, most is nearly good.
  GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
  if ((odd >> 3 & 7) == 1) {
    if (meta != nullptr)
      lie(in, meta);
    else
      shorten(in, buffer);
    frame.good = false;
  }
  if ((odd >> 3) == 31) {
    shorten(in, buffer);
    frame.good = false;
  }
  return frame;
}

}  // namespace test
