//! A payment link: its address and code, its state and why, and what came of it.

use std::collections::BTreeMap;
use std::slice::from_ref;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db::tx::Tx;
use documents::qr::Qr;
use http::{StatusCode, header};
use ledger::cents::Cents;
use url::form_urlencoded::byte_serialize;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::carts;
use crate::carts::list::{Filter, ListQuery, Totals};
use crate::checkout::order_summary::available_methods;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::links::carts_pages::counted;
use crate::dashboard::links::form::last_day;
use crate::dashboard::links::link_view::{Address, LinkPage, Switch};
use crate::dashboard::links::list_pages::{API, LIST, price};
use crate::dashboard::links::new_pages::NEW;
use crate::dashboard::parts::{Action, Figure};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::list_pages::LIST as TRANSACTIONS;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::why::links::{self as why, Selling};
use crate::dashboard::words;
use crate::payment_links::status::Status;
use crate::payment_links::stock::availability;
use crate::payment_links::view::LinkView;
use crate::payment_links::{self, PaymentLink, pricing};
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{Mode, PaymentLinkId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{PaymentLinksRead, Permission, Permissions};
use crate::products::{self, Product};
use crate::transactions::list::COUNTED_MAX;

/// A link with what its page says about it.
struct Found {
    link: PaymentLink,
    total: Option<Cents>,
    selling: Selling,
    products: BTreeMap<ProductId, Product>,
    /// The names of the products that were deleted.
    deleted: BTreeMap<ProductId, String>,
    carts: Totals,
}

/// GET /dashboard/{mode}/links/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let found = find(&app, scope, id).await?;
    let link = &found.link;
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Links).await?;
    let checkout_url = app.settings.checkout_url();
    let view = LinkView::new(&checkout_url, link, found.total);
    let path = format!("{API}/{id}");
    let calls = [path.clone(), format!("{path}/cart-abandonments")];
    let base_url = app.settings.base_url();
    let page = LinkPage {
        lang,
        shell,
        list_url: url(scope.mode, LIST),
        title: link.title.clone(),
        price: price(found.total, lang),
        state: words::link(link.status, lang),
        why: why::of(link, found.selling, lang),
        edit: action(&seat.permissions, scope.mode, &format!("{LIST}/{id}/edit"), lang),
        edit_name: match link.status {
            Status::Expired => lang.links_new_date(),
            Status::Active | Status::Inactive => lang.links_edit(),
        },
        switch: switch(link, &seat.permissions, scope.mode, lang),
        duplicate: action(&seat.permissions, scope.mode, &format!("{NEW}?copy={id}"), lang),
        attempt: attempt::fresh(&app, scope),
        address: address(link, &checkout_url, found.total, scope.mode, lang)?,
        figures: figures(&found, &seat.permissions, scope.mode, lang),
        facts: facts(&found, lang),
        json: serde_json::to_string_pretty(&view)?,
        api: calls.iter().map(|path| ApiCall::get(&base_url, path)).collect(),
    };
    visit.page(&page, StatusCode::OK)
}

/// GET /dashboard/{mode}/links/{id}/poster.png
///
/// The QR code of the address, large enough for paper.
pub async fn poster(
    State(app): State<App>,
    seat: Seat<PaymentLinksRead>,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Response> {
    let scope = seat.scope;
    let link = app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await?;
    let png = qr(&link.url(&app.settings.checkout_url()))?.printed_png();
    let headers = [
        (header::CONTENT_TYPE, "image/png".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"link-{}.png\"", link.slug)),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, png).into_response())
}

async fn find(app: &App, scope: Scope, id: PaymentLinkId) -> Result<Found> {
    let first = PageQuery { limit: Some(1), ..PageQuery::default() };
    let filter = Filter { counted_max: COUNTED_MAX, ..ListQuery::default().read(&first)? };
    let read = async move |tx: &Tx| {
        let link = payment_links::find(tx, scope, id).await?;
        let total = pricing::totals(tx, scope, from_ref(&link)).await?;
        let stock = availability(tx, scope, &link).await?;
        let ids: Vec<_> = link.items.iter().map(|(id, _)| *id).collect();
        let known = products::find_many(tx, scope, &ids).await?;
        let products = (known, products::names_of_deleted(tx, scope, &ids).await?);
        let (_, carts) = carts::list(tx, scope, id, &filter).await?;
        Ok((link, total.into_iter().next().flatten(), stock, products, carts))
    };
    let (link, total, stock, (products, deleted), carts) =
        app.scan_for(scope.merchant, read).await?;
    let has_way = !available_methods(app, scope.mode, &link).is_empty();
    let selling = Selling { is_for_sale: total.is_some(), has_way, stock };
    Ok(Found { link, total, selling, products, deleted, carts })
}

/// What a role that may write can do.
fn action(permissions: &Permissions, mode: Mode, path: &str, lang: Lang) -> Action {
    Action::needing(Permission::PaymentLinksWrite, permissions, url(mode, path), lang)
}

fn switch(link: &PaymentLink, permissions: &Permissions, mode: Mode, lang: Lang) -> Switch {
    let path = |what| format!("{LIST}/{}/{what}", link.id);
    match link.status {
        Status::Active => Switch::Off(action(permissions, mode, &path("switch-off"), lang)),
        Status::Inactive => Switch::On(action(permissions, mode, &path("switch-on"), lang)),
        Status::Expired => Switch::On(Action::Refused(lang.links_only_a_date())),
    }
}

fn address(
    link: &PaymentLink,
    checkout_url: &str,
    total: Option<Cents>,
    mode: Mode,
    lang: Lang,
) -> Result<Address> {
    let address = link.url(checkout_url);
    let text = match total {
        Some(total) => lang.links_share(&link.title, lang.money(total.get()), &address),
        None => lang.links_share_unpriced(&link.title, &address),
    };
    Ok(Address {
        qr: qr(&address)?,
        poster_url: url(mode, &format!("{LIST}/{}/poster.png", link.id)),
        whatsapp_url: whatsapp(&text),
        mail_url: mail_to(&link.title, &text),
        url: address,
    })
}

/// The address that sends a text by WhatsApp.
pub fn whatsapp(text: &str) -> String {
    format!("https://wa.me/?text={}", escaped(text))
}

/// The address that writes a mail.
pub fn mail_to(subject: &str, text: &str) -> String {
    format!("mailto:?subject={}&body={}", escaped(subject), escaped(text))
}

/// The QR code of an address.
pub fn qr(address: &str) -> Result<Qr> {
    Qr::encode(address).map_err(|error| Error::Internal(error.into()))
}

/// A text in an address of another program, where a plus is a plus.
fn escaped(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// How far buyers came; each number opens the list that it counts.
fn figures(found: &Found, permissions: &Permissions, mode: Mode, lang: Lang) -> Vec<Figure> {
    let Found { link, carts, .. } = found;
    let here = url(mode, &format!("{LIST}/{}/carts", link.id));
    let payments = url(mode, &format!("{TRANSACTIONS}?paymentLinkId={}", link.id));
    let may_list = permissions.contains(Permission::TransactionsRead);
    let figure = |label, value, note: &'static str, list_url| Figure {
        label,
        value,
        note: note.into(),
        list_url,
    };
    let (issued_count, paid_count) = (link.times_used.to_string(), link.sales_count.to_string());
    let (left_count, began_count) =
        (counted(carts.abandoned, *carts), counted(carts.total, *carts));
    let paid = may_list.then(|| format!("{payments}&paid=true"));
    let issued = may_list.then_some(payments);
    let left = Some(format!("{here}?status=ABANDONED"));
    vec![
        figure(lang.links_issued(), issued_count, lang.links_issued_note(), issued),
        figure(lang.links_paid(), paid_count, lang.links_paid_note(), paid),
        figure(lang.links_left(), left_count, lang.links_left_note(), left),
        figure(lang.links_began(), began_count, lang.links_began_note(), Some(here)),
    ]
}

fn facts(found: &Found, lang: Lang) -> Vec<(&'static str, String)> {
    let Found { link, products, deleted, .. } = found;
    let settings = &link.settings;
    let sold = link.items.iter().map(|(id, quantity)| {
        let known = products.get(id).map(|product| product.name.clone());
        let name = known.or_else(|| deleted.get(id).map(|name| lang.product_deleted(name)));
        let name = name.unwrap_or_default();
        format!("{quantity} × {name}")
    });
    let sold: Vec<_> = sold.collect();
    let ways = [
        (settings.pix_enabled, lang.pix()),
        (settings.boleto_enabled, lang.boleto()),
        (settings.credit_card_enabled, lang.card()),
    ];
    let ways: Vec<_> = ways.into_iter().filter_map(|(is_on, name)| is_on.then_some(name)).collect();
    let parts = settings.credit_card_enabled && settings.max_installments > 1;
    let parts = parts.then(|| {
        lang.links_parts_of(settings.max_installments, settings.interest_free_installments)
    });
    let asks = [
        (settings.require_phone, lang.links_ask_phone()),
        (settings.require_address, lang.links_ask_address()),
    ];
    let asks: Vec<_> = asks.into_iter().filter_map(|(is_on, name)| is_on.then_some(name)).collect();
    let stock = link.stock_quantity.filter(|_| link.stock_enabled);
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let facts = [
        (lang.links_products(), given(sold.join(", "))),
        (lang.links_ways(), given(ways.join(", "))),
        (lang.links_parts(), parts),
        (lang.links_stock_field(), stock.map(|count| count.to_string())),
        (lang.links_until(), link.expires_at.map(|at| lang.date(last_day(at)))),
        (lang.links_redirect(), link.redirect_url.clone()),
        (lang.links_pixel(), link.meta_pixel_code.clone()),
        (lang.links_description(), link.description.clone()),
        (lang.links_about(), link.product_description.clone()),
        (lang.links_asks(), given(asks.join(", "))),
        (lang.links_created(), Some(lang.date_time(link.created_at.micros()))),
        (lang.payments_id(), Some(link.id.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
