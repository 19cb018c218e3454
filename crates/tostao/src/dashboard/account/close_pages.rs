//! Closing the account: what keeps it open, what ends with it, what stays, and the form.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::account_closure::api::{CloseBody, Prospect, ask, prospect};
use crate::account_closure::{Extent, ObstacleName};
use crate::app::App;
use crate::auth::seat::{PersonalSeat, SIGN_IN, signed_out};
use crate::dashboard::account::frame;
use crate::dashboard::account::security::proof_pages::{CodeFailure, failure};
use crate::dashboard::account::security::view::ProofField;
use crate::dashboard::account::view::ClosePage;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::confirm::is_typed;
use crate::dashboard::form::Field;
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::device::Device;
use crate::platform::http::html::posted;
use crate::platform::messages::Lang;
use crate::platform::permissions::AccountWrite;

/// The path of the page.
pub const PATH: &str = "/close";
const API: &str = "/api/auth/account/close";
/// The names of the fields.
const TYPED: &str = "typed";
const PASSWORD: &str = "password";
const CODE: &str = "code";

/// What is posted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CloseForm {
    typed: String,
    password: String,
    code: String,
}

/// GET /account/close
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
) -> Result<Response> {
    visit.page(&page(&app, &seat, &visit).await?, StatusCode::OK)
}

/// POST /account/close
///
/// The password and the code are the proof; sent twice, the session has ended the second time.
pub async fn close(
    State(app): State<App>,
    seat: PersonalSeat<AccountWrite>,
    visit: Visit,
    device: Device,
    request: Request,
) -> Result<Response> {
    let CloseForm { typed, password, code } = posted(request).await?;
    let lang = visit.lang;
    let mut page = page(&app, &seat, &visit).await?;
    page.typed.value.clone_from(&typed);
    if !is_typed(&page.name, &typed) {
        page.typed.error = Some(lang.confirm_mistyped(&page.name));
    }
    if password.is_empty() {
        page.wrong(PASSWORD, lang.required());
    }
    if page.typed.error.is_some() || password.is_empty() {
        page.sum_up();
        return visit.refused(&page);
    }
    let body = CloseBody { password, code: Some(code).filter(|code| !code.is_empty()) };
    let error = match ask(&app, (&visit.context, &device), lang, seat.acting(), body).await {
        Ok(closed) => {
            let said = match closed.retained_until {
                Some(until) => lang.closing_done_until(lang.day(until.micros())),
                None => lang.closing_done().to_owned(),
            };
            let mut response = see_and_say(&app, SIGN_IN, said);
            let (name, value) = signed_out()?;
            response.headers_mut().append(name, value);
            return Ok(response);
        }
        Err(error) => error,
    };
    if let Error::InUse(_) = error {
        // What was read for the page may be older than what refused.
        page = self::page(&app, &seat, &visit).await?;
        page.refused = Some(lang.closing_refused());
        return visit.refused(&page);
    }
    match failure(&app, &visit, error)? {
        CodeFailure::Field(name, text) => page.wrong(name, text),
        CodeFailure::Form(text) => page.refused = Some(text),
        CodeFailure::Elsewhere(response) => return Ok(response),
    }
    page.sum_up();
    visit.refused(&page)
}

/// What keeps an account open, in words. A new name does not compile without its own.
fn obstacle((name, extent): (ObstacleName, Extent), lang: Lang) -> String {
    let what = match name {
        ObstacleName::AvailableBalance => lang.closing_available(),
        ObstacleName::PendingBalance => lang.closing_pending(),
        ObstacleName::RefundingBalance => lang.closing_refunding(),
        ObstacleName::DisputedBalance => lang.closing_disputed(),
        ObstacleName::WithdrawingBalance => lang.closing_withdrawing(),
        ObstacleName::UnmatchedBalance => lang.closing_unmatched(),
        ObstacleName::AdvancedBalance => lang.closing_advanced(),
        ObstacleName::ReferralPendingBalance => lang.closing_referral_pending(),
        ObstacleName::ReferralAvailableBalance => lang.closing_referral_available(),
        ObstacleName::PendingCommissions => lang.closing_commissions_pending(),
        ObstacleName::OwedCommissions => lang.closing_commissions_owed(),
        ObstacleName::ContestedCommissions => lang.closing_commissions_contested(),
        ObstacleName::OpenPayments => lang.closing_payments(),
        ObstacleName::OpenAdvances => lang.closing_advances(),
        ObstacleName::RunningSubscriptions => lang.closing_subscriptions(),
        ObstacleName::AdministratorRole => return lang.closing_administrator().to_owned(),
    };
    match extent {
        Extent::Amount(amount) => format!("{what}: {}", lang.money(amount.get())),
        Extent::Count(count) => format!("{what}: {count}"),
    }
}

async fn page(app: &App, seat: &PersonalSeat<AccountWrite>, visit: &Visit) -> Result<ClosePage> {
    let (lang, base_url) = (visit.lang, app.settings.base_url());
    let Prospect { merchant, obstacles, retained_until } =
        prospect(app, seat.holder.merchant).await?;
    let stays = match retained_until {
        Some(until) => lang.closing_stays_paid(lang.day(until.micros())),
        None => lang.closing_stays_nothing_paid().to_owned(),
    };
    let mut proofs =
        vec![ProofField::password(PASSWORD, lang.password_current(), "current-password")];
    if seat.has_second_step {
        proofs.push(ProofField::code(lang.entry_code(), lang.entry_code_hint()));
    }
    Ok(ClosePage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Business).await?,
        back_url: account_url("/business"),
        form_url: account_url(PATH),
        refused: None,
        wrong: Vec::new(),
        obstacles: obstacles.into_iter().map(|one| obstacle(one, lang)).collect(),
        stays,
        name: merchant.name,
        typed: Field::default(),
        proofs,
        api: vec![
            ApiCall::of_person(&base_url, API),
            ApiCall::send("POST", &base_url, API, &json!({ PASSWORD: "…" })).as_person(),
        ],
    })
}

impl ClosePage {
    /// Says what is wrong with a proof.
    fn wrong(&mut self, name: &str, error: &str) {
        let name = if name == CODE { CODE } else { PASSWORD };
        if let Some(one) = self.proofs.iter_mut().find(|one| one.name == name) {
            one.field.error = Some(error.to_owned());
        }
    }

    /// Lists what is wrong above the form.
    fn sum_up(&mut self) {
        let proofs = self.proofs.iter().map(|one| one.field.wrong(one.name, one.label));
        let typed = self.typed.wrong(TYPED, self.lang.confirm_label());
        self.wrong = std::iter::once(typed).chain(proofs).flatten().collect();
    }
}
