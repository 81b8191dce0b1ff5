// SPDX-License-Identifier: LGPL-2.1-or-later
// From what the properties say to what frames are encoded with.
#include "j2kenccaps.h"
#include "j2kencstate.h"

#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

bool post_error(GstJ2kEnc *self, const std::string &problem) {
  GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", problem.c_str()), (nullptr));
  return false;
}

void post_warning(GstJ2kEnc *self, const std::string &problem) {
  GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", problem.c_str()),
                      ("the previous settings stay in use"));
}

J2kSettings take_wishes(GstJ2kEnc *self) {
  GST_OBJECT_LOCK(self);
  self->state->used = self->state->changes;
  J2kSettings wishes = self->state->before_load.value_or(self->state->wanted);
  GST_OBJECT_UNLOCK(self);
  return wishes;
}

bool has_changed(GstJ2kEnc *self) {
  GST_OBJECT_LOCK(self);
  const bool changed = self->state->used != self->state->changes;
  GST_OBJECT_UNLOCK(self);
  return changed;
}

using CoderRef = std::unique_ptr<J2kCoder>;

// One with the settings that were good before, because of a problem with newer ones.
CoderRef go_back(GstJ2kEnc *self, const GstVideoInfo &info, J2kMedia media,
                 const std::string &problem) {
  const std::optional<J2kSettings> &good = self->state->good;
  std::string why_not;
  CoderRef coder = good ? J2kCoder::make(*good, info, media, &why_not) : nullptr;
  if (coder != nullptr)
    post_warning(self, problem);
  else
    post_error(self, problem);
  return coder;
}

CoderRef make_coder(GstJ2kEnc *self, const GstVideoInfo &info, J2kMedia media) {
  std::string problem;
  CoderRef coder = J2kCoder::make(take_wishes(self), info, media, &problem);
  return coder != nullptr ? std::move(coder) : go_back(self, info, media, problem);
}

// A rate that nothing fits into is noticed with the first frame.
std::string rate_problem(const J2kCoder &coder, const Status &status) {
  const std::string least = coder.least_rate(), rate = j2k_rate_text(coder.settings());
  if (least.empty()) return j2k_text(status);
  return (rate.empty() ? j2k_profile_setting(coder.settings()) : rate) +
         ": fewer bytes than headers and empty packets require; the least is " + least;
}

// Another rate needs no other encoders, and frames in flight go on with theirs. False: it is more
// than that.
bool change_targets(GstJ2kEnc *self, const J2kCoder &wanted) {
  J2kState &state = *self->state;
  const bool on_gpu = backend_of(self).is_on_gpu();
  if (state.coder == nullptr || !state.coder->has_encoded() ||
      on_gpu != (state.flight != nullptr) || !state.coder->differs_in_targets_only(wanted))
    return false;
  const auto set = [&state](const J2kCoder &to) {
    return state.flight != nullptr ? state.flight->set_targets(to) : state.coder->set_targets(to);
  };
  if (Status status = set(wanted); !status.ok()) {
    (void)set(*state.coder);  // one field may have taken what the other has not
    post_warning(self, rate_problem(wanted, status));
    return true;
  }
  state.coder->take_settings(wanted);
  state.good = wanted.settings();
  GST_DEBUG_OBJECT(self, "the encoder stays, with another rate: %s",
                   j2k_rate_text(wanted.settings()).c_str());
  return true;
}

void replace_coder(GstJ2kEnc *self, CoderRef coder) {
  J2kState &state = *self->state;
  state.flight.reset();
  state.coder = std::move(coder);
  if (state.coder == nullptr) return;
  const j2k::EncoderParams &params = state.coder->params(0);
  const std::string rate = j2k_rate_text(state.coder->settings());
  GST_DEBUG_OBJECT(self, "encodes %s by %s with %s, %d resolutions, %d tiles, Rsiz 0x%x",
                   state.coder->fields() > 1 ? "fields" : "frames",
                   params.wavelet == j2k::Wavelet::reversible_53 ? "5/3" : "9/7",
                   rate.empty() ? "no rate" : rate.c_str(), params.coding.levels + 1,
                   j2k::tiles_wide(params.coding) * j2k::tiles_high(params.coding), params.profile);
}

}  // namespace

void j2k_post_status(GstJ2kEnc *self, const Status &status) {
  if (status.code() == StatusCode::out_of_memory)
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("%s", j2k_text(status).c_str()), (nullptr));
  else
    GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", j2k_text(status).c_str()), (nullptr));
}

bool j2k_check_settings(GstJ2kEnc *self) {
  GST_OBJECT_LOCK(self);
  const J2kSettings wishes = self->state->wanted;
  GST_OBJECT_UNLOCK(self);
  const std::string problem = j2k_check(wishes);
  return problem.empty() || post_error(self, problem);
}

void j2k_update_caps(GstJ2kEnc *self) {
  GST_OBJECT_LOCK(self);
  const J2kSettings wishes = self->state->before_load.value_or(self->state->wanted);
  const std::optional<J2kNegotiated> now = self->state->negotiated;
  GST_OBJECT_UNLOCK(self);
  if (!now) return;
  if (const int rsiz = j2k_rsiz(wishes, now->info, now->media, now->rsiz); rsiz != now->rsiz) {
    GST_DEBUG_OBJECT(self, "negotiates again: Rsiz is 0x%x instead of 0x%x", rsiz, now->rsiz);
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
  }
}

bool j2k_set_format(GstJ2kEnc *self, const GstVideoInfo &info, J2kMedia media) {
  J2kState &state = *self->state;
  const guint used = state.used;
  CoderRef coder = make_coder(self, info, media);
  if (coder == nullptr) {
    state.used = used;  // if the old one comes again, what is new is still to be tried there
    return false;
  }
  replace_coder(self, std::move(coder));
  state.info = info;
  state.media = media;
  return true;
}

GstFlowReturn j2k_update(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  if (!has_changed(self)) return state.coder != nullptr ? GST_FLOW_OK : GST_FLOW_ERROR;
  const guint used = state.used;
  CoderRef coder = make_coder(self, state.info, state.media);
  if (coder != nullptr && change_targets(self, *coder)) return GST_FLOW_OK;
  if (const GstFlowReturn flow = j2k_drain(self); flow != GST_FLOW_OK) {
    state.used = used;  // they are for the next frame
    return flow;
  }
  replace_coder(self, std::move(coder));
  return state.coder != nullptr && j2k_try_gpu_again(self) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

bool j2k_is_refusal(GstJ2kEnc *self, const Status &status) {
  return status.code() == StatusCode::invalid_argument && !self->state->coder->has_encoded();
}

bool j2k_go_back(GstJ2kEnc *self, const Status &status) {
  J2kState &state = *self->state;
  const std::string problem = rate_problem(*state.coder, status);
  // They were good for other caps.
  if (state.good == state.coder->settings()) state.good.reset();
  replace_coder(self, go_back(self, state.info, state.media, problem));
  return state.coder != nullptr;
}

void j2k_note_good(GstJ2kEnc *self) {
  J2kState &state = *self->state;
  if (state.coder->has_encoded()) return;
  state.coder->set_has_encoded();
  state.good = state.coder->settings();
  state.profile = state.coder->profile();
}

}  // namespace coalesce::gst
