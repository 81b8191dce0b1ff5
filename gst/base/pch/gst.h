// SPDX-License-Identifier: LGPL-2.1-or-later
// Precompiled for the plugin, whose compile time is mostly these. Sources include what they use
// themselves: the sanitizers' folders are built with -Db_pch=false. (Meson requires a folder
// without sources for it.)
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>
