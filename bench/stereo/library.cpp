// SPDX-License-Identifier: LGPL-2.1-or-later
// Disparities of two grey pictures by the CPU back end, for quality.py.
#include <cstdint>
#include <memory>
#include <vector>

#include "core/thread_pool.h"
#include "picture/formats.h"
#include "stereo/stereo.h"

namespace {

// Memory that is aligned to 256 bytes.
class Memory {
 public:
  void *data(std::size_t bytes) {
    if (words_.size() < bytes / 8 + 32) words_.resize(bytes / 8 + 32);
    void *at = words_.data();
    std::size_t room = 8 * words_.size();
    return std::align(256, bytes, at, room);
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Matcher {
  explicit Matcher(int threads) : pool(threads) {}
  coalesce::ThreadPool pool;
  coalesce::StereoParams params;
  Memory scratch;
  coalesce::Queue queue() { return coalesce::Queue::cpu(pool.threads() > 1 ? &pool : nullptr); }
};

template <class Byte>
coalesce::ImageOf<Byte> picture(const char *format, Byte *data, int width, int height, int bytes) {
  return {coalesce::pixel_format(format),
          width,
          height,
          false,
          {{data, width * bytes, height, static_cast<std::size_t>(width * bytes)}}};
}

}  // namespace

extern "C" {

// checks: uniqueness, the right picture, and speckles.
Matcher *matcher_open(int method, int disparities, int window, int paths, int p1, int p2,
                      int adaptive, int checks, int threads) {
  auto *matcher = new Matcher(threads);
  coalesce::StereoParams &params = matcher->params;
  params.method = static_cast<coalesce::StereoMethod>(method);
  params.disparities = disparities;
  params.window = window;
  params.paths = paths;
  params.p1 = p1, params.p2 = p2;
  params.adaptive = adaptive != 0;
  if (checks == 0) params.uniqueness = 0, params.left_right = -1, params.speckle_size = 0;
  return matcher;
}

// 0, if it went well.
int matcher_run(Matcher *matcher, const std::uint8_t *left, const std::uint8_t *right,
                std::uint16_t *out, int width, int height) {
  void *const scratch =
      matcher->scratch.data(coalesce::stereo_scratch_bytes(matcher->params, width, height, false));
  return coalesce::stereo(
             matcher->params, picture("GRAY8", left, width, height, 1),
             picture("GRAY8", right, width, height, 1),
             picture("GRAY16_LE", reinterpret_cast<std::uint8_t *>(out), width, height, 2),
             matcher->queue(), scratch)
                 .ok()
             ? 0
             : 1;
}

void matcher_close(Matcher *matcher) {
  delete matcher;
}

}  // extern "C"
