//! The form that changes a payment link, and gives an expired one a new date.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::Posted;
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::links::form::{LinkForm, SHOWN};
use crate::dashboard::links::form_view::{FormPage, LinkFields};
use crate::dashboard::links::list_pages::{API, LIST};
use crate::dashboard::links::new_pages::{faults, offered};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::payment_links::api::ask_to_update;
use crate::payment_links::status::Status;
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::{FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::{PaymentLinkId, Scope};
use crate::platform::permissions::PaymentLinksWrite;

/// GET /dashboard/{mode}/links/{id}/edit
pub async fn show(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
) -> Result<Response> {
    let link = find(&app, seat.scope, id).await?;
    let mut stored = Posted::of(LinkForm::of(&link, visit.lang))?;
    if link.status == Status::Expired {
        stored.typed = stored.typed.until_later(seat.scope.at(app.now()));
    }
    let form = kept_form::read(&app, seat.who(), &visit).unwrap_or(stored);
    let page = form_page(&app, &seat, &visit, &link, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/links/{id}/edit
pub async fn change(
    State(app): State<App>,
    seat: Seat<PaymentLinksWrite>,
    visit: Visit,
    PathParam(id): PathParam<PaymentLinkId>,
    request: Request,
) -> Result<Response> {
    let form: Posted<LinkForm> = posted_form(request, &SHOWN).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let link = find(&app, scope, id).await?;
    match save(&app, &seat, &visit, &link, &form).await {
        Ok(()) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, lang.links_changed()))
        }
        Err(error) => {
            let form = form.again(&error, LinkForm::of(&link, lang))?;
            let (wrong, refused) = faults(error, lang)?;
            let mut page = form_page(&app, &seat, &visit, &link, (&form, &wrong)).await?;
            page.frame.refused = refused;
            visit.refused(&page)
        }
    }
}

/// Changes the link as programs do, by the same body.
async fn save(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    visit: &Visit,
    link: &PaymentLink,
    form: &Posted<LinkForm>,
) -> Result<()> {
    let route = format!("{LIST}/{}/edit", link.id);
    let key = attempt::key(app, seat.scope, &route, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(seat.scope, key, seat.by());
    let drawn = form.drawn_or(LinkForm::of(link, visit.lang));
    ask_to_update(app, ticket, link.id, form.typed.changes(&drawn)?).await?;
    Ok(())
}

async fn find(app: &App, scope: Scope, id: PaymentLinkId) -> Result<PaymentLink> {
    app.read(async move |tx: &Tx| payment_links::find(tx, scope, id).await).await
}

async fn form_page(
    app: &App,
    seat: &Seat<PaymentLinksWrite>,
    visit: &Visit,
    link: &PaymentLink,
    (form, wrong): (&Posted<LinkForm>, &[FieldError]),
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let shell = Shell::read(app, seat.holder(), scope.mode, visit, Section::Links).await?;
    let offered = offered(app, scope, &form.typed, lang).await?;
    let fields = LinkFields::new(&form.typed, &offered, wrong, lang);
    let (place, heading) = ((LIST, API, link.id.to_string()), lang.links_edit().to_owned());
    let names = [lang.links_back(), lang.links_save()];
    let mut frame = FormFrame::of_existing(app, scope, place, heading, names, &form.drawn);
    let (base_url, body) = (app.settings.base_url(), serde_json::json!({ "title": link.title }));
    frame.api = vec![ApiCall::send("PATCH", &base_url, &format!("{API}/{}", link.id), &body)];
    frame.wrong = fields.wrong(lang);
    Ok(FormPage { lang, shell, frame, has_preview: false, preview: None, fields })
}
