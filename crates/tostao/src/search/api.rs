//! GET /api/search

use axum::extract::State;
use db::tx::Tx;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::auth::caller::Caller;
use crate::clients::lookups;
use crate::platform::error::Result;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::query::Query;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{PersonId, Scope};
use crate::platform::permissions::{NoPermission, PersonalPermission};
use crate::search::{Findings, FoundStatus, Hit, Kind, Reader, Search};

/// What the search accepts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct SearchQuery {
    /// Any text at hand: an ID, a `txid`, a reference, a name, an email, a document, an amount
    /// (`49,90`) or a code.
    #[schemars(required, length(min = 1, max = 255))]
    pub q: Option<String>,
}

/// An object that was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SearchHit")]
pub struct HitView {
    /// The kind of the object.
    kind: Kind,
    id: Uuid,
    /// What people call it: a title, a name or a code.
    name: String,
    /// Its status, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// Its amount or price in cents, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    amount_cents: Option<Cents>,
}

/// What was found: at most five objects of each kind, the newest.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SearchResults")]
pub struct ResultsView {
    hits: Vec<HitView>,
    /// The kinds of which more were found than are listed.
    more: Vec<Kind>,
    /// The kinds that were searched: those that the caller may read.
    searched: Vec<Kind>,
}

/// A response with what was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchResponse {
    success: bool,
    data: ResultsView,
}

/// GET /api/search
pub async fn search(
    State(app): State<App>,
    caller: Caller<NoPermission>,
    Context(context): Context,
    Query(query): Query<SearchQuery>,
) -> Result<Ok200<SearchResponse>> {
    let reader = Reader {
        permissions: caller.permissions.clone(),
        documents: caller.documents(),
        reads_credentials: caller.may(PersonalPermission::CredentialsRead),
    };
    let (text, searcher) = (query.q.unwrap_or_default(), (caller.scope, caller.person()));
    let found = ask(&app, &context, searcher, &text, reader).await?;
    let Findings { hits, more, searched } = found;
    let data = ResultsView { hits: hits.into_iter().map(HitView::from).collect(), more, searched };
    Ok(Ok200(SearchResponse { success: true, data }))
}

/// Searches as a caller may, who is a person or a key.
pub async fn ask(
    app: &App,
    context: &RequestContext,
    (scope, person): (Scope, Option<PersonId>),
    text: &str,
    reader: Reader,
) -> Result<Findings> {
    let documents = reader.documents;
    let search = Search::new(text, reader)?;
    if search.names_document() {
        lookups::count(app, context, person, documents)?;
    }
    let counts = app.payment_counts.clone();
    let unit = async move |tx: &Tx| search.run(tx, scope, &counts).await;
    app.scan_for(scope.merchant, unit).await
}

impl From<Hit> for HitView {
    fn from(hit: Hit) -> Self {
        let Hit { kind, id, name, status, amount: amount_cents, made_at: _ } = hit;
        Self { kind, id, name, status: status.map(FoundStatus::name), amount_cents }
    }
}
