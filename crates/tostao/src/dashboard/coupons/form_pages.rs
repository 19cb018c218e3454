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
use crate::coupons::{self, Coupon};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::coupons::coupon_view::FormPage;
use crate::dashboard::coupons::form::CouponForm;
use crate::dashboard::coupons::list_pages::{API, LIST};
use crate::dashboard::kept_form;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::html::posted_to_correct;
use crate::platform::http::listing::ListQuery;
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{CouponId, Scope};
use crate::platform::permissions::CouponsWrite;
use crate::products::{self, Product};

/// The fields whose errors the form shows.
const SHOWN: [&str; 10] = [
    "code",
    "discountType",
    "discountValue",
    "description",
    "minPurchaseCents",
    "maxDiscountCents",
    "usageLimit",
    "perUserLimit",
    "validFrom",
    "validUntil",
];
/// How many products the form offers, the newest first; a coupon may be for so many.
const PRODUCTS: i64 = 100;

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
    let form: CouponForm = kept_form::read(&app, seat.who(), &visit).unwrap_or_default();
    let page = form_page(&app, &seat, &visit, None, &form).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/coupons/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<CouponsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: CouponForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, "/coupons/new", &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let made = match form.body() {
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
    let kept = kept_form::read(&app, seat.who(), &visit);
    let form = kept.unwrap_or_else(|| CouponForm::of(&coupon, visit.lang));
    let page = form_page(&app, &seat, &visit, Some(&coupon), &form).await?;
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
    let mut form: CouponForm = posted_to_correct(request, &SHOWN).await?;
    let scope = seat.scope;
    let coupon = find(&app, scope, id).await?;
    let shown = CouponForm::of(&coupon, visit.lang);
    form.discount_type.clone_from(&shown.discount_type);
    let route = format!("{LIST}/{id}/edit");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let saved = match form.changes(&shown, coupon.reduction.kind()) {
        Ok(changes) => ask_to_update(&app, ticket, id, changes).await,
        Err(error) => Err(error),
    };
    match saved {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.coupon_saved()))
        }
        Err(error) => refused(&app, &seat, &visit, Some(&coupon), (&form, error)).await,
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
    (form, error): (&CouponForm, Error),
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let mut page = form_page(app, seat, visit, coupon, form).await?;
    match error {
        Error::Invalid(wrong) => {
            page.fields = form.fields(&products(app, scope, form).await?, &wrong, lang);
        }
        Error::Refused(ErrorCode::CouponCodeTaken, _) => {
            let code = form.code.clone();
            let find = async move |tx: &Tx| coupons::find_by_code(tx, scope, &code).await;
            let having = app.read(find).await?;
            page.taken = having.map(|coupon| {
                let address = url(scope.mode, &format!("{LIST}/{}", coupon.id));
                (address, lang.coupon_taken(coupon.code))
            });
        }
        error => return Err(error),
    }
    page.wrong = page.fields.wrong(lang);
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<CouponsWrite>,
    visit: &Visit,
    coupon: Option<&Coupon>,
    form: &CouponForm,
) -> Result<FormPage> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let list = url(mode, LIST);
    let (heading, back, form_url, button, api) = match coupon {
        None => {
            let heading = lang.coupon_new().to_owned();
            let back = (list.clone(), lang.coupons_title());
            (heading, back, format!("{list}/new"), lang.coupon_make(), API.to_owned())
        }
        Some(coupon) => {
            let here = format!("{list}/{}", coupon.id);
            let api = format!("{API}/{}", coupon.id);
            let back = (here.clone(), lang.coupon_back());
            (
                lang.coupon_edit_of(&coupon.code),
                back,
                format!("{here}/edit"),
                lang.client_save(),
                api,
            )
        }
    };
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Coupons).await?,
        heading,
        back,
        form_url,
        is_new: coupon.is_none(),
        fields: form.fields(&products(app, scope, form).await?, &[], lang),
        wrong: Vec::new(),
        taken: None,
        button,
        attempt: attempt::fresh(app, scope),
        api: vec![ApiCall::get(&app.settings.base_url(), &api)],
    })
}

/// The products that the form offers: the newest, and those that are chosen.
async fn products(app: &App, scope: Scope, form: &CouponForm) -> Result<Vec<Product>> {
    let page = PageQuery { limit: Some(PRODUCTS), page: None, cursor: None };
    let filter = ListQuery::new(None, None).read(&page)?;
    let chosen = form.products();
    let unit = async move |tx: &Tx| {
        let newest = products::page(tx, scope, &filter).await?.rows;
        Ok((newest, products::find_many(tx, scope, &chosen).await?))
    };
    let (mut offered, mut chosen) = app.scan_for(scope.merchant, unit).await?;
    for product in &offered {
        chosen.remove(&product.id);
    }
    offered.extend(chosen.into_values());
    Ok(offered)
}
