//! What a figure of the balance consists of in a period, each line with the entries that it sums.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::books::movements::MovementKind;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::statement_form::StatementForm;
use crate::dashboard::balance::view::{ExplainPage, ExplainRow};
use crate::dashboard::balance::wording;
use crate::dashboard::form::{Field, given};
use crate::dashboard::listing::joined;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::figures::explanation::{BalanceFigure, Explanation, Moved, explain};
use crate::figures::period::Period;
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::TimeRange;
use crate::platform::http::path::TextParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsRead;

/// The path of the same in the API.
const API: &str = "/api/balance/explain";

/// The period, as the form sends it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PeriodForm {
    from: String,
    to: String,
}

/// GET /dashboard/{mode}/balance/explain/{figure}
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
    TextParam(figure): TextParam,
    Query(form): Query<PeriodForm>,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let figure = BalanceFigure::parse(&figure).ok_or(Error::NotFound("Page"))?;
    let (found, wrong) = match found(&app, scope, figure, &form).await {
        Ok(found) => (Some(found), Vec::new()),
        Err(Error::Invalid(wrong)) => (None, wrong),
        Err(error) => return Err(error),
    };
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let (from, to) = form.fields(found.as_ref().map(|(period, _)| *period), &wrong, lang);
    let path = [("figure", figure.name()), ("from", &*from.value), ("to", &*to.value)];
    let path = joined(API, path.into_iter().map(|(name, value)| (name, value.to_owned())));
    let wrong = [from.wrong("from", lang.payments_from()), to.wrong("to", lang.payments_to())];
    let said = |(period, _): &(Period, Explanation)| {
        lang.explain_period(lang.date(period.from), lang.date(period.to))
    };
    let page = ExplainPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        form_url: url(mode, &format!("{BALANCE}/explain/{}", figure.name())),
        heading: lang.explain_of(wording::figure(figure, lang)),
        period: found.as_ref().map(said),
        rows: found.iter().flat_map(|found| rows(found, figure, mode, lang)).collect(),
        from,
        to,
        wrong: wrong.into_iter().flatten().collect(),
        api: vec![ApiCall::get(&app.settings.base_url(), &path)],
    };
    visit.page(&page, status)
}

async fn found(
    app: &App,
    scope: Scope,
    figure: BalanceFigure,
    form: &PeriodForm,
) -> Result<(Period, Explanation)> {
    let (from, to) = (given(&form.from), given(&form.to));
    let period = Period::read(from.as_deref(), to.as_deref(), scope.today(app.now()))?;
    let read = async move |tx: &Tx| explain(tx, scope, figure, period).await;
    Ok((period, app.scan_for(scope.merchant, read).await?))
}

/// The opening balance, what each kind of movement did, and the closing balance.
fn rows(
    (period, explained): &(Period, Explanation),
    figure: BalanceFigure,
    mode: Mode,
    lang: Lang,
) -> Vec<ExplainRow> {
    let balance = |what: &str, amount: Cents| ExplainRow {
        what: what.to_owned(),
        url: None,
        amount: lang.money(amount.get()),
        is_balance: true,
    };
    let opening = balance(lang.explain_opening(), explained.opening);
    let closing = balance(lang.explain_closing(), explained.closing);
    // The list of a period that is not over has no end, as the sum.
    let is_over = explained.times.to < TimeRange::new(None, None).to;
    let to = if is_over { period.to.to_string() } else { String::new() };
    let moved = |Moved { account, kind, amount }: &Moved| {
        let known = MovementKind::parse(kind);
        let what = known.map_or(&**kind, |kind| wording::movements(kind, lang));
        let list = known.map(|kind| StatementForm {
            account: account.name().to_owned(),
            kind: kind.name().to_owned(),
            from: period.from.to_string(),
            to: to.clone(),
            ..StatementForm::default()
        });
        ExplainRow {
            what: match figure.accounts() {
                [_] => what.to_owned(),
                _ => format!("{}: {what}", wording::account(*account, lang)),
            },
            url: list.map(|list| list.url(&url(mode, BALANCE))),
            amount: lang.money(amount.get()),
            is_balance: false,
        }
    };
    let moved = explained.moved.iter().map(moved);
    [opening].into_iter().chain(moved).chain([closing]).collect()
}

impl PeriodForm {
    /// The first and the last day, as they were read or typed.
    fn fields(&self, read: Option<Period>, wrong: &[FieldError], lang: Lang) -> (Field, Field) {
        let (from, to) = match read {
            Some(period) => (period.from.to_string(), period.to.to_string()),
            None => (self.from.clone(), self.to.clone()),
        };
        let field = |name, value: &str| Field::judged(name, value, wrong, lang);
        (field("from", &from), field("to", &to))
    }
}
