// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pair.h"
using namespace simulated;
static Suite *aggregator_faults_suite() {
  return suite_create("x");
}
SIMULATED_MAIN(aggregator_faults)
