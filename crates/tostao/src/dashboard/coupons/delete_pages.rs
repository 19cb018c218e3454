//! The deletion of a coupon, whose code is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::coupons::api::ask_to_delete;
use crate::coupons::{self, Coupon};
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{CouponId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CouponsWrite;

/// GET /dashboard/{mode}/coupons/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
) -> Result<Response> {
    let coupon = find(&app, seat.scope, id).await?;
    let page = deletion(&coupon, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/coupons/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/delete"), &form.attempt, "")?;
    let found = find(&app, scope, id).await;
    if let Some(coupon) = unconfirmed(found, |coupon| &coupon.code, &form.typed)? {
        let page = deletion(&coupon, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.coupon_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: CouponId) -> Result<Coupon> {
    app.read(async move |tx: &Tx| coupons::find(tx, scope, id).await).await
}

fn deletion(coupon: &Coupon, lang: Lang) -> Deletion<'_> {
    Deletion {
        section: Section::Coupons,
        place: (LIST, API, coupon.id.to_string()),
        heading: lang.coupon_delete_of(&coupon.code),
        back: lang.coupon_back(),
        effects: [lang.coupon_delete_code(), lang.coupon_delete_stays()],
        name: &coupon.code,
        button: lang.coupon_delete_now(),
        of: DeletionOf::Object,
    }
}
