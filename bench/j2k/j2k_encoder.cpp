// SPDX-License-Identifier: LGPL-2.1-or-later
// Codes a PPM or PGM file of 8 bits, some times, and writes the codestream: to compare with other
// encoders. Without loss, or with so many bits per pixel, in so many layers.
// bench-j2k-encoder IN OUT [THREADS [TIMES [BPP [53 | 97 [LAYERS]]]]] [--json FILE]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/support/results.h"
#include "j2k/encoder/encoder.h"
#include "j2k/transform/quantiser.h"

namespace {

using namespace coalesce;
using namespace coalesce::j2k;

struct Pnm {
  int width = 0, height = 0, components = 0;
  std::vector<std::uint8_t> samples;
};

bool read(const char *name, Pnm *out) {
  FILE *file = std::fopen(name, "rb");
  if (file == nullptr) return false;
  char type = 0;
  int most = 0;
  bool ok = std::fscanf(file, "P%c%d%d%d", &type, &out->width, &out->height, &most) == 4 &&
            std::fgetc(file) != EOF && (type == '5' || type == '6') && most == 255;
  if (ok) {
    out->components = type == '6' ? 3 : 1;
    out->samples.resize(static_cast<std::size_t>(out->width) *
                        static_cast<std::size_t>(out->height * out->components));
    ok = std::fread(out->samples.data(), 1, out->samples.size(), file) == out->samples.size();
  }
  std::fclose(file);
  return ok;
}

bool write(const char *name, const std::vector<std::uint8_t> &bytes) {
  FILE *file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && ok;
}

EncoderParams params_of(const Pnm &picture, int argc, char **argv) {
  EncoderParams params;
  params.coding.image = {0, 0, picture.width, picture.height};
  params.coding.num_components = picture.components;
  params.colour_transform = picture.components == 3;
  if (argc <= 5) return params;
  const double bytes = std::atof(argv[5]) / 8 * picture.width * picture.height;
  if (argc <= 6 || std::atoi(argv[6]) == 97) params.wavelet = Wavelet::irreversible_97;
  params.base_step = fine_base_step(params.colour_transform);
  if (argc > 7) params.layers = std::atoi(argv[7]);
  params.targets.assign(static_cast<std::size_t>(params.layers), {LayerBudget::Kind::automatic, 0});
  params.targets.back() = {LayerBudget::Kind::bytes, static_cast<std::uint64_t>(bytes)};
  return params;
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

int main(int argc, char **argv) {
  test::Results results("bench-j2k-encoder", &argc, argv);
  Pnm picture;
  if (argc < 3 || !read(argv[1], &picture)) {
    std::fprintf(stderr,
                 "bench-j2k-encoder IN.ppm OUT.j2k [THREADS [TIMES [BPP [53 | 97 [LAYERS]]]]] "
                 "[--json FILE]\n");
    return 1;
  }
  ThreadPool pool(argc > 3 ? std::atoi(argv[3]) : 0);
  const int times = argc > 4 ? std::atoi(argv[4]) : 5;
  std::unique_ptr<Encoder> encoder;
  Status status = Encoder::make(params_of(picture, argc, argv), &encoder);
  Samples samples[3];
  for (int c = 0; c < picture.components; ++c) {
    samples[c].data = picture.samples.data();
    samples[c].pitch = static_cast<std::size_t>(picture.width * picture.components);
    samples[c].first = c;
    samples[c].step = picture.components;
  }
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < times && status.ok(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    bytes.clear();
    status = encoder->code(samples, &pool);
    const auto coded = std::chrono::steady_clock::now();
    if (status.ok()) status = encoder->allocate(&pool);
    const auto allocated = std::chrono::steady_clock::now();
    if (status.ok()) status = encoder->write(&bytes);
    const auto end = std::chrono::steady_clock::now();
    std::printf("%.1f ms up to Tier-1, %.2f ms rate allocation, %.2f ms packets, %zu bytes\n",
                milliseconds(coded - begin), milliseconds(allocated - coded),
                milliseconds(end - allocated), bytes.size());
    test::Row row;
    row.text("encoder", "coalesce").number("threads", pool.threads());
    row.number("width", picture.width).number("height", picture.height);
    row.number("tier1_ms", milliseconds(coded - begin));
    row.number("allocation_ms", milliseconds(allocated - coded));
    row.number("packets_ms", milliseconds(end - allocated));
    row.number("bytes", static_cast<double>(bytes.size()));
    results.add(row);
  }
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message());
  return status.ok() && write(argv[2], bytes) && results.write() ? 0 : 1;
}
