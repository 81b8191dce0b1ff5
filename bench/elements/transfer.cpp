// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames over the bus, in GB/s: elements of ours that do next to nothing with them, beside
// GStreamer's cudaupload and cudadownload, by turns in one process. Upstream takes its buffers from
// the pool that the element proposes and writes into each of them; downstream looks at each frame
// when three more have come, as after a queue. Upstream's few buffers may stay in the processor's
// cache; rows "from memory" have a queue of more frames than it holds, as if a capture card or
// another processor had written them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>

#include "bench/support/results.h"
#include "tests/gpu/gpu_support.h"

#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudamemory.h>

using namespace gpu_test;

namespace {

constexpr int kRounds = 7, kFrames = 60;
constexpr guint kLookBehind = 3;

// (The checks of gstcheck want a test suite around them.)
void must(bool good, const char *what) {
  if (good) return;
  std::fprintf(stderr, "bench-transfer: could not %s\n", what);
  std::exit(1);
}

GstBuffer *take_from(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  must(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK, "get a buffer");
  return buffer;
}

struct Way {
  const char *what, *launch;
  const char *in_format, *out_format;
  bool in_cuda, out_cuda;
  bool own_memory;         // upstream brings its own instead
  guint queued_bytes = 0;  // what upstream holds of frames that are filled
};
constexpr guint kMoreThanCaches = 512 << 20;

// One element between a source and a sink.
class Bench {
 public:
  Bench(const Way &way, int width, int height);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  // Microseconds a frame, until the last has been looked at.
  double run(int frames);
  gsize bytes() const { return bytes_; }
  guint64 waits() const;

 private:
  static GstFlowReturn take(GstPad *pad, GstObject *, GstBuffer *buffer);
  GstBuffer *filled(int number);
  GstBuffer *next_input(int number);
  void look_at_oldest();

  Way way_;
  GstHarness *harness_;
  GstBufferPool *pool_;
  gsize bytes_;
  std::vector<GstBuffer *> device_inputs_;
  std::deque<GstBuffer *> queued_, outputs_;
};

GstBufferPool *ordinary_pool(GstHarness *h) {
  GstCaps *caps = gst_pad_get_current_caps(h->srcpad);
  GstVideoInfo info;
  must(gst_video_info_from_caps(&info, caps), "read the caps");
  GstBufferPool *pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(info.size), 0, 0);
  must(gst_buffer_pool_set_config(pool, config), "configure a pool");
  gst_buffer_pool_set_active(pool, TRUE);
  gst_caps_unref(caps);
  return pool;
}

// The bytes that cross the bus: those of the frames in system memory.
gsize frame_bytes(const Way &way, int width, int height) {
  GstVideoInfo info;
  const char *format = way.in_cuda ? way.out_format : way.in_format;
  gst_video_info_set_format(&info, gst_video_format_from_string(format), static_cast<guint>(width),
                            static_cast<guint>(height));
  return info.size;
}

Bench::Bench(const Way &way, int width, int height)
    : way_(way),
      harness_(harness(way.launch, caps_text(way.in_format, width, height, way.in_cuda),
                       caps_text(way.out_format, width, height, way.out_cuda))),
      pool_(way.own_memory ? nullptr : proposed_pool(harness_)),
      bytes_(frame_bytes(way, width, height)) {
  g_object_set_data(G_OBJECT(harness_->sinkpad), "bench", this);
  gst_pad_set_chain_function(harness_->sinkpad, take);
  if (pool_ == nullptr) pool_ = ordinary_pool(harness_);
  constexpr int kDeviceInputs = 8;
  for (int i = 0; way.in_cuda && i < kDeviceInputs; i++) {
    GstBuffer *buffer = take_from(pool_);
    gst_buffer_memset(buffer, 0, 0x50, gst_buffer_get_size(buffer));
    device_inputs_.push_back(buffer);
  }
}

Bench::~Bench() {
  for (GstBuffer *buffer : device_inputs_)
    gst_buffer_unref(buffer);
  for (GstBuffer *buffer : queued_)
    gst_buffer_unref(buffer);
  gst_harness_teardown(harness_);
  drop_pool(pool_);
}

guint64 Bench::waits() const {
  GstElement *bin = harness_->element;
  GValue item = G_VALUE_INIT;
  guint64 waits = 0;
  GstIterator *elements = gst_bin_iterate_elements(GST_BIN(bin));
  if (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    GObject *element = G_OBJECT(g_value_get_object(&item));
    GstStructure *stats = nullptr;
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats"))
      g_object_get(element, "stats", &stats, nullptr);
    if (stats != nullptr) gst_structure_get_uint64(stats, "synchronizations", &waits);
    if (stats != nullptr) gst_structure_free(stats);
    g_value_unset(&item);
  }
  gst_iterator_free(elements);
  return waits;
}

GstFlowReturn Bench::take(GstPad *pad, GstObject *, GstBuffer *buffer) {
  auto *self = static_cast<Bench *>(g_object_get_data(G_OBJECT(pad), "bench"));
  self->outputs_.push_back(buffer);
  if (self->outputs_.size() > kLookBehind) self->look_at_oldest();
  return GST_FLOW_OK;
}

// A frame in device memory is wanted there, which is when cudaupload brings it.
void Bench::look_at_oldest() {
  GstMapInfo map;
  const int flags = int(GST_MAP_READ) | (way_.out_cuda ? int(GST_MAP_CUDA) : 0);
  must(gst_buffer_map(outputs_.front(), &map, static_cast<GstMapFlags>(flags)), "map a frame");
  gst_buffer_unmap(outputs_.front(), &map);
  gst_buffer_unref(outputs_.front());
  outputs_.pop_front();
}

GstBuffer *Bench::filled(int number) {
  GstBuffer *buffer = take_from(pool_);
  GstMapInfo map;
  must(gst_buffer_map(buffer, &map, GST_MAP_WRITE), "write a frame");
  std::memset(map.data, number, 4096);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

GstBuffer *Bench::next_input(int number) {
  if (way_.in_cuda)
    return gst_buffer_ref(device_inputs_[static_cast<size_t>(number) % device_inputs_.size()]);
  while (queued_.size() * bytes_ <= way_.queued_bytes)
    queued_.push_back(filled(number));
  GstBuffer *buffer = queued_.front();
  queued_.pop_front();
  return buffer;
}

double Bench::run(int frames) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < frames; i++)
    must(gst_pad_push(harness_->srcpad, next_input(i)) == GST_FLOW_OK, "push a frame");
  while (!outputs_.empty())
    look_at_oldest();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / frames;
}

bool is_here(const Way &way) {
  GError *missing = nullptr;
  GstElement *element = gst_parse_bin_from_description(way.launch, FALSE, &missing);
  if (element != nullptr) gst_object_unref(gst_object_ref_sink(element));
  const bool here = missing == nullptr;
  g_clear_error(&missing);
  return here;
}

// The first of these is what the others are set against.
void compare(const char *title, int width, int height, const std::vector<Way> &ways,
             coalesce::test::Results *results) {
  std::printf("\n%s, %dx%d\n", title, width, height);
  std::vector<std::vector<double>> times(ways.size());
  std::vector<std::unique_ptr<Bench>> benches;
  for (const Way &way : ways) {
    benches.push_back(is_here(way) ? std::make_unique<Bench>(way, width, height) : nullptr);
    if (benches.back()) benches.back()->run(kFrames);
  }
  for (int round = 0; round < kRounds; round++)
    for (size_t i = 0; i < ways.size(); i++)
      if (benches[i]) times[i].push_back(benches[i]->run(kFrames));
  std::optional<double> yardstick;
  for (size_t i = 0; i < ways.size(); i++) {
    if (!benches[i]) {
      std::printf("  %-46s  not here\n", ways[i].what);
      continue;
    }
    std::nth_element(times[i].begin(), times[i].begin() + kRounds / 2, times[i].end());
    const double median = times[i][kRounds / 2];
    const double rate = static_cast<double>(benches[i]->bytes()) / median / 1e3;
    if (i == 0) yardstick = rate;
    std::printf("  %-46s  %8.1f us  %5.1f GB/s", ways[i].what, median, rate);
    if (yardstick && i > 0) std::printf("  ratio %.2f", rate / *yardstick);
    if (benches[i]->waits() > 0)
      std::printf("  (%.2f waits a frame)",
                  static_cast<double>(benches[i]->waits()) / ((kRounds + 1) * kFrames));
    std::printf("\n");
    coalesce::test::Row row;
    row.text("operation", title).text("way", ways[i].what);
    row.number("width", width).number("height", height);
    row.number("us", median).number("gb_per_s", rate);
    results->add(row);
  }
}

}  // namespace

int main(int argc, char **argv) {
  coalesce::test::Results results("bench-transfer", &argc, argv);
  gst_init(&argc, &argv);
  require_gpu();
  if (gst_element_factory_find("cudaupload") == nullptr)
    std::printf(
        "cudaupload and cudadownload are not here: GStreamer's plugin nvcodec is missing, or "
        "it found neither NVENC nor NVDEC. There is nothing to compare with.\n");
  std::printf("medians of %d rounds of %d frames; GB/s of the frames in system memory\n", kRounds,
              kFrames);
  for (const auto &[width, height] : {std::pair{1920, 1080}, std::pair{3840, 2160}}) {
    compare("upload", width, height,
            {{"cudaupload UYVY", "cudaupload", "UYVY", "UYVY", false, true, false},
             {"uyvy2y UYVY->GRAY8", "uyvy2y backend=cuda", "UYVY", "GRAY8", false, true, false},
             {"uyvy2y, buffers of upstream's own", "uyvy2y backend=cuda", "UYVY", "GRAY8", false,
              true, true},
             {"cudaupload, buffers of upstream's own", "cudaupload", "UYVY", "UYVY", false, true,
              true}},
            &results);
    compare("upload from memory", width, height,
            {{"cudaupload UYVY", "cudaupload", "UYVY", "UYVY", false, true, false, kMoreThanCaches},
             {"uyvy2y UYVY->GRAY8", "uyvy2y backend=cuda", "UYVY", "GRAY8", false, true, false,
              kMoreThanCaches}},
            &results);
    compare("download, NV12", width, height,
            {{"cudadownload NV12", "cudadownload", "NV12", "NV12", true, false, false},
             {"convolve NV12", "convolve preset=identity backend=cuda", "NV12", "NV12", true, false,
              false},
             {"cudadownload UYVY", "cudadownload", "UYVY", "UYVY", true, false, false}},
            &results);
    compare("download, RGBA", width, height,
            {{"cudadownload RGBA", "cudadownload", "RGBA", "RGBA", true, false, false},
             {"convolve RGBA", "convolve preset=identity backend=cuda", "RGBA", "RGBA", true, false,
              false}},
            &results);
    compare("both ways", width, height,
            {{"cudaupload ! cudadownload NV12",
              "cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload", "NV12", "NV12", false,
              false, false},
             {"convolve NV12", "convolve preset=identity backend=cuda", "NV12", "NV12", false,
              false, false}},
            &results);
  }
  return results.write() ? 0 : 1;
}
