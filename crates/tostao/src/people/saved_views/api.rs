//! Saving, listing and deleting one's own views of lists.

use axum::extract::State;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::caller::SignedInCaller;
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::people::saved_views::list::ViewedList;
use crate::people::saved_views::{self, NAME_MAX, NewView, SavedView};
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::CREDENTIALS;
use crate::platform::http::reply::{Created, Message, Ok200};
use crate::platform::ids::{PersonId, SavedViewId, Scope};
use crate::platform::permissions::NoPermission;

/// A view to save.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateSavedViewRequest")]
#[schemars(extend("examples" = [
    { "list": "transactions", "name": "Refused", "query": "status=FAILED" }
]))]
pub struct SaveBody {
    pub list: ViewedList,
    /// The person has one view of a name in a list.
    #[schemars(length(min = 1, max = 60))]
    pub name: String,
    /// The query of the list's page in the dashboard, such as `status=PAID&method=PIX`. Only the
    /// page's filters are saved, not where the list goes on.
    #[schemars(length(min = 1, max = 1000))]
    pub query: String,
}

/// What the list of views accepts.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ViewsQuery {
    /// Filter by list.
    list: Option<ViewedList>,
}

/// A view of a list that a person saved for themselves.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SavedView")]
pub struct ViewView {
    id: SavedViewId,
    list: ViewedList,
    name: String,
    /// The query of the list's page in the dashboard.
    query: String,
    created_at: Timestamp,
}

/// A response with one view.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedViewResponse")]
pub struct ViewReply {
    message: &'static str,
    data: ViewView,
}

/// The views of a person.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedViewList")]
pub struct ViewList {
    message: &'static str,
    /// By their lists and names.
    data: Vec<ViewView>,
}

/// GET /api/saved-views
pub async fn list(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Query(ViewsQuery { list }): Query<ViewsQuery>,
) -> Result<Ok200<ViewList>> {
    let (scope, person) = (caller.scope, caller.person);
    let read = async move |tx: &Tx| saved_views::of_person(tx, scope, person, list).await;
    let views = app.read(read).await?;
    let data = views.into_iter().map(ViewView::from).collect();
    Ok(Ok200(ViewList { message: "Saved views.", data }))
}

/// POST /api/saved-views
pub async fn create(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Context(context): Context,
    once: IdempotencyHeader,
    body: Body<SaveBody>,
) -> Result<Replayable<Created<ViewReply>>> {
    let execution = once.permitted(caller.scope, &body.raw, Ok(()));
    let whose = (caller.scope, caller.person);
    ask_to_save(&app, (whose, caller.by()), &context, execution, body.value).await
}

/// Saves a view: the way in of programs and of people.
pub async fn ask_to_save(
    app: &App,
    ((scope, person), by): ((Scope, PersonId), ActorContext),
    context: &RequestContext,
    execution: Execution,
    SaveBody { list, name, query }: SaveBody,
) -> Result<Replayable<Created<ViewReply>>> {
    let mut wrong = FieldErrors::new();
    if list == ViewedList::Audit && scope.mode.is_development() {
        let message = "belongs to no environment: leave X-Dev-Mode out";
        wrong.add("list", FieldFault::new("INVALID_VALUE", message));
    }
    let name = wrong.read("name", fields::name(&name, 1, NAME_MAX));
    let query = wrong.read("query", list.read(&query));
    wrong.finish()?;
    let (name, query) = (name.unwrap_or_default(), query.unwrap_or_default());
    app.check_account_rate_limit(context, &CREDENTIALS, scope.merchant)?;
    let new = NewView { list, name, query };
    app.transact_once(execution, async move |tx: &Tx| {
        let view = saved_views::save(tx, &by, (scope, person), new.clone()).await?;
        Ok(Created(ViewReply { message: "View saved.", data: view.into() }))
    })
    .await
}

/// DELETE /api/saved-views/{id}
pub async fn delete(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    PathParam(id): PathParam<SavedViewId>,
) -> Result<Replayable<Ok200<Message>>> {
    let whose = (caller.scope, caller.person);
    ask_to_delete(&app, whose, caller.by(), None.into(), id).await
}

/// Deletes a view: the way in of programs and of people.
pub async fn ask_to_delete(
    app: &App,
    whose: (Scope, PersonId),
    by: ActorContext,
    execution: Execution,
    id: SavedViewId,
) -> Result<Replayable<Ok200<Message>>> {
    app.transact_once(execution, async move |tx: &Tx| {
        saved_views::delete(tx, &by, whose, id).await?;
        Ok(Ok200(Message { message: "View deleted." }))
    })
    .await
}

impl From<SavedView> for ViewView {
    fn from(SavedView { id, list, name, query, created_at }: SavedView) -> Self {
        Self { id, list, name, query, created_at }
    }
}
