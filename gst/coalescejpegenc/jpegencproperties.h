// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of coalescejpegenc.
#pragma once

#include "jpegencsettings.h"
#include "object/propertytable.h"

namespace coalesce::gst {

const PropertyTable<JpegSettings> &jpeg_properties();
void jpeg_install_properties(GObjectClass *klass);

}  // namespace coalesce::gst
