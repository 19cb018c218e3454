//! Rewards moved to the balance in two steps, the form and what would happen, which lead to what
//! was earned.

use db::tx::Tx;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::Field;
use crate::dashboard::referrals::invited_pages::HOME;
use crate::dashboard::referrals::view::WithdrawPage;
use crate::dashboard::referrals::withdraw_form::{AMOUNT, WithdrawForm};
use crate::dashboard::review::{Changes, ReviewPage, rehearsal};
use crate::dashboard::review_pages::{Done, ReviewedForm};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::messages::Lang;
use crate::platform::permissions::ReferralsWrite;
use crate::referrals;
use crate::referrals::api::ask;

/// The path of the form in its mode.
pub const FORM: &str = "/referrals/withdraw";
/// The path of the same in the API.
const API: &str = "/api/referral/withdraw";

/// What a dry run answers, as far as the review shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    data: Asked,
    would_change: Changes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    amount_cents: i64,
    available_balance_cents: i64,
}

/// GET, POST /dashboard/{mode}/referrals/withdraw,
/// POST /dashboard/{mode}/referrals/withdraw/confirm
impl ReviewedForm for WithdrawForm {
    type Permission = ReferralsWrite;
    type Page = WithdrawPage;
    type Review = ReviewPage;

    const SHOWN: &'static [&'static str] = &[AMOUNT];

    fn leads_back(&self) -> bool {
        !self.back.is_empty()
    }

    async fn page(
        &self,
        app: &App,
        seat: &Seat<ReferralsWrite>,
        visit: &Visit,
    ) -> Result<WithdrawPage> {
        let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
        let read = async move |tx: &Tx| referrals::stats(tx, scope).await;
        let stats = app.scan_for(scope.merchant, read).await?;
        let body = json!({ "amountCents": 5_000 });
        Ok(WithdrawPage {
            lang,
            shell: Shell::read(app, seat.holder(), mode, visit, Section::Referrals).await?,
            back_url: url(mode, HOME),
            form_url: url(mode, FORM),
            available: lang.money(stats.available.get()),
            amount: Field::typed(&self.amount_cents),
            wrong: Vec::new(),
            refused: None,
            api: vec![ApiCall::send("POST", &app.settings.base_url(), API, &body)],
        })
    }

    async fn refused(
        &self,
        app: &App,
        seat: &Seat<ReferralsWrite>,
        visit: &Visit,
        error: Error,
    ) -> Result<WithdrawPage> {
        let lang = visit.lang;
        let mut page = self.page(app, seat, visit).await?;
        let code = error.code();
        page.refused = match (error, code) {
            (Error::Invalid(wrong), _) => {
                page.amount = Field::judged(AMOUNT, &self.amount_cents, &wrong, lang);
                None
            }
            (_, ErrorCode::InsufficientBalance) => Some(lang.rewards_too_much(&page.available)),
            (error, _) => return Err(error),
        };
        page.wrong = page.amount.wrong(AMOUNT, lang.withdraw_amount()).into_iter().collect();
        Ok(page)
    }

    async fn review(
        &self,
        app: &App,
        seat: &Seat<ReferralsWrite>,
        visit: &Visit,
    ) -> Result<ReviewPage> {
        let (scope, lang) = (seat.scope, visit.lang);
        let rehearsed: Rehearsed = answer(app, rehearsal(seat, visit), self).await?;
        let form_url = url(scope.mode, FORM);
        let amount = lang.money(rehearsed.data.amount_cents);
        Ok(ReviewPage {
            lang,
            shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Referrals).await?,
            title: Some(lang.rewards_move()),
            heading: lang.rewards_review(&amount),
            step: Some(lang.refund_step(2)),
            back: None,
            effects: effects(&rehearsed, lang),
            filled: vec![(AMOUNT, self.amount_cents.clone())],
            confirm_url: format!("{form_url}/confirm"),
            form_url: Some(form_url),
            button: lang.rewards_do(amount),
            is_final: false,
            attempt: attempt::fresh(app, scope),
            api: Vec::new(),
        })
    }

    async fn confirm(&self, app: &App, seat: &Seat<ReferralsWrite>, visit: &Visit) -> Result<Done> {
        let scope = seat.scope;
        let key = attempt::key(app, scope, FORM, &self.attempt, &self.amount_cents)?;
        let ticket = Ticket::of_person(scope, key, seat.by());
        answer::<Value>(app, ticket, self).await?;
        Ok((url(scope.mode, HOME), visit.lang.rewards_were_moved()))
    }
}

/// Asks as programs do, by the same body.
async fn answer<T: DeserializeOwned>(app: &App, ticket: Ticket, form: &WithdrawForm) -> Result<T> {
    ask(app, ticket, &form.body()?).await?.read()
}

/// What would happen, as the dry run found it.
fn effects(rehearsed: &Rehearsed, lang: Lang) -> Vec<String> {
    let Rehearsed { data, would_change } = rehearsed;
    let moved = would_change.available();
    let available = moved.and_then(|change| change.moves(lang.balance_available(), lang));
    let left = data.available_balance_cents;
    let had = left.saturating_add(data.amount_cents);
    let rewards = lang.refund_moves(lang.rewards_available(), lang.money(had), lang.money(left));
    let costs = lang.rewards_cost_nothing().to_owned();
    [rewards].into_iter().chain(available).chain([costs]).collect()
}
