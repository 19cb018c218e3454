//! A coupon: its state and why, its uses and limits; and its switch.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::coupons::api::ask_to_update;
use crate::coupons::params::{CouponParams, SettableCouponStatus};
use crate::coupons::{self, Coupon, Status};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::coupons::coupon_view::CouponPage;
use crate::dashboard::coupons::coupon_words as words;
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::parts::{Action, Switch};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::patch::Omittable;
use crate::platform::http::path::PathParam;
use crate::platform::ids::CouponId;
use crate::platform::messages::Lang;
use crate::platform::permissions::{CouponsRead, CouponsWrite, Permission};
use crate::products;

/// The status that a coupon is switched to.
#[derive(Debug, Deserialize)]
struct SwitchForm {
    status: SettableCouponStatus,
    attempt: String,
}

/// GET /dashboard/{mode}/coupons/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<CouponsRead>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let read = async move |tx: &Tx| {
        let coupon = coupons::find(tx, scope, id).await?;
        let products = products::find_many(tx, scope, &coupon.product_ids).await?;
        let deleted = products::names_of_deleted(tx, scope, &coupon.product_ids).await?;
        Ok((coupon, (products, deleted), scope.now(tx)))
    };
    let (coupon, (products, deleted), now) = app.read(read).await?;
    let here = url(mode, &format!("{LIST}/{id}"));
    let changing = |page| {
        let address = format!("{here}/{page}");
        Action::needing(Permission::CouponsWrite, &seat.permissions, address, lang)
    };
    let known = products.values().map(|product| product.name.clone());
    let deleted = deleted.values().map(|name| lang.product_deleted(name));
    let page = CouponPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Coupons).await?,
        list_url: url(mode, LIST),
        list_name: lang.coupons_title(),
        state: words::state(&coupon, now, lang),
        why: words::why(&coupon, now, lang),
        facts: facts(&coupon, lang),
        products: known.chain(deleted).collect(),
        edit: changing("edit"),
        switch: switch_of(&coupon, now, changing("switch"), lang),
        delete: changing("delete"),
        attempt: attempt::fresh(&app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &format!("{API}/{id}"))],
        name: coupon.code,
    };
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/coupons/{id}/switch
pub async fn switch(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
    request: Request,
) -> Result<Response> {
    let SwitchForm { status, attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{LIST}/{id}/switch");
    let key = attempt::key(&app, scope, &route, &attempt, &format!("{status:?}"))?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let params = CouponParams { status: Omittable::from(Some(status)), ..CouponParams::default() };
    ask_to_update(&app, ticket, id, params).await?;
    let said = match status {
        SettableCouponStatus::Active => lang.coupon_was_switched_on(),
        SettableCouponStatus::Inactive => lang.coupon_was_switched_off(),
    };
    Ok(see_and_say(&app, &url(scope.mode, &format!("{LIST}/{id}")), said))
}

fn switch_of(coupon: &Coupon, now: Timestamp, action: Action, lang: Lang) -> Switch {
    let (status, name) = if coupon.active {
        (Status::Inactive, lang.coupon_switch_off())
    } else {
        (Status::Active, lang.coupon_switch_on())
    };
    let action = match action {
        Action::Possible(_) if coupon.has_ended(now) => {
            Action::Refused(lang.coupon_ended_is_not_switched())
        }
        action => action,
    };
    Switch { action, field: "status", status: status.name(), name }
}

fn facts(coupon: &Coupon, lang: Lang) -> Vec<(&'static str, String)> {
    let instant = |at: Timestamp| lang.date_time(at.micros());
    let facts = [
        (lang.coupon_discount(), Some(words::discount(coupon.reduction, lang))),
        (lang.coupon_max_discount(), coupon.max_discount.map(|most| lang.money(most.get()))),
        (lang.coupon_min_purchase(), coupon.min_purchase.map(|least| lang.money(least.get()))),
        (lang.coupon_uses(), Some(words::uses(coupon, lang))),
        (lang.coupon_paid_uses(), Some(coupon.paid_count.to_string())),
        (lang.coupon_per_user_limit(), coupon.per_user_limit.map(|limit| limit.to_string())),
        (lang.coupon_valid_from(), coupon.valid_from.map(instant)),
        (lang.coupon_valid_until(), coupon.valid_until.map(instant)),
        (lang.coupon_description(), coupon.description.clone()),
        (lang.coupon_since(), Some(instant(coupon.created_at))),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
