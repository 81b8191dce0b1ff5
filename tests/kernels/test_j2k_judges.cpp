// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array, judged by the decoders of others, as many as there are.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "expect.h"
#include "j2k/encoder.h"
#include "j2k_array.h"
#include "j2k_encode.h"
#include "j2k_judges.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// What came out, lossless codestreams and others by themselves.
struct Tally {
  struct OfJudge {
    int asked[2] = {}, agreed[2] = {};
    int complained = 0;  // and agreed
    std::map<std::string, int> faults;
  };
  std::map<std::string, OfJudge> judges;
  std::map<int, int> by_judges[2];  // how many codestreams had so many judges
  std::vector<int> none, one;       // which had none; lossless ones that had one
};

Decoded as_decoded(const Picture &p) {
  Decoded decoded;
  for (int c = 0; c < p.params.num_components; ++c) {
    const Rect rect = component_rect(p.params, c);
    decoded.components.push_back({rect.width(),
                                  rect.height(),
                                  p.params.component[static_cast<std::size_t>(c)].bits,
                                  {p.plane[c].begin(), p.plane[c].end()}});
  }
  return decoded;
}

// With loss the own decoder says what is expected; without, it is asked, too, unless that takes
// long. It looks at the structure, in any case.
JudgedStream coded_entry(int index) {
  JudgedStream coded = {j2k_entry(index), {}, {}, false, {}};
  const EncoderParams &params = coded.params();
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  if (s.ok()) s = encoder->encode(AllSamples(coded.entry.picture).at, nullptr, &coded.bytes);
  EXPECT(s.ok(), "%s", s.message());
  if (!s.ok()) return coded;
  if (!params.targets.empty() && params.targets.back().kind == LayerTarget::Kind::bytes)
    EXPECT(coded.bytes.size() <= params.targets.back().value, "%zu bytes", coded.bytes.size());
  coded.stream = read_markers(coded.bytes);
  coded.lossless = coded.entry.whole && params.wavelet == Wavelet::reversible_53;
  if (coded.lossless) coded.expected = as_decoded(coded.entry.picture);
  if (coded.lossless && index >= j2k_small_entries()) return coded;
  const Decoded own = decode_stream(coded.bytes, 0, kMostPoints, RegionSamples::lower_end);
  EXPECT(own.complaint.empty(), "own decoder: %s", own.complaint.c_str());
  if (coded.lossless)
    EXPECT(largest_difference(own, coded.expected) == 0, "own decoder");
  else
    coded.expected = own;
  return coded;
}

// Of each entry, what every judge says.
class Hearing {
 public:
  Hearing(const JudgedStream &coded, Tally *tally) : coded_(coded), tally_(*tally) {}

  void ask(const Judge &judge, bool talk) {
    Decoded decoded;
    const Verdict verdict = test::ask(judge, coded_, &decoded);
    const char *known = verdict.fault == nullptr ? "" : verdict.fault->what;
    EXPECT(verdict.is_known(), "%s differs by %d: %s", judge.name, verdict.difference,
           verdict.complaint.c_str());
    if (talk)
      std::printf("%s %s by %d: %s %s\n", judge.name, verdict.agrees ? "agrees" : "differs",
                  verdict.difference, known, verdict.complaint.c_str());
    Tally::OfJudge &of = tally_.judges[judge.name];
    ++of.asked[coded_.lossless];
    of.agreed[coded_.lossless] += verdict.agrees;
    of.complained += verdict.agrees && verdict.fault != nullptr;
    if (!verdict.agrees) ++of.faults[known];
    judged_ += verdict.judged();
    if (verdict.agrees) compare(decoded);
  }
  int judged() const { return judged_; }

 private:
  // Those that agree with what is expected differ by no more from each other, up to 14 bits.
  void compare(const Decoded &decoded) {
    if (coded_.params().coding.component[0].bits > 14) return;
    for (const Decoded &other : agreed_) {
      const int difference = largest_difference(decoded, other);
      EXPECT(difference <= (coded_.lossless ? 0 : 1), "two judges differ by %d", difference);
    }
    agreed_.push_back(decoded);
  }

  const JudgedStream &coded_;
  Tally &tally_;
  std::vector<Decoded> agreed_;
  int judged_ = 0;
};

void write_file(const char *file, const std::vector<std::uint8_t> &bytes) {
  FILE *out = std::fopen(file, "wb");
  EXPECT(out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size(), "%s",
         file);
  if (out != nullptr) std::fclose(out);
}

// Where all judges are here, that happens only to what OpenJPEG does not decode, and those of the
// others that can are few. (With the layouts of GStreamer 1.22: to regions with bypass alone.)
void test_without_judge(const JudgedStream &coded) {
  const bool all_here =
      std::all_of(judges().begin(), judges().end(), [](const Judge &j) { return j.here(); });
  const bool known = has_region_and_bypass(coded) || has_empty_component(coded);
  EXPECT(!all_here || known, "no judge");
  if (coded.lossless)
    EXPECT(largest_difference(decode_stream(coded.bytes), coded.expected) == 0, "own decoder");
}

// Into a file, if there is one to be looked at by hand; then more is said, too.
void test_entry(int index, const char *file, Tally *tally) {
  const int before = failures;
  const JudgedStream coded = coded_entry(index);
  Hearing hearing(coded, tally);
  for (const Judge &judge : judges())
    if (failures == before && judge.here()) hearing.ask(judge, file != nullptr);
  const int judged = hearing.judged();
  ++tally->by_judges[coded.lossless][judged];
  if (judged == 0) tally->none.push_back(index);
  if (judged == 1 && coded.lossless) tally->one.push_back(index);
  if (judged == 0 && failures == before) test_without_judge(coded);
  if (failures > before || file != nullptr)
    std::printf("--entry %d, %s\n", index, coded.entry.text.c_str());
  if (file != nullptr) write_file(file, coded.bytes);
}

void print(const char *what, const std::vector<int> &entries) {
  std::printf("%s", what);
  for (const int index : entries)
    std::printf(" %d", index);
  std::printf("\n");
}

void print(const Tally &tally) {
  for (const auto &[name, of] : tally.judges) {
    std::printf("%s: lossless %d of %d, with loss %d of %d; complained of %d of these\n",
                name.c_str(), of.agreed[1], of.asked[1], of.agreed[0], of.asked[0], of.complained);
    for (const auto &[what, count] : of.faults)
      std::printf("  %4d %s\n", count, what.c_str());
  }
  for (const bool lossless : {true, false})
    for (const auto &[judged, count] : tally.by_judges[lossless])
      std::printf("%d %s by %d of them\n", count, lossless ? "lossless" : "with loss", judged);
  print("by none:", tally.none);
  print("lossless by one:", tally.one);
}

}  // namespace
}  // namespace coalesce::test

// test-j2k-judges [--all | --entries FIRST LAST | --entry N FILE]
int main(int argc, char **argv) {
  using namespace coalesce::test;
  if (std::none_of(judges().begin(), judges().end(), [](const Judge &j) { return j.here(); })) {
    std::printf("skipped: neither libopenjp2, nor libavcodec, nor grk_decompress\n");
    return 77;
  }
  for (const Judge &judge : judges())
    if (!judge.here()) std::printf("%s is not here\n", judge.name);
  Tally tally;
  if (argc == 4 && std::strcmp(argv[1], "--entry") == 0) {
    test_entry(std::atoi(argv[2]), argv[3], &tally);
    return result();
  }
  const bool all = argc == 2 && std::strcmp(argv[1], "--all") == 0;
  const bool some = argc == 4 && std::strcmp(argv[1], "--entries") == 0;
  const int first = some ? std::atoi(argv[2]) : 0, step = all || some ? 1 : 14;
  const int end = some ? std::atoi(argv[3]) + 1 : all ? j2k_entries() : j2k_small_entries();
  for (int i = first; i < end && failures < 10; i += step)
    test_entry(i, nullptr, &tally);
  print(tally);
  return result();
}
