// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenctexts.h"

#include <glib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "j2k/params/encoder_params.h"
#include "object/owned.h"
#include "object/settings.h"

namespace coalesce::gst {

std::string j2k_setting(const char *property, const std::string &text) {
  return quote_setting(property, text, 200);
}

std::string j2k_settings(const char *width, int w, const char *height, int h) {
  return j2k_setting(width, w) + " and " + j2k_setting(height, h);
}

namespace {

// g_ascii_strtod() would take 0x64 for a hexadecimal number.
double decimal(const char *text, gchar **end) {
  if (text[0] != '0' || (text[1] | 0x20) != 'x') return g_ascii_strtod(text, end);
  *end = const_cast<gchar *>(text + 1);
  return 0;
}

}  // namespace

bool j2k_parse_numbers(const std::string &text, const char *separators,
                       std::vector<double> *numbers) {
  numbers->clear();
  const char *at = text.c_str();
  while (*(at += std::strspn(at, separators)) != '\0') {
    if (!g_ascii_isdigit(*at) && *at != '.') return false;
    gchar *end = nullptr;
    const double value = decimal(at, &end);
    if (end == at || !std::isfinite(value)) return false;
    if (*end != '\0' && std::strchr(separators, *end) == nullptr) return false;
    numbers->push_back(value);
    at = end;
  }
  return true;
}

bool j2k_parse_integers(const std::string &text, const char *separators,
                        std::vector<int> *integers) {
  std::vector<double> numbers;
  if (!j2k_parse_numbers(text, separators, &numbers)) return false;
  integers->clear();
  for (double value : numbers) {
    if (value != std::floor(value) || value > G_MAXINT) return false;
    integers->push_back(static_cast<int>(value));
  }
  return true;
}

bool j2k_parse_precincts(const std::string &text, std::vector<int> *sizes) {
  return j2k_parse_integers(text, " ,x", sizes) && sizes->size() % 2 == 0 &&
         sizes->size() <= 2 * j2k::kMaxResolutions &&
         std::all_of(sizes->begin(), sizes->end(), [](int size) {
           return size > 0 && std::has_single_bit(static_cast<unsigned>(size)) &&
                  size <= 1 << j2k::kMaxPrecinctExponent;
         });
}

bool j2k_parse_comment(const std::string &text, std::string *latin) {
  gsize length = 0;
  const TextRef converted(g_convert(text.c_str(), static_cast<gssize>(text.size()), "ISO-8859-1",
                                    "UTF-8", nullptr, &length, nullptr));
  if (converted == nullptr) return false;
  latin->assign(converted.get(), length);
  return latin->size() <= j2k::kMaxComment;
}

}  // namespace coalesce::gst
