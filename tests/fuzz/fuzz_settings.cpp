// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of j2kenc: those that are texts, read a second time here, and all of them together
// with a picture, which are refused with a word that names a property, or are parameters that the
// library takes.
//
// An input is four texts, each up to a 0, then the numbers.
#include <glib.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "j2k/encoder/encoder.h"
#include "j2kenc/j2kencsettings.h"
#include "j2kenc/j2kenctexts.h"

namespace coalesce::test {
namespace {

using gst::J2kPicture;
using gst::J2kSettings;
using Numbers = std::vector<double>;

// ---- texts, read a second time ---------------------------------------------------------------

std::size_t digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// As 1, 1.5, 1., .5, 1e-3: how many characters; 0 if it is no number.
std::size_t number_length(std::string_view text) {
  const std::size_t whole = digits(text);
  std::size_t length = whole;
  if (length < text.size() && text[length] == '.') {
    const std::size_t fraction = digits(text.substr(length + 1));
    if (whole + fraction == 0) return 0;
    length += 1 + fraction;
  }
  if (length == 0 || length == text.size() || (text[length] | 0x20) != 'e') return length;
  std::size_t exponent = length + 1;
  if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
  const std::size_t count = exponent < text.size() ? digits(text.substr(exponent)) : 0;
  return count > 0 ? exponent + count : length;
}

bool read_numbers(std::string_view text, std::string_view separators, Numbers *numbers) {
  numbers->clear();
  for (std::size_t at = 0; at < text.size();) {
    if (separators.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const std::size_t length = number_length(text.substr(at));
    const std::size_t end = at + length;
    if (length == 0 || (end < text.size() && separators.find(text[end]) == std::string_view::npos))
      return false;
    numbers->push_back(std::strtod(std::string(text.substr(at, length)).c_str(), nullptr));
    if (!std::isfinite(numbers->back())) return false;
    at = end;
  }
  return true;
}

bool is_power(double value) {
  int exponent;
  return value >= 1 && value <= 32768 && std::frexp(value, &exponent) == 0.5;
}

// UTF-8 of U+0001 to U+00FF, and no longer than a comment may be.
bool read_comment(std::string_view text, std::string *latin) {
  latin->clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto c = static_cast<std::uint8_t>(text[at]);
    if (c >= 0x80) {
      if ((c != 0xC2 && c != 0xC3) || ++at == text.size() || (text[at] & 0xC0) != 0x80)
        return false;
      c = static_cast<std::uint8_t>(c << 6 | (text[at] & 0x3F));
    }
    latin->push_back(static_cast<char>(c));
  }
  return latin->size() <= j2k::kMaxComment;
}

void demand_same_numbers(const std::string &text, const char *separators) {
  Numbers expected, numbers;
  const bool good = read_numbers(text, separators, &expected);
  DEMAND(gst::j2k_parse_numbers(text, separators, &numbers) == good, "\"%s\"", text.c_str());
  DEMAND(!good || numbers == expected, "\"%s\"", text.c_str());
  const bool whole = good && std::all_of(expected.begin(), expected.end(), [](double x) {
                       return x == std::floor(x) && x <= INT32_MAX;
                     });
  std::vector<int> integers;
  DEMAND(gst::j2k_parse_integers(text, separators, &integers) == whole, "\"%s\"", text.c_str());
  DEMAND(!whole || Numbers(integers.begin(), integers.end()) == expected, "\"%s\"", text.c_str());
}

void demand_same_precincts(const std::string &text) {
  Numbers expected;
  const bool good = read_numbers(text, " ,x", &expected) && expected.size() % 2 == 0 &&
                    expected.size() <= 22 &&
                    std::all_of(expected.begin(), expected.end(), is_power);
  std::vector<int> sizes;
  DEMAND(gst::j2k_parse_precincts(text, &sizes) == good, "\"%s\"", text.c_str());
  DEMAND(!good || Numbers(sizes.begin(), sizes.end()) == expected, "\"%s\"", text.c_str());
}

void demand_same_comment(const std::string &text) {
  std::string expected, latin;
  const bool good = read_comment(text, &expected);
  DEMAND(gst::j2k_parse_comment(text, &latin) == good, "\"%s\"", text.c_str());
  DEMAND(!good || latin == expected, "\"%s\"", text.c_str());
}

// ---- all together ----------------------------------------------------------------------------

double any_rate(Input *in) {
  return in->once_in(8) ? std::clamp(in->bits_of_double(), 0., 1000.) : in->byte() / 8.0;
}

int any_size(Input *in) {
  return in->once_in(8) ? static_cast<int>(in->word() & INT32_MAX) : in->below(70);
}

// Within the ranges of the properties, which GObject sees to.
void set_rate(Input *in, J2kSettings *s) {
  const unsigned which = in->byte();
  if (which < 128) s->lossless = (which & 1) != 0;
  if ((which & 7) == 2 || (which & 31) == 31) s->bpp = any_rate(in);
  if ((which & 7) == 3) s->bitrate = in->word();
  if ((which & 7) == 4) s->frame_size = in->word();
  if ((which & 7) == 5 || (which & 31) == 31) s->psnr = std::min(any_rate(in), 200.);
  if ((which & 7) == 6) s->quality = in->below(101);
}

J2kSettings any_settings(Input *in) {
  J2kSettings s;
  s.precincts = in->text();
  s.layer_rates = in->text();
  s.roi = in->text();
  s.comment = in->text();
  set_rate(in, &s);
  s.wavelet = static_cast<gst::J2kWavelet>(in->below(3));
  s.profile = static_cast<j2k::Profile>(in->flag() ? in->below(7) : 0);
  s.progression = static_cast<j2k::Progression>(in->below(5));
  s.block_style = in->byte() & 63;
  s.num_layers = in->once_in(8) ? in->between(1, j2k::kMaxLayers) : in->between(1, 5);
  s.num_resolutions = in->between(1, j2k::kMaxResolutions);
  s.guard_bits = in->below(8);
  s.tile_width = any_size(in), s.tile_height = any_size(in);
  s.block_width = in->once_in(8) ? in->between(4, 1024) : 4 << in->below(9);
  s.block_height = in->once_in(8) ? in->between(4, 1024) : 4 << in->below(9);
  const unsigned markers = in->byte();
  s.sop = markers & 1, s.eph = markers & 2, s.plt = markers & 4, s.tlm = markers & 8;
  s.visual_weighting = markers & 16;
  return s;
}

J2kPicture any_picture(Input *in) {
  J2kPicture picture;
  picture.row_step = in->between(1, 2);
  picture.first_row = picture.row_step == 2 ? in->below(2) : 0;
  const int width = std::max(any_size(in), 1);
  picture.frame_height = std::max(any_size(in), picture.row_step);
  // Frames of 2 GiB are refused before.
  if (picture.frame_height > INT32_MAX / 4 / width)
    picture.frame_height = std::max(INT32_MAX / 4 / width, picture.row_step);
  const int rows =
      (picture.frame_height - picture.first_row + picture.row_step - 1) / picture.row_step;
  picture.coding.image = {0, 0, width, rows};
  picture.rgb = in->flag();
  constexpr int kComponents[] = {1, 3, 4};
  picture.coding.num_components = picture.rgb ? in->between(3, 4) : in->pick(kComponents);
  const int bits = in->between(8, 16), across = in->below(3), down = in->below(2);
  for (int c = 0; c < picture.coding.num_components; ++c) {
    const bool chroma = !picture.rgb && (c == 1 || c == 2);
    picture.coding.component[static_cast<std::size_t>(c)] = {chroma ? 1 << across : 1,
                                                             chroma ? 1 << down : 1, bits};
  }
  picture.fps_n = in->once_in(4) ? any_size(in) : 25;
  picture.fps_d = in->once_in(4) ? std::max(any_size(in), 1) : 1;
  picture.overhead = in->below(200);
  return picture;
}

bool names_a_property(const std::string &text) {
  constexpr const char *kNames[] = {"lossless",
                                    "wavelet",
                                    "bpp",
                                    "bitrate",
                                    "frame-size",
                                    "psnr",
                                    "quality",
                                    "num-layers",
                                    "layer-rates",
                                    "visual-weighting",
                                    "num-resolutions",
                                    "progression",
                                    "tile-width",
                                    "tile-height",
                                    "code-block-width",
                                    "code-block-style",
                                    "code-block-height",
                                    "precincts",
                                    "sop",
                                    "eph",
                                    "plt",
                                    "tlm",
                                    "guard-bits",
                                    "roi",
                                    "comment",
                                    "profile"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&text](const char *name) { return text.find(name) != std::string::npos; });
}

void demand_told(const std::string &problem) {
  DEMAND(names_a_property(problem) && problem.size() < 1000 &&
             g_utf8_validate(problem.c_str(), static_cast<gssize>(problem.size()), nullptr),
         "%s", problem.c_str());
}

}  // namespace
}  // namespace coalesce::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace coalesce::test;
  Input in(data, size);
  const J2kSettings settings = any_settings(&in);
  for (const std::string &text : {settings.precincts, settings.layer_rates, settings.roi})
    for (const char *separators : {" ,", " ,x"})
      demand_same_numbers(text, separators);
  demand_same_precincts(settings.precincts);
  demand_same_comment(settings.comment);
  if (const std::string problem = coalesce::gst::j2k_check(settings); !problem.empty()) {
    demand_told(problem);
    return 0;
  }
  const J2kPicture picture = any_picture(&in);
  coalesce::j2k::EncoderParams params;
  const std::string problem = coalesce::gst::j2k_params(settings, picture, &params);
  if (!problem.empty()) {
    demand_told(problem);
    return 0;
  }
  const coalesce::Status status = coalesce::j2k::check_params(params);
  DEMAND(status.ok(), "%s", status.message());
  return 0;
}
