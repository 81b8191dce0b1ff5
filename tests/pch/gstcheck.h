// SPDX-License-Identifier: LGPL-2.1-or-later
// Precompiled for the tests of elements, like gst/base/pch/gst.h for the plugin. gst-check comes
// last: its macro fail would replace names of the standard library.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gst/gst.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>

#include <gst/check/gstcheck.h>
