//! The checkouts of a link that buyers began: which of them were left, and which came back.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::carts::list::ListQuery;
use crate::carts::{self, Cart, Status};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::links::carts_view::{CartRow, CartsPage, FoundCarts};
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::listing::joined;
use crate::dashboard::parts::{Choice, NothingMatches, NothingYet, Pager};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST as TRANSACTIONS;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::payment_links;
use crate::platform::error::Result;
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, PaymentLinkId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{PaymentLinksRead, Permission};

/// How many rows a page has.
const ROWS: i64 = 50;

/// The filter, as the address has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CartsForm {
    status: String,
    cursor: String,
}

impl CartsForm {
    fn url(&self, path: &str, limit: Option<i64>) -> String {
        let limit = limit.map(|limit| limit.to_string()).unwrap_or_default();
        let fields =
            [("status", self.status.clone()), ("limit", limit), ("cursor", self.cursor.clone())];
        joined(path, fields.into_iter().filter(|(_, value)| !value.is_empty()))
    }

    fn from_cursor(&self, cursor: &str) -> Self {
        Self { cursor: cursor.to_owned(), ..self.clone() }
    }
}

/// GET /dashboard/{mode}/links/{id}/carts
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
    Query(form): Query<CartsForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let cursor = Some(form.cursor.clone());
    let page = PageQuery { limit: Some(ROWS), page: None, cursor };
    let query = ListQuery { status: Status::parse(&form.status), ..ListQuery::default() };
    let filter = query.read(&page)?;
    let page = filter.page;
    let read = async move |tx: &Tx| {
        let title = payment_links::find(tx, scope, id).await?.title;
        let (listed, _) = carts::list(tx, scope, id, &filter).await?;
        Ok((title, listed))
    };
    let (title, listed) = app.scan_for(scope.merchant, read).await?;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Links).await?;
    let link_url = url(scope.mode, &format!("{LIST}/{id}"));
    let carts_url = format!("{link_url}/carts");
    let sees_buyers = seat.permissions.contains(Permission::CustomersRead);
    let found = if listed.rows.is_empty() && form.cursor.is_empty() {
        nothing(&form, &carts_url, lang)
    } else {
        let next = page.pagination(&listed).next_cursor;
        let pager = Pager {
            first_url: (!form.cursor.is_empty())
                .then(|| form.from_cursor("").url(&carts_url, None)),
            next_url: next.map(|cursor| form.from_cursor(&cursor).url(&carts_url, None)),
        };
        let row = |cart| row(cart, scope.mode, sees_buyers, lang);
        let rows = listed.rows.iter().map(row).collect();
        FoundCarts::Rows { rows, count: lang.links_carts_count(listed.total), pager }
    };
    let api = form.url(&format!("{API}/{id}/cart-abandonments"), Some(ROWS));
    let page = CartsPage {
        lang,
        shell,
        title,
        link_url,
        carts_url,
        statuses: statuses(&form, lang),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    };
    visit.page(&page, StatusCode::OK)
}

fn nothing(form: &CartsForm, carts_url: &str, lang: Lang) -> FoundCarts {
    if form.status.is_empty() {
        let (heading, note) = (lang.links_no_cart(), lang.links_no_cart_note());
        return FoundCarts::NothingYet(NothingYet { heading, note, step: None });
    }
    let heading = lang.links_no_cart_matches().to_owned();
    FoundCarts::NothingMatches(NothingMatches { heading, all_url: carts_url.to_owned() })
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

fn statuses(form: &CartsForm, lang: Lang) -> Vec<Choice> {
    let choice = |status: &Status| Choice {
        value: status.name(),
        name: words::cart(*status, lang).word,
        is_chosen: form.status == status.name(),
    };
    Status::ALL.iter().map(choice).collect()
}
