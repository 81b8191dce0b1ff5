// SPDX-License-Identifier: LGPL-2.1-or-later
#include "log.h"

#include <algorithm>
#include <cstdio>

namespace test {

Log::Log(const char *categories, GstDebugLevel level) : categories_(categories) {
  gst_debug_remove_log_function(gst_debug_log_default);
  gst_debug_add_log_function(note, this, nullptr);
  gst_debug_set_threshold_for_name(categories, level);
}

Log::~Log() {
  gst_debug_unset_threshold_for_name(categories_);
  gst_debug_remove_log_function_by_data(this);
  gst_debug_add_log_function(gst_debug_log_default, nullptr, nullptr);
}

void Log::note(GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *,
               gint, GObject *, GstDebugMessage *message, gpointer self) {
  auto *log = static_cast<Log *>(self);
  const char *name = gst_debug_category_get_name(category);
  if (!g_pattern_match_simple(log->categories_, name)) return;
  Line line{name, file, gst_debug_message_get(message), level};  // which may come here again
  std::lock_guard guard(log->lock_);
  log->lines_.push_back(std::move(line));
}

std::vector<Log::Line> Log::lines() const {
  std::lock_guard guard(lock_);
  return lines_;
}

std::string Log::text() const {
  std::string all;
  for (const Line &line : lines())
    all += line.text + "\n";
  return all;
}

void Log::expect(const std::vector<const char *> &words) const {
  const std::vector<Line> all = lines();
  const bool found = std::any_of(all.begin(), all.end(), [&words](const Line &line) {
    return std::all_of(words.begin(), words.end(), [&line](const char *word) {
      return line.text.find(word) != std::string::npos;
    });
  });
  if (!found) std::fputs(text().c_str(), stderr);  // too long for a message
  fail_unless(found, "no line of the log has \"%s\" and what else is expected", words[0]);
}

}  // namespace test
