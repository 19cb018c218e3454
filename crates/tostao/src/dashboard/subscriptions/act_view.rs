//! What the form of an action shows.

use askama::Template;

use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::parts::NamedSelect;
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The form of an action.
#[derive(Template)]
#[template(path = "dashboard/subscriptions/act.html")]
pub struct ActPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// What happens, where no review follows.
    pub effects: Vec<String>,
    pub fields: ActFields,
}

/// The fields of an action as they were typed; each has some of them.
#[derive(Default)]
pub struct ActFields {
    pub cancellation: Option<CancelFields>,
    pub resumes_at: Option<Field>,
    pub plan: Option<NamedSelect>,
    /// The end of a trial, and the end that it has.
    pub trial_ends_at: Option<(Field, String)>,
}

/// When and why a subscription is cancelled.
pub struct CancelFields {
    /// What the end of the period means; `None` where it can only be cancelled now.
    pub end: Option<String>,
    pub is_at_end: bool,
    pub reason: Field,
    pub comment: Field,
}

impl ActFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let cancellation = self.cancellation.as_ref();
        let plan = self.plan.as_ref().and_then(|plan| plan.error.clone());
        let fields = [
            cancellation
                .and_then(|it| it.reason.wrong("reason", lang.subscription_cancel_reason())),
            cancellation.and_then(|it| it.comment.wrong("comment", lang.subscription_comment())),
            self.resumes_at
                .as_ref()
                .and_then(|field| field.wrong("resumesAt", lang.subscription_pause_until())),
            plan.map(|message| WrongField {
                id: "planId".into(),
                label: lang.subscription_plan(),
                message,
            }),
            self.trial_ends_at.as_ref().and_then(|(field, _)| {
                field.wrong("trialEndsAt", lang.subscription_extend_until())
            }),
        ];
        fields.into_iter().flatten().collect()
    }
}
