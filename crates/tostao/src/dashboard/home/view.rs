//! What the first page shows.

use askama::Template;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::figures::part::Sales;
use crate::dashboard::parts::{Figure, NothingYet, Part, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The first page.
#[derive(Template)]
#[template(path = "dashboard/home/home.html")]
pub struct HomePage {
    pub lang: Lang,
    pub shell: Shell,
    /// Whether the mode has a bank or an acquirer.
    pub takes_payments: bool,
    /// The first steps; `None` some days after all were done.
    pub checklist: Option<Checklist>,
    /// `None` for a role that may not read balances.
    pub balances: Option<Part<Vec<Figure>>>,
    /// `None` for a role that may not read payments and balances.
    pub sales: Option<Part<Sales>>,
    pub attention: Part<Vec<Attention>>,
    pub newest: Option<Part<Newest>>,
    /// Where all payments are listed.
    pub list_url: String,
    pub api: Vec<ApiCall>,
}

/// The first steps, which tick themselves.
pub struct Checklist {
    pub done: usize,
    pub steps: Vec<ListedStep>,
    /// How long it took from the sign-up to the first delivered webhook.
    pub webhook_took: Option<String>,
}

/// One of the first steps.
pub struct ListedStep {
    pub name: &'static str,
    pub is_done: bool,
    /// When it was done, if that was kept.
    pub when: Option<String>,
    /// Where it is done or described, and the name of that.
    pub way: (String, &'static str),
}

/// Something that waits for a person.
pub struct Attention {
    pub state: State,
    pub heading: String,
    pub note: String,
    /// The page where it is mended; `None` where there is none yet.
    pub url: Option<String>,
}

/// The newest payments, or what to do to get one.
pub enum Newest {
    Rows(Vec<PaymentRow>),
    Nothing(NothingYet),
}

/// A payment in a list.
pub struct PaymentRow {
    pub when: String,
    /// The buyer; `None` for a role that may not read customers.
    pub who: Option<String>,
    pub what: String,
    pub method: String,
    pub state: State,
    pub amount: String,
    pub url: String,
}
