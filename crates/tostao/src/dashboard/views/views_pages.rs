//! The views of a list: saving the present filter under a name, and deleting a view.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::seat::{PersonalSeat, Seat, SeatHolder};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, Posted, faults};
use crate::dashboard::shell::{Section, Shell};
use crate::dashboard::views::filter_words::in_words;
use crate::dashboard::views::view::{SaveFields, ViewRow, ViewsPage};
use crate::dashboard::views::{VIEWS, address, name_of, page_of};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::dashboard::{attempt, kept_form};
use crate::idempotency::Execution;
use crate::people::saved_views::api::{SaveBody, ask_to_delete, ask_to_save};
use crate::people::saved_views::list::ViewedList;
use crate::people::saved_views::{self, NAME_MAX, SavedView};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::http::html::{posted, see};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::ids::{PersonId, SavedViewId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{AuditRead, NoPermission};

/// The path of views in the API.
const API: &str = "/api/saved-views";
/// The fields whose errors the form shows.
const SHOWN: [&str; 1] = ["name"];

/// The fields by the names of the body's, as the address of the page has them, too.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewForm {
    list: String,
    name: String,
    query: String,
}

/// The button that deletes a view; the list is the one to go back to.
#[derive(Debug, Deserialize)]
struct DeleteForm {
    list: ViewedList,
    attempt: String,
}

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeView,
}

#[derive(Debug, Deserialize)]
struct MadeView {
    query: String,
}

/// Whose views they are, and where.
struct Place {
    scope: Scope,
    person: PersonId,
    by: ActorContext,
    holder: SeatHolder,
    /// Whether the page is about the account, and its list in no mode.
    is_of_account: bool,
}

/// GET /dashboard/{mode}/views
pub async fn show(
    State(app): State<App>,
    seat: Seat<NoPermission>,
    visit: Visit,
    Query(opened): Query<ViewForm>,
) -> Result<Response> {
    Place::of(&seat).opened(&app, &visit, opened).await
}

/// POST /dashboard/{mode}/views
pub async fn save(
    State(app): State<App>,
    seat: Seat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    Place::of(&seat).saved(&app, &visit, request).await
}

/// GET /dashboard/{mode}/views/{id}/delete
///
/// A session may end at the button, which has no page of its own.
pub async fn find(
    State(app): State<App>,
    seat: Seat<NoPermission>,
    PathParam(id): PathParam<SavedViewId>,
) -> Result<Response> {
    Place::of(&seat).found(&app, id).await
}

/// POST /dashboard/{mode}/views/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<NoPermission>,
    visit: Visit,
    PathParam(id): PathParam<SavedViewId>,
    request: Request,
) -> Result<Response> {
    Place::of(&seat).deleted(&app, &visit, id, request).await
}

/// GET /account/audit/views
pub async fn show_of_account(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    visit: Visit,
    Query(opened): Query<ViewForm>,
) -> Result<Response> {
    Place::of_account(&seat).opened(&app, &visit, opened).await
}

/// POST /account/audit/views
pub async fn save_of_account(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    Place::of_account(&seat).saved(&app, &visit, request).await
}

/// GET /account/audit/views/{id}/delete
pub async fn find_of_account(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    PathParam(id): PathParam<SavedViewId>,
) -> Result<Response> {
    Place::of_account(&seat).found(&app, id).await
}

/// POST /account/audit/views/{id}/delete
pub async fn delete_of_account(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    visit: Visit,
    PathParam(id): PathParam<SavedViewId>,
    request: Request,
) -> Result<Response> {
    Place::of_account(&seat).deleted(&app, &visit, id, request).await
}

impl Place {
    fn of(seat: &Seat<NoPermission>) -> Self {
        let (scope, person) = (seat.scope, seat.person);
        Self { scope, person, by: seat.by(), holder: seat.holder(), is_of_account: false }
    }

    fn of_account(seat: &PersonalSeat<AuditRead>) -> Self {
        let (scope, (_, person)) = (seat.scope(), seat.who());
        Self { scope, person, by: seat.by(), holder: seat.holder, is_of_account: true }
    }

    /// The list that is meant, if its views are at this page.
    fn list(&self, form: &ViewForm) -> Result<ViewedList> {
        let list = match (self.is_of_account, form.list.as_str()) {
            (true, "") => Some(ViewedList::Audit),
            (_, name) => ViewedList::parse(name),
        };
        let is_here = |list: &ViewedList| (*list == ViewedList::Audit) == self.is_of_account;
        list.filter(is_here).ok_or(Error::NotFound("Page"))
    }

    async fn opened(&self, app: &App, visit: &Visit, opened: ViewForm) -> Result<Response> {
        let who = (self.scope.merchant, self.person);
        let form = kept_form::read(app, who, visit).unwrap_or_else(|| Posted::new(opened));
        let list = self.list(&form.typed)?;
        let page = self.page(app, visit, list, (&form.typed, &[])).await?;
        visit.page(&page, StatusCode::OK)
    }

    async fn saved(&self, app: &App, visit: &Visit, request: Request) -> Result<Response> {
        let form: Posted<ViewForm> = posted_form(request, &SHOWN).await?;
        let list = self.list(&form.typed)?;
        let execution = self.execution(app, VIEWS, (&form.attempt, &form.values()?))?;
        let ViewForm { name, query, .. } = form.typed.clone();
        let made = match card_data::refuse_typed([("name", &*name)]) {
            Ok(()) => {
                let who = ((self.scope, self.person), self.by.clone());
                let body = SaveBody { list, name, query };
                ask_to_save(app, who, &visit.context, execution, body).await
            }
            Err(error) => Err(error),
        };
        let lang = visit.lang;
        let (wrong, refused) = match made {
            Ok(made) => {
                let Made { data: MadeView { query } } = made.read()?;
                let here = address(list, self.scope.mode, &query);
                return Ok(see_and_say(app, &here, lang.views_saved()));
            }
            Err(error) if error.code() == ErrorCode::AlreadyExists => {
                (Vec::new(), Some(lang.views_there()))
            }
            Err(error) => faults(error, lang)?,
        };
        let mut page = self.page(app, visit, list, (&form.typed, &wrong)).await?;
        page.refused = refused;
        visit.refused(&page)
    }

    async fn found(&self, app: &App, id: SavedViewId) -> Result<Response> {
        let view = self.views(app, None).await?.into_iter().find(|view| view.id == id);
        let view = view.ok_or(Error::NotFound("Saved view"))?;
        Ok(see(&page_of(view.list, self.scope.mode, "")))
    }

    async fn deleted(
        &self,
        app: &App,
        visit: &Visit,
        id: SavedViewId,
        request: Request,
    ) -> Result<Response> {
        let DeleteForm { list, attempt } = posted(request).await?;
        let execution = self.execution(app, &format!("{VIEWS}/{id}/delete"), (&attempt, ""))?;
        ask_to_delete(app, (self.scope, self.person), self.by.clone(), execution, id).await?;
        let here = page_of(list, self.scope.mode, "");
        Ok(see_and_say(app, &here, visit.lang.views_deleted()))
    }

    /// The execution of a form that takes effect once, for its person.
    fn execution(
        &self,
        app: &App,
        route: &str,
        (attempt, what): (&str, &str),
    ) -> Result<Execution> {
        let what = format!("{} {what}", self.person);
        Ok(Some(attempt::key(app, self.scope, route, attempt, &what)?).into())
    }

    async fn views(&self, app: &App, list: Option<ViewedList>) -> Result<Vec<SavedView>> {
        let (scope, person) = (self.scope, self.person);
        app.read(async move |tx: &Tx| saved_views::of_person(tx, scope, person, list).await).await
    }

    async fn page(
        &self,
        app: &App,
        visit: &Visit,
        list: ViewedList,
        (form, wrong): (&ViewForm, &[FieldError]),
    ) -> Result<ViewsPage> {
        let (lang, mode, base_url) = (visit.lang, self.scope.mode, app.settings.base_url());
        let name = name_of(list, lang);
        let fields = save_fields(list, self.scope, (form, wrong), lang);
        let summary = fields.iter().flat_map(|fields| {
            let query = Field { error: fields.query_error.clone(), ..Field::default() };
            [
                fields.name.wrong("name", lang.views_name()),
                query.wrong("filter", lang.views_filter()),
            ]
        });
        let row = |view: SavedView| ViewRow {
            id: view.id.to_string(),
            name: view.name,
            filter: in_words(list, &view.query, lang),
            url: address(list, mode, &view.query),
        };
        let example = json!({ "list": list, "name": lang.views_example(), "query": form.query });
        let calls = [
            ApiCall::of_person(&base_url, &format!("{API}?list={list}")),
            ApiCall::send("POST", &base_url, API, &example).as_person(),
        ];
        let (shown, section) =
            if self.is_of_account { (None, Section::Audit) } else { (Some(mode), Section::Other) };
        Ok(ViewsPage {
            lang,
            shell: Shell::read(app, self.holder, shown, visit, section).await?,
            heading: lang.views_of(name),
            list: (address(list, mode, ""), list.name()),
            list_name: name,
            here: visit.path.clone(),
            wrong: summary.flatten().collect(),
            form: fields,
            refused: None,
            rows: self.views(app, Some(list)).await?.into_iter().map(row).collect(),
            attempt: attempt::fresh(app, self.scope),
            api: calls.map(|call| call.in_mode(mode)).into(),
        })
    }
}

/// The form, if the page was opened with a filter.
fn save_fields(
    list: ViewedList,
    scope: Scope,
    (form, wrong): (&ViewForm, &[FieldError]),
    lang: Lang,
) -> Option<SaveFields> {
    let filter = list.filter_of(&form.query);
    let query = Field::judged("query", &form.query, wrong, lang);
    if filter.is_empty() && query.error.is_none() {
        return None;
    }
    Some(SaveFields {
        name: Field::judged("name", &form.name, wrong, lang),
        name_hint: lang.views_name_hint(NAME_MAX),
        query_error: query.error,
        filter: (in_words(list, &filter, lang), address(list, scope.mode, &filter)),
        query: filter,
    })
}
