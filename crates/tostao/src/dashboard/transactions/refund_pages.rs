//! A refund in two steps, the form and what would happen, which lead to the payment again.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::books;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::kept_form;
use crate::dashboard::review::{Changes, rehearsal};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::refund_form::RefundForm;
use crate::dashboard::transactions::refund_view::{RefundPage, RefundedPayment, ReviewPage};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Mode, Scope, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, TransactionsWrite};
use crate::transactions::refunds::api::ask;
use crate::transactions::refunds::refundable_amount;
use crate::transactions::{Transaction, current};

/// The fields whose errors the form shows.
const SHOWN: [&str; 4] = ["amountCents", "reason", "refundPixKey", "externalId"];

/// What a dry run answers, as far as the review shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    refund: RehearsedRefund,
    would_change: Changes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RehearsedRefund {
    amount_cents: i64,
}

/// GET /dashboard/{mode}/transactions/{id}/refund
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Response> {
    let payment = current(&app, seat.scope, id).await?;
    let form: RefundForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, &payment, &form).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/transactions/{id}/refund
///
/// Shows what the refund would do: the unit is run and undone.
pub async fn review(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let form: RefundForm = posted_to_correct(request, &SHOWN).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let payment = current(&app, scope, id).await?;
    if !form.back.is_empty() {
        let page = form_page(&app, &seat, &visit, &payment, &form).await?;
        return visit.page(&page, StatusCode::OK);
    }
    let ticket = rehearsal(&seat, &visit);
    let rehearsed: Rehearsed = match answer(&app, &seat, ticket, id, &form).await {
        Ok(rehearsed) => rehearsed,
        Err(error) => return refused(&app, &seat, &visit, &payment, (&form, error)).await,
    };
    let amount = lang.money(rehearsed.refund.amount_cents);
    let whole = lang.money(payment.amount.get());
    let heading = if seat.permissions.contains(Permission::CustomersRead) {
        lang.refund_review_to(&amount, whole, &payment.customer.name)
    } else {
        lang.refund_review(&amount, whole)
    };
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Transactions).await?;
    let page = ReviewPage {
        lang,
        shell,
        effects: effects(&rehearsed, &payment, lang),
        payment: shown(&payment, scope.mode, lang),
        form,
        heading,
        button: lang.refund_do(amount),
        attempt: attempt::fresh(&app, scope),
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/transactions/{id}/refund/confirm
pub async fn confirm(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let form: RefundForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let payment = current(&app, scope, id).await?;
    let route = format!("{LIST}/{id}/refund");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    match answer::<serde_json::Value>(&app, &seat, ticket, id, &form).await {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.refund_asked()))
        }
        Err(error) => refused(&app, &seat, &visit, &payment, (&form, error)).await,
    }
}

/// Asks as programs do, by the same body.
async fn answer<T: serde::de::DeserializeOwned>(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    ticket: Ticket,
    id: TransactionId,
    form: &RefundForm,
) -> Result<T> {
    ask(app, ticket, seat.permit_payee(), id, &form.body()?).await?.read()
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    payment: &Transaction,
    (form, error): (&RefundForm, Error),
) -> Result<Response> {
    let lang = visit.lang;
    let mut page = form_page(app, seat, visit, payment, form).await?;
    match error {
        Error::Invalid(wrong) => page.fields = form.fields(&wrong, lang),
        Error::Refused(ErrorCode::InsufficientBalance, _) => {
            let missing = missing(app, seat.scope, payment, form, lang).await?;
            page.fields.amount.error = Some(missing);
        }
        Error::Refused(ErrorCode::AmountExceedsRefundable, _) => {
            page.fields.amount.error = Some(lang.refund_at_most(&page.payment.left));
        }
        Error::Refused(ErrorCode::AlreadyExists, _) => {
            page.fields.external_id.error = Some(lang.refund_exists().to_owned());
        }
        Error::State { .. } => page.refused = Some(lang.refund_not_possible().to_owned()),
        error => return Err(error),
    }
    page.wrong = page.fields.wrong(lang);
    visit.refused(&page)
}

/// How much is missing for a refund.
async fn missing(
    app: &App,
    scope: Scope,
    payment: &Transaction,
    form: &RefundForm,
    lang: Lang,
) -> Result<String> {
    let held = app.read(async move |tx: &Tx| books::holdings(tx, scope).await).await?;
    let wanted = form.body()?.amount_cents.map_or(refundable_amount(payment), Cents::new);
    let missing = wanted.get().saturating_sub(held.available.get()).max(0);
    Ok(lang.refund_too_little(lang.money(held.available.get()), lang.money(missing)))
}

async fn form_page(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    payment: &Transaction,
    form: &RefundForm,
) -> Result<RefundPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let shell = Shell::read(app, seat.holder(), mode, visit, Section::Transactions).await?;
    let path = format!("/api/v1/transactions/{}/refunds", payment.id);
    let payment = shown(payment, mode, lang);
    let may_name_key = seat.permissions.contains(Permission::WithdrawalsWrite);
    let withheld = payment.needs_key && !may_name_key;
    Ok(RefundPage {
        lang,
        shell,
        payment,
        fields: form.fields(&[], lang),
        wrong: Vec::new(),
        refused: withheld.then(|| lang.refund_key_withheld().to_owned()),
        api: vec![ApiCall::get(&app.settings.base_url(), &path)],
    })
}

fn shown(payment: &Transaction, mode: Mode, lang: Lang) -> RefundedPayment {
    let here = url(mode, &format!("{LIST}/{}", payment.id));
    let is_pix = payment.pix.as_ref().is_some_and(|pix| pix.end_to_end_id.is_some());
    let needs_key = payment.card.is_none() && !is_pix;
    let way = match (&payment.card, needs_key) {
        (Some(_), _) => lang.refund_by_card(),
        (None, true) => lang.refund_by_key(),
        (None, false) => lang.refund_by_pix(),
    };
    RefundedPayment {
        form_url: format!("{here}/refund"),
        confirm_url: format!("{here}/refund/confirm"),
        url: here,
        amount: lang.money(payment.amount.get()),
        left: lang.money(refundable_amount(payment).get()),
        way,
        needs_key,
        has_items: !payment.items.is_empty(),
    }
}

/// What would change, as the dry run found it.
fn effects(rehearsed: &Rehearsed, payment: &Transaction, lang: Lang) -> Vec<String> {
    let mut effects = Vec::new();
    let mut own = 0;
    for change in &rehearsed.would_change.ledger {
        let name = match change.account.as_str() {
            "available" => lang.refund_from_available(),
            "pending" => lang.refund_from_pending(),
            _ => continue,
        };
        own -= change.amount_cents;
        let takes = || lang.refund_takes(name, lang.money(-change.amount_cents));
        effects.push(change.moves(name, lang).unwrap_or_else(takes));
    }
    let commission = rehearsed.refund.amount_cents - own;
    if let Some(affiliate) = payment.affiliate_code.as_ref().filter(|_| commission > 0) {
        effects.push(lang.refund_commission(affiliate, lang.money(commission)));
    }
    if !payment.fee.is_zero() {
        effects.push(lang.refund_fee_stays(lang.money(payment.fee.get())));
    }
    effects
}
