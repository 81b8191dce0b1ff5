#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# psnr on frames whose difference is known: black and white of GRAY8 are 16 and 235.
set -euo pipefail
psnr=$1

frames() {  # FORMAT PATTERN NUMBER WIDTH
  words=(videotestsrc "pattern=$2" "num-buffers=$3" ! "video/x-raw,format=$1,width=$4,height=17")
}

# Extended regular expression of the output | FORMAT PATTERN NUMBER WIDTH before | the same after
while IFS='|' read -r expected before after; do
  read -ra before <<<"$before"
  read -ra after <<<"$after"
  frames "${before[@]}" && pipeline=("${words[@]}" ! appsink name=before)
  frames "${after[@]}" && pipeline+=("${words[@]}" ! appsink name=after)
  result=$("$psnr" "${pipeline[@]}" 2>&1) && status=0 || status=$?
  [[ $expected == psnr:* ]] && wanted=1 || wanted=0
  if [[ ! $result =~ $expected ]] || ((status != wanted)); then
    printf '%s: status %d, "%s" instead of "%s"\n' "${pipeline[*]}" "$status" "$result" "$expected"
    exit 1
  fi
done <<'END'
frames 3, PSNR 1\.32 dB$|GRAY8 black 3 33|GRAY8 white 3 33
frames 2, identical$|I420 snow 2 33|I420 snow 2 33
frames 1, PSNR 0\.00 dB$|RGB black 1 33|xBGR white 1 33
frames 1, PSNR 4\.77 dB$|RGB black 1 33|ARGB red 1 33
psnr: fewer frames|GRAY8 black 3 33|GRAY8 black 2 33
psnr: more frames|GRAY8 black 2 33|GRAY8 black 3 33
psnr: .* not of one size|GRAY8 black 1 33|GRAY8 black 1 34
psnr: .* different components|RGB black 1 33|I420 black 1 33
END
