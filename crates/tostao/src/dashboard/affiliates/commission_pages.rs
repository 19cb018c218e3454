//! Commissions, each with why it stands so: of a program, and of the account as an affiliate.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use ledger::cents::Cents;
use serde::Deserialize;

use crate::affiliates::commissions::export::{Whose, export};
use crate::affiliates::commissions::list::{Filter, ListQuery};
use crate::affiliates::commissions::{self, Commission, Status};
use crate::affiliates::links::LinkWithProgram;
use crate::affiliates::{links, programs};
use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::affiliates::export_words::InWords;
use crate::dashboard::affiliates::list_pages::{API, PROGRAMS, sum};
use crate::dashboard::affiliates::mine_pages::{MINE, earnings};
use crate::dashboard::affiliates::view::{CommissionRow, CommissionsPage};
use crate::dashboard::affiliates::words;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::listing::{Found, ListForm, joined};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST as TRANSACTIONS;
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::Listed;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{AffiliatesRead, Permission};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

/// The path of own commissions in their mode.
pub const OWN: &str = "/affiliates/mine/commissions";
/// The path of own commissions in the API.
const OWN_API: &str = "/api/affiliate/commissions";

/// Whose commissions are wanted beside the filter.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct LinkQuery {
    link_id: Option<AffiliateLinkId>,
}

/// Where a list of commissions is, on the page and in the API, with what it keeps of its address.
struct Place {
    here: String,
    api: String,
    link: Option<AffiliateLinkId>,
    /// The path of payments, for those who may read them.
    payments: Option<String>,
}

/// GET /dashboard/{mode}/affiliates/programs/{id}/commissions
pub async fn of_program(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(LinkQuery { link_id: link }): Query<LinkQuery>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let may = seat.permissions.contains(Permission::TransactionsRead);
    let back = url(mode, &format!("{PROGRAMS}/{id}"));
    let place = Place {
        here: format!("{back}/commissions"),
        api: format!("{API}/{id}/commissions"),
        link,
        payments: may.then(|| url(mode, TRANSACTIONS)),
    };
    let (form, filter) = place.filter(form);
    let checkout_url = app.settings.checkout_url();
    let wanted = filter.as_ref().ok().cloned();
    let read = async move |tx: &Tx| {
        let shown = programs::find(tx, scope, id).await?;
        let of = match link {
            Some(link) => Some(links::find(tx, scope, &checkout_url, link).await?),
            None => None,
        };
        let listed = match &wanted {
            Some(filter) => Some(commissions::list_of(tx, scope, id, filter).await?),
            None => None,
        };
        Ok((shown, of, listed))
    };
    let (shown, of, listed) = app.scan_for(scope.merchant, read).await?;
    let stats = shown.stats.unwrap_or_default();
    let (pending, earned) =
        of.as_ref().map_or((stats.pending, stats.earned), |of| (of.link.pending, of.link.earned));
    let heading = of
        .as_ref()
        .map_or_else(|| lang.commissions_title().to_owned(), |of| lang.commissions_of(&of.name));
    let name = words::product(shown.product.as_ref(), lang);
    let page = place.page(
        (&app, lang),
        Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        (heading, (back, name)),
        (form, filter, listed),
        (pending, earned),
    )?;
    visit.page(&page.0, page.1)
}

/// GET /dashboard/{mode}/affiliates/mine/commissions
pub async fn own(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    Query(LinkQuery { link_id: link }): Query<LinkQuery>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let place = Place { here: url(mode, OWN), api: OWN_API.to_owned(), link, payments: None };
    let (form, filter) = place.filter(form);
    let checkout_url = app.settings.checkout_url();
    let wanted = filter.as_ref().ok().cloned();
    let read = async move |tx: &Tx| {
        let of = match link {
            Some(link) => Some(links::find_own(tx, scope, &checkout_url, link).await?),
            None => None,
        };
        let listed = match &wanted {
            Some(filter) => Some(commissions::list_own(tx, scope, filter).await?),
            None => None,
        };
        Ok((of, links::stats(tx, scope).await?, listed))
    };
    let (of, stats, listed): (Option<LinkWithProgram>, _, _) =
        app.scan_for(scope.merchant, read).await?;
    let (pending, earned) =
        of.as_ref().map_or((stats.pending, stats.earned), |of| (of.link.pending, of.link.earned));
    let heading = of.as_ref().map_or_else(
        || lang.commissions_title().to_owned(),
        |of| lang.commissions_of(words::product(of.product.as_ref(), lang)),
    );
    let page = place.page(
        (&app, lang),
        Shell::read(&app, seat.holder(), mode, &visit, Section::Affiliates).await?,
        (heading, (url(mode, MINE), lang.mine_title().to_owned())),
        (form, filter, listed),
        (pending, earned),
    )?;
    visit.page(&page.0, page.1)
}

/// GET /dashboard/{mode}/affiliates/programs/{id}/commissions/export
pub async fn export_of_program(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    PathParam(id): PathParam<AffiliateProgramId>,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(LinkQuery { link_id: link }): Query<LinkQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let wanted = (Whose::OfProgram(id), filter(&form, link)?);
    export(&app, seat.scope, wanted, format, InWords { lang: visit.lang }).await
}

/// GET /dashboard/{mode}/affiliates/mine/commissions/export
pub async fn export_own(
    State(app): State<App>,
    seat: Seat<AffiliatesRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(LinkQuery { link_id: link }): Query<LinkQuery>,
    Query(form): Query<ListForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let wanted = (Whose::Own, filter(&form, link)?);
    export(&app, seat.scope, wanted, format, InWords { lang: visit.lang }).await
}

fn filter(form: &ListForm, link: Option<AffiliateLinkId>) -> Result<Filter> {
    ListQuery::new(form.status(Status::parse)?, link).read(&form.page())
}

impl Place {
    /// The form without a search, which commissions have none of, and its filter.
    fn filter(&self, form: ListForm) -> (ListForm, Result<Filter>) {
        let form = ListForm { q: String::new(), ..form };
        let filter = filter(&form, self.link);
        (form, filter)
    }

    /// What the list keeps of its address beside the state and the page.
    fn kept(&self) -> Vec<(&'static str, String)> {
        self.link.map(|link| ("linkId", link.to_string())).into_iter().collect()
    }

    /// The page, and its status.
    fn page(
        &self,
        (app, lang): (&App, Lang),
        shell: Shell,
        (heading, back): (String, (String, String)),
        (form, filter, listed): (ListForm, Result<Filter>, Option<Listed<Commission>>),
        (pending, earned): (Cents, Cents),
    ) -> Result<(CommissionsPage, StatusCode)> {
        let kept = self.kept();
        let [list, api] =
            [&self.here, &self.api].map(|path| joined(path, kept.clone().into_iter()));
        let found = match (filter, listed) {
            (Ok(filter), Some(listed)) => {
                let row = |commission: &Commission| self.row(commission, lang);
                let nothing_yet = NothingYet {
                    heading: lang.commissions_none(),
                    note: lang.commissions_none_note(),
                    step: None,
                };
                let empty = (lang.commissions_none_match(), nothing_yet);
                Ok(form.found(&listed, filter.page, &list, row, empty))
            }
            (filter, _) => Err(filter.err().unwrap_or(Error::NotFound("Commission"))),
        };
        let pending = sum(pending, &list, Status::Pending, lang);
        let earned = sum(earned, &list, Status::Paid, lang);
        let (found, wrong): (Found<CommissionRow>, Vec<FieldError>) = Found::or_wrong(found)?;
        let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
        let named = |status: &Status| (status.name(), words::commission_status(*status, lang));
        let statuses = form.choices(Status::ALL, named);
        let page = CommissionsPage {
            lang,
            shell,
            heading,
            back,
            list_url: self.here.clone(),
            fields: form.fields(statuses, &wrong, &list, lang),
            figures: earnings(pending, earned, lang),
            exports: ListForm { more: kept.clone(), ..form.clone() }.exports(&self.here),
            kept,
            found,
            api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path(&api))],
        };
        Ok((page, status))
    }

    fn row(&self, of: &Commission, lang: Lang) -> CommissionRow {
        CommissionRow {
            when: lang.date_time(of.created_at.micros()),
            what: words::origin(of.kind, lang),
            code: of.code.clone(),
            url: self.payments.as_ref().map(|list| format!("{list}/{}", of.transaction)),
            state: words::commission_state(of.status, lang),
            why: words::commission_why(of, lang),
            amount: lang.money(of.amount.get()),
        }
    }
}
