// SPDX-License-Identifier: LGPL-2.1-or-later
// A libcuda.so.1 with none of the driver's functions.
extern "C" int coalesce_lacking_everything();
int coalesce_lacking_everything() {
  return 0;
}
