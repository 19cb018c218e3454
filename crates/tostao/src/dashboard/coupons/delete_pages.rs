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
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::form::Field;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{CouponId, Scope};
use crate::platform::permissions::CouponsWrite;

/// GET /dashboard/{mode}/coupons/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
) -> Result<Response> {
    let coupon = find(&app, seat.scope, id).await?;
    visit.page(&page(&app, &seat, &visit, &coupon).await?, StatusCode::OK)
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
    match find(&app, scope, id).await {
        Ok(coupon) if !is_typed(&coupon.code, &form.typed) => {
            let page = page(&app, &seat, &visit, &coupon).await?;
            return visit.refused(&page.mistyped(&form.typed));
        }
        // One that is gone was deleted by the same form, which is answered again, or never was.
        Ok(_) | Err(Error::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    ask_to_delete(&app, Ticket::of_person(scope, key, seat.by()), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.coupon_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: CouponId) -> Result<Coupon> {
    app.read(async move |tx: &Tx| coupons::find(tx, scope, id).await).await
}

async fn page(
    app: &App,
    seat: &Seat<CouponsWrite>,
    visit: &Visit,
    coupon: &Coupon,
) -> Result<ConfirmPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let here = url(mode, &format!("{LIST}/{}", coupon.id));
    let api = format!("{API}/{}", coupon.id);
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Coupons).await?,
        heading: lang.coupon_delete_of(&coupon.code),
        step: None,
        form_url: format!("{here}/delete"),
        back: (here, lang.coupon_back()),
        effects: vec![lang.coupon_delete_code().to_owned(), lang.coupon_delete_stays().to_owned()],
        name: coupon.code.clone(),
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.coupon_delete_now(),
        attempt: attempt::fresh(app, seat.scope),
        api: vec![ApiCall::rehearsed_deletion(&app.settings.base_url(), &api)],
    })
}
