//! What is done with a subscription: the names of each action, and where it is possible.

use db::time::Timestamp;
use serde::Deserialize;

use crate::dashboard::parts::{Action, Text};
use crate::dashboard::shell::url;
use crate::dashboard::subscriptions::paths::LIST;
use crate::platform::ids::{Mode, SubscriptionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};
use crate::subscriptions::Subscription;
use crate::subscriptions::lifecycle::{expect_retryable, is_trial_extendable};
use crate::subscriptions::status::Status;

/// An action; its name is the end of the address of its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    Retry,
    Pause,
    Resume,
    ChangePlan,
    ExtendTrial,
    Cancel,
    Reactivate,
}

/// The names of an action: of its control, and its page; and what is said afterwards.
pub struct ActNames {
    pub control: Text,
    pub heading: Text,
    pub done: Text,
}

impl Act {
    /// The end of the address, also in the API.
    pub fn path(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::ChangePlan => "change-plan",
            Self::ExtendTrial => "extend-trial",
            Self::Cancel => "cancel",
            Self::Reactivate => "reactivate",
        }
    }

    /// Its names.
    pub fn names(self) -> ActNames {
        let (control, heading, done): (Text, Text, Text) = match self {
            Self::Retry => {
                (Lang::subscription_retry, Lang::subscription_retry, Lang::subscription_is_charged)
            }
            Self::Pause => (
                Lang::subscription_pause,
                Lang::subscription_pause_title,
                Lang::subscription_was_paused,
            ),
            Self::Resume => (
                Lang::subscription_resume,
                Lang::subscription_resume_title,
                Lang::subscription_was_resumed,
            ),
            Self::ChangePlan => (
                Lang::subscription_change_plan,
                Lang::subscription_change_plan,
                Lang::subscription_plan_was_changed,
            ),
            Self::ExtendTrial => (
                Lang::subscription_extend_trial,
                Lang::subscription_extend_title,
                Lang::subscription_trial_was_extended,
            ),
            Self::Cancel => (
                Lang::subscription_cancel,
                Lang::subscription_cancel_title,
                Lang::subscription_was_cancelled,
            ),
            Self::Reactivate => (
                Lang::subscription_reactivate,
                Lang::subscription_reactivate_title,
                Lang::subscription_was_reactivated,
            ),
        };
        ActNames { control, heading, done }
    }

    /// Those that the page of a subscription shows.
    pub fn shown(subscription: &Subscription) -> Vec<Self> {
        let is_paused = subscription.status == Status::Paused;
        let pausing = if is_paused { Self::Resume } else { Self::Pause };
        let shown = [
            (Self::Retry, true),
            (pausing, true),
            (Self::ChangePlan, true),
            (Self::ExtendTrial, subscription.trial_ends_at.is_some()),
            (Self::Reactivate, subscription.cancel_at_period_end),
            (Self::Cancel, true),
        ];
        shown.into_iter().filter_map(|(act, is_shown)| is_shown.then_some(act)).collect()
    }

    /// Where it is done, or why it is not.
    pub fn action(
        self,
        subscription: &Subscription,
        now: Timestamp,
        mode: Mode,
        permissions: &Permissions,
        lang: Lang,
    ) -> Action {
        if let Some(reason) = self.obstacle(subscription, now) {
            return Action::Refused(reason(lang));
        }
        let page = self.url(mode, subscription.id);
        Action::needing(Permission::SubscriptionsWrite, permissions, page, lang)
    }

    /// The page of the action.
    pub fn url(self, mode: Mode, id: SubscriptionId) -> String {
        url(mode, &format!("{LIST}/{id}/{}", self.path()))
    }

    /// Why a subscription does not allow it.
    pub fn obstacle(self, of: &Subscription, now: Timestamp) -> Option<Text> {
        let (is_possible, reason): (bool, Text) = match self {
            Self::Retry if of.status == Status::PastDue => {
                (expect_retryable(of).is_ok(), Lang::subscription_retry_limit)
            }
            Self::Retry => (false, Lang::subscription_retry_none),
            Self::Pause => (of.status.may_become(Status::Paused), Lang::subscription_not_pausable),
            Self::Resume => (of.status == Status::Paused, Lang::subscription_not_paused),
            Self::ChangePlan => (of.expect_alive().is_ok(), Lang::subscription_over),
            Self::ExtendTrial => (is_trial_extendable(of, now), Lang::subscription_trial_over),
            Self::Cancel => {
                (of.status.may_become(Status::Cancelled), Lang::subscription_not_cancellable)
            }
            Self::Reactivate => (
                of.cancel_at_period_end && of.expect_alive().is_ok(),
                Lang::subscription_not_cancellable,
            ),
        };
        (!is_possible).then_some(reason)
    }
}
