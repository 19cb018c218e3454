//! What the pages about affiliates show.

use askama::Template;
use documents::qr::Qr;

use crate::dashboard::affiliates::form::ProgramFields;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::listing::{Found, SearchFields};
use crate::dashboard::parts::{Action, Exports, Figure, NothingYet, Pager, State, Switch};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The programs of the account.
#[derive(Template)]
#[template(path = "dashboard/affiliates/list.html")]
pub struct ListPage {
    pub lang: Lang,
    pub shell: Shell,
    pub new: Action,
    pub market_url: String,
    pub mine_url: String,
    pub found: Found<ProgramRow>,
    pub api: Vec<ApiCall>,
}

/// A program in the list.
pub struct ProgramRow {
    pub name: String,
    pub url: String,
    pub state: State,
    pub terms: String,
    /// Affiliates, clicks and sales, each with its noun.
    pub counts: String,
    pub earned: Sum,
    pub pending: Sum,
}

/// An amount, and the list that it is the sum of.
pub struct Sum {
    pub value: String,
    pub url: String,
}

/// A program.
#[derive(Template)]
#[template(path = "dashboard/affiliates/program.html")]
pub struct ProgramPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub list_name: &'static str,
    pub name: String,
    pub state: State,
    pub why: &'static str,
    pub facts: Vec<(&'static str, String)>,
    pub edit: Action,
    pub switch: Switch,
    pub delete: Action,
    pub attempt: String,
    pub figures: Vec<Figure>,
    pub affiliates: Vec<AffiliateRow>,
    pub nothing: NothingYet,
    pub pager: Pager,
    pub api: Vec<ApiCall>,
}

/// An affiliate in a program.
pub struct AffiliateRow {
    /// Names the row in its control.
    pub id: String,
    pub name: String,
    pub email: String,
    pub code: String,
    /// Where the affiliate sends buyers.
    pub address: Option<String>,
    pub state: State,
    pub counts: String,
    pub earned: Sum,
    pub pending: Sum,
    pub switch: Switch,
}

/// The form of a program.
#[derive(Template)]
#[template(path = "dashboard/affiliates/form.html")]
pub struct FormPage {
    pub lang: Lang,
    pub shell: Shell,
    pub frame: FormFrame,
    /// Whether the program is new: then its product is chosen.
    pub is_new: bool,
    pub fields: ProgramFields,
    pub products_hint: String,
    /// Where a first product is made, if there is none.
    pub product_url: Option<String>,
}

/// Commissions: of a program, or of the account as an affiliate.
#[derive(Template)]
#[template(path = "dashboard/affiliates/commissions.html")]
pub struct CommissionsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub heading: String,
    /// Where this leads back to, and its name.
    pub back: (String, String),
    pub list_url: String,
    /// What the filter keeps beside the state.
    pub kept: Vec<(&'static str, String)>,
    pub fields: SearchFields,
    pub figures: Vec<Figure>,
    pub exports: Exports,
    pub found: Found<CommissionRow>,
    pub api: Vec<ApiCall>,
}

/// A commission in a list.
pub struct CommissionRow {
    pub when: String,
    pub what: &'static str,
    pub code: String,
    /// The payment, for those who may read it.
    pub url: Option<String>,
    pub state: State,
    pub why: String,
    pub amount: String,
}

/// The programs that can be joined.
#[derive(Template)]
#[template(path = "dashboard/affiliates/market.html")]
pub struct MarketPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back: (String, &'static str),
    pub found: Found<OpenRow>,
    pub api: Vec<ApiCall>,
}

/// A program that can be joined.
pub struct OpenRow {
    pub name: String,
    pub url: String,
    pub owner: String,
    pub terms: String,
    pub price: String,
    /// Whether it is one's own, or already joined.
    pub state: Option<State>,
}

/// The terms of a program that can be joined.
#[derive(Template)]
#[template(path = "dashboard/affiliates/open.html")]
pub struct OpenPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: String,
    pub facts: Vec<(&'static str, String)>,
    /// What joining means, or why it is not possible.
    pub note: &'static str,
    /// Why nothing was done.
    pub refused: Option<&'static str>,
    /// The link of those who have joined.
    pub link_url: Option<String>,
    pub join: Action,
    pub attempt: String,
    pub api: Vec<ApiCall>,
}

/// The account as an affiliate.
#[derive(Template)]
#[template(path = "dashboard/affiliates/mine.html")]
pub struct MinePage {
    pub lang: Lang,
    pub shell: Shell,
    pub back: (String, &'static str),
    pub market_url: String,
    pub figures: Vec<Figure>,
    pub found: Found<LinkRow>,
    pub api: Vec<ApiCall>,
}

/// An own link in the list.
pub struct LinkRow {
    pub name: String,
    pub url: String,
    pub code: String,
    pub state: State,
    pub counts: String,
    pub earned: Sum,
    pub pending: Sum,
}

/// An own link.
#[derive(Template)]
#[template(path = "dashboard/affiliates/link.html")]
pub struct LinkPage {
    pub lang: Lang,
    pub shell: Shell,
    pub list_url: String,
    pub name: String,
    pub state: State,
    pub why: String,
    /// Where buyers are sent, while the product is sold.
    pub address: Option<(String, Qr)>,
    pub figures: Vec<Figure>,
    pub facts: Vec<(&'static str, String)>,
    pub api: Vec<ApiCall>,
}
