// SPDX-License-Identifier: LGPL-2.1-or-later
// All that tests of an element between two pads need.
#pragma once

#include "plugin.h"
#include "pools.h"
#include "run.h"
