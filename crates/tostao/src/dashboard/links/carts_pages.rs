//! The checkouts of a link that buyers began: which of them were left, and which came back.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::carts::list::{Filter, ListQuery, Totals};
use crate::carts::{self, Cart, Status};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::links::carts_view::{CartRow, CartsPage};
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::listing::{Found, ListForm};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST as TRANSACTIONS;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::payment_links;
use crate::platform::error::Result;
use crate::platform::http::page::{Listed, Page};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, PaymentLinkId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{PaymentLinksRead, Permission};
use crate::transactions::list::COUNTED_MAX;

/// GET /dashboard/{mode}/links/{id}/carts
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    // Carts have no texts to search.
    let form = ListForm { q: String::new(), ..form };
    let link = app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Links).await?;
    let link_url = url(scope.mode, &format!("{LIST}/{id}"));
    let carts_url = format!("{link_url}/carts");
    let sees_buyers = seat.permissions.contains(Permission::CustomersRead);
    let mut count = String::new();
    let read = listed(&app, scope, id, &form).await.map(|(page, listed, totals)| {
        count = counted(listed.total, totals);
        let row = |cart: &Cart| row(cart, scope.mode, sees_buyers, lang);
        let nothing = (lang.links_no_cart_matches(), nothing_yet(lang));
        form.found(&listed, page, &carts_url, row, nothing)
    });
    let (found, wrong) = Found::or_wrong(read)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let api = form.api_path(&format!("{API}/{id}/cart-abandonments"));
    let named = |status: &Status| (status.name(), words::cart(*status, lang).word);
    let statuses = form.choices(Status::ALL, named);
    let page = CartsPage {
        lang,
        shell,
        title: link.title,
        link_url,
        fields: form.fields(statuses, &wrong, &carts_url, lang),
        carts_url,
        count: lang.links_carts_count(count),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    };
    visit.page(&page, status)
}

async fn listed(
    app: &App,
    scope: Scope,
    id: PaymentLinkId,
    form: &ListForm,
) -> Result<(Page, Listed<Cart>, Totals)> {
    let query = ListQuery { status: form.status(Status::parse)?, ..ListQuery::default() };
    let filter = Filter { counted_max: COUNTED_MAX, ..query.read(&form.page())? };
    let page = filter.page;
    let read = async move |tx: &Tx| carts::list(tx, scope, id, &filter).await;
    let (listed, totals) = app.scan_for(scope.merchant, read).await?;
    Ok((page, listed, totals))
}

/// A count, which is at least so much where there are more carts than are counted.
pub fn counted(count: i64, totals: Totals) -> String {
    if totals.total < COUNTED_MAX {
        return count.to_string();
    }
    format!("{}+", count.min(COUNTED_MAX - 1))
}

fn nothing_yet(lang: Lang) -> NothingYet {
    NothingYet { heading: lang.links_no_cart(), note: lang.links_no_cart_note(), step: None }
}

fn row(cart: &Cart, mode: Mode, sees_buyers: bool, lang: Lang) -> CartRow {
    let who = [cart.name.clone(), cart.email.clone()];
    let who: Vec<_> = who.into_iter().flatten().collect();
    CartRow {
        when: lang.date_time(cart.created_at.micros()),
        who: Some(who.join(" · ")).filter(|who| sees_buyers && !who.is_empty()),
        state: words::cart(cart.status, lang),
        payment_url: cart.transaction.map(|id| url(mode, &format!("{TRANSACTIONS}/{id}"))),
    }
}
