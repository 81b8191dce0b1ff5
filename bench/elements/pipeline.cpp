// SPDX-License-Identifier: LGPL-2.1-or-later
// bench-pipeline: elements in gst-launch's syntax, by turns in one process. Of each the time of a
// frame while many go through, the latency of one frame at a time, and between CUDA memory the time
// of a push. What is pushed lies in more memory than caches hold.
//
// A frame has come out when the sink has mapped it for reading, and the GPU has finished it. Frames
// in CUDA memory are dropped at the sink, but for the last; frames in system memory are looked at
// when three more have come, as after a queue.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <stdexcept>

#include "bench/support/results.h"
#include "subject.h"

namespace coalesce::test {
namespace {

const char *const kUsage =
    "usage: bench-pipeline --in CAPS [option ...] NAME ELEMENTS [NAME ELEMENTS ...]\n"
    "  --in CAPS            of what is pushed: video/x-raw, in system memory or CUDA memory\n"
    "  --out CAPS           of what comes out; any without\n"
    "  --prepare ELEMENTS   what is pushed has gone through these before: an encoder, for a "
    "decoder\n"
    "  --inputs N           sink pads that get frames\n"
    "  --picture FILE.ppm   frames are pieces of a photograph, not noise\n"
    "  --frames N           different ones\n"
    "  --footprint MIB      of all that is pushed by turns; more than caches hold without\n"
    "  --own-memory         upstream has memory of its own, in place of the elements' pool\n"
    "  --look               look at frames in CUDA memory, too\n"
    "  --seconds S          for each of the ELEMENTS, about\n"
    "  --json FILE          write the figures as JSON, too\n"
    "ELEMENTS are in gst-launch's syntax, in one argument. A NAME is for the table.\n";

constexpr int kRounds = 9, kLeastRounds = 3, kMostFrames = 1000;
// Of elements with threads of their own.
constexpr int kLeastInFlight = 4, kMoreInFlight = 16;
constexpr double kSlowUs = 20e3;
constexpr int kMostLatencies = 2000, kLeastLatencies = 3;
// Few: elements have 16 inputs in flight at most, and some read a frame several times.
constexpr int kPushes = 2, kMostBatches = 300;
constexpr std::size_t kGpuFootprint = std::size_t{400} << 20, kFootprint = std::size_t{192} << 20;

using Clock = std::chrono::steady_clock;

struct Options {
  std::string in, prepare;
  const char *picture = nullptr;
  int frames = 8;
  double seconds = 1;
  std::optional<std::size_t> footprint;
  Setup setup;
  std::vector<std::pair<std::string, std::string>> ways;
};

bool parse(int argc, char **argv, Options *options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    options->setup.own_memory |= arg == "--own-memory";
    options->setup.look |= arg == "--look";
    if (arg == "--own-memory" || arg == "--look") continue;
    if (++i == argc) return false;
    if (arg == "--in")
      options->in = argv[i];
    else if (arg == "--out")
      options->setup.out_caps = argv[i];
    else if (arg == "--prepare")
      options->prepare = argv[i];
    else if (arg == "--inputs")
      options->setup.inputs = std::atoi(argv[i]);
    else if (arg == "--picture")
      options->picture = argv[i];
    else if (arg == "--frames")
      options->frames = std::atoi(argv[i]);
    else if (arg == "--footprint")
      options->footprint = std::size_t(std::atol(argv[i])) << 20;
    else if (arg == "--seconds")
      options->seconds = std::atof(argv[i]);
    else if (arg.rfind("--", 0) != 0)
      options->ways.emplace_back(arg, argv[i]);
    else
      return false;
  }
  return !options->in.empty() && !options->ways.empty() && options->setup.inputs > 0 &&
         options->frames > 0;
}

struct Way {
  std::string name, elements, error;
  std::unique_ptr<Subject> subject;
  int count = 1;             // of a round
  int before_and_after = 0;  // more frames, that it begins and ends with as many in flight
  std::vector<double> us, latency_us, push_us;
};

// What goes wrong with one of them leaves the others alone.
void attempt(Way *way, const std::function<void(Way *)> &what) {
  if (!way->error.empty()) return;
  try {
    what(way);
  } catch (const std::exception &error) {
    way->error = error.what();
    way->subject.reset();
  }
}

// So many frames that a round has its share of the time.
void choose_count(Way *way, double seconds) {
  const double share = 1e6 * seconds / kRounds;
  const int least = way->subject->is_asynchronous() ? kLeastInFlight : 1;
  way->count = least;
  for (int i = 0; i < 6; ++i) {
    const double us = way->subject->frames(way->count, way->before_and_after);
    way->before_and_after = least > 1 && us < kSlowUs ? kMoreInFlight : 0;
    const int next = std::clamp(static_cast<int>(share / us), least, kMostFrames);
    if (next <= 2 * way->count) break;
    way->count = next;
  }
}

// Each once by turns, until time is over.
void by_turns(std::vector<Way> *ways, double seconds, int least, int most,
              const std::function<void(Way *)> &one) {
  const auto start = Clock::now();
  for (int i = 0; i < most; ++i) {
    const std::chrono::duration<double> spent = Clock::now() - start;
    if (i >= least && spent.count() > seconds) break;
    for (Way &way : *ways)
      attempt(&way, one);
  }
}

void measure(std::vector<Way> *ways, const Options &options) {
  for (Way &way : *ways) {
    const auto first =
        std::find_if(ways->begin(), ways->end(), [](const Way &w) { return w.subject != nullptr; });
    const Subject *other = first != ways->end() ? first->subject.get() : nullptr;
    attempt(&way, [&](Way *w) {
      w->subject = std::make_unique<Subject>(w->elements, options.setup, other);
      choose_count(w, 0.6 * options.seconds);
    });
  }
  const double all = options.seconds * static_cast<double>(ways->size());
  by_turns(ways, 0.6 * all, kLeastRounds, kRounds,
           [](Way *w) { w->us.push_back(w->subject->frames(w->count, w->before_and_after)); });
  by_turns(ways, 0.25 * all, kLeastLatencies, kMostLatencies,
           [](Way *w) { w->latency_us.push_back(w->subject->latency()); });
  if (!options.setup.content->on_gpu() || !options.setup.content->is_raw()) return;
  by_turns(ways, 0.15 * all, kLeastRounds, kMostBatches, [](Way *w) {
    if (w->subject->to_gpu()) w->push_us.push_back(w->subject->pushes(kPushes));
  });
}

void report(const Way &way, Results *results) {
  Row row;
  row.text("way", way.name);
  if (!way.error.empty()) {
    std::printf("%-16s %s\n", way.name.c_str(), way.error.c_str());
    results->add(row.text("error", way.error));
    return;
  }
  const Subject &subject = *way.subject;
  std::printf("%-16s %10.1f us a frame, %10.1f us alone", way.name.c_str(), median(way.us),
              median(way.latency_us));
  if (!way.push_us.empty()) std::printf(", %6.1f us a push", median(way.push_us));
  std::printf(", %.0f bytes%s%s\n", subject.output_bytes(),
              subject.backend().empty() ? "" : ", on ", subject.backend().c_str());
  row.samples("us", way.us).samples("latency_us", way.latency_us);
  row.samples("push_us", way.push_us);
  row.number("outputs_of_push", static_cast<double>(subject.outputs_of_push()));
  row.number("delay", subject.delay()).number("bytes", subject.output_bytes());
  if (!subject.backend().empty()) row.text("backend", subject.backend());
  for (const char *name : {"uploads", "downloads", "synchronizations"})
    row.number(name, subject.stat(name));
  results->add(row);
}

Content content_of(const Options &options) {
  Content content = frames_of(options.in, options.picture, options.frames * options.setup.inputs,
                              options.setup.inputs);
  if (options.prepare.empty()) return content;
  Setup setup;
  setup.content = &content;
  Subject encoder(options.prepare, setup, nullptr);
  return encoder.outputs(options.frames);
}

int run(Options options, Results *results) {
  const Content content = content_of(options);
  options.setup.content = &content;
  options.setup.footprint =
      options.footprint.value_or(content.on_gpu() ? kGpuFootprint : kFootprint);
  std::vector<Way> ways;
  for (const auto &[name, elements] : options.ways)
    ways.push_back({name, elements, {}, nullptr, 1, 0, {}, {}, {}});
  measure(&ways, options);
  for (const Way &way : ways)
    report(way, results);
  const bool any =
      std::any_of(ways.begin(), ways.end(), [](const Way &w) { return w.subject != nullptr; });
  return results->write() && any ? 0 : 1;
}

}  // namespace
}  // namespace coalesce::test

int main(int argc, char **argv) {
  using namespace coalesce::test;
  Results results("bench-pipeline", &argc, argv);
  gst_init(&argc, &argv);
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  char *version = gst_version_string();
  results.set_library("GStreamer", version);
  g_free(version);
  try {
    return run(std::move(options), &results);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench-pipeline: %s\n", error.what());
    return 1;
  }
}
