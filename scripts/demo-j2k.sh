# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2015,SC2034,SC2054,SC2154
# JPEG 2000 in ./run demo. Sourced by ./run, after demo.sh and demo-sheets.sh, whose functions and
# variables it uses.

# What is coded at rates. A codestream of fewer pixels is little but headers at 0.25 bits each.
demo_least_pixels=16384

demo_jpeg2000() {
  local rates=(0.25 0.5 1 2) psnr='' judge unjudged=''
  demo_unjudged
  say "" "JPEG 2000. The picture as RGB of 8 bits, without loss:"
  demo_jp2 "$outdir/picture.jp2"
  demo_rates
  demo_video
  say "" "The encoder alone: one frame, again and again."
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=6 ! j2kenc ! fakesink ||
    die "failed: $(demo_error)"
  demo_speed 6 "without loss"
  ((width * height >= demo_least_pixels)) || return 0
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=6 ! j2kenc bpp=2 ! fakesink ||
    die "failed: $(demo_error)"
  demo_speed 6 "2 bits per pixel"
}

# ---- judging ------------------------------------------------------------------------------------

# Sets `unjudged` to why nothing can be decoded and compared with the input; empty where it can.
demo_unjudged() {
  judge=$build/tests/support/psnr
  if ! gst-inspect-1.0 --exists openjpegdec; then
    unjudged="GStreamer's openjpegdec is not there to decode"
  elif [ ! -x "$judge" ]; then
    unjudged='the build is without tests, of which the program psnr is one'
  fi
  [ -z "$unjudged" ] || say "" "JPEG 2000 without PSNR, and no sheet of rates: $unjudged."
}

# Sets `psnr` to how near what comes to `appsink name=after` is to what comes to `appsink name=before`.
demo_psnr() {  # words of a pipeline with both
  demo_run "$judge" "$@" || die "not decoded again: $(demo_error)"
  psnr=$(sed -n 's/^frames [0-9]*, //p' "$log")
}

# Sets `decode` to the words that make a picture of a JP2 file, which is one buffer.
demo_decode() {  # FILE
  decode=(filesrc "location=$(demo_location "$1")" "blocksize=$(stat -Lc %s -- "$1")" !
    "image/jp2,width=$width,height=$height,framerate=0/1" ! openjpegdec)
}

demo_bpp() {  # FILE FRAMES
  awk -v bytes="$(stat -Lc %s -- "$1")" -v pixels="$((width * height * $2))" \
    'BEGIN { printf "%.2f", 8 * bytes / pixels }'
}

demo_result() {  # FILE FRAMES
  say "  $1: $(stat -Lc %s -- "$1") bytes, $(demo_bpp "$1" "$2") bits per pixel${psnr:+, $psnr}"
}

# ---- pictures -----------------------------------------------------------------------------------

# Also sets `psnr`.
demo_jp2() {  # FILE [properties of j2kenc]
  local file=$1 decode=()
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! j2kenc "${@:2}" ! image/jp2 ! \
    filesink "location=$(demo_location "$file")" && [ -s "$file" ] || {
    rm -f -- "$file"
    die "no JPEG 2000 came out: $(demo_error)"
  }
  if [ -z "$unjudged" ]; then
    demo_decode "$file"
    demo_psnr "${rgb[@]}" ! imagefreeze num-buffers=1 ! appsink name=before \
      "${decode[@]}" ! appsink name=after
  fi
  demo_result "$file" 1
}

demo_rates() {
  say "" "At a rate:"
  if ((width * height < demo_least_pixels)); then
    say "  left out: so small a picture has no bytes to spare beside its headers"
    return
  fi
  local rate labels=(original)
  for rate in "${rates[@]}"; do
    demo_jp2 "$outdir/picture-${rate}bpp.jp2" "bpp=$rate"
    labels+=("$rate bpp: $psnr")
  done
  [ -z "$unjudged" ] || return 0
  labels+=("lossless: $(demo_bpp "$outdir/picture.jp2" 1) bpp")
  say "" "A part of each, pixel by pixel:"
  demo_rate_sheet
}

# Sets `part` to what cuts a part out of a picture, of as many pixels as a place of the sheet has, and from
# a little above the middle, where faces are; a smaller picture is magnified. openjpegdec does not look at
# the shape of pixels in a JP2 file, so the original's does not count either.
demo_part() {
  local x=$((width > 320 ? width - 320 : 0)) y=$((height > 240 ? height - 240 : 0))
  part=(videoconvert ! capssetter caps=video/x-raw,pixel-aspect-ratio=1/1,interlace-mode=progressive !
    videocrop "left=$((x / 2))" "right=$((x - x / 2))" "top=$((y / 4))" "bottom=$((y - y / 4))" !
    videoscale method=nearest-neighbour ! video/x-raw,width=320,height=240,pixel-aspect-ratio=1/1)
}

demo_rate_sheet() {
  local file=$outdir/rates.png i=1 name compose=() part=() decode=() cells=()
  demo_part
  demo_compose "${labels[@]}"
  for name in "${rates[@]/#/-}" ''; do
    demo_decode "$outdir/picture$name${name:+bpp}.jp2"
    cells+=("${decode[@]}" ! "${part[@]}" ! queue ! "sheet.sink_$i")
    i=$((i + 1))
  done
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! "${part[@]}" ! queue ! sheet.sink_0 \
    "${cells[@]}" "${compose[@]}" ! video/x-raw,format=RGB ! pngenc ! \
    filesink "location=$(demo_location "$file")" && [ -s "$file" ] || {
    rm -f -- "$file"
    die "no contact sheet came out: $(demo_error)"
  }
}

# ---- video --------------------------------------------------------------------------------------

demo_video() {
  say "" "The video, in a file that players open:"
  if ((frames < 2)); then
    say "  left out: a single frame"
    return
  elif ((width < 16 || height < 16)); then
    say "  left out: GStreamer's mj2mux takes no less than 16x16"
    return
  fi
  local file=$outdir/video.mj2 counted=$((frames < 300 ? frames : 300)) i420=() fields
  i420=("${source[@]}" ! video/x-raw,format=I420 ! identity eos-after=301)
  demo_launch "${i420[@]}" ! j2kenc bpp=2 ! mj2mux ! \
    filesink "location=$(demo_location "$file")" && [ -s "$file" ] || {
    rm -f -- "$file"
    die "no video came out: $(demo_error)"
  }
  demo_speed "$counted" "source and file included"
  psnr='' fields=$(grep -c 'GstJ2kEnc.*caps = .*interlace-mode=(string)interleaved' "$log" || true)
  if ((fields > 0)); then
    say "  no PSNR: openjpegdec gives the fields of interlaced video one by one"
  elif [ -z "$unjudged" ]; then
    demo_psnr "${i420[@]}" ! appsink name=before filesrc "location=$(demo_location "$file")" ! \
      qtdemux ! jpeg2000parse ! openjpegdec ! appsink name=after
  fi
  demo_result "$file" "$counted"
}
