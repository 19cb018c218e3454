//! The deletion of an object, whose name is typed to confirm it.
//!
//! A section says what is its own of it: how its object is found, what its deletion means, and what
//! the page asks the API for.

use std::fmt::Display;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, Deletion, is_typed};
use crate::dashboard::form_pages::FormVisit;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::url;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::RequiredPermissions;

/// An object that people delete.
pub trait Deletable: Sized {
    type Permission: RequiredPermissions;
    type Id: Copy + Display;

    /// The path of the list in its mode.
    const LIST: &'static str;
    /// The same list in the API.
    const API: &'static str;
    /// The path of the page that says that the object was deleted.
    const AFTERWARDS: &'static str = Self::LIST;
    /// What is said once the object was deleted.
    const DELETED: Text;

    fn find(app: &App, scope: Scope, id: Self::Id) -> impl Future<Output = Result<Self>> + Send;

    /// What the page says of the deletion.
    fn deletion(&self, lang: Lang) -> Deletion;

    /// Deletes the object as programs do.
    fn ask(
        at: &FormVisit<Self::Permission>,
        ticket: Ticket,
        id: Self::Id,
    ) -> impl Future<Output = Result<()>> + Send;
}

/// GET /dashboard/{mode}/…/{id}/delete
pub async fn show<D: Deletable>(
    State(app): State<App>,
    seat: Seat<D::Permission>,
    visit: Visit,
    PathParam(id): PathParam<D::Id>,
) -> Result<Response> {
    let at = FormVisit { app, seat, visit };
    let object = D::find(&at.app, at.seat.scope, id).await?;
    let page = page::<D>(&at, id, object.deletion(at.visit.lang)).await?;
    at.visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/…/{id}/delete
pub async fn delete<D: Deletable>(
    State(app): State<App>,
    seat: Seat<D::Permission>,
    visit: Visit,
    PathParam(id): PathParam<D::Id>,
    request: Request,
) -> Result<Response> {
    let ConfirmForm { attempt, typed } = posted(request).await?;
    let at = FormVisit { app, seat, visit };
    let (scope, lang) = (at.seat.scope, at.visit.lang);
    let key = attempt::key(&at.app, scope, &format!("{}/{id}/delete", D::LIST), &attempt, "")?;
    match D::find(&at.app, scope, id).await.map(|object| object.deletion(lang)) {
        Ok(deletion) if !is_typed(&deletion.name, &typed) => {
            let page = page::<D>(&at, id, deletion).await?;
            return at.visit.refused(&page.mistyped(&typed));
        }
        // An object that is not found was deleted by the same form, which is answered as before, or
        // was never here.
        Ok(_) | Err(Error::NotFound(_)) => {}
        Err(error) => return Err(error),
    }
    D::ask(&at, Ticket::of_person(scope, key, at.seat.by()), id).await?;
    Ok(see_and_say(&at.app, &url(scope.mode, D::AFTERWARDS), D::DELETED(lang)))
}

async fn page<D: Deletable>(
    at: &FormVisit<D::Permission>,
    id: D::Id,
    deletion: Deletion,
) -> Result<ConfirmPage> {
    let place = (D::LIST, D::API, id.to_string());
    deletion.page(&at.app, &at.seat, &at.visit, place).await
}
