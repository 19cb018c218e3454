//! The pages with the form of an object: of a new one, and of one that is changed.
//!
//! A section says what is its own of them: how its object is found and named, what its fields are,
//! and what the form asks the API for.

use std::fmt::Display;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::form::{self, Faults, Posted};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::path::PathParam;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::RequiredPermissions;

/// A person at a form, who has the permission to send it.
pub struct FormVisit<P> {
    pub app: App,
    pub seat: Seat<P>,
    pub visit: Visit,
}

/// A form as it is drawn: what stands around its fields, what they say and what is wrong with them.
pub struct Drawing<'a, F> {
    pub frame: FormFrame,
    pub typed: &'a F,
    pub wrong: &'a [FieldError],
    /// With which code the form was refused, if it was.
    pub refusal: Option<ErrorCode>,
}

/// The form of an object, which changes it.
pub trait ObjectForm: Sized + Serialize + DeserializeOwned + Send + Sync + 'static {
    type Permission: RequiredPermissions;
    type Id: Copy + Display;
    type Object;
    type Page: Template;

    /// The fields whose errors the page shows.
    const SHOWN: &'static [&'static str];
    /// The path of the list in its mode.
    const LIST: &'static str;
    /// The same list in the API.
    const API: &'static str;
    /// The name of the object's own page.
    const BACK: Text;
    /// The name of the button.
    const SAVE: Text;
    /// What is said once the object was changed.
    const SAVED: Text;

    fn find(
        app: &App,
        scope: Scope,
        id: Self::Id,
    ) -> impl Future<Output = Result<Self::Object>> + Send;

    fn heading(object: &Self::Object, lang: Lang) -> String;

    /// The form of the object as it is.
    fn stored(at: &FormVisit<Self::Permission>, object: &Self::Object) -> Self;

    /// What the form of the object says when it is opened: the object as it is, unless that cannot
    /// be saved.
    #[must_use]
    fn proposed(self, _at: &FormVisit<Self::Permission>, _object: &Self::Object) -> Self {
        self
    }

    /// Takes from the stored object what the form shows and browsers do not send.
    fn complete(&mut self, _stored: &Self) {}

    /// Changes what differs from the form as it was drawn, as programs do, by the same body.
    fn save(
        &self,
        at: &FormVisit<Self::Permission>,
        ticket: Ticket,
        object: &Self::Object,
        drawn: &Self,
    ) -> impl Future<Output = Result<()>> + Send;

    /// What is wrong with the fields, or why they were refused beside them.
    fn faults(error: Error, lang: Lang) -> Result<Faults> {
        form::faults(error, lang)
    }

    /// The page; without an object it makes a new one.
    fn page(
        at: &FormVisit<Self::Permission>,
        object: Option<&Self::Object>,
        drawing: Drawing<'_, Self>,
    ) -> impl Future<Output = Result<Self::Page>> + Send;
}

/// The form of an object, which also makes one.
pub trait NewObjectForm: ObjectForm + Default {
    /// The heading of the page.
    const NEW: Text;
    /// The name of the list.
    const LIST_TITLE: Text;
    /// The name of the button.
    const MAKE: Text;
    /// What is said once the object was made.
    const MADE: Text;

    /// Makes the object as programs do, by the same body.
    fn make(
        &self,
        at: &FormVisit<Self::Permission>,
        ticket: Ticket,
    ) -> impl Future<Output = Result<Self::Id>> + Send;
}

impl<P> FormVisit<P> {
    /// The form as the person filled it in before their session ended, if it did.
    pub fn kept<F: DeserializeOwned>(&self) -> Option<Posted<F>> {
        kept_form::read(&self.app, self.seat.who(), &self.visit)
    }

    /// What stands around the page.
    pub async fn shell(&self, section: Section) -> Result<Shell> {
        let (holder, mode) = (self.seat.holder(), self.seat.scope.mode);
        Shell::read(&self.app, holder, mode, &self.visit, section).await
    }

    /// With what a posted form is carried out once; `route` names its action.
    fn ticket<F>(&self, route: &str, form: &Posted<F>) -> Result<Ticket>
    where
        F: Serialize + DeserializeOwned,
    {
        let scope = self.seat.scope;
        let key = attempt::key(&self.app, scope, route, &form.attempt, &form.values()?)?;
        Ok(Ticket::of_person(scope, key, self.seat.by()))
    }
}

/// GET /dashboard/{mode}/…/new
pub async fn new<F: NewObjectForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
) -> Result<Response> {
    let at = FormVisit { app, seat, visit };
    let form: Posted<F> = at.kept().unwrap_or_default();
    show(&at, None, &form, new_frame::<F>(&at)).await
}

/// POST /dashboard/{mode}/…/new
pub async fn create<F: NewObjectForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<F> = posted_form(request, F::SHOWN).await?;
    make(&FormVisit { app, seat, visit }, &form).await
}

/// GET /dashboard/{mode}/…/{id}/edit
pub async fn edit<F: ObjectForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
    PathParam(id): PathParam<F::Id>,
) -> Result<Response> {
    let at = FormVisit { app, seat, visit };
    let object = F::find(&at.app, at.seat.scope, id).await?;
    let mut opened = Posted::of(F::stored(&at, &object))?;
    opened.typed = opened.typed.proposed(&at, &object);
    let form = at.kept().unwrap_or(opened);
    show(&at, Some(&object), &form, frame_of(&at, id, &object, &form)).await
}

/// POST /dashboard/{mode}/…/{id}/edit
pub async fn save<F: ObjectForm>(
    State(app): State<App>,
    seat: Seat<F::Permission>,
    visit: Visit,
    PathParam(id): PathParam<F::Id>,
    request: Request,
) -> Result<Response> {
    let mut form: Posted<F> = posted_form(request, F::SHOWN).await?;
    let at = FormVisit { app, seat, visit };
    let object = F::find(&at.app, at.seat.scope, id).await?;
    let stored = F::stored(&at, &object);
    form.typed.complete(&stored);
    let ticket = at.ticket(&format!("{}/{id}/edit", F::LIST), &form)?;
    let drawn = form.drawn_or(stored);
    match form.typed.save(&at, ticket, &object, &drawn).await {
        Ok(()) => Ok(say::<F>(&at, id, F::SAVED)),
        Err(error) => {
            let form = form.again(&error, F::stored(&at, &object))?;
            let frame = frame_of(&at, id, &object, &form);
            refuse(&at, Some(&object), &form, frame, error).await
        }
    }
}

/// Makes the object of a posted form.
pub async fn make<F: NewObjectForm>(
    at: &FormVisit<F::Permission>,
    form: &Posted<F>,
) -> Result<Response> {
    let ticket = at.ticket(&format!("{}/new", F::LIST), form)?;
    match form.typed.make(at, ticket).await {
        Ok(id) => Ok(say::<F>(at, id, F::MADE)),
        Err(error) => refuse(at, None, form, new_frame::<F>(at), error).await,
    }
}

/// Sends the form.
pub async fn show<F: ObjectForm>(
    at: &FormVisit<F::Permission>,
    object: Option<&F::Object>,
    form: &Posted<F>,
    frame: FormFrame,
) -> Result<Response> {
    let drawing = Drawing { frame, typed: &form.typed, wrong: &[], refusal: None };
    let page = F::page(at, object, drawing).await?;
    at.visit.page(&page, StatusCode::OK)
}

/// Sends the form again, with its values and what is wrong.
pub async fn refuse<F: ObjectForm>(
    at: &FormVisit<F::Permission>,
    object: Option<&F::Object>,
    form: &Posted<F>,
    frame: FormFrame,
    error: Error,
) -> Result<Response> {
    let refusal = Some(error.code());
    let (wrong, refused) = F::faults(error, at.visit.lang)?;
    let frame = FormFrame { refused, ..frame };
    let drawing = Drawing { frame, typed: &form.typed, wrong: &wrong, refusal };
    let page = F::page(at, object, drawing).await?;
    at.visit.refused(&page)
}

/// What stands around the fields of a new object.
pub fn new_frame<F: NewObjectForm>(at: &FormVisit<F::Permission>) -> FormFrame {
    let lang = at.visit.lang;
    let names = [F::NEW(lang), F::LIST_TITLE(lang), F::MAKE(lang)];
    FormFrame::of_new(&at.app, at.seat.scope, (F::LIST, F::API), names)
}

/// What stands around the fields of an object that exists.
fn frame_of<F: ObjectForm>(
    at: &FormVisit<F::Permission>,
    id: F::Id,
    object: &F::Object,
    form: &Posted<F>,
) -> FormFrame {
    let (scope, lang) = (at.seat.scope, at.visit.lang);
    let (place, heading) = ((F::LIST, F::API, id.to_string()), F::heading(object, lang));
    let names = [F::BACK(lang), F::SAVE(lang)];
    FormFrame::of_existing(&at.app, scope, place, heading, names, &form.drawn)
}

/// Leads to the page of the object, which says what was done.
fn say<F: ObjectForm>(at: &FormVisit<F::Permission>, id: F::Id, text: Text) -> Response {
    let here = url(at.seat.scope.mode, &format!("{}/{id}", F::LIST));
    see_and_say(&at.app, &here, text(at.visit.lang))
}
