//! The list of subscriptions: those that are past due are seen first.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::listing::{Found, ListForm, joined};
use crate::dashboard::parts::{Figure, NamedChoice, NamedSelect, NothingYet};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::act::Act;
use crate::dashboard::subscriptions::export_words::InWords;
use crate::dashboard::subscriptions::list_view::{Late, LateRow, ListPage, Row};
use crate::dashboard::subscriptions::metrics_pages::{PeriodForm, churn, mrr};
use crate::dashboard::subscriptions::paths::{API, LIST, METRICS, PLANS};
use crate::dashboard::subscriptions::subscription_pages::link_action;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::{why, words};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions, SubscriptionsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::subscription_pages::plan_view::price_text;
use crate::subscriptions::export::export as write;
use crate::subscriptions::list::{Filter, ListQuery};
use crate::subscriptions::metrics::api::MetricsQuery;
use crate::subscriptions::metrics::{self, monthly};
use crate::subscriptions::plans;
use crate::subscriptions::status::Status;
use crate::subscriptions::{Subscription, list_with_sum};

/// How many that are past due are seen before the list.
const LATE_SHOWN: i64 = 5;
/// How many plans the filter offers: the newest.
const PLANS_OFFERED: i64 = 100;

/// The filters of this list beside those of every list; a form sends those that are empty, too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct MoreFilters {
    pub plan_id: String,
    pub client_id: String,
    pub paying: String,
}

/// What a row needs to be shown.
pub struct Eyes<'a> {
    pub scope: Scope,
    pub permissions: &'a Permissions,
    pub sees_buyers: bool,
    pub lang: Lang,
}

/// GET /dashboard/{mode}/subscriptions
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(mut form): Query<ListForm>,
    Query(more): Query<MoreFilters>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let here = url(scope.mode, LIST);
    form.more = more.pairs();
    let eyes = Eyes::of(&seat, lang);
    let (read, sum) = match found(&app, &form, &more, &here, &eyes).await {
        Ok((found, sum)) => (Ok(found), sum),
        Err(error) => (Err(error), String::new()),
    };
    let (found, wrong) = Found::or_wrong(read)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let is_first = !form.is_set() && form.cursor.is_empty();
    let has_rows = matches!(found, Found::Rows { .. });
    let late = if is_first { late(&app, &here, &eyes).await? } else { Late::default() };
    let figures =
        if is_first && has_rows { figures(&app, &late, &eyes).await? } else { Vec::new() };
    let named = |status: &Status| (status.name(), words::subscription(*status, lang).word);
    let statuses = form.choices(Status::ALL, named);
    let exports = form.exports(&here);
    let mut fields = form.fields(statuses, &wrong, &here, lang);
    fields.wrong.extend(more.wrong(&wrong, lang));
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Subscriptions).await?,
        plans_url: url(scope.mode, PLANS),
        metrics_url: url(scope.mode, METRICS),
        figures,
        late,
        fields,
        plans: plan_filter(&app, scope, &more.plan_id).await?,
        kept: more.kept(),
        kept_note: more.note(lang),
        sum,
        exports,
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(API))],
        list_url: here,
    };
    visit.page(&page, status)
}

/// GET /dashboard/{mode}/subscriptions/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<ListForm>,
    Query(more): Query<MoreFilters>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let shows_buyers = seat.permissions.contains(Permission::CustomersRead);
    let wording = InWords { lang: visit.lang, shows_buyers };
    write(&app, seat.scope, filter(&form, &more)?, format, wording).await
}

fn filter(form: &ListForm, more: &MoreFilters) -> Result<Filter> {
    let status = form.status(Status::parse)?;
    ListQuery { status, q: form.text(), ..more.query()? }.read(&form.page())
}

/// The rows, and what all that pass the filter pay in a month.
async fn found(
    app: &App,
    form: &ListForm,
    more: &MoreFilters,
    here: &str,
    eyes: &Eyes<'_>,
) -> Result<(Found<Row>, String)> {
    let (scope, lang) = (eyes.scope, eyes.lang);
    let filter = filter(form, more)?;
    let page = filter.page;
    let unit = async move |tx: &Tx| list_with_sum(tx, scope, &filter).await;
    let (listed, annual) = app.scan_for(scope.merchant, unit).await?;
    let amount = lang.money(monthly(annual));
    let sum = match listed.total {
        1 => lang.subscriptions_sum_one(amount),
        total => lang.subscriptions_sum(total, amount),
    };
    let row = |one: &Subscription| row(one, eyes);
    let empty = (lang.subscriptions_none_match(), nothing_yet(eyes));
    Ok((form.found(&listed, page, here, row, empty), sum))
}

fn nothing_yet(eyes: &Eyes<'_>) -> NothingYet {
    let lang = eyes.lang;
    NothingYet {
        heading: lang.subscriptions_none(),
        note: lang.subscriptions_none_note(),
        step: Some((url(eyes.scope.mode, PLANS), lang.plans_title())),
    }
}

fn row(one: &Subscription, eyes: &Eyes<'_>) -> Row {
    let lang = eyes.lang;
    Row {
        who: eyes.who(one),
        plan: one.plan_name.clone(),
        state: words::subscription(one.status, lang),
        next: why::subscriptions::next(one, lang),
        price: price_text(lang, one.price, one.interval),
        url: url(eyes.scope.mode, &format!("{LIST}/{}", one.id)),
    }
}

/// Those that are past due: the newest, and how many there are.
async fn late(app: &App, here: &str, eyes: &Eyes<'_>) -> Result<Late> {
    let (scope, lang) = (eyes.scope, eyes.lang);
    let page = PageQuery { limit: Some(LATE_SHOWN), ..PageQuery::default() };
    let query = ListQuery { status: Some(Status::PastDue), ..ListQuery::default() };
    let filter = query.read(&page)?;
    let unit = async move |tx: &Tx| list_with_sum(tx, scope, &filter).await;
    let (listed, _) = app.scan_for(scope.merchant, unit).await?;
    let now = scope.at(app.now());
    let row = |one: &Subscription| LateRow {
        retry_id: format!("retry-{}", one.id),
        link_id: format!("link-{}", one.id),
        name: eyes.name(one),
        url: format!("{here}/{}", one.id),
        why: why::subscriptions::late(one, lang),
        next: why::subscriptions::next(one, lang),
        retry: Act::Retry.action(one, now, scope.mode, eyes.permissions, lang),
        link: link_action(one, scope.mode, eyes.permissions, lang),
    };
    let rows = listed.rows.iter().map(row).collect();
    let all_url = format!("{here}?status={}", Status::PastDue.name());
    Ok(Late { total: listed.total, rows, all_url })
}

async fn figures(app: &App, late: &Late, eyes: &Eyes<'_>) -> Result<Vec<Figure>> {
    let (scope, lang) = (eyes.scope, eyes.lang);
    let window = MetricsQuery::default().window(scope.at(app.now()))?;
    let count = async move |tx: &Tx| metrics::count(tx, scope, window).await;
    let counted = app.scan_for(scope.merchant, count).await?;
    Ok(vec![
        mrr(&counted, true, scope.mode, lang),
        churn(&counted, &PeriodForm::default(), scope.mode, lang),
        Figure {
            label: lang.subscriptions_late(),
            value: late.total.to_string(),
            note: lang.revenue_now().into(),
            list_url: Some(late.all_url.clone()),
        },
    ])
}

/// The plans to choose from, the newest first.
async fn plan_filter(app: &App, scope: Scope, chosen: &str) -> Result<NamedSelect> {
    let plans = offered(app, scope, None).await?;
    let choice = |plan: &plans::Plan| {
        let value = plan.id.to_string();
        NamedChoice { is_chosen: value == chosen, value, name: plan.name.clone() }
    };
    Ok(NamedSelect { choices: plans.iter().map(choice).collect(), error: None })
}

/// The newest plans, those that are switched on or all.
pub async fn offered(app: &App, scope: Scope, active: Option<bool>) -> Result<Vec<plans::Plan>> {
    let page = PageQuery { limit: Some(PLANS_OFFERED), ..PageQuery::default() };
    let filter = plans::list::ListQuery { active, q: None }.read(&page)?;
    let unit = async move |tx: &Tx| plans::list(tx, scope, &filter).await;
    Ok(app.scan_for(scope.merchant, unit).await?.rows)
}

impl<'a> Eyes<'a> {
    /// What the person in a seat sees.
    pub fn of<P>(seat: &'a Seat<P>, lang: Lang) -> Self {
        let sees_buyers = seat.permissions.contains(Permission::CustomersRead);
        Self { scope: seat.scope, permissions: &seat.permissions, sees_buyers, lang }
    }

    /// The subscriber, or what stands in the place of a name.
    pub fn who(&self, of: &Subscription) -> String {
        self.who_is(&of.customer.name)
    }

    /// The same, by the name that is stored.
    pub fn who_is(&self, name: &str) -> String {
        let is_shown = self.sees_buyers && !name.is_empty();
        if is_shown { name.to_owned() } else { self.lang.subscription_subscriber_hidden().into() }
    }

    /// What a subscription is called.
    pub fn name(&self, of: &Subscription) -> String {
        if self.sees_buyers && !of.customer.name.is_empty() {
            return self.lang.subscription_of(&of.customer.name, &of.plan_name);
        }
        self.lang.subscription_of_hidden(&of.plan_name)
    }
}

impl MoreFilters {
    /// The list of those whose price counts as recurring.
    pub fn paying_url(here: &str) -> String {
        joined(here, [("paying", "true".to_owned())].into_iter())
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let Self { plan_id, client_id, paying } = self.clone();
        vec![("planId", plan_id), ("clientId", client_id), ("paying", paying)]
    }

    fn kept(&self) -> Vec<(&'static str, String)> {
        let pairs = self.pairs().into_iter();
        pairs.filter(|(name, value)| *name != "planId" && !value.is_empty()).collect()
    }

    /// What is wrong with these filters, in the summary above the form.
    fn wrong(&self, wrong: &[FieldError], lang: Lang) -> Vec<WrongField> {
        let one = |(name, value): (&'static str, String)| {
            let id = if name == "planId" { name } else { "q" };
            Field::judged(name, &value, wrong, lang).wrong(id, lang.subscription_plan())
        };
        self.pairs().into_iter().filter_map(one).collect()
    }

    fn note(&self, lang: Lang) -> Vec<&'static str> {
        let notes = [
            (!self.paying.is_empty()).then(|| lang.subscriptions_paying()),
            (!self.client_id.is_empty()).then(|| lang.subscriptions_of_client()),
        ];
        notes.into_iter().flatten().collect()
    }

    fn query(&self) -> Result<ListQuery> {
        fn read<T: std::str::FromStr>(name: &'static str, text: &str) -> Result<Option<T>> {
            if text.is_empty() {
                return Ok(None);
            }
            let wrong = |_| Error::field(name, "INVALID_VALUE", "must be a value of the list");
            text.parse().map(Some).map_err(wrong)
        }
        Ok(ListQuery {
            plan_id: read("planId", &self.plan_id)?,
            client_id: read("clientId", &self.client_id)?,
            paying: read("paying", &self.paying)?,
            ..ListQuery::default()
        })
    }
}
