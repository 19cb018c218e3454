//! The changes of the recurring revenue that a figure sums.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::ListForm;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::list_pages::Eyes;
use crate::dashboard::subscriptions::metrics_pages::{PeriodForm, in_words, name};
use crate::dashboard::subscriptions::metrics_view::{ChangeRow, ChangesPage};
use crate::dashboard::subscriptions::paths::{CHANGES, LIST, METRICS};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::platform::permissions::SubscriptionsRead;
use crate::subscriptions::metrics::{self, ChangesFilter, ListedChange, MrrMovement, monthly};

/// Which changes are listed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct KindFilter {
    kind: Option<MrrMovement>,
}

/// GET /dashboard/{mode}/subscriptions/metrics/changes
pub async fn show(
    State(app): State<App>,
    seat: Seat<SubscriptionsRead>,
    visit: Visit,
    Query(mut form): Query<ListForm>,
    Query(period): Query<PeriodForm>,
    Query(KindFilter { kind }): Query<KindFilter>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let window = period.window(&app, scope)?;
    let filter = ChangesFilter { page: form.page().read()?, kind, window };
    let read = async move |tx: &Tx| metrics::changes(tx, scope, &filter).await;
    let (listed, sum) = app.scan_for(scope.merchant, read).await?;
    let here = url(mode, CHANGES);
    let kind_name = kind.map(MrrMovement::name).unwrap_or_default().to_owned();
    form.more = vec![("kind", kind_name), ("from", period.from.clone()), ("to", period.to.clone())];
    let eyes = Eyes::of(&seat, lang);
    let row = |change: &ListedChange| ChangeRow {
        when: lang.date_time(change.at.micros()),
        what: name(change.kind, lang),
        who: eyes.who_is(&change.subscriber),
        plan: change.plan_name.clone(),
        url: url(mode, &format!("{LIST}/{}", change.subscription)),
        amount: lang.money(monthly(change.annual)),
    };
    let of_kind = kind.map(|kind| ("kind", kind.name().to_owned()));
    let page = ChangesPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Subscriptions).await?,
        metrics_url: url(mode, METRICS),
        heading: match kind {
            Some(kind) => lang.revenue_changes_of(name(kind, lang)),
            None => lang.revenue_changes().to_owned(),
        },
        sum: lang.money(monthly(sum.annual)),
        period: in_words(window, lang),
        lost: lost(sum.lost, lang),
        rows: listed.rows.iter().map(row).collect(),
        pager: form.pager(&listed, filter.page, &here),
        api: vec![ApiCall::get(
            &app.settings.base_url(),
            &period.api_path("metrics/changes", of_kind),
        )],
    };
    visit.page(&page, StatusCode::OK)
}

fn lost(count: i64, lang: Lang) -> Option<String> {
    match count {
        0 => None,
        1 => Some(lang.revenue_lost_one().to_owned()),
        count => Some(lang.revenue_lost_count(count)),
    }
}
