//! What the pages about referrals show.

use askama::Template;
use documents::qr::Qr;

use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::listing::Found;
use crate::dashboard::parts::{Action, Choice, Figure, State};
use crate::dashboard::shell::Shell;
use crate::platform::assets;
use crate::platform::messages::Lang;

/// The code, and those who came with it.
#[derive(Template)]
#[template(path = "dashboard/referrals/invited.html")]
pub struct InvitedPage {
    pub lang: Lang,
    pub shell: Shell,
    pub invitation: Invitation,
    pub attempt: String,
    /// What a referral that begins now brings, a sentence each.
    pub terms: Vec<String>,
    pub withdraw: Action,
    pub figures: Vec<Figure>,
    pub list_url: String,
    /// What the filter keeps beside the state.
    pub kept: Vec<(&'static str, String)>,
    pub filter: StateFilter,
    pub found: Found<InvitedRow>,
    pub api: Vec<ApiCall>,
}

/// What others sign up with.
pub enum Invitation {
    Made {
        code: String,
        url: String,
        qr: Qr,
    },
    /// The form that makes a code, or why it is not shown.
    None(Action),
}

/// The filter of a list by state alone.
pub struct StateFilter {
    pub statuses: Vec<Choice>,
    pub wrong: Vec<WrongField>,
    /// The list without a filter, if one is set.
    pub all_url: Option<String>,
}

/// An invited account.
pub struct InvitedRow {
    pub name: String,
    pub when: String,
    pub state: State,
    pub why: String,
    pub earned: String,
    /// The rewards that it is the sum of.
    pub rewards_url: String,
}

/// The rewards.
#[derive(Template)]
#[template(path = "dashboard/referrals/rewards.html")]
pub struct RewardsPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub list_url: String,
    /// What the filter keeps beside the state.
    pub kept: Vec<(&'static str, String)>,
    pub filter: StateFilter,
    pub found: Found<RewardRow>,
    pub api: Vec<ApiCall>,
}

/// A reward.
pub struct RewardRow {
    pub name: String,
    pub what: &'static str,
    pub when: String,
    pub state: State,
    pub why: String,
    pub amount: String,
}

/// What was moved to the balance.
#[derive(Template)]
#[template(path = "dashboard/referrals/moved.html")]
pub struct MovedPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub found: Found<MovedRow>,
    pub api: Vec<ApiCall>,
}

/// Rewards that were moved at once.
pub struct MovedRow {
    pub when: String,
    pub amount: String,
}

/// The form that moves rewards to the balance.
#[derive(Template)]
#[template(path = "dashboard/referrals/withdraw.html")]
pub struct WithdrawPage {
    pub lang: Lang,
    pub shell: Shell,
    pub back_url: String,
    pub form_url: String,
    pub available: String,
    pub amount: Field,
    pub wrong: Vec<WrongField>,
    pub refused: Option<String>,
    pub api: Vec<ApiCall>,
}
