//! The recurring revenue: what it is, how it came about, and who was lost.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use jiff::civil::Date;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::chart::{Chart, Form, Point, Series};
use crate::dashboard::form::{Field, day};
use crate::dashboard::listing::joined;
use crate::dashboard::parts::Figure;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::list_pages::MoreFilters;
use crate::dashboard::subscriptions::metrics_view::MetricsPage;
use crate::dashboard::subscriptions::paths::{API, CHANGES, LIST, METRICS};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words::decimal;
use crate::figures::period::{after, start};
use crate::platform::error::{Error, FieldError, FieldErrors, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsRead;
use crate::subscriptions::metrics::api::MetricsQuery;
use crate::subscriptions::metrics::{
    Counted, MrrMovement, Window, average, count, monthly, percent,
};
use crate::subscriptions::status::Status;

/// The first and the last day; the last thirty days if they are empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PeriodForm {
    pub from: String,
    pub to: String,
}

/// GET /dashboard/{mode}/subscriptions/metrics
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(form): Query<PeriodForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let (window, wrong) = match form.window(&app, scope) {
        Ok(window) => (Some(window), Vec::new()),
        Err(Error::Invalid(wrong)) => (None, wrong),
        Err(error) => return Err(error),
    };
    let counted = match window {
        Some(window) => Some(counted(&app, scope, window).await?),
        None => None,
    };
    let here = url(mode, METRICS);
    let field = |name, value| Field::judged(name, value, &wrong, lang);
    let (from, to) = (field("from", &form.from), field("to", &form.to));
    let summary = [from.wrong("from", lang.payments_from()), to.wrong("to", lang.payments_to())];
    let is_now = form.to.is_empty();
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let page = MetricsPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Subscriptions).await?,
        list_url: url(mode, LIST),
        period: window.map(|window| in_words(window, lang)).unwrap_or_default(),
        wrong: summary.into_iter().flatten().collect(),
        from,
        to,
        figures: counted
            .as_ref()
            .map(|it| rates(it, &form, is_now, mode, lang))
            .unwrap_or_default(),
        changes: counted.as_ref().map(|it| changes(it, &form, mode, lang)).unwrap_or_default(),
        chart: counted.as_ref().and_then(|it| chart(it, lang)),
        counts: counted.as_ref().map(|it| counts(it, mode, lang)).unwrap_or_default(),
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path("metrics", None))],
        here,
    };
    visit.page(&page, status)
}

async fn counted(app: &App, scope: Scope, window: Window) -> Result<Counted> {
    app.scan_for(scope.merchant, async move |tx: &Tx| count(tx, scope, window).await).await
}

/// The period, as people read it: its last instant is the end of a day, or now.
pub fn in_words(window: Window, lang: Lang) -> String {
    let last = window.to.micros() - 1;
    lang.revenue_period(lang.day(window.from.micros()), lang.day(last))
}

/// The monthly recurring revenue at the end of a window; it opens the list that it sums if that end
/// is now.
pub fn mrr(counted: &Counted, is_now: bool, mode: Mode, lang: Lang) -> Figure {
    Figure {
        label: lang.revenue_mrr(),
        value: lang.money(monthly(counted.annual)),
        note: lang.revenue_mrr_note().into(),
        list_url: is_now.then(|| MoreFilters::paying_url(&url(mode, LIST))),
    }
}

/// Which share of the paying subscribers left; it opens those who did.
pub fn churn(counted: &Counted, form: &PeriodForm, mode: Mode, lang: Lang) -> Figure {
    let rate = percent(counted.lost, counted.paying_before);
    Figure {
        label: lang.revenue_churn(),
        value: format!("{}%", decimal(rate, lang)),
        note: lang.revenue_churn_note().into(),
        list_url: Some(form.changes_url(mode, MrrMovement::Churn)),
    }
}

fn rates(
    counted: &Counted,
    form: &PeriodForm,
    is_now: bool,
    mode: Mode,
    lang: Lang,
) -> Vec<Figure> {
    let less = counted.churned.saturating_add(counted.contraction);
    let rate = percent(less, counted.annual_before);
    let figure = |label, value, note: &'static str| Figure {
        label,
        value,
        note: note.into(),
        list_url: None,
    };
    vec![
        mrr(counted, is_now, mode, lang),
        churn(counted, form, mode, lang),
        figure(
            lang.revenue_churn_rate(),
            format!("{}%", decimal(rate, lang)),
            lang.revenue_lost_note(),
        ),
        figure(
            lang.revenue_arpu(),
            lang.money(average(counted.annual, counted.paying)),
            lang.revenue_arpu_note(),
        ),
    ]
}

fn changes(counted: &Counted, form: &PeriodForm, mode: Mode, lang: Lang) -> Vec<Figure> {
    let figure = |kind: MrrMovement, annual: i64, note: &'static str| Figure {
        label: name(kind, lang),
        value: lang.money(monthly(annual)),
        note: note.into(),
        list_url: Some(form.changes_url(mode, kind)),
    };
    let Counted { new, expansion, contraction, churned, .. } = *counted;
    vec![
        figure(MrrMovement::New, new, lang.revenue_new_note()),
        figure(MrrMovement::Expansion, expansion, lang.revenue_expansion_note()),
        figure(MrrMovement::Contraction, -contraction, lang.revenue_contraction_note()),
        figure(MrrMovement::Churn, -churned, lang.revenue_churned_note()),
    ]
}

/// What a change counts as.
pub fn name(kind: MrrMovement, lang: Lang) -> &'static str {
    match kind {
        MrrMovement::New => lang.revenue_new(),
        MrrMovement::Expansion => lang.revenue_expansion(),
        MrrMovement::Contraction => lang.revenue_contraction(),
        MrrMovement::Churn => lang.revenue_churned(),
    }
}

/// How many subscriptions are in each state now.
fn counts(counted: &Counted, mode: Mode, lang: Lang) -> Vec<Figure> {
    let here = url(mode, LIST);
    let figure = |status: Status, label, number: i64| Figure {
        label,
        value: number.to_string(),
        note: lang.revenue_now().into(),
        list_url: Some(format!("{here}?status={}", status.name())),
    };
    vec![
        figure(Status::Active, lang.revenue_active(), counted.active),
        figure(Status::PastDue, lang.subscriptions_late(), counted.past_due),
        figure(Status::Trialing, lang.revenue_trialing(), counted.trialing),
        figure(Status::Paused, lang.revenue_paused(), counted.paused),
    ]
}

fn chart(counted: &Counted, lang: Lang) -> Option<Chart> {
    let Counted { annual, annual_before, new, expansion, contraction, churned, .. } = *counted;
    let steps = [
        (lang.revenue_start(), annual_before),
        (lang.revenue_new(), new),
        (lang.revenue_expansion(), expansion),
        (lang.revenue_contraction(), -contraction),
        (lang.revenue_churned(), -churned),
        (lang.revenue_end(), annual),
    ];
    let point = |(_, annual): &(&str, i64)| {
        let value = monthly(*annual);
        Point { value, shown: lang.money(value) }
    };
    let series = Series {
        name: lang.revenue_mrr().to_owned(),
        form: Form::Waterfall,
        points: steps.iter().map(point).collect(),
    };
    let labels = steps.iter().map(|(name, _)| (*name).to_owned()).collect();
    let (title, row) = (lang.revenue_chart().to_owned(), lang.revenue_step().to_owned());
    Chart::draw(title, row, labels, vec![series])
}

impl PeriodForm {
    /// The window that the API is asked for.
    pub fn window(&self, app: &App, scope: Scope) -> Result<Window> {
        let (from, to) = self.days()?;
        let query = MetricsQuery { from: from.map(start), to: to.map(|last| start(after(last))) };
        query.window(scope.at(app.now()))
    }

    /// The list of what changed in the period.
    pub fn changes_url(&self, mode: Mode, kind: MrrMovement) -> String {
        let fields = [
            ("kind", kind.name().to_owned()),
            ("from", self.from.clone()),
            ("to", self.to.clone()),
        ];
        joined(&url(mode, CHANGES), fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    /// The same in the API, which takes instants; `more` is added.
    pub fn api_path(&self, path: &str, more: Option<(&'static str, String)>) -> String {
        let (from, to) = self.days().unwrap_or_default();
        let instant = |day: Option<Date>| day.map(|day| start(day).to_string());
        let fields = [("from", instant(from)), ("to", instant(to.map(after)))];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
        joined(&format!("{API}/{path}"), more.into_iter().chain(fields))
    }

    fn days(&self) -> Result<(Option<Date>, Option<Date>)> {
        let mut wrong = FieldErrors::new();
        let (from, to) = (wrong.read("from", day(&self.from)), wrong.read("to", day(&self.to)));
        wrong.finish()?;
        let (from, to) = (from.flatten(), to.flatten());
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Error::Invalid(vec![FieldError {
                field: "from".to_owned(),
                code: "OUT_OF_RANGE",
                message: "must not be after `to`".to_owned(),
            }]));
        }
        Ok((from, to))
    }
}
