//! The balance, and the statement of one of its accounts.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use jiff::civil::Date;
use ledger::cents::Cents;
use ledger::statement::Leg;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::books::api::AccountName;
use crate::books::movements::MovementKind;
use crate::books::statement::StatementPage;
use crate::books::{self, MerchantBalance, is_debt};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::keys::list_pages as keys;
use crate::dashboard::balance::since::{API as SINCE, Since};
use crate::dashboard::balance::statement_form::StatementForm;
use crate::dashboard::balance::view::{BalancePage, EntryRow};
use crate::dashboard::balance::withdrawn::Withdrawn;
use crate::dashboard::balance::wording;
use crate::dashboard::parts::{Action, Choice, Exports, Figure, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::figures::explanation::BalanceFigure;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::{Mode, RefundId, Scope, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WithdrawalsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::receivables::list::next_due;
use crate::statements::api::{StatementRange, cursor};
use crate::statements::{self, since_withdrawal};
use crate::transactions::refunds;

/// The path of the page in its mode.
pub const BALANCE: &str = "/balance";
/// How many entries a page has.
const ROWS: i64 = 50;

/// A merchant's balance, and when more of it settles.
pub struct Held {
    balance: MerchantBalance,
    next_due: Option<Timestamp>,
}

/// GET /dashboard/{mode}/balance
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(form): Query<StatementForm>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let (account, query) = (form.account()?, form.query(ROWS)?);
    let StatementRange { wanted, before, limit } = query.read()?;
    let today = scope.today(app.now());
    let read = async move |tx: &Tx| {
        let held = read_figures(tx, scope, today).await?;
        let withdrawn = Withdrawn::read(tx, scope).await?;
        let since = since_withdrawal::read(tx, scope, None).await?;
        let listed = statements::page(tx, scope, wanted, before, limit).await?;
        let refunded = refunds::payments(tx, scope, refunds_in(&listed.legs)).await?;
        Ok(((held, withdrawn), since, listed, refunded))
    };
    let ((held, withdrawn), since, listed, refunded) = app.scan_for(scope.merchant, read).await?;
    let StatementPage { legs, next, leaves_out_older } = listed;
    let here = url(mode, BALANCE);
    let entries = form.api_path(ROWS);
    let calls = ["/api/withdraws/balance", SINCE, &entries];
    let page = BalancePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        withdraw: withdraw(&seat, lang),
        keys_url: url(mode, keys::LIST),
        withdrawals_url: url(mode, "/balance/withdrawals"),
        receivables_url: url(mode, "/balance/receivables"),
        advances_url: url(mode, "/balance/advances"),
        figures: figures(&held, mode, lang)?
            .into_iter()
            .chain(withdrawn.figures(mode, lang))
            .collect(),
        is_negative: is_debt(held.balance.available),
        since: Since::last(&since, mode, lang),
        accounts: accounts(account, form.is_part(), lang),
        kinds: MovementKind::ALL.iter().map(|one| kind(*one, &form.kind, lang)).collect(),
        from: form.from.clone(),
        to: form.to.clone(),
        transaction_id: form.transaction_id.clone(),
        is_part: form.is_part(),
        older: leaves_out_older.then(|| older(lang)),
        kept: form.part(),
        all_url: form.is_narrow().then(|| form.all_kinds().url(&here)),
        rows: legs.iter().map(|leg| row(leg, account, &refunded, mode, lang)).collect(),
        exports: Exports::of(&form.at("").url(&format!("{here}/export"))),
        pager: Pager {
            first_url: (!form.cursor.is_empty()).then(|| form.at("").url(&here)),
            next_url: next.map(|next| form.at(&cursor(next)).url(&here)),
        },
        list_url: here,
        api: calls.iter().map(|path| ApiCall::get(&app.settings.base_url(), path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/balance/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<StatementForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let (account, lang) = (form.account()?, visit.lang);
    let (scope, StatementRange { wanted, .. }) = (seat.scope, form.query(ROWS)?.read()?);
    let filter = app.read(async move |tx: &Tx| wanted.filter(tx, scope).await).await?;
    let head = [
        lang.export_number(),
        lang.export_when(),
        lang.export_what(),
        lang.export_amount(),
        lang.export_balance(),
        lang.export_about(),
    ];
    let kind = move |leg: &Leg| wording::entry(leg, account, lang).to_owned();
    books::export::export(&app, scope, filter, format, (head, Some(older(lang))), kind).await
}

/// What the statement of a payment leaves out that has many refunds.
fn older(lang: Lang) -> String {
    lang.balance_older(statements::NEWEST)
}

/// Where money is withdrawn, or why it is not.
pub fn withdraw(seat: &Seat<WithdrawalsRead>, lang: Lang) -> Action {
    let form = url(seat.scope.mode, "/balance/withdraw");
    Action::needing(Permission::WithdrawalsWrite, &seat.permissions, form, lang)
}

/// The accounts to choose from; the numbers of a part are of its own account alone.
fn accounts(chosen: AccountName, is_part: bool, lang: Lang) -> Vec<Choice> {
    let offered = AccountName::ALL.into_iter().filter(|one| *one == chosen || !is_part);
    let choice = |account: AccountName| Choice {
        value: account.name(),
        name: wording::account(account, lang),
        is_chosen: account == chosen,
    };
    offered.map(choice).collect()
}

fn kind(kind: MovementKind, chosen: &str, lang: Lang) -> Choice {
    let name = wording::movement(kind, lang);
    Choice { value: kind.name(), name, is_chosen: kind.name() == chosen }
}

/// Reads what the figures of a balance say.
pub async fn read_figures(tx: &Tx, scope: Scope, today: Date) -> Result<Held> {
    let balance = books::holdings(tx, scope).await?;
    Ok(Held { balance, next_due: next_due(tx, scope, today).await? })
}

/// The figures of a balance; each opens what it consists of.
pub fn figures(held: &Held, mode: Mode, lang: Lang) -> Result<Vec<Figure>> {
    let figure = |of: BalanceFigure, amount: Cents, note: Cow<'static, str>| Figure {
        label: wording::figure(of, lang),
        value: lang.money(amount.get()),
        note,
        list_url: Some(url(mode, &format!("{BALANCE}/explain/{}", of.name()))),
    };
    let Held { balance, next_due } = held;
    let pending_note = match next_due {
        Some(at) => lang.balance_pending_until(lang.day(at.micros())).into(),
        None => lang.balance_pending_note().into(),
    };
    let (available_note, held_note) = (lang.balance_available_note(), lang.balance_held_note());
    Ok(vec![
        figure(BalanceFigure::Available, balance.available, available_note.into()),
        figure(BalanceFigure::Pending, balance.pending, pending_note),
        figure(BalanceFigure::Held, balance.held()?, held_note.into()),
    ])
}

/// The refunds that entries are about.
fn refunds_in(legs: &[Leg]) -> BTreeSet<RefundId> {
    legs.iter().filter(|leg| is_refund(leg)).map(|leg| RefundId(leg.subject)).collect()
}

fn is_refund(leg: &Leg) -> bool {
    matches!(
        MovementKind::parse(&leg.kind),
        Some(
            MovementKind::RefundRequested
                | MovementKind::RefundCompleted
                | MovementKind::RefundFailed
        )
    )
}

fn row(
    leg: &Leg,
    account: AccountName,
    refunded: &HashMap<RefundId, TransactionId>,
    mode: Mode,
    lang: Lang,
) -> EntryRow {
    let page = match MovementKind::parse(&leg.kind) {
        // What is pending may be a commission, on the sale of another merchant.
        Some(MovementKind::PaymentCaptured) if account != AccountName::Pending => {
            Some(format!("/transactions/{}", leg.subject))
        }
        Some(
            MovementKind::WithdrawalRequested
            | MovementKind::WithdrawalCompleted
            | MovementKind::WithdrawalFailed,
        ) => Some(format!("/balance/withdrawals/{}", leg.subject)),
        _ => refunded.get(&RefundId(leg.subject)).map(|payment| format!("/transactions/{payment}")),
    };
    EntryRow {
        when: lang.date_time(leg.at.micros()),
        what: wording::entry(leg, account, lang).to_owned(),
        url: page.map(|page| url(mode, &page)),
        amount: lang.money(leg.amount.get()),
        balance: lang.money(leg.balance.get()),
    }
}
