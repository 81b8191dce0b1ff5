# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2015,SC2017,SC2034,SC2054,SC2154
# The contact sheets of ./run demo. Sourced by ./run, after demo.sh, whose functions and variables
# they use.

# Sets `shrink` to what begins to make a picture 320x240 or less. videoscale leaves a grid where it
# makes a picture much smaller at once, and nothing of a narrow strip between borders.
demo_shrink() {
  local scale=(videoscale method=bilinear2)
  ((width <= 32 * height && height <= 24 * width)) || scale+=(add-borders=false)
  shrink=("${scale[@]}" ! video/x-raw,width=1280,height=960,pixel-aspect-ratio=1/1 ! "${scale[@]}")
}

# Sets `compose` to the words of what puts six pictures of 320x240, three in a row, below their names.
demo_compose() {  # six NAMES, which go into XML and through gst-launch-1.0 as they are
  local i x y svg=''
  compose=(compositor name=sheet background=white)
  for i in 0 1 2 3 4 5; do
    x=$((i % 3 * 328)) y=$((20 + i / 3 * 268))
    compose+=("sink_$i::xpos=$x" "sink_$i::ypos=$y")
    svg+="<text x=\"$((x + 2))\" y=\"$((y - 5))\">${*:i + 1:1}</text>"
  done
  # It comes with the bad plugins, but not where these are built without librsvg.
  gst-inspect-1.0 --exists rsvgoverlay || return 0
  compose+=(! rsvgoverlay
    "data=<svg font-family=\"sans-serif\" font-size=\"15\">$svg</svg>" ! videoconvert)
}

# A contact sheet. To look at a plane, the bytes of a frame are taken for rows of a grey picture, and
# the rows of the plane cut out. Y444 of 320x240 is three times 240 rows of 320. As rows of 32, 64x48
# has 96 of luma (Y42B, I420), and behind them twice 48 or twice 24 of chroma.
demo_yuv_sheet() {  # FILE [properties of rgb2yuv]
  local file=$1 yuv=(rgb2yuv "${@:2}") square=pixel-aspect-ratio=1/1 shrink=()
  demo_shrink
  local magnify=(videoscale method=nearest-neighbour ! "video/x-raw,width=320,height=240,$square")
  local compose=()
  demo_compose Y U V 'V of 4:4:4' 'V of 4:2:2' 'V of 4:2:0'
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! tee name=frame \
    "${compose[@]}" ! video/x-raw,format=GRAY8 ! pngenc ! \
    filesink "location=$(demo_location "$file")" \
    frame. ! queue ! "${yuv[@]}" ! video/x-raw,format=Y444 ! "${shrink[@]}" ! \
    "video/x-raw,width=320,height=240,$square" ! \
    rawvideoparse format=gray8 width=320 height=720 ! tee name=planes \
    planes. ! queue ! videocrop bottom=480 ! sheet.sink_0 \
    planes. ! queue ! videocrop top=240 bottom=240 ! sheet.sink_1 \
    planes. ! queue ! videocrop top=480 ! sheet.sink_2 \
    frame. ! queue ! "${shrink[@]}" ! "video/x-raw,width=64,height=48,$square" ! tee name=small \
    small. ! queue ! "${yuv[@]}" ! video/x-raw,format=Y444 ! \
    rawvideoparse format=gray8 width=64 height=144 ! \
    videocrop top=96 ! "${magnify[@]}" ! sheet.sink_3 \
    small. ! queue ! "${yuv[@]}" ! video/x-raw,format=Y42B ! \
    rawvideoparse format=gray8 width=32 height=192 pixel-aspect-ratio=2/1 ! \
    videocrop top=144 ! "${magnify[@]}" ! sheet.sink_4 \
    small. ! queue ! "${yuv[@]}" ! video/x-raw,format=I420 ! \
    rawvideoparse format=gray8 width=32 height=144 ! \
    videocrop top=120 ! "${magnify[@]}" ! sheet.sink_5 &&
    [ -s "$file" ] || {
    rm -f -- "$file"
    die "no contact sheet came out: $(demo_error)"
  }
}

demo_filter_sheet() {  # [SUFFIX of the file's name] [properties of the filters]
  local file=$outdir/filters${1:-}.png square=pixel-aspect-ratio=1/1 edges=() shrink=() compose=()
  demo_edges "${@:2}"
  demo_shrink
  demo_compose picture 'blur: gaussian, sigma=4' 'sharpen: unsharp, sigma=2' \
    'edges: gaussian, then laplacian' 'sobel-x, absolute' emboss
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! "${shrink[@]}" ! \
    "video/x-raw,width=320,height=240,$square" ! tee name=small \
    "${compose[@]}" ! video/x-raw,format=RGB ! pngenc ! \
    filesink "location=$(demo_location "$file")" \
    small. ! queue ! sheet.sink_0 \
    small. ! queue ! sepconvolve preset=gaussian sigma=4 "${@:2}" ! sheet.sink_1 \
    small. ! queue ! convolve preset=unsharp sigma=2 "${@:2}" ! sheet.sink_2 \
    small. ! queue ! "${edges[@]}" ! sheet.sink_3 \
    small. ! queue ! convolve preset=sobel-x absolute=true "${@:2}" ! sheet.sink_4 \
    small. ! queue ! convolve preset=emboss "${@:2}" ! sheet.sink_5 &&
    [ -s "$file" ] || {
    rm -f -- "$file"
    die "no contact sheet came out: $(demo_error)"
  }
}
