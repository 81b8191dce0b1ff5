// SPDX-License-Identifier: LGPL-2.1-or-later
#include "formats.h"

namespace coalesce {
namespace {

struct Depth {
  Container container;
  std::uint8_t bits, shift;
};
constexpr Depth k8 = {Container::u8, 8, 0};
constexpr Depth k10 = {Container::u16, 10, 0}, k12 = {Container::u16, 12, 0};
constexpr Depth k16 = {Container::u16, 16, 0};
constexpr Depth kHigh10 = {Container::u16, 10, 6}, kHigh12 = {Container::u16, 12, 4};

constexpr Role role_of(char letter) {
  constexpr std::string_view kLetters = "gYUVRGBA";
  return static_cast<Role>(kLetters.find(letter));
}

// Where PixelFormat has a component.
constexpr int place_of(Role role) {
  switch (role) {
    case Role::u:
    case Role::g:
      return 1;
    case Role::v:
    case Role::b:
      return 2;
    case Role::alpha:
      return 3;
    default:
      return 0;
  }
}

constexpr void add(PixelFormat *f, char letter, int plane, Depth depth, std::size_t first,
                   std::size_t step, int log2_width, int log2_height) {
  const Role role = role_of(letter);
  const bool chroma = role == Role::u || role == Role::v;
  f->component[place_of(role)] = {static_cast<std::uint8_t>(plane),
                                  depth.container,
                                  depth.shift,
                                  depth.bits,
                                  static_cast<std::int8_t>(first),
                                  static_cast<std::int8_t>(step),
                                  static_cast<std::uint8_t>(chroma ? log2_width : 0),
                                  static_cast<std::uint8_t>(chroma ? log2_height : 0),
                                  role};
  f->components++;
  if (f->planes <= plane) f->planes = static_cast<std::uint8_t>(plane + 1);
}

// One plane of pixels of these letters, x being padding; with two Y of pairs of pixels: 4:2:2.
constexpr PixelFormat packed(std::string_view letters, Depth depth = k8) {
  PixelFormat f;
  const bool pairs = letters.find('Y') != letters.rfind('Y');
  for (std::size_t i = 0; i < letters.size(); ++i)
    if (letters[i] != 'x' && letters.find(letters[i]) == i)
      add(&f, letters[i], 0, depth, i, pairs && letters[i] == 'Y' ? 2 : letters.size(), pairs, 0);
  return f;
}

// A plane for each letter.
constexpr PixelFormat planar(std::string_view letters, int log2_width = 0, int log2_height = 0,
                             Depth depth = k8) {
  PixelFormat f;
  for (std::size_t i = 0; i < letters.size(); ++i)
    add(&f, letters[i], static_cast<int>(i), depth, 0, 1, log2_width, log2_height);
  return f;
}

// A plane of luma, and one of two letters by turns.
constexpr PixelFormat semi_planar(std::string_view letters, int log2_width, int log2_height,
                                  Depth depth = k8) {
  PixelFormat f;
  add(&f, 'Y', 0, depth, 0, 1, 0, 0);
  for (std::size_t i = 0; i < 2; ++i)
    add(&f, letters[i], 1, depth, i, 2, log2_width, log2_height);
  return f;
}

// Three fields of ten bits in a word, from the lowest on, and perhaps one of two bits.
constexpr PixelFormat fields10(std::string_view letters) {
  PixelFormat f;
  for (std::size_t i = 0; i < letters.size(); ++i)
    add(&f, letters[i], 0,
        {Container::u32, static_cast<std::uint8_t>(i < 3 ? 10 : 2),
         static_cast<std::uint8_t>(10 * i)},
        0, 1, 0, 0);
  return f;
}

// Fields of ten bits: Cb Y Cr Y.
constexpr PixelFormat fields10_422(Container container) {
  const Depth field = {container, 10, 0};
  PixelFormat f;
  add(&f, 'Y', 0, field, 1, 2, 0, 0);
  add(&f, 'U', 0, field, 0, 4, 1, 0);
  add(&f, 'V', 0, field, 2, 4, 1, 0);
  return f;
}

constexpr NamedFormat kFormats[] = {
    {"GRAY8", packed("g")},
    {"GRAY10_LE16", packed("g", k10)},
    {"GRAY16_LE", packed("g", k16)},
    // RGB
    {"RGB", packed("RGB")},
    {"BGR", packed("BGR")},
    {"RGBx", packed("RGBx")},
    {"BGRx", packed("BGRx")},
    {"xRGB", packed("xRGB")},
    {"xBGR", packed("xBGR")},
    {"RGBA", packed("RGBA")},
    {"BGRA", packed("BGRA")},
    {"ARGB", packed("ARGB")},
    {"ABGR", packed("ABGR")},
    {"RBGA", packed("RBGA")},
    {"ARGB64", packed("ARGB", k16)},
    {"ARGB64_LE", packed("ARGB", k16)},
    {"RGBA64_LE", packed("RGBA", k16)},
    {"BGRA64_LE", packed("BGRA", k16)},
    {"ABGR64_LE", packed("ABGR", k16)},
    {"RGB10x2_LE", fields10("RGB")},
    {"BGR10x2_LE", fields10("BGR")},
    {"RGB10A2_LE", fields10("RGBA")},
    {"BGR10A2_LE", fields10("BGRA")},
    {"GBR", planar("GBR")},
    {"RGBP", planar("RGB")},
    {"BGRP", planar("BGR")},
    {"GBR_10LE", planar("GBR", 0, 0, k10)},
    {"GBR_12LE", planar("GBR", 0, 0, k12)},
    {"GBR_16LE", planar("GBR", 0, 0, k16)},
    {"GBRA", planar("GBRA")},
    {"GBRA_10LE", planar("GBRA", 0, 0, k10)},
    {"GBRA_12LE", planar("GBRA", 0, 0, k12)},
    // 4:4:4
    {"AYUV", packed("AYUV")},
    {"VUYA", packed("VUYA")},
    {"AYUV64", packed("AYUV", k16)},
    {"Y410", fields10("UYVA")},
    {"Y412_LE", packed("UYVA", kHigh12)},
    {"Y416_LE", packed("UYVA", k16)},
    {"NV24", semi_planar("UV", 0, 0)},
    {"Y444", planar("YUV")},
    {"Y444_10LE", planar("YUV", 0, 0, k10)},
    {"Y444_12LE", planar("YUV", 0, 0, k12)},
    {"Y444_16LE", planar("YUV", 0, 0, k16)},
    {"A444", planar("YUVA")},
    {"A444_12LE", planar("YUVA", 0, 0, k12)},
    {"A444_16LE", planar("YUVA", 0, 0, k16)},
    // 4:2:2
    {"YUY2", packed("YUYV")},
    {"UYVY", packed("UYVY")},
    {"YVYU", packed("YVYU")},
    {"VYUY", packed("VYUY")},
    {"v210", fields10_422(Container::v210)},
    {"UYVP", fields10_422(Container::be10)},
    {"Y210", packed("YUYV", kHigh10)},
    {"Y212_LE", packed("YUYV", kHigh12)},
    {"Y216_LE", packed("YUYV", k16)},
    {"NV16", semi_planar("UV", 1, 0)},
    {"NV61", semi_planar("VU", 1, 0)},
    {"Y42B", planar("YUV", 1, 0)},
    {"I422_10LE", planar("YUV", 1, 0, k10)},
    {"I422_12LE", planar("YUV", 1, 0, k12)},
    // 4:2:0 and 4:1:1
    {"NV12", semi_planar("UV", 1, 1)},
    {"NV21", semi_planar("VU", 1, 1)},
    {"P010_10LE", semi_planar("UV", 1, 1, kHigh10)},
    {"P012_LE", semi_planar("UV", 1, 1, kHigh12)},
    {"P016_LE", semi_planar("UV", 1, 1, k16)},
    {"I420", planar("YUV", 1, 1)},
    {"YV12", planar("YVU", 1, 1)},
    {"I420_10LE", planar("YUV", 1, 1, k10)},
    {"I420_12LE", planar("YUV", 1, 1, k12)},
    {"Y41B", planar("YUV", 2, 0)},
};

}  // namespace

std::span<const NamedFormat> named_formats() {
  return kFormats;
}

PixelFormat pixel_format(std::string_view name) {
  for (const NamedFormat &f : kFormats)
    if (f.name == name) return f.format;
  return {};
}

}  // namespace coalesce
