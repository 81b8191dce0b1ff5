// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace coalesce {

enum class StatusCode : std::uint8_t {
  ok,
  invalid_argument,  // the caller's planes or parameters break the operation's contract
  unsupported,       // this build or this device cannot do it
  out_of_memory,     // host or device memory
  device_error,      // the CUDA runtime reported an error; the context may be lost
};

// The result of every operation: a code and a text that says what was wrong.
// The text has static storage duration, so a Status is copied freely and never allocates.
class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(StatusCode code, const char *message) : message_(message), code_(code) {}

  constexpr bool ok() const { return code_ == StatusCode::ok; }
  constexpr StatusCode code() const { return code_; }
  constexpr const char *message() const { return message_; }

 private:
  const char *message_ = "ok";
  StatusCode code_ = StatusCode::ok;
};

constexpr Status invalid_argument(const char *message) {
  return {StatusCode::invalid_argument, message};
}

}  // namespace coalesce
