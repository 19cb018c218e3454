//! The form of a coupon: a new one, and one that is changed.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::coupons::api::{ask_to_create, ask_to_update};
use crate::coupons::params::{CODE_MAX, CODE_MIN};
use crate::coupons::{self, Coupon};
use crate::dashboard::attempt;
use crate::dashboard::coupons::coupon_view::FormPage;
use crate::dashboard::coupons::form::{CouponForm, SHOWN};
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::products::offer::{OFFERED, offer};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{CouponId, ProductId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::CouponsWrite;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    coupon: MadeCoupon,
}

#[derive(Debug, Deserialize)]
struct MadeCoupon {
    id: CouponId,
}

/// GET /dashboard/{mode}/coupons/new
pub async fn new(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
) -> Result<Response> {
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/coupons/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<CouponForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, "/coupons/new", &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.typed.body() {
        Ok(body) => ask_to_create(&app, ticket, body).await,
        Err(error) => Err(error),
    };
    match made {
        Ok(made) => {
            let Made { coupon } = made.read()?;
            let here = url(scope.mode, &format!("{LIST}/{}", coupon.id));
            Ok(see_and_say(&app, &here, visit.lang.coupon_made()))
        }
        Err(error) => refused(&app, &seat, &visit, None, (&form, error)).await,
    }
}

/// GET /dashboard/{mode}/coupons/{id}/edit
pub async fn edit(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
) -> Result<Response> {
    let coupon = find(&app, seat.scope, id).await?;
    let stored = Posted::of(CouponForm::of(&coupon, visit.lang))?;
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, Some(&coupon), (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/coupons/{id}/edit
pub async fn save(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CouponId>,
    request: Request,
) -> Result<Response> {
    let mut form: Posted<CouponForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    let coupon = find(&app, scope, id).await?;
    let stored = CouponForm::of(&coupon, visit.lang);
    form.typed.discount_type.clone_from(&stored.discount_type);
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let drawn = form.drawn_or(stored);
    let saved = match form.typed.changes(&drawn, coupon.reduction.kind()) {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.coupon_saved()))
        }
        Err(error) => {
            let form = form.again(&error, CouponForm::of(&coupon, visit.lang))?;
            refused(&app, &seat, &visit, Some(&coupon), (&form, error)).await
        }
    }
}

async fn find(app: &App, scope: Scope, id: CouponId) -> Result<Coupon> {
    app.read(async move |tx: &Tx| coupons::find(tx, scope, id).await).await
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<CouponsWrite>,
    visit: &Visit,
    coupon: Option<&Coupon>,
    (form, error): (&Posted<CouponForm>, Error),
) -> Result<Response> {
    if let Error::Refused(ErrorCode::CouponCodeTaken, _) = error {
        let mut page = form_page(app, seat, visit, coupon, (form, &[])).await?;
        page.taken = having(app, seat.scope, form.typed.code.clone(), visit.lang).await?;
        return visit.refused(&page);
    }
    let (wrong, refused) = faults(error, visit.lang)?;
    let mut page = form_page(app, seat, visit, coupon, (form, &wrong)).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

/// The coupon that has a code already: its page, and what says so.
async fn having(
    app: &App,
    scope: Scope,
    code: String,
    lang: Lang,
) -> Result<Option<(String, String)>> {
    let find = async move |tx: &Tx| coupons::find_by_code(tx, scope, &code).await;
    let having = app.read(find).await?;
    Ok(having.map(|coupon| {
        let address = url(scope.mode, &format!("{LIST}/{}", coupon.id));
        (address, lang.coupon_taken(coupon.code))
    }))
}

async fn form_page(
    app: &App,
    seat: &Seat<CouponsWrite>,
    visit: &Visit,
    coupon: Option<&Coupon>,
    (form, wrong): (&Posted<CouponForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let offered = offered(app, scope, form.typed.products(), lang).await?;
    let fields = form.typed.fields(&offered, wrong, lang);
    let mut frame = match coupon {
        None => {
            let names = [lang.coupon_new(), lang.coupons_title(), lang.coupon_make()];
            FormFrame::of_new(app, scope, (LIST, API), names)
        }
        Some(coupon) => {
            let heading = lang.coupon_edit_of(&coupon.code);
            let names = [lang.coupon_back(), lang.client_save()];
            let place = (LIST, API, coupon.id.to_string());
            FormFrame::of_existing(app, scope, place, heading, names, &form.drawn)
        }
    };
    frame.wrong = fields.wrong(lang);
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Coupons).await?,
        frame,
        is_new: coupon.is_none(),
        code_hint: lang.coupon_code_hint(CODE_MIN, CODE_MAX),
        products_hint: lang.coupon_which_products_hint(OFFERED),
        fields,
        taken: None,
    })
}

/// The products that the form offers, by their names.
async fn offered(
    app: &App,
    scope: Scope,
    chosen: Vec<ProductId>,
    lang: Lang,
) -> Result<Vec<(ProductId, String)>> {
    let offer = offer(app, scope, None, chosen).await?;
    let known = offer.products.into_iter().map(|product| (product.id, product.name));
    let deleted = offer.deleted.into_iter().map(|(id, name)| (id, lang.product_deleted(name)));
    Ok(known.chain(deleted).collect())
}
