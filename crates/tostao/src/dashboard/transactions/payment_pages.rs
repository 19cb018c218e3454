//! A payment: its state and why, what happened, the money, the buyer; and its cancellation.

use axum::extract::{Request, State};
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::paths::LIST as SUBSCRIPTIONS;
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::payment_view::{
    Buyer, MoneyLine, PaymentPage, RefundRow, Step,
};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::dashboard::{why, words};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Mode, Scope, TransactionId};
use crate::platform::masked;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions, TransactionsRead, TransactionsWrite};
use crate::platform::persons;
use crate::transactions::api::ask_to_cancel;
use crate::transactions::refunds::{Refund, refundable_amount};
use crate::transactions::status::{Transition, Trigger};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::{StepKind, TimelineStep, TransactionView, history};
use crate::transactions::{Transaction, current, disputes, refunds, unmatched};

/// GET /dashboard/{mode}/transactions/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let payment = current(&app, scope, id).await?;
    let read = async move |tx: &Tx| {
        let refunds = refunds::of(tx, scope, id).await?;
        let disputes = disputes::of(tx, scope, id).await?;
        Ok((unmatched::all(tx, scope, id).await?, refunds, disputes))
    };
    let (unmatched, refunds, disputes) = app.read(read).await?;
    let steps = history(&payment, &unmatched, &refunds, &disputes);
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Transactions).await?;
    let sees_buyers = seat.permissions.contains(Permission::CustomersRead);
    let base_url = app.settings.base_url();
    let path = format!("/api/v1/transactions/{id}");
    let calls = [path.clone(), format!("{path}/timeline"), format!("{path}/refunds")];
    let page = PaymentPage {
        lang,
        shell,
        list_url: url(scope.mode, LIST),
        amount: lang.money(payment.amount.get()),
        state: words::payment(payment.status, lang),
        why: why::of(&payment, scope.at(app.now()), lang),
        refund: refund_action(&payment, &seat.permissions, scope.mode, lang),
        cancel: cancel_action(&payment, &seat.permissions, scope.mode, lang),
        attempt: attempt::fresh(&app, scope),
        timeline: steps.iter().map(|step| shown_step(step, lang)).collect(),
        money: money(&payment, lang),
        buyer: sees_buyers.then(|| buyer(&payment)),
        facts: facts(&payment, lang),
        subscription_url: subscription_url(&payment, &seat.permissions, scope.mode),
        refunds: refunds.iter().map(|refund| refund_row(refund, lang)).collect(),
        json: json(&app, scope, &payment, sees_buyers)?,
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/transactions/{id}/cancel
pub async fn cancel(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let scope = seat.scope;
    let AttemptForm { attempt } = posted(request).await?;
    let route = format!("{LIST}/{id}/cancel");
    let key = attempt::key(&app, scope, &route, &attempt, "")?;
    ask_to_cancel(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    let here = url(scope.mode, &format!("{LIST}/{id}"));
    Ok(see_and_say(&app, &here, visit.lang.payment_was_cancelled()))
}

/// Whether a person may refund a payment, and where, or why not.
pub fn refund_action(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> Action {
    if !permissions.contains(Permission::TransactionsWrite) {
        return Action::Refused(lang.payment_role_may_not());
    }
    let is_paid = matches!(payment.status.after(Trigger::RefundInFull), Transition::Becomes(_));
    if !is_paid || refundable_amount(payment).is_zero() {
        return Action::Refused(lang.why_nothing_to_refund());
    }
    Action::Possible(url(mode, &format!("{LIST}/{}/refund", payment.id)))
}

fn cancel_action(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
    lang: Lang,
) -> Action {
    if !permissions.contains(Permission::TransactionsWrite) {
        return Action::Refused(lang.payment_role_may_not());
    }
    match payment.status.after(Trigger::Cancel) {
        Transition::Becomes(_) => {
            Action::Possible(url(mode, &format!("{LIST}/{}/cancel", payment.id)))
        }
        Transition::Already | Transition::Refused => {
            Action::Refused(lang.payment_only_waiting_is_cancelled())
        }
    }
}

fn shown_step(step: &TimelineStep, lang: Lang) -> Step {
    let amount = step.amount.map(|amount| lang.money(amount.get()));
    let reason = match step.kind {
        // Codes, which the sentences above have in words.
        StepKind::Failed | StepKind::Cancelled | StepKind::Paid | StepKind::SetAside => None,
        StepKind::Created
        | StepKind::Oversold
        | StepKind::Expired
        | StepKind::Released
        | StepKind::ReturnRequested
        | StepKind::Returned
        | StepKind::RefundRequested
        | StepKind::Refunded
        | StepKind::RefundFailed
        | StepKind::Disputed
        | StepKind::DisputeWon
        | StepKind::ChargedBack => step.reason.clone(),
    };
    let more = [amount, reason, step.payment_id.clone()];
    Step {
        when: lang.date_time(step.at.micros()),
        what: words::step(step.kind, lang),
        more: more.into_iter().flatten().collect::<Vec<_>>().join(" · "),
    }
}

fn money(payment: &Transaction, lang: Lang) -> Vec<MoneyLine> {
    let line = |name, cents| MoneyLine { name, amount: lang.money(cents), is_sum: false };
    let Some(paid) = payment.paid else {
        return vec![line(lang.payment_amount(), payment.amount.get())];
    };
    let gone = [
        (lang.payment_fee(), payment.fee),
        (lang.payment_refunded_part(), payment.refunded),
        (lang.payment_refunding_part(), payment.refunding),
    ];
    let gone = gone.into_iter().filter(|(_, amount)| !amount.is_zero());
    let mut lines = vec![line(lang.payment_came_in(), paid.get())];
    let mut left = paid.get();
    for (name, amount) in gone {
        lines.push(line(name, -amount.get()));
        left -= amount.get();
    }
    lines.push(MoneyLine { is_sum: true, ..line(lang.payment_left(), left) });
    lines
}

fn buyer(payment: &Transaction) -> Buyer {
    let customer = &payment.customer;
    Buyer {
        masked: masked::email(&customer.email),
        name: customer.name.clone(),
        email: customer.email.clone(),
        document: customer.document.as_ref().map(Document::masked),
        phone: customer.phone.clone(),
    }
}

/// The page of the subscription that a payment is for, for a role that may read it.
fn subscription_url(
    payment: &Transaction,
    permissions: &Permissions,
    mode: Mode,
) -> Option<String> {
    let period = payment.period.filter(|_| permissions.contains(Permission::SubscriptionsRead))?;
    Some(url(mode, &format!("{SUBSCRIPTIONS}/{}", period.subscription)))
}

/// What identifies the payment elsewhere.
fn facts(payment: &Transaction, lang: Lang) -> Vec<(&'static str, String)> {
    let pix = payment.pix.as_ref();
    let facts = [
        (lang.payments_id(), Some(payment.id.to_string())),
        (lang.payment_method(), Some(words::method(payment, lang))),
        (lang.payment_reference(), payment.external_id.clone()),
        (lang.payment_txid(), pix.map(|pix| pix.txid.clone())),
        (lang.payment_end_to_end(), pix.and_then(|pix| pix.end_to_end_id.clone())),
        (lang.payment_link(), payment.link.as_ref().map(|link| link.slug.clone())),
        (lang.payment_coupon(), payment.coupon_code.clone()),
        (lang.payment_affiliate(), payment.affiliate_code.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn refund_row(refund: &Refund, lang: Lang) -> RefundRow {
    RefundRow {
        when: lang.date_time(refund.created_at.micros()),
        amount: lang.money(refund.amount.get()),
        state: words::refund(refund.status, lang),
        reason: refund.reason.clone(),
    }
}

/// The payment as the API shows it to the same role.
fn json(app: &App, scope: Scope, payment: &Transaction, sees_buyers: bool) -> Result<String> {
    let view = TransactionView::new(&PaymentTerms::of(app), scope, payment);
    let mut shown = serde_json::to_value(view)?;
    if !sees_buyers {
        persons::hide(&mut shown);
    }
    Ok(serde_json::to_string_pretty(&shown)?)
}
