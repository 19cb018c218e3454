//! Clients in the API.

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::App;
use crate::audit::Action;
use crate::audit::ticket::{Ticket, note};
use crate::auth::caller::Caller;
use crate::clients::list::ListQuery;
use crate::clients::params::ClientParams;
use crate::clients::view::ClientView;
use crate::clients::{self, Client, CreatedOrKnown, lookups};
use crate::idempotency::dry_run::DryRun;
use crate::idempotency::{IdempotencyHeader, Replayable};
use crate::platform::error::Result;
use crate::platform::http::body::Body;
use crate::platform::http::context::{Context, RequestContext};
use crate::platform::http::page::{PageQuery, Pagination};
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::path::PathParam;
use crate::platform::http::query::Query;
use crate::platform::http::reply::{CreatedOrExisting, Ok200};
use crate::platform::ids::{ClientId, PersonId};
use crate::platform::masked::{self, Documents};
use crate::platform::permissions::{CustomersRead, CustomersWrite};

/// The parameters of a new customer.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateCustomerRequest {
    #[schemars(length(min = 1, max = 255), extend("examples" = ["Fulano de Tal"]))]
    name: String,
    #[schemars(email)]
    email: String,
    /// The CPF or CNPJ, with or without punctuation.
    document: Option<String>,
    /// The phone number, 8 to 15 digits, with or without an international prefix.
    phone: Option<String>,
}

/// A response with one customer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CustomerResponse {
    message: &'static str,
    client: ClientView,
}

/// A page of customers, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CustomerList {
    message: &'static str,
    data: Vec<ClientView>,
    pagination: Pagination,
}

/// POST /api/clients
pub async fn create(
    State(app): State<App>,
    caller: Caller<CustomersWrite>,
    Context(context): Context,
    dry_run: DryRun,
    once: IdempotencyHeader,
    body: Body<CreateCustomerRequest>,
) -> Result<Replayable<CreatedOrExisting<CustomerResponse>>> {
    let (scope, documents) = (caller.scope, caller.documents());
    let key = once.key(scope, &body.raw);
    let params = ClientParams::from(body.value);
    if params.document.set().is_some() {
        lookups::count(&app, &context, caller.person(), documents)?;
    }
    // The response is stored with whole documents, and each caller who repeats the request sees as
    // much of it as of the client.
    let whole = |message, client| reply(message, client, Documents::Whole);
    let created = app.change_once(dry_run, scope, key, async move |tx| {
        Ok(match clients::create(tx, scope, &params).await? {
            CreatedOrKnown::New(client) => {
                CreatedOrExisting::Created(whole("Client created.", client))
            }
            CreatedOrKnown::Known(client) => {
                CreatedOrExisting::Existing(whole("The customer already exists.", client))
            }
        })
    });
    created.await?.changed(|body| seen(body, documents))
}

/// GET /api/clients
pub async fn list(
    State(app): State<App>,
    caller: Caller<CustomersRead>,
    Context(context): Context,
    Query(page): Query<PageQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Ok200<CustomerList>> {
    let (scope, documents) = (caller.scope, caller.documents());
    let filter = query.read(&page)?.seeing(documents);
    lookups::count_list(&app, &context, caller.person(), documents, &filter)?;
    let page = filter.page;
    let listed = app
        .scan_for(scope.merchant, async move |tx| clients::list(tx, scope, &filter).await)
        .await?;
    let pagination = page.pagination(&listed);
    let data = listed.rows.into_iter().map(|client| ClientView::new(client, documents)).collect();
    Ok(Ok200(CustomerList { message: "Clients.", data, pagination }))
}

/// GET /api/clients/{id}
pub async fn show(
    State(app): State<App>,
    caller: Caller<CustomersRead>,
    PathParam(id): PathParam<ClientId>,
) -> Result<Ok200<CustomerResponse>> {
    let scope = caller.scope;
    let client = app.read(async move |tx| clients::find(tx, scope, id).await).await?;
    Ok(Ok200(reply("Client.", client, caller.documents())))
}

/// PATCH /api/clients/{id}
pub async fn update(
    State(app): State<App>,
    caller: Caller<CustomersWrite>,
    Context(context): Context,
    dry_run: DryRun,
    PathParam(id): PathParam<ClientId>,
    body: Body<ClientParams>,
) -> Result<Replayable<Ok200<CustomerResponse>>> {
    let (ticket, params) = (Ticket::of_program(caller.scope, None, dry_run), body.value);
    let sees = (caller.person(), caller.documents());
    ask_to_update(&app, &context, ticket, sees, id, params).await
}

/// Changes a client: the way in of programs and of people.
pub async fn ask_to_update(
    app: &App,
    context: &RequestContext,
    Ticket { scope, key, dry_run, by }: Ticket,
    (person, documents): (Option<PersonId>, Documents),
    id: ClientId,
    params: ClientParams,
) -> Result<Replayable<Ok200<CustomerResponse>>> {
    if params.document.set().is_some() {
        lookups::count(app, context, person, documents)?;
    }
    app.change_once(dry_run, scope, key, async move |tx| {
        let client = clients::update(tx, scope, id, &params).await?;
        note(tx, scope, by.as_ref(), Action::CustomerUpdated, id.0).await?;
        Ok(Ok200(reply("Client updated.", client, documents)))
    })
    .await
}

impl From<CreateCustomerRequest> for ClientParams {
    fn from(body: CreateCustomerRequest) -> Self {
        Self {
            name: Omittable::from(Some(body.name)),
            email: Omittable::from(Some(body.email)),
            document: Patch::from(body.document),
            phone: Patch::from(body.phone),
        }
    }
}

/// A response as somebody sees documents.
fn seen(body: String, documents: Documents) -> Result<String> {
    if documents == Documents::Whole {
        return Ok(body);
    }
    let mut shown: Value = serde_json::from_str(&body)?;
    if let Some(document) = shown["client"].get_mut("document")
        && let Some(whole) = document.as_str()
    {
        *document = masked::document(whole).into();
    }
    Ok(shown.to_string())
}

fn reply(message: &'static str, client: Client, documents: Documents) -> CustomerResponse {
    CustomerResponse { message, client: ClientView::new(client, documents) }
}
