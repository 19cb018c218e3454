//! The list that a figure is the sum of.

use std::collections::{BTreeSet, HashMap};

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::turnover::Entry;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::books::turnover::Flow;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::figures::view::{EntriesPage, Row};
use crate::dashboard::parts::{Exports, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::figures::api::{EntriesQuery, EntryRange, ExportQuery, FigureName};
use crate::figures::{self, FiguresPermissions};
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::{Mode, RefundId, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::transactions::refunds;

/// The path of the list in its mode.
pub const ENTRIES: &str = "/figures/entries";
/// How many rows a page has.
const ROWS: i64 = 50;

/// GET /dashboard/{mode}/figures/entries
pub async fn show(
    State(app): State<App>,
    seat: Seat<FiguresPermissions>,
    visit: Visit,
    Query(query): Query<EntriesQuery>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let EntryRange { whole, page: within } = query.range()?;
    let flow = Flow::from(query.figure);
    let read = async move |tx: &Tx| {
        let sum = figures::sum_of(tx, scope, flow, whole.clone()).await?;
        let (entries, next) = figures::entries(tx, scope, flow, within.clone(), ROWS).await?;
        let ids = match flow {
            Flow::Refunded => entries.iter().map(|entry| RefundId(entry.subject)).collect(),
            Flow::Sold | Flow::ChargedBack | Flow::Fees => BTreeSet::new(),
        };
        let refunded = refunds::payments(tx, scope, ids).await?;
        Ok((sum, entries, next, refunded))
    };
    let (sum, entries, next, refunded) = app.scan_for(scope.merchant, read).await?;
    let here = url(scope.mode, ENTRIES);
    let pager = Pager {
        first_url: query.cursor.is_some().then(|| query.from_start().url(&here)),
        next_url: next.map(|next| query.after(next).url(&here)),
    };
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Home).await?;
    let page = EntriesPage {
        lang,
        shell,
        heading: name(query.figure, lang),
        sum: lang.money(sum.get()),
        rows: entries
            .iter()
            .map(|entry| row(entry, query.figure, &refunded, scope.mode, lang))
            .collect(),
        exports: Exports::of(&query.from_start().url(&format!("{here}/export"))),
        pager,
        api: vec![ApiCall::get(&app.settings.base_url(), &query.url("/api/figures/entries"))],
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/figures/entries/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<FiguresPermissions>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(query): Query<ExportQuery>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let (lang, entries) = (visit.lang, (Flow::from(query.figure), query.range()?));
    let (number, when) = (lang.export_number(), lang.export_when());
    let head = [number, when, lang.export_amount(), lang.export_about()];
    figures::export::export(&app, seat.scope, entries, format, head).await
}

/// What a figure of money is called.
pub fn name(figure: FigureName, lang: Lang) -> &'static str {
    match figure {
        FigureName::Sold => lang.figure_sold(),
        FigureName::Refunded => lang.figure_refunded(),
        FigureName::ChargedBack => lang.figure_charged_back(),
        FigureName::Fees => lang.figure_fees(),
    }
}

fn row(
    entry: &Entry,
    figure: FigureName,
    refunded: &HashMap<RefundId, TransactionId>,
    mode: Mode,
    lang: Lang,
) -> Row {
    let subject = entry.subject;
    let (what, payment) = match figure {
        FigureName::Sold | FigureName::Fees => {
            (lang.balance_payment(), Some(TransactionId(subject)))
        }
        FigureName::Refunded => (lang.moved_refund(), refunded.get(&RefundId(subject)).copied()),
        FigureName::ChargedBack => (lang.moved_dispute_lost(), None),
    };
    Row {
        when: lang.date_time(entry.at.micros()),
        what,
        about: subject.to_string(),
        url: payment.map(|payment| url(mode, &format!("/transactions/{payment}"))),
        amount: lang.money(entry.amount.get()),
    }
}
