//! What would happen, before it is confirmed: the dry run, and the page that says what it found.

use askama::Template;
use serde::Deserialize;

use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::shell::Shell;
use crate::dashboard::visit_pages::Visit;
use crate::idempotency::dry_run::DryRun;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// What would happen, and the form that has it happen.
#[derive(Template)]
#[template(path = "dashboard/review.html")]
pub struct ReviewPage {
    pub lang: Lang,
    pub shell: Shell,
    /// The name of the page, where it is not its heading.
    pub title: Option<&'static str>,
    pub heading: String,
    /// Which of how many steps it is, where they are counted.
    pub step: Option<String>,
    /// Where this leads back to beside the form, and its name.
    pub back: Option<(String, &'static str)>,
    /// What happens, a sentence each.
    pub effects: Vec<String>,
    /// What was filled in before, by the names of the fields.
    pub filled: Vec<(&'static str, String)>,
    /// The form to change it in, where there is one.
    pub form_url: Option<String>,
    pub confirm_url: String,
    pub button: String,
    /// Whether there is no way back.
    pub is_final: bool,
    pub attempt: String,
    /// The calls that show the same; none where the form before has them.
    pub api: Vec<ApiCall>,
}

/// What would change, as far as a review shows it.
#[derive(Debug, Deserialize)]
pub struct Changes {
    pub ledger: Vec<Change>,
    /// The names of the events.
    pub events: Vec<String>,
}

/// A change of one of the merchant's accounts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub account: String,
    pub amount_cents: i64,
    /// The balances, for those who may read them.
    before: Option<i64>,
    after: Option<i64>,
}

/// The ticket of a dry run for a person at a page.
pub fn rehearsal<P>(seat: &Seat<P>, visit: &Visit) -> Ticket {
    let dry_run = DryRun::of_person(visit.context.clone(), &seat.permissions);
    Ticket { scope: seat.scope, key: None, dry_run, by: Some(seat.by()) }
}

impl Changes {
    /// The change of what is available.
    pub fn available(&self) -> Option<&Change> {
        self.ledger.iter().find(|change| change.account == "available")
    }
}

impl Change {
    /// How the balance of an account moves, by the account's name; `None` for those who may not
    /// read it.
    pub fn moves(&self, name: &str, lang: Lang) -> Option<String> {
        let (before, after) = (self.before?, self.after?);
        Some(lang.refund_moves(name, lang.money(before), lang.money(after)))
    }
}
