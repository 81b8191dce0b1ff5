// SPDX-License-Identifier: LGPL-2.1-or-later
#include "picture.h"

#include "picture/formats.h"

namespace coalesce::test {
namespace {

// A layout for each plane, with samples at multiples of their size; `text` says which.
std::vector<Layout> layouts(const PictureShape &shape, const LayoutOptions &options,
                            const char *what, Random &random, std::string *text) {
  const PixelFormat format = pixel_format(shape.name);
  const auto sample = static_cast<std::size_t>(container_alignment(format.component[0].container));
  std::vector<Layout> all;
  *text = std::string("\n    ") + what + " " + shape.name;
  for (const PlaneSize &size : plane_sizes(format, shape.width, shape.height, shape.spare_row)) {
    Layout layout = random_layout(random, size.row_bytes, size.height, options);
    for (std::size_t *bytes : {&layout.pitch, &layout.before, &layout.after})
      *bytes = (*bytes + sample - 1) / sample * sample;
    all.push_back(layout);
    *text += "\n      " + all.back().text();
  }
  return all;
}

template <class Picture>
Picture empty(const PictureShape &shape) {
  return {pixel_format(shape.name), shape.width, shape.height, shape.interlaced, {}};
}

template <class Planes>
std::string first_difference(const Planes &planes, const char *what) {
  for (std::size_t p = 0; p < planes.size(); ++p) {
    const std::string difference = planes[p].difference();
    if (!difference.empty())
      return std::string(what) + " plane " + std::to_string(p) + " " + difference;
  }
  return {};
}

}  // namespace

bool random_spare_row(const PictureShape &shape, Random &random) {
  return shape.interlaced && may_have_spare_row(pixel_format(shape.name), shape.height) &&
         random.below(2) == 0;
}

InputPicture::InputPicture(const PictureShape &shape, const LayoutOptions &options, Pattern pattern,
                           Random &random)
    : shape_(shape) {
  for (const Layout &layout : layouts(shape, options, "in", random, &text_))
    planes_.emplace_back(layout, pattern, random);
}

ConstImage InputPicture::at(bool device) const {
  auto image = empty<ConstImage>(shape_);
  for (std::size_t p = 0; p < planes_.size(); ++p)
    image.plane[p] = device ? planes_[p].image.device_plane() : planes_[p].image.plane();
  return image;
}

ConstImage InputPicture::given(const Backend &backend) {
  for (InputImage &plane : planes_)
    if (backend.cuda) plane.image.upload();
  return at(backend.cuda);
}

std::string InputPicture::difference(const Backend &backend) {
  for (InputImage &plane : planes_)
    if (backend.cuda) plane.image.download();
  return first_difference(planes_, "input");
}

OutputPicture::OutputPicture(const PictureShape &shape, const LayoutOptions &options,
                             Random &random)
    : shape_(shape) {
  for (const Layout &layout : layouts(shape, options, "out", random, &text_))
    planes_.emplace_back(layout);
}

Image OutputPicture::expected() const {
  auto image = empty<Image>(shape_);
  for (std::size_t p = 0; p < planes_.size(); ++p)
    image.plane[p] = planes_[p].expected.plane();
  return image;
}

Image OutputPicture::given(const Backend &backend) {
  auto image = empty<Image>(shape_);
  for (std::size_t p = 0; p < planes_.size(); ++p) {
    TestImage &actual = planes_[p].actual;
    if (backend.cuda) actual.upload();
    image.plane[p] = backend.cuda ? actual.device_plane() : actual.plane();
  }
  return image;
}

std::string OutputPicture::difference(const Backend &backend) {
  for (OutputImage &plane : planes_)
    if (backend.cuda) plane.actual.download();
  return first_difference(planes_, "output");
}

std::string picture_trial(
    InputPicture *in, OutputPicture *out, const std::string &doing, const Backend &backend,
    const std::function<void(const ConstImage &, const Image &)> &reference,
    const std::function<Status(const ConstImage &, const Image &)> &operation) {
  const std::string what = doing + in->text() + out->text();
  set_doing(what);
  reference(in->image(), out->expected());
  const Status status = operation(in->given(backend), out->given(backend));
  if (!status.ok()) return std::string("it returned: ") + status.message() + "\n    " + what;
  if (backend.cuda) device_synchronize();
  for (const std::string &difference : {out->difference(backend), in->difference(backend)})
    if (!difference.empty()) return difference + "\n    " + what;
  return {};
}

}  // namespace coalesce::test
