// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements say: messages on a bus, statistics, the back end that runs.
#pragma once

#include <string>

#include "owned.h"

namespace test {

// A message of type ERROR or WARNING.
struct Message {
  std::string source, text, details;
  GQuark domain = 0;
  int code = 0;

  bool is(GQuark of_domain, int of_code) const { return domain == of_domain && code == of_code; }
};
Message parse(GstMessage *message);

guint64 stat(GstElement *element, const char *name);
std::string active_backend(GstElement *element);

}  // namespace test
