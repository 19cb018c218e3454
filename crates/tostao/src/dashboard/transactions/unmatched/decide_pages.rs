//! Money set aside in two steps: what it is, and what a decision would do; then the payment again.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::kept_form;
use crate::dashboard::parts::{Action, State as Standing, Tone};
use crate::dashboard::review::{Changes, ReviewPage, rehearsal};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::filter::API;
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::unmatched::decide_form::{DecideForm, Decision, SHOWN};
use crate::dashboard::transactions::unmatched::list_pages::reason;
use crate::dashboard::transactions::unmatched::paths::{UNMATCHED, decide_path};
use crate::dashboard::transactions::unmatched::view::DecidePage;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::PagePath;
use crate::platform::ids::{Scope, TransactionId, UnmatchedId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, TransactionsRead, TransactionsWrite};
use crate::transactions::unmatched::api::{ask_to_accept, ask_to_return};
use crate::transactions::unmatched::{self, Status, UnmatchedPayment};
use crate::transactions::{Transaction, current};

/// Which money: beside which payment, and which of it.
type Which = (TransactionId, UnmatchedId);

/// What the address names.
#[derive(Debug, Deserialize)]
pub struct DecidePath {
    #[serde(rename = "id")]
    of: TransactionId,
    #[serde(rename = "unmatchedId")]
    id: UnmatchedId,
}

/// What a dry run answers, as far as the review shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    unmatched: RehearsedMoney,
    would_change: Changes,
}

#[derive(Debug, Deserialize)]
struct RehearsedMoney {
    amount: i64,
}

/// GET /dashboard/{mode}/transactions/{id}/unmatched/{unmatchedId}
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    PagePath(DecidePath { of, id }): PagePath<DecidePath>,
) -> Result<Response> {
    let form: DecideForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = draw(&app, &seat, &visit, (of, id), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/transactions/{id}/unmatched/{unmatchedId}
///
/// Shows what the decision would do: the unit is run and undone.
pub async fn review(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PagePath(DecidePath { of, id }): PagePath<DecidePath>,
    request: Request,
) -> Result<Response> {
    let form: DecideForm = posted_to_correct(request, &SHOWN).await?;
    if !form.back.is_empty() {
        let page = draw(&app, &seat, &visit, (of, id), (&form, &[])).await?;
        return visit.page(&page, StatusCode::OK);
    }
    let (scope, lang) = (seat.scope, visit.lang);
    let ticket = rehearsal(&seat, &visit);
    let rehearsed: Rehearsed = match answer(&app, &seat, ticket, (of, id), &form).await {
        Ok(rehearsed) => rehearsed,
        Err(error) => return refused(&app, &seat, &visit, (of, id), (&form, error)).await,
    };
    let here = url(scope.mode, &decide_path(of, id));
    let decision = form.decision()?;
    let amount = lang.money(rehearsed.unmatched.amount);
    let page = ReviewPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Transactions).await?,
        title: None,
        heading: match decision {
            Decision::Accept => lang.set_aside_accept_of(amount),
            Decision::Return => lang.set_aside_return_of(amount),
        },
        step: None,
        back: Some((url(scope.mode, UNMATCHED), lang.set_aside_title())),
        effects: effects(&rehearsed, decision, &form, lang),
        filled: form.filled(),
        confirm_url: format!("{here}/confirm"),
        form_url: Some(here),
        button: match decision {
            Decision::Accept => lang.set_aside_accept_now(),
            Decision::Return => lang.set_aside_return_now(),
        }
        .to_owned(),
        is_final: decision == Decision::Return,
        attempt: attempt::fresh(&app, scope),
        api: vec![list_call(&app, of)],
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/transactions/{id}/unmatched/{unmatchedId}/confirm
pub async fn confirm(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PagePath(DecidePath { of, id }): PagePath<DecidePath>,
    request: Request,
) -> Result<Response> {
    let form: DecideForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let route = decide_path(of, id);
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    match answer::<serde_json::Value>(&app, &seat, ticket, (of, id), &form).await {
        Ok(_) => {
            let said = match form.decision()? {
                Decision::Accept => visit.lang.set_aside_accepted(),
                Decision::Return => visit.lang.set_aside_returning(),
            };
            Ok(see_and_say(&app, &url(scope.mode, &format!("{LIST}/{of}")), said))
        }
        Err(error) => refused(&app, &seat, &visit, (of, id), (&form, error)).await,
    }
}

/// Asks as programs do, by the same body.
async fn answer<T: DeserializeOwned>(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    ticket: Ticket,
    which: Which,
    form: &DecideForm,
) -> Result<T> {
    let answer = match form.decision()? {
        Decision::Accept => ask_to_accept(app, ticket, which).await?,
        Decision::Return => {
            ask_to_return(app, ticket, seat.permit_payee(), which, &form.body()?).await?
        }
    };
    answer.read()
}

/// The page again, with what was typed and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    which: Which,
    (form, error): (&DecideForm, Error),
) -> Result<Response> {
    let (wrong, refused) = match error {
        Error::Invalid(wrong) => (wrong, None),
        Error::State { .. } => (Vec::new(), Some(visit.lang.set_aside_not_possible())),
        Error::NotConfigured(_) => (Vec::new(), Some(visit.lang.withdraw_no_bank())),
        error => return Err(error),
    };
    let mut page = draw(app, seat, visit, which, (form, &wrong)).await?;
    page.refused = refused;
    visit.refused(&page)
}

async fn find(app: &App, scope: Scope, (of, id): Which) -> Result<(Transaction, UnmatchedPayment)> {
    let payment = current(app, scope, of).await?;
    let read = async move |tx: &Tx| unmatched::find_beside(tx, scope, of, id).await;
    Ok((payment, app.read(read).await?))
}

async fn draw<P>(
    app: &App,
    seat: &Seat<P>,
    visit: &Visit,
    which: Which,
    (form, wrong): (&DecideForm, &[FieldError]),
) -> Result<DecidePage> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let (payment, money) = find(app, scope, which).await?;
    let (here, is_open) = (url(mode, &decide_path(which.0, which.1)), money.status == Status::Open);
    let action = || {
        if !is_open {
            return Action::Refused(lang.set_aside_decided());
        }
        Action::needing(Permission::TransactionsWrite, &seat.permissions, here.clone(), lang)
    };
    let needs_key = is_open && unmatched::needs_key(scope.at(app.now()), &payment, &money);
    let withheld = needs_key && !seat.permissions.contains(Permission::WithdrawalsWrite);
    let payee = (needs_key && !withheld).then(|| form.payee(wrong, lang));
    let returned = if withheld { Action::Refused(lang.refund_key_withheld()) } else { action() };
    Ok(DecidePage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Transactions).await?,
        list_url: url(mode, UNMATCHED),
        payment_url: url(mode, &format!("{LIST}/{}", which.0)),
        heading: lang.home_unmatched(lang.money(money.amount.get())),
        state: standing(money.status, lang),
        reason: reason(money.reason, lang),
        failure: money.failure_reason.as_ref().map(|_| lang.set_aside_came_back()),
        facts: facts(&payment, &money, lang),
        accept: action(),
        returned,
        wrong: payee.as_ref().map(|payee| payee.wrong(lang)).unwrap_or_default(),
        payee,
        refused: None,
        api: vec![list_call(app, which.0)],
    })
}

/// The call that lists what is set aside beside a payment.
fn list_call(app: &App, of: TransactionId) -> ApiCall {
    ApiCall::get(&app.settings.base_url(), &format!("{API}/{of}/unmatched"))
}

fn standing(status: Status, lang: Lang) -> Standing {
    let (tone, word) = match status {
        Status::Open => (Tone::Wait, lang.set_aside_open()),
        Status::Accepted => (Tone::Good, lang.set_aside_is_accepted()),
        Status::Returning => (Tone::Wait, lang.refund_pending()),
        Status::Returned => (Tone::Off, lang.set_aside_is_returned()),
    };
    Standing { tone, word }
}

fn facts(of: &Transaction, money: &UnmatchedPayment, lang: Lang) -> Vec<(&'static str, String)> {
    let at = |at: Option<Timestamp>| at.map(|at| lang.date_time(at.micros()));
    let facts = [
        (lang.set_aside_amount(), Some(lang.money(money.amount.get()))),
        (lang.set_aside_charged(), Some(lang.money(of.amount.get()))),
        (lang.set_aside_received(), at(Some(money.received_at))),
        (lang.set_aside_decided_at(), at(money.decided_at)),
        (lang.set_aside_returned_at(), at(money.returned_at)),
        (lang.set_aside_code(), Some(money.payment_id.clone())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What would change, as the dry run found it.
fn effects(
    rehearsed: &Rehearsed,
    decision: Decision,
    form: &DecideForm,
    lang: Lang,
) -> Vec<String> {
    let amount = rehearsed.unmatched.amount;
    if decision == Decision::Return {
        let key = form.refund_pix_key.trim();
        let to = match key {
            "" => lang.set_aside_goes_back(lang.money(amount)),
            key => lang.set_aside_goes_to(lang.money(amount), key),
        };
        return vec![to, lang.set_aside_return_note().to_owned()];
    }
    let mut effects = Vec::new();
    if let Some(change) = rehearsed.would_change.available() {
        let takes_in = || lang.set_aside_takes_in(lang.money(change.amount_cents));
        let moves = change.moves(lang.refund_from_available(), lang);
        effects.push(moves.unwrap_or_else(takes_in));
        let fee = amount - change.amount_cents;
        if fee > 0 {
            effects.push(lang.set_aside_fee(lang.money(fee)));
        }
    }
    effects.push(lang.set_aside_accept_note().to_owned());
    effects
}
