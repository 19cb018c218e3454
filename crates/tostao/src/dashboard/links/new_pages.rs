//! A new payment link: a form with three fields that are needed, and all others behind them.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::{self, Posted};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::links::form::{LinkForm, SHOWN};
use crate::dashboard::links::form_view::{FormPage, LinkFields, ProductChoice};
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::links::preview;
use crate::dashboard::products::offer::offer;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::payment_links;
use crate::payment_links::api::ask;
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{PaymentLinkId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::PaymentLinksWrite;
use crate::products::{Product, Status};

/// The path of the form in its mode.
pub const NEW: &str = "/links/new";

/// With what the form begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Beginning {
    /// The link that another one shall be like.
    copy: String,
}

/// What the form reads of the answer.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeLink,
}

#[derive(Debug, Deserialize)]
struct MadeLink {
    id: PaymentLinkId,
}

/// GET /dashboard/{mode}/links/new
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    Query(beginning): Query<Beginning>,
) -> Result<Response> {
    let form = match kept_form::read(&app, seat.who(), &visit) {
        Some(kept) => kept,
        None => Posted::new(begin(&app, seat.scope, &beginning.copy, visit.lang).await?),
    };
    let page = form_page(&app, &seat, &visit, &form, &[]).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/links/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<LinkForm> = posted_form(request, &SHOWN).await?;
    let scope = seat.scope;
    if !form.typed.preview.is_empty() {
        return preview_of(&app, &seat, &visit, &form).await;
    }
    match make(&app, &seat, &form).await {
        Ok(id) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.links_made()))
        }
        Err(error) => refused(&app, &seat, &visit, &form, error).await,
    }
}

/// Makes the link as programs do, by the same body.
async fn make(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    form: &Posted<LinkForm>,
) -> Result<PaymentLinkId> {
    let key = attempt::key(app, seat.scope, NEW, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(seat.scope, key, seat.by());
    let made: Made = ask(app, ticket, form.typed.body()?).await?.read()?;
    Ok(made.data.id)
}

/// The form with what the checkout would show; nothing is made.
async fn preview_of(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    visit: &Visit,
    form: &Posted<LinkForm>,
) -> Result<Response> {
    let shown = match form.typed.body() {
        Ok(body) => preview::of(app, seat.scope, body, visit.lang).await,
        Err(error) => Err(error),
    };
    match shown {
        Ok(order) => {
            let mut page = form_page(app, seat, visit, form, &[]).await?;
            page.preview = Some(order);
            visit.page(&page, StatusCode::OK)
        }
        Err(error) => refused(app, seat, visit, form, error).await,
    }
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    visit: &Visit,
    form: &Posted<LinkForm>,
    error: Error,
) -> Result<Response> {
    let (wrong, refused) = faults(error, visit.lang)?;
    let mut page = form_page(app, seat, visit, form, &wrong).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

/// What is wrong with the fields of a form, and why it was refused beside them.
pub fn faults(error: Error, lang: Lang) -> Result<(Vec<FieldError>, Option<&'static str>)> {
    let field = |field: &str| {
        let field = field.to_owned();
        vec![FieldError { field, code: "REQUIRED", message: String::new() }]
    };
    match error {
        Error::Refused(ErrorCode::MissingAmountOrProducts, _) => Ok((field("amountCents"), None)),
        Error::Refused(ErrorCode::NoPaymentMethodEnabled, _) => {
            Ok((field("settings.pixEnabled"), None))
        }
        Error::Refused(ErrorCode::ProductInactive, _) => {
            Ok((Vec::new(), Some(lang.links_product_off())))
        }
        error => form::faults(error, lang),
    }
}

/// What the form begins with: another link's values, those of a first link, or the defaults.
async fn begin(app: &App, scope: Scope, copy: &str, lang: Lang) -> Result<LinkForm> {
    if !copy.is_empty() {
        let id: PaymentLinkId = copy.parse().map_err(|_| Error::NotFound("Payment link"))?;
        let link = app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await?;
        return Ok(LinkForm::copy_of(&link, scope.at(app.now()), lang));
    }
    let any = app.read(async move |tx: &Tx| payment_links::any(tx, scope).await).await?;
    let is_first = scope.mode.is_development() && !any;
    Ok(if is_first { LinkForm::first(lang) } else { LinkForm::blank() })
}

async fn form_page(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    visit: &Visit,
    form: &Posted<LinkForm>,
    wrong: &[FieldError],
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let shell = Shell::read(app, seat.holder(), scope.mode, visit, Section::Links).await?;
    let offered = offered(app, scope, &form.typed, lang).await?;
    let fields = LinkFields::new(&form.typed, &offered, wrong, lang);
    let names = [lang.links_new(), lang.links_title(), lang.links_make()];
    let mut frame = FormFrame::of_new(app, scope, (LIST, API), names);
    let body = serde_json::json!({ "title": lang.links_first_title(), "amountCents": 4_990 });
    frame.api = vec![ApiCall::send("POST", &app.settings.base_url(), API, &body)];
    frame.wrong = fields.wrong(lang);
    Ok(FormPage { lang, shell, frame, has_preview: true, preview: None, fields })
}

/// The products that a form offers: the newest that are for sale, and those that it names.
pub async fn offered(
    app: &App,
    scope: Scope,
    form: &LinkForm,
    lang: Lang,
) -> Result<Vec<ProductChoice>> {
    let named = form.rows().iter().filter_map(|(product, _)| product.parse().ok()).collect();
    let offer = offer(app, scope, Some(Status::Active), named).await?;
    let choice =
        |id: String, name, is_deleted| ProductChoice { id, name, is_chosen: false, is_deleted };
    let known = offer.products.iter().map(|product: &Product| {
        let name = format!("{} · {}", product.name, lang.money(product.price.get()));
        choice(product.id.to_string(), name, false)
    });
    let deleted = offer.deleted.iter();
    let deleted =
        deleted.map(|(id, name)| choice(id.to_string(), lang.product_deleted(name), true));
    Ok(known.chain(deleted).collect())
}
