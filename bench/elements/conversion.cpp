// SPDX-License-Identifier: LGPL-2.1-or-later
// Conversions of formats, CUDA memory to CUDA memory, by turns with GStreamer's cudaconvert in one
// process: microseconds a frame, from the first push until the GPU has finished the last frame. The
// inputs go round in more memory than the GPU's cache holds. Downstream drops each frame.
//
// cudaconvert is there only where NVRTC is, in a version that knows GStreamer's architecture.
//
// bench-conversion [--check] [--json FILE]; --check: a few small frames, to see that all of it
// runs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "bench/support/results.h"
#include "tests/gpu/gpu_support.h"

using namespace gpu_test;

namespace {

struct Amount {
  int rounds = 9, frames = 400;
  std::size_t bytes = std::size_t{400} << 20;  // of inputs
};
constexpr Amount kFew = {1, 8, 1};

// (The checks of gstcheck want a test suite around them.)
void must(bool good, const char *what) {
  if (good) return;
  std::fprintf(stderr, "bench-conversion: could not %s\n", what);
  std::exit(1);
}

struct Pair {
  const char *element, *in, *out;
};
constexpr Pair kPairs[] = {
    {"yuv2rgb", "NV12", "RGBA"},      {"yuv2rgb", "I420", "RGBA"}, {"yuv2rgb", "I420", "RGB"},
    {"yuv2rgb", "P010_10LE", "RGBA"}, {"rgb2yuv", "RGBA", "NV12"}, {"yuv2yuv", "NV12", "I420"},
    {"yuv2yuv", "P010_10LE", "NV12"},
};

// An element in a context of its own, and inputs in memory that it proposes.
class Bench {
 public:
  Bench(const std::string &line, const Pair &pair, int width, int height, const Amount &amount);
  ~Bench();
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  double run();

 private:
  static GstFlowReturn keep_last(GstPad *pad, GstObject *, GstBuffer *buffer);
  void wait_for_gpu();

  Amount amount_;
  GstHarness *harness_;
  GstBufferPool *pool_;
  std::vector<GstBuffer *> inputs_;
  GstBuffer *last_ = nullptr;
};

Bench::Bench(const std::string &line, const Pair &pair, int width, int height, const Amount &amount)
    : amount_(amount),
      harness_(harness(line.c_str(), caps_text(pair.in, width, height, true),
                       caps_text(pair.out, width, height, true))),
      pool_(proposed_pool(harness_)) {
  must(pool_ != nullptr, "get a pool");
  g_object_set_data(G_OBJECT(harness_->sinkpad), "bench", this);
  gst_pad_set_chain_function(harness_->sinkpad, keep_last);
  for (std::size_t bytes = 0; bytes < amount.bytes;) {
    GstBuffer *buffer = nullptr;
    must(gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr) == GST_FLOW_OK, "get a buffer");
    gst_buffer_memset(buffer, 0, static_cast<guint8>(inputs_.size()), gst_buffer_get_size(buffer));
    bytes += gst_buffer_get_size(buffer);
    inputs_.push_back(buffer);
  }
}

Bench::~Bench() {
  gst_clear_buffer(&last_);
  for (GstBuffer *buffer : inputs_)
    gst_buffer_unref(buffer);
  gst_harness_teardown(harness_);
  drop_pool(pool_);
}

GstFlowReturn Bench::keep_last(GstPad *pad, GstObject *, GstBuffer *buffer) {
  auto *self = static_cast<Bench *>(g_object_get_data(G_OBJECT(pad), "bench"));
  gst_clear_buffer(&self->last_);
  self->last_ = buffer;
  return GST_FLOW_OK;
}

// A map waits for our memory. The default stream waits for those of GStreamer.
void Bench::wait_for_gpu() {
  must(last_ != nullptr && is_cuda(last_), "get a frame in CUDA memory");
  constexpr auto kFlags = static_cast<GstMapFlags>(int(GST_MAP_READ) | int(GST_MAP_CUDA));
  GstMapInfo map;
  must(gst_buffer_map(last_, &map, kFlags), "map a frame");
  GstCudaContext *context = GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(last_, 0))->context;
  must(gst_cuda_context_push(context) && CuStreamSynchronize(nullptr) == CUDA_SUCCESS &&
           gst_cuda_context_pop(nullptr),
       "wait for the GPU");
  gst_buffer_unmap(last_, &map);
}

double Bench::run() {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < amount_.frames; i++) {
    GstBuffer *input = inputs_[static_cast<std::size_t>(i) % inputs_.size()];
    must(gst_pad_push(harness_->srcpad, gst_buffer_ref(input)) == GST_FLOW_OK, "push a frame");
  }
  wait_for_gpu();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / amount_.frames;
}

// May the other element have these formats? It has no list of pairs: all of one side go with all of
// the other.
bool converts(GstElementFactory *factory, const Pair &pair) {
  const auto has = [factory](GstPadDirection direction, const char *format) {
    const CapsRef caps = parse_caps(caps_text(format, 64, 64, true));
    return direction == GST_PAD_SINK ? gst_element_factory_can_sink_any_caps(factory, caps.get())
                                     : gst_element_factory_can_src_any_caps(factory, caps.get());
  };
  return factory != nullptr && has(GST_PAD_SINK, pair.in) && has(GST_PAD_SRC, pair.out);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void compare(const Pair &pair, int width, int height, GstElementFactory *peer, const Amount &amount,
             coalesce::test::Results *results) {
  struct Side {
    const char *name;
    std::unique_ptr<Bench> bench;
    std::vector<double> times;
  };
  std::vector<Side> sides;
  const auto add = [&](const char *name, const std::string &line) {
    sides.push_back({name, std::make_unique<Bench>(line, pair, width, height, amount), {}});
  };
  add("linear", std::string(pair.element) + " backend=cuda");
  add("nearest", std::string(pair.element) + " backend=cuda chroma=nearest");
  if (converts(peer, pair)) add("cudaconvert", "cudaconvert");
  for (Side &side : sides)
    side.bench->run();
  for (int round = 0; round < amount.rounds; round++)
    for (Side &side : sides)
      side.times.push_back(side.bench->run());
  for (const Side &side : sides) {
    const double us = median(side.times);
    std::printf("%4dx%-4d  %-7s  %9s to %-5s  %-11s  %7.2f us\n", width, height, pair.element,
                pair.in, pair.out, side.name, us);
    coalesce::test::Row row;
    row.text("operation", pair.element).text("in", pair.in).text("out", pair.out);
    row.text("way", side.name).number("width", width).number("height", height).number("us", us);
    results->add(row);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  coalesce::test::Results results("bench-conversion", &argc, argv);
  gst_init(&argc, &argv);
  const bool check = argc == 2 && std::strcmp(argv[1], "--check") == 0;
  if (argc != (check ? 2 : 1)) {
    std::fprintf(stderr, "bench-conversion [--check] [--json FILE]\n");
    return 2;
  }
  require_gpu();
  const Amount amount = check ? kFew : Amount();
  GstElementFactory *peer = gst_element_factory_find("cudaconvert");
  if (peer == nullptr) std::printf("cudaconvert is not here: there is nothing to compare with\n");
  std::printf("medians of %d rounds of %d frames, CUDA memory to CUDA memory\n", amount.rounds,
              amount.frames);
  for (const auto &[width, height] : {std::pair{64, 64}, {1920, 1080}, {3840, 2160}})
    for (const Pair &pair : kPairs)
      if (check == (width == 64)) compare(pair, width, height, peer, amount, &results);
  if (peer != nullptr) gst_object_unref(peer);
  return results.write() ? 0 : 1;
}
