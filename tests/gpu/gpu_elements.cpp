// SPDX-License-Identifier: LGPL-2.1-or-later
// Every filter of the plugin with its defaults, in every format and any mix of memory: the bytes of
// its CPU back end, which tests/check has judged. Later filters are covered by being registered.
#include "../support/covering_array.h"
#include "../support/elements/plugin.h"
#include "gpu_support.h"

using namespace gpu_test;
using coalesce::test::covering_rows;

namespace {

bool is_filter(const std::string &element) {
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  const CapsRef video(gst_caps_new_empty_simple("video/x-raw"));
  return gst_element_factory_can_src_any_caps(factory.get(), video.get());
}

std::string in_memory(const std::string &caps, bool cuda) {
  const std::string media_type = "video/x-raw";
  return media_type + (cuda ? "(memory:CUDAMemory)" : "") + caps.substr(media_type.size());
}

void compare(const std::string &element, Size size, int format, bool in_cuda, bool out_cuda) {
  std::string in = sink_caps(element, size, format);
  const std::string another = another_format(element, video_info(in).finfo->name);
  in = sink_caps(element, {possible_width(another, size.width), size.height}, format);
  const std::string out = in.substr(0, in.find(',')) +
                          (another.empty() ? "" : ", format=" + another) +
                          in.substr(in.find(", width"));
  compare_with_cpu(element, {in_memory(in, in_cuda), in_memory(out, out_cuda)}, {in, out}, 3);
}

}  // namespace

// Each with each of every other.
GST_START_TEST(formats_sizes_and_memory) {
  const std::string &element = element_name(__i__);
  std::vector<int> formats;
  const int n = is_filter(element) ? n_sink_formats(element) : 0;
  for (int format = first_sample(n); format < n; format += sample_step())
    formats.push_back(format);
  if (formats.empty()) return;
  constexpr Size kSizes[] = {{1, 1}, {3, 1}, {1, 3}, {67, 35}, {320, 18}, {641, 19}};
  constexpr struct {
    bool in_cuda, out_cuda;
  } kMemory[] = {{true, true}, {true, false}, {false, true}, {false, false}};
  for (const auto &row :
       covering_rows({int(formats.size()), std::size(kSizes), std::size(kMemory)}))
    compare(element, kSizes[row[1]], formats[std::size_t(row[0])], kMemory[row[2]].in_cuda,
            kMemory[row[2]].out_cuda);
}
GST_END_TEST

int main(int argc, char **argv) {
  return run(&argc, &argv, "gpu_elements", [](TCase *tests) {
    tcase_add_loop_test(tests, formats_sizes_and_memory, 0, n_elements());
  });
}
