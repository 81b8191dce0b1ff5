// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's log. (GStreamer leaks a little with every log function, which valgrind finds: no test
// of a small run has a Log.)
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "owned.h"

namespace test {

class Log {
 public:
  struct Line {
    std::string category, file, text;
    GstDebugLevel level;
  };

  // From now on, of categories by this pattern, up to this level, and nothing on the terminal.
  Log(const char *categories, GstDebugLevel level);
  ~Log();
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;

  std::vector<Line> lines() const;
  // Their texts, one below the other.
  std::string text() const;
  // Fails if no line has all of these words.
  void expect(const std::vector<const char *> &words) const;

 private:
  static void note(GstDebugCategory *category, GstDebugLevel level, const gchar *file,
                   const gchar *function, gint line, GObject *object, GstDebugMessage *message,
                   gpointer self);

  const char *categories_;
  mutable std::mutex lock_;
  std::vector<Line> lines_;
};

}  // namespace test
