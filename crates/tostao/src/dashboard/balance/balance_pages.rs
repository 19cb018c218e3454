//! The balance, and the statement of one of its accounts.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;
use ledger::statement::Leg;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::books::api::{AccountName, EntriesQuery, ExportQuery, StatementRange, next_cursor};
use crate::books::movements::MovementKind;
use crate::books::{self, MerchantBalance};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::view::{BalancePage, EntryRow};
use crate::dashboard::balance::wording;
use crate::dashboard::listing::joined;
use crate::dashboard::parts::{Action, Choice, Exports, Figure, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WithdrawalsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// The path of the page in its mode.
pub const BALANCE: &str = "/balance";
/// How many entries a page has.
const ROWS: i64 = 50;
/// The accounts of the merchant, as the filter lists them.
const ACCOUNTS: [AccountName; 7] = [
    AccountName::Available,
    AccountName::Pending,
    AccountName::Withdrawing,
    AccountName::Refunding,
    AccountName::Disputed,
    AccountName::Suspense,
    AccountName::Advanced,
];

/// GET /dashboard/{mode}/balance
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    Query(mut query): Query<EntriesQuery>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let account = query.account.unwrap_or(AccountName::Available);
    query.limit = Some(ROWS);
    let StatementRange { account: kind, before, limit } = query.read()?;
    let read = async move |tx: &Tx| {
        let held = books::holdings(tx, scope).await?;
        Ok((held, books::statement(tx, scope, kind, before, limit).await?))
    };
    let (held, legs) = app.scan_for(scope.merchant, read).await?;
    let here = url(mode, BALANCE);
    let at = |cursor: Option<String>| {
        let fields = [("account", Some(account.name().to_owned())), ("cursor", cursor)];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?)))
    };
    let limit = ("limit", ROWS.to_string());
    let entries = joined("/api/balance/entries", at(query.cursor.clone()).chain([limit]));
    let calls = ["/api/withdraws/balance", &entries];
    let page = BalancePage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        withdraw: withdraw(&seat, lang),
        withdrawals_url: url(mode, "/balance/withdrawals"),
        receivables_url: url(mode, "/balance/receivables"),
        advances_url: url(mode, "/balance/advances"),
        figures: figures(&held, mode, lang)?,
        is_negative: held.available < Cents::ZERO,
        accounts: ACCOUNTS.map(|one| choice(one, one == account, lang)).into(),
        rows: legs.iter().map(|leg| row(leg, account, mode, lang)).collect(),
        exports: Exports::of(&joined(&format!("{here}/export"), at(None))),
        pager: Pager {
            first_url: query.cursor.is_some().then(|| joined(&here, at(None))),
            next_url: next_cursor(&legs).map(|cursor| joined(&here, at(Some(cursor)))),
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
    Query(query): Query<ExportQuery>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let (account, lang) = (query.account.unwrap_or(AccountName::Available), visit.lang);
    let head = [
        lang.export_number(),
        lang.export_when(),
        lang.export_what(),
        lang.export_amount(),
        lang.export_balance(),
        lang.export_about(),
    ];
    let kind = move |leg: &Leg| wording::entry(leg, account, lang).to_owned();
    books::export::export(&app, seat.scope, account.into(), format, head, kind).await
}

/// Where money is withdrawn, or why it is not.
pub fn withdraw(seat: &Seat<WithdrawalsRead>, lang: Lang) -> Action {
    let form = url(seat.scope.mode, "/balance/withdraw");
    Action::needing(Permission::WithdrawalsWrite, &seat.permissions, form, lang)
}

fn choice(account: AccountName, is_chosen: bool, lang: Lang) -> Choice {
    Choice { value: account.name(), name: wording::account(account, lang), is_chosen }
}

/// The figures of a balance; each opens what it sums, if that is one list.
pub fn figures(held: &MerchantBalance, mode: Mode, lang: Lang) -> Result<Vec<Figure>> {
    let statement = |account: &str| Some(url(mode, &format!("{BALANCE}?account={account}")));
    let money = |cents: Cents| lang.money(cents.get());
    Ok(vec![
        Figure {
            label: lang.balance_available(),
            value: money(held.available),
            note: lang.balance_available_note(),
            list_url: statement("available"),
        },
        Figure {
            label: lang.balance_pending(),
            value: money(held.pending),
            note: lang.balance_pending_note(),
            list_url: statement("pending"),
        },
        Figure {
            label: lang.balance_held(),
            value: money(held.held()?),
            note: lang.balance_held_note(),
            // A sum of two accounts has a list where one of them is empty.
            list_url: match (held.disputed.is_zero(), held.suspense.is_zero()) {
                (_, true) => statement("disputed"),
                (true, false) => statement("suspense"),
                (false, false) => None,
            },
        },
    ])
}

fn row(leg: &Leg, account: AccountName, mode: Mode, lang: Lang) -> EntryRow {
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
        _ => None,
    };
    EntryRow {
        when: lang.date_time(leg.at.micros()),
        what: wording::entry(leg, account, lang).to_owned(),
        url: page.map(|page| url(mode, &page)),
        amount: lang.money(leg.amount.get()),
        balance: lang.money(leg.balance.get()),
    }
}
