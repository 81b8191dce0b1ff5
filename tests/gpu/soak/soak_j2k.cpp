// SPDX-License-Identifier: LGPL-2.1-or-later
// soak-j2k [FRAMES]: eight encoders at once in one process, that many frames in all, with other
// settings, formats, sizes, numbers of frames in flight, flushes and restarts all the time. Every
// codestream is the CPU's, and neither the host's nor the device's memory grows.
#include <functional>
#include <memory>
#include <random>

#include "../../support/random.h"
#include "../support/j2k_harness.h"
#include "soak_run.h"

using namespace gpu_test;

namespace {

constexpr int kPipelines = 8, kFramesOfRound = 20;

const std::vector<Coding> kCodings{
    {"NV12", 64, 48},
    {"NV12", 162, 122, "bpp=2; num-layers=2"},
    {"NV12", 320, 180,
     "code-block-style=bypass+termall; code-block-width=32; code-block-height=32"},
    {"RGB", 64, 48, "tile-width=30; tile-height=30"},
    {"RGB", 320, 180},
    {"RGB", 320, 180, "bpp=1"},
    {"RGB", 162, 122, "roi=20,30,50,40; bpp=2"},
    {"P010_10LE", 162, 122, "psnr=40"},
    {"P010_10LE", 320, 180, "quality=60; progression-order=rpcl; precincts=128x128"},
    {"GRAY8", 320, 180, "frame-size=9000", ",interlace-mode=interleaved"},
};

// Each pipeline begins elsewhere in the list, and has all of it in turn, so that as much memory is
// in use at one time as at another.
Coding coding(const std::string &filter, long round, unsigned flight) {
  Coding c = kCodings[std::size_t(round) * 3 % kCodings.size()];
  c.filter = filter;
  c.frames_in_flight = int(1 + flight % 8);
  return c;
}

void run_share(int pipeline, soak::Progress *progress) {
  constexpr Input inputs[] = {Input::cuda, Input::cuda, Input::page_locked, Input::pageable};
  const std::string filter = pipeline % 4 == 1 ? "convolve preset=sharpen" : "";
  std::mt19937 random(static_cast<unsigned>(coalesce::test::seed_of_run(unsigned(pipeline))));
  // Half of them share a context, the others make their own.
  J2kHarness h(coding(filter, pipeline, random()), inputs[pipeline % 4],
               pipeline / 4 % 2 ? Context::shared : Context::own);
  for (long round = pipeline; !progress->complete(); round++) {
    h.change(coding(filter, round, random()));
    for (int i = 0; i < kFramesOfRound; i++) {
      h.push(1);
      h.check();
      progress->count(round == pipeline && i == 0);
    }
    const unsigned fate = random() % 16;
    if (fate < 2) h.flush();
    if (fate == 2) h.restart();
  }
  h.end();
}

// The most slots that the shared context ever has at once: all of its pipelines with the most
// frames in flight, each of two fields. (In a run they meet by chance, and seldom.)
void hold_the_most() {
  Coding most = kCodings.back();
  most.frames_in_flight = 8;
  std::vector<std::unique_ptr<J2kHarness>> all;
  for (int i = 0; i < kPipelines / 2; i++) {
    all.push_back(std::make_unique<J2kHarness>(most, Input::cuda, Context::shared));
    all.back()->push(10);
  }
  for (const auto &h : all)
    h->end();
}

void or_give_up(const std::function<void()> &work) {
  try {
    work();
  } catch (const Failure &failure) {
    soak::give_up(failure.what());
  }
}

}  // namespace

int main(int argc, char **argv) {
  return soak::run(argc, argv,
                   {kPipelines, 20000, kPipelines * kFramesOfRound * long(kCodings.size()), 128,
                    [] { or_give_up(hold_the_most); },
                    [](int i, const soak::Device &, soak::Progress *progress) {
                      or_give_up([&] { run_share(i, progress); });
                    }});
}
