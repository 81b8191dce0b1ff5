// SPDX-License-Identifier: LGPL-2.1-or-later
// What kernels' arguments have in common from one frame to the next, made once.
#pragma once

#include <memory>
#include <vector>

namespace coalesce {

// Values by their type and a number, made of something that stays the same: with other settings a
// cache has to be cleared. For one thread at a time.
class ArgumentCache {
 public:
  // As make() returned it, the first time that it was asked for.
  template <class Value, class Make>
  Value &get(int number, const Make &make) {
    static char type;  // its address is the type's
    for (const Entry &entry : entries_)
      if (entry.type == &type && entry.number == number)
        return *static_cast<Value *>(entry.value.get());
    entries_.push_back({&type, number, std::make_shared<Value>(make())});
    return *static_cast<Value *>(entries_.back().value.get());
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    const void *type;
    int number;
    std::shared_ptr<void> value;
  };
  std::vector<Entry> entries_;
};

}  // namespace coalesce
