//! The form of an action, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::billing::api::{
    CancelSubscriptionRequest, ChangeSubscriptionPlanRequest, ExtendSubscriptionTrialRequest,
    PauseSubscriptionRequest,
};
use crate::dashboard::form::{day, given};
use crate::figures::period::{after, start};
use crate::platform::error::{FieldFault, Result};
use crate::platform::http::card_data;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 5] = ["reason", "comment", "resumesAt", "planId", "trialEndsAt"];

/// The fields by the names of the bodies'; each action has some of them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ActForm {
    pub at_period_end: String,
    pub reason: String,
    pub comment: String,
    /// A day.
    pub resumes_at: String,
    pub plan_id: String,
    /// The last day.
    pub trial_ends_at: String,
    #[serde(skip_serializing)]
    pub attempt: String,
    /// Set by the button that leads from the review back to the form.
    #[serde(skip_serializing)]
    pub back: String,
}

impl ActForm {
    /// What must be the same when the form is posted again.
    pub fn values(&self) -> Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// What was filled in, for the form that confirms it.
    pub fn filled(&self) -> Vec<(&'static str, String)> {
        let [reason, comment, resumes_at, plan_id, trial_ends_at] = SHOWN;
        let fields = [
            ("atPeriodEnd", &self.at_period_end),
            (reason, &self.reason),
            (comment, &self.comment),
            (resumes_at, &self.resumes_at),
            (plan_id, &self.plan_id),
            (trial_ends_at, &self.trial_ends_at),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name, value.clone())).collect()
    }

    /// The body of a cancellation.
    pub fn cancellation(&self) -> Result<CancelSubscriptionRequest> {
        card_data::refuse_typed([("reason", &*self.reason), ("comment", &*self.comment)])?;
        Ok(CancelSubscriptionRequest {
            at_period_end: !self.at_period_end.is_empty(),
            reason: given(&self.reason),
            comment: given(&self.comment),
            manage_token: None,
        })
    }

    /// The body of a pause.
    pub fn pause(&self) -> Result<PauseSubscriptionRequest> {
        let resumes_at = day(&self.resumes_at).map_err(|fault| fault.of("resumesAt"))?;
        let resumes_at = resumes_at.map(start);
        Ok(PauseSubscriptionRequest { resumes_at, manage_token: None })
    }

    /// The body of a change of plan.
    pub fn plan(&self) -> Result<ChangeSubscriptionPlanRequest> {
        let wrong = |_| FieldFault::new("INVALID_VALUE", "must be a plan").of("planId");
        Ok(ChangeSubscriptionPlanRequest { plan_id: self.plan_id.parse().map_err(wrong)? })
    }

    /// The body of an extension of the trial.
    pub fn trial(&self) -> Result<ExtendSubscriptionTrialRequest> {
        let missing = || FieldFault::new("REQUIRED", "is required");
        let last = day(&self.trial_ends_at).and_then(|last| last.ok_or_else(missing));
        let last = last.map_err(|fault| fault.of("trialEndsAt"))?;
        Ok(ExtendSubscriptionTrialRequest { trial_ends_at: start(after(last)) })
    }
}

#[cfg(test)]
mod tests {
    use super::ActForm;

    #[test]
    fn a_trial_lasts_until_the_end_of_the_day_that_is_typed_and_a_pause_until_its_start() {
        let day = || "2026-12-24".to_owned();
        let form = ActForm { trial_ends_at: day(), resumes_at: day(), ..ActForm::default() };
        let trial = form.trial().expect("is right").trial_ends_at.to_string();
        assert_eq!(trial, "2026-12-25T03:00:00.000Z");
        let pause = form.pause().expect("is right").resumes_at.map(|at| at.to_string());
        assert_eq!(pause.as_deref(), Some("2026-12-24T03:00:00.000Z"));
    }

    #[test]
    fn a_plan_and_the_end_of_a_trial_are_never_empty() {
        let form = ActForm::default();
        assert!(form.plan().is_err() && form.trial().is_err());
        let pause = form.pause().expect("is right");
        assert!(pause.resumes_at.is_none() && form.filled().is_empty());
    }
}
