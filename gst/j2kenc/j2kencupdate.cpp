// SPDX-License-Identifier: LGPL-2.1-or-later
// From what the properties say to what frames are encoded with.
#include "core/objectlock.h"
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
  const ObjectLock lock(self);
  self->state->used = self->state->changes;
  return self->state->before_load.value_or(self->state->wanted);
}

bool has_changed(GstJ2kEnc *self) {
  const ObjectLock lock(self);
  return self->state->used != self->state->changes;
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
  return true;
}

void replace_coder(J2kState &state, CoderRef coder) {
  state.flight.reset();
  state.coder = std::move(coder);
}

}  // namespace

void j2k_post_status(GstJ2kEnc *self, const Status &status) {
  if (status.code() == StatusCode::out_of_memory)
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("%s", j2k_text(status).c_str()), (nullptr));
  else
    GST_ELEMENT_ERROR(self, STREAM, ENCODE, ("%s", j2k_text(status).c_str()), (nullptr));
}

J2kSettings j2k_wishes(GstJ2kEnc *self) {
  const ObjectLock lock(self);
  return self->state->before_load.value_or(self->state->wanted);
}

bool j2k_check_settings(GstJ2kEnc *self) {
  const std::string problem = j2k_check(j2k_wishes(self));
  return problem.empty() || post_error(self, problem);
}

void j2k_update_caps(GstJ2kEnc *self) {
  std::optional<J2kNegotiated> now;
  {
    const ObjectLock lock(self);
    now = self->state->negotiated;
  }
  if (now && j2k_rsiz(j2k_wishes(self), now->info, now->media, now->rsiz) != now->rsiz)
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

bool j2k_set_format(GstJ2kEnc *self, const GstVideoInfo &info, J2kMedia media) {
  J2kState &state = *self->state;
  const guint used = state.used;
  CoderRef coder = make_coder(self, info, media);
  if (coder == nullptr) {
    state.used = used;  // if the old one comes again, what is new is still to be tried there
    return false;
  }
  replace_coder(state, std::move(coder));
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
  replace_coder(state, std::move(coder));
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
  replace_coder(state, go_back(self, state.info, state.media, problem));
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
