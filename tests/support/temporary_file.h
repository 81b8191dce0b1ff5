// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>
#include <unistd.h>

#include <cstdio>
#include <string>

// A file in the system's folder for such, which goes with the object, in the process that made it.
class TemporaryFile {
 public:
  TemporaryFile() : name_(std::string(g_get_tmp_dir()) + "/coalesce-XXXXXX") {
    const int file = g_mkstemp(name_.data());
    if (file < 0) g_error("%s cannot be made", name_.c_str());
    close(file);
  }
  ~TemporaryFile() {
    if (getpid() == process_) std::remove(name_.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &name() const { return name_; }

 private:
  std::string name_;
  pid_t process_ = getpid();
};
