# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2015,SC2017,SC2054,SC2154
# ./run demo, one function a step. Sourced by ./run, whose say, die, usage, log and build_all it uses.

demo() {  # [FILE-or-URI] [OUTDIR]
  (($# <= 2)) || { usage >&2; exit 2; }
  local input=${1:-} outdir=${2:-out} source=() uyvy=() rgb=() width height frames
  local filters_caption='above: the picture, blurred, sharpened; below: edges, sobel-x, emboss'
  demo_source "$input"
  uyvy=("${source[@]}" ! video/x-raw,format=UYVY)
  rgb=("${source[@]}" ! video/x-raw,format=RGB)
  mkdir -p -- "$outdir" 2>"$log" && [ -w "$outdir" ] || die "cannot write into $outdir"
  # No picture or video of an earlier run is left.
  rm -f -- "$outdir"/{input,luma,yuv,blur,sharpen,edges,filters}.png \
    "$outdir"/{luma,vuya,yuv,blur,sharpen,edges,filters}-{cpu,cuda}.png \
    "$outdir"/picture{,-{0.25,0.5,1,2}bpp}.jp2 "$outdir"/{video.mj2,rates.png}

  build_all
  say "" "The plugin is used from the build tree. For this and for every line below:" \
    "" "  export GST_PLUGIN_PATH=$(demo_quote "$build/gst")"
  export GST_PLUGIN_PATH=$build/gst
  if [ -n "${GST_PLUGIN_PATH_1_0:-}" ]; then  # it would go before
    unset GST_PLUGIN_PATH_1_0
    say "  unset GST_PLUGIN_PATH_1_0"
  fi
  # Not --exists, which also wants the plugin's version to be at least GStreamer's.
  local element
  for element in uyvy2y rgb2yuv convolve sepconvolve j2kenc; do
    gst-inspect-1.0 $element >/dev/null 2>&1 ||
      die "GStreamer does not find the element $element in $build/gst"
  done

  demo_luma
  demo_moving
  demo_yuv
  demo_filters
  demo_still
  demo_gpu
  demo_jpeg2000
  say "" "To look at, all in $outdir:" \
    "  input.png                         what went in" \
    "  luma.png                          its luma" \
    "  yuv.png                           above: Y, U and V; below: V of 4:4:4, 4:2:2 and 4:2:0" \
    "  blur.png, sharpen.png, edges.png  the whole picture, filtered" \
    "  filters.png                       $filters_caption" \
    "  picture.jp2                       the picture as RGB of 8 bits, in JPEG 2000 without loss"
  [ ! -e "$outdir/picture-1bpp.jp2" ] ||
    say "  picture-{0.25,0.5,1,2}bpp.jp2     at so many bits per pixel"
  [ ! -e "$outdir/rates.png" ] ||
    say "  rates.png                         a part of these beside the original"
  [ ! -e "$outdir/video.mj2" ] ||
    say "  video.mj2                         the video, up to 300 frames, at 2 bits per pixel"
}

# ---- the input ----------------------------------------------------------------------------------

# Sets `source` to the words of a pipeline that makes frames from the input, in any format.
demo_source() {  # FILE-or-URI, or '' for the test card
  local input=$1
  if [ -z "$input" ]; then
    source=(videotestsrc pattern=smpte horizontal-speed=4 !
      video/x-raw,width=1920,height=1080,framerate=30/1 ! videoconvert)
  elif [[ $input =~ ^[A-Za-z][A-Za-z0-9+.-]*:// ]]; then
    source=(uridecodebin "uri=$input" ! videoconvert)
  elif [ ! -e "$input" ]; then
    die "no such file: $input"
  elif [ ! -f "$input" ] || [ ! -r "$input" ]; then
    die "cannot be read as a file: $input"
  elif [[ $input == *.uyvy ]]; then
    demo_raw_source "$input"
  else
    source=(uridecodebin "uri=$(demo_file_uri "$input")" ! videoconvert)
  fi
}

demo_raw_source() {  # FILE
  local name=${1##*/} width height frame length
  [[ $name =~ ([1-9][0-9]{0,4})x([1-9][0-9]{0,4})[^0-9]*$ ]] ||
    die "raw video needs its size in its name, as in camera_1920x1080.uyvy; not so: $name"
  width=${BASH_REMATCH[1]} height=${BASH_REMATCH[2]}
  frame=$(((width + 1) / 2 * 4 * height))  # a macropixel of 4 bytes is two pixels
  length=$(stat -Lc %s -- "$1")
  ((length > 0 && length % frame == 0)) ||
    die "$name has $length bytes; whole UYVY frames of ${width}x$height have $frame each"
  source=(filesrc "location=$(demo_location "$1")" !
    rawvideoparse format=uyvy "width=$width" "height=$height" ! videoconvert)
}

# A URI has odd characters escaped, so that any file name gets through gst-launch-1.0 unharmed.
demo_file_uri() {  # FILE
  local LC_ALL=C path char i
  path=$(realpath -- "$1")
  printf 'file://'
  for ((i = 0; i < ${#path}; i++)); do
    char=${path:i:1}
    case $char in
      [A-Za-z0-9/._~-]) printf %s "$char" ;;
      *) printf '%%%02X' "'$char" ;;
    esac
  done
}

# gst-launch-1.0 takes a backslash away.
demo_location() {  # FILE
  printf %s "${1//\\/\\\\}"
}

# ---- running a pipeline -------------------------------------------------------------------------

demo_quote() {  # WORD, as a shell wants to read it
  if [[ $1 == ! || $1 =~ ^[A-Za-z0-9_./:=,%@+-]+$ ]]; then
    printf %s "$1"
  else
    printf "'%s'" "${1//\'/\'\\\'\'}"
  fi
}

# Prints a gst-launch-1.0 line so that it can be copied into a shell, and runs it into $log.
demo_launch() {  # words of the pipeline
  demo_run gst-launch-1.0 -v "$@"
}

demo_run() {  # PROGRAM and its words
  local word line=
  for word; do line+=" $(demo_quote "$word")"; done
  say "" " $line"
  "$@" >"$log" 2>&1
}

# What the last pipeline gave as its reason to fail: GStreamer's message and the element's own words.
demo_error() {
  local text
  text=$(sed -n 's/^ERROR: from element [^ ]*: //p; s/^WARNING: erroneous pipeline: //p' "$log" | head -n 1)
  printf %s "${text:-$(tail -n 1 "$log")}"
  awk '/^Additional debug info:/ { getline; getline; if ($0 !~ /^(ERROR:.*)?$/) printf " (%s)", $0; exit }' "$log"
}

# Prints the speed of the last pipeline. gst-launch-1.0 starts its clock when the first frame has
# arrived at the sink, so that frame, and starting up, are not in the time.
demo_speed() {  # FRAMES WHAT
  local frames=$(($1 - 1)) backend
  # It is "none" again when the pipeline stops.
  backend=$(sed -n 's/.*: active-backend = \(c[a-z]*\)$/\1/p' "$log" | tail -n 1)
  awk -v frames="$frames" -v what="$2" -v backend="${backend:-unknown}" '
    /^Execution ended after / {
      split($4, t, ":")
      s = t[1] * 3600 + t[2] * 60 + t[3]
      speed = sprintf(frames / s < 100 ? "%.1f" : "%.0f", frames / s)
      printf "  back end %s, %s: %d frames in %.3f s, %s frames/s\n", backend, what, frames, s, speed
    }' "$log"
}

# ---- the steps ----------------------------------------------------------------------------------

# Also sets `width` and `height`.
demo_luma() {
  say "" "One frame, before and after:"
  demo_launch "${uyvy[@]}" ! imagefreeze num-buffers=1 ! tee name=frame \
    frame. ! queue ! videoconvert ! pngenc ! filesink "location=$(demo_location "$outdir/input.png")" \
    frame. ! queue ! uyvy2y ! pngenc ! filesink "location=$(demo_location "$outdir/luma.png")" &&
    [ -s "$outdir/input.png" ] && [ -s "$outdir/luma.png" ] || {
    rm -f -- "$outdir"/{input,luma}.png
    die "no picture came out of ${input:-the test card}: $(demo_error)"
  }
  # The header of a PNG has them.
  read -r width height < <(od -An -tu4 --endian=big -j16 -N8 -- "$outdir/luma.png")
}

# Up to 300 frames after the first; `frames`, how many they were with it, is counted from what identity
# prints.
demo_moving() {
  say "" "The whole way, from the source on:"
  demo_launch "${uyvy[@]}" ! identity silent=false eos-after=302 ! uyvy2y ! fakesink ||
    die "failed: $(demo_error)"
  frames=$(grep -c 'last-message = chain' "$log" || true)
  if ((frames > 1)); then
    demo_speed "$frames" "source included"
  else
    say "  a single frame, nothing to time"
  fi
}

demo_yuv() {
  say "" "RGB to YUV. Above, the planes Y, U and V; below, V of 4:4:4, 4:2:2 and 4:2:0 video of 64x48:"
  demo_yuv_sheet "$outdir/yuv.png"
}

demo_filters() {
  say "" "Filters, the whole picture: sepconvolve blurs, convolve sharpens, edges take both in a row:"
  demo_filtered
  say "" "And small, where more can be seen of it ($filters_caption):"
  demo_filter_sheet
}

# Sets `edges`: where the brightness turns. On the GPU one element hands CUDA memory to the other.
demo_edges() {  # [properties of both]
  edges=(sepconvolve preset=gaussian sigma=1 "$@")
  [ "$*" != backend=cuda ] || edges+=(! 'video/x-raw(memory:CUDAMemory)')
  edges+=(! convolve preset=laplacian absolute=true divisor=0.25 "$@")
}

demo_filtered() {  # [SUFFIX of the files' names] [properties of the filters]
  local suffix=${1:-} edges=()
  demo_edges "${@:2}"
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! tee name=frame \
    frame. ! queue ! sepconvolve preset=gaussian sigma=4 "${@:2}" ! pngenc ! \
    filesink "location=$(demo_location "$outdir/blur$suffix.png")" \
    frame. ! queue ! convolve preset=unsharp sigma=2 "${@:2}" ! pngenc ! \
    filesink "location=$(demo_location "$outdir/sharpen$suffix.png")" \
    frame. ! queue ! "${edges[@]}" ! pngenc ! \
    filesink "location=$(demo_location "$outdir/edges$suffix.png")" &&
    [ -s "$outdir/blur$suffix.png" ] && [ -s "$outdir/sharpen$suffix.png" ] &&
    [ -s "$outdir/edges$suffix.png" ] || {
    rm -f -- "$outdir"/{blur,sharpen,edges}"$suffix".png
    die "no filtered picture came out: $(demo_error)"
  }
}

demo_still() {
  say "" "The elements alone: one frame, again and again."
  demo_launch "${uyvy[@]}" ! imagefreeze num-buffers=1001 ! uyvy2y ! fakesink ||
    die "failed: $(demo_error)"
  demo_speed 1001 "system memory to system memory"
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=101 ! rgb2yuv ! \
    video/x-raw,format=NV12 ! fakesink || die "failed: $(demo_error)"
  demo_speed 101 "system memory to system memory"
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=31 ! sepconvolve preset=gaussian sigma=4 ! \
    fakesink || die "failed: $(demo_error)"
  demo_speed 31 "system memory to system memory"
}

demo_gpu() {
  say "" "The same on the GPU:"
  if ! demo_launch "${uyvy[@]}" ! imagefreeze num-buffers=1001 ! uyvy2y backend=cuda ! fakesink; then
    say "  $(demo_error)" "  So all of the above ran on the CPU; a GPU gives the same bytes."
    return
  fi
  demo_speed 1001 "copied to the GPU and back"
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=101 ! rgb2yuv backend=cuda ! \
    video/x-raw,format=NV12 ! fakesink || die "failed: $(demo_error)"
  demo_speed 101 "copied to the GPU and back"
  demo_launch "${rgb[@]}" ! imagefreeze num-buffers=101 ! \
    sepconvolve preset=gaussian sigma=4 backend=cuda ! fakesink || die "failed: $(demo_error)"
  demo_speed 101 "copied to the GPU and back"
  if gst-inspect-1.0 --exists cudaupload; then
    demo_cuda_memory uyvy2y GRAY8 "${uyvy[@]}"
    demo_cuda_memory rgb2yuv NV12 "${rgb[@]}"
    demo_cuda_memory 'sepconvolve preset=gaussian sigma=4' RGB "${rgb[@]}"
  else
    say "  CUDA memory to CUDA memory is left out: GStreamer's cudaupload is not there to begin it."
  fi

  # Of rgb2yuv every byte, as a picture in false colours: VUYA has no padding, and passes for RGBA.
  say "" "The same frame from both back ends:"
  local backend
  for backend in cpu cuda; do
    demo_launch "${uyvy[@]}" ! imagefreeze num-buffers=1 ! uyvy2y backend=$backend ! pngenc ! \
      filesink "location=$(demo_location "$outdir/luma-$backend.png")" || die "failed: $(demo_error)"
    demo_launch "${rgb[@]}" ! imagefreeze num-buffers=1 ! rgb2yuv backend=$backend ! \
      video/x-raw,format=VUYA ! rawvideoparse format=rgba "width=$width" "height=$height" ! pngenc ! \
      filesink "location=$(demo_location "$outdir/vuya-$backend.png")" || die "failed: $(demo_error)"
    demo_yuv_sheet "$outdir/yuv-$backend.png" backend=$backend
    demo_filtered -$backend backend=$backend
    demo_filter_sheet -$backend backend=$backend
  done
  say ""
  local name
  for name in luma vuya yuv blur sharpen edges filters; do demo_identical $name; done
}

demo_cuda_memory() {  # ELEMENT, with its properties; FORMAT; words of the source
  local element
  read -r -a element <<<"$1"
  demo_launch "${@:3}" ! imagefreeze num-buffers=1 ! cudaupload ! \
    'video/x-raw(memory:CUDAMemory)' ! imagefreeze num-buffers=10001 ! "${element[@]}" ! \
    "video/x-raw(memory:CUDAMemory),format=$2" ! fakesink || die "failed: $(demo_error)"
  demo_speed 10001 "CUDA memory to CUDA memory"
}

demo_identical() {  # NAME of the pictures
  cmp "$outdir/$1-cpu.png" "$outdir/$1-cuda.png" || die "the back ends differ"
  say "  identical: $outdir/$1-cpu.png and $outdir/$1-cuda.png"
}
