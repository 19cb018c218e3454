//! Administrators add, test, route, rotate and disable connections.

use std::collections::BTreeMap;

use axum::extract::State;
use db::time::Timestamp;
use ledger::cents::Cents;
use rails::connection::Health;
use rails::profile::{Certificate, Environment, Field, FieldKind, Profile, RailKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::audit::ticket::DecisionTicket;
use crate::auth::caller::Admin;
use crate::connections::{self, RoutedConnection, TestMoney, Tested};
use crate::idempotency::{Execution, IdempotencyHeader, Replayable};
use crate::platform::error::{Error, Result};
use crate::platform::http::body::{Body, Empty, OptionalBody};
use crate::platform::http::path::PathParam;
use crate::platform::http::reply::{Created, Ok200};
use crate::platform::ids::ConnectionId;
use crate::providers::connections::registry::door;
use crate::providers::connections::{NewConnection, StoredConnection, profile};

/// The parameters of a new connection.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateConnectionRequest {
    /// 1 to 32 lowercase letters, digits and hyphens, a letter first. Charges and payouts keep it.
    #[schemars(regex(pattern = "^[a-z][a-z0-9-]{0,31}$"), extend("examples" = ["main"]))]
    name: String,
    /// The name of a profile.
    profile: String,
    environment: Environment,
    /// What the profile's fields are, secrets included, by name.
    values: BTreeMap<String, String>,
}

/// New values of a connection.
#[derive(Deserialize, JsonSchema)]
pub struct RotateConnectionRequest {
    /// The fields to replace, by name; an empty text removes an optional one.
    values: BTreeMap<String, String>,
}

/// Where new charges or payouts of a rail go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteRequest {
    connection_id: ConnectionId,
    /// Whether to route to a provider's test system, whose money is not real. Production balances
    /// then grow by money that does not exist.
    #[serde(default)]
    accept_test_money: bool,
}

/// A client certificate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConnectionCertificate")]
struct CertificateView {
    subject: String,
    /// Its SHA-256 in hexadecimal digits.
    fingerprint: String,
    /// When it expires.
    not_after: Timestamp,
}

/// A contract with a bank or an acquirer, without its secrets.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Connection")]
pub struct ConnectionView {
    id: ConnectionId,
    name: String,
    profile: String,
    environment: Environment,
    /// The fields that are no secrets, by name.
    settings: BTreeMap<String, String>,
    /// The names of its secret fields.
    secrets: Vec<&'static str>,
    certificate: Option<CertificateView>,
    /// The rails whose new charges or payouts go to it.
    routes: Vec<RailKind>,
    /// The address that its provider sends notices to. Its last part is a secret.
    notices_url: String,
    /// What its last test found to be wrong; null if nothing.
    problem: Option<String>,
    checked_at: Option<Timestamp>,
    /// Since when no rail can be routed to it.
    disabled_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A field of a profile.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectionField")]
struct FieldView {
    name: &'static str,
    required: bool,
    /// Whether it is sealed and never shown again.
    secret: bool,
    /// What it is, and where it is found.
    about: &'static str,
}

/// A kind of bank or acquirer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConnectionProfile")]
struct ProfileView {
    name: &'static str,
    fields: Vec<FieldView>,
}

/// What the test of a connection found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConnectionTest")]
struct TestView {
    /// The permissions that the provider has granted.
    granted: Vec<String>,
    /// What is missing, in words for the operator.
    missing: Vec<String>,
    /// The balance of the account at the provider in cents, if it can be read.
    balance: Option<Cents>,
    /// Where the provider sends notices; null if nowhere.
    notices_url: Option<String>,
}

/// All connections, by name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionList {
    message: &'static str,
    data: Vec<ConnectionView>,
}

/// All profiles, by name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionProfileList {
    message: &'static str,
    data: Vec<ProfileView>,
}

/// A response with one connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionResponse {
    message: &'static str,
    data: ConnectionView,
}

/// The result of a connection's test.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionTestResponse {
    message: &'static str,
    data: TestView,
}

/// GET /api/admin/connection-profiles
pub async fn list_profiles(_: Admin) -> Result<Ok200<ConnectionProfileList>> {
    let data = ::connectors::PROFILES.iter().copied().map(ProfileView::new).collect();
    Ok(Ok200(ConnectionProfileList { message: "Connection profiles.", data }))
}

/// POST /api/admin/connections
///
/// The connection is tested first; nothing is stored if it does not work.
pub async fn create(
    State(app): State<App>,
    admin: Admin,
    once: IdempotencyHeader,
    body: Body<CreateConnectionRequest>,
) -> Result<Replayable<Created<ConnectionResponse>>> {
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    let CreateConnectionRequest { name, profile, environment, values } = body.value;
    let new = NewConnection { name, profile, environment, values };
    app.repeat_once(execution, async {
        let added = connections::add(&app, &admin.by(), new).await?;
        let data = ConnectionView::new(&app, added, Vec::new());
        Ok(Created(ConnectionResponse { message: "Connection added.", data }))
    })
    .await
}

/// GET /api/admin/connections
pub async fn list(State(app): State<App>, _: Admin) -> Result<Ok200<ConnectionList>> {
    let listed = app.read(async |tx| connections::list(tx).await).await?;
    let view =
        |routed: RoutedConnection| ConnectionView::new(&app, routed.connection, routed.routes);
    let data = listed.into_iter().map(view).collect();
    Ok(Ok200(ConnectionList { message: "Connections.", data }))
}

/// GET /api/admin/connections/{id}
pub async fn show(
    State(app): State<App>,
    _: Admin,
    PathParam(id): PathParam<ConnectionId>,
) -> Result<Ok200<ConnectionResponse>> {
    shown(&app, id, "Connection.").await
}

/// POST /api/admin/connections/{id}/rotate
///
/// The new values are tested first; nothing is changed if they do not work.
pub async fn rotate(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<ConnectionId>,
    once: IdempotencyHeader,
    body: Body<RotateConnectionRequest>,
) -> Result<Replayable<Ok200<ConnectionResponse>>> {
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    app.repeat_once(execution, async {
        connections::rotate(&app, &admin.by(), id, body.value.values).await?;
        shown(&app, id, "Connection rotated.").await
    })
    .await
}

/// POST /api/admin/connections/{id}/test
pub async fn test(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<ConnectionId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<ConnectionTestResponse>>> {
    let execution = Execution::from(once.key(admin.scope, &body.raw));
    ask_to_test(&app, execution, None, id).await
}

/// Tests a connection: the way in of programs and of people, who are noted in the audit log.
pub async fn ask_to_test(
    app: &App,
    execution: Execution,
    by: Option<ActorContext>,
    id: ConnectionId,
) -> Result<Replayable<Ok200<ConnectionTestResponse>>> {
    app.repeat_once(execution, async {
        let Tested { health, balance, .. } = connections::test(app, by, id).await?;
        let Health { granted, missing, notices_to } = health;
        let balance = balance.map(|balance| balance.available);
        let missing = missing.iter().map(ToString::to_string).collect();
        let data = TestView { granted, missing, balance, notices_url: notices_to };
        Ok(Ok200(ConnectionTestResponse { message: "Connection tested.", data }))
    })
    .await
}

/// POST /api/admin/connections/{id}/disable
pub async fn disable(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<ConnectionId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<ConnectionResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_disable(&app, DecisionTicket { mode, execution, by }, id).await
}

/// Takes a connection out of use: the way in of programs and of people.
pub async fn ask_to_disable(
    app: &App,
    DecisionTicket { execution, by, .. }: DecisionTicket,
    id: ConnectionId,
) -> Result<Replayable<Ok200<ConnectionResponse>>> {
    app.repeat_once(execution, async {
        connections::disable(app, &by, id).await?;
        shown(app, id, "Connection disabled.").await
    })
    .await
}

/// POST /api/admin/connections/{id}/enable
pub async fn enable(
    State(app): State<App>,
    admin: Admin,
    PathParam(id): PathParam<ConnectionId>,
    once: IdempotencyHeader,
    body: OptionalBody<Empty>,
) -> Result<Replayable<Ok200<ConnectionResponse>>> {
    let (mode, by) = (admin.scope.mode, admin.by());
    let execution = once.permitted(admin.scope, &body.raw, admin.permit());
    ask_to_enable(&app, DecisionTicket { mode, execution, by }, id).await
}

/// Lets rails be routed to a connection again: the way in of programs and of people.
pub async fn ask_to_enable(
    app: &App,
    DecisionTicket { execution, by, .. }: DecisionTicket,
    id: ConnectionId,
) -> Result<Replayable<Ok200<ConnectionResponse>>> {
    app.repeat_once(execution, async {
        connections::enable(app, &by, id).await?;
        shown(app, id, "Connection enabled.").await
    })
    .await
}

/// PUT /api/admin/connection-routes/{rail}
pub async fn route(
    State(app): State<App>,
    admin: Admin,
    PathParam(rail): PathParam<String>,
    body: Body<RouteRequest>,
) -> Result<Ok200<ConnectionList>> {
    let rail = RailKind::parse(&rail).ok_or(Error::NotFound("Rail"))?;
    admin.expect_permit()?;
    let RouteRequest { connection_id, accept_test_money } = body.value;
    let test_money = if accept_test_money { TestMoney::Accept } else { TestMoney::Refuse };
    connections::route(&app, &admin.by(), rail, Some(connection_id), test_money).await?;
    list(State(app), admin).await
}

/// DELETE /api/admin/connection-routes/{rail}
pub async fn unroute(
    State(app): State<App>,
    admin: Admin,
    PathParam(rail): PathParam<String>,
) -> Result<Ok200<ConnectionList>> {
    let rail = RailKind::parse(&rail).ok_or(Error::NotFound("Rail"))?;
    admin.expect_permit()?;
    connections::route(&app, &admin.by(), rail, None, TestMoney::Refuse).await?;
    list(State(app), admin).await
}

async fn shown(
    app: &App,
    id: ConnectionId,
    message: &'static str,
) -> Result<Ok200<ConnectionResponse>> {
    let listed = app.read(async |tx| connections::list(tx).await).await?;
    let found = listed.into_iter().find(|routed| routed.connection.id == id);
    let RoutedConnection { connection, routes } = found.ok_or(Error::NotFound("Connection"))?;
    Ok(Ok200(ConnectionResponse { message, data: ConnectionView::new(app, connection, routes) }))
}

impl ConnectionView {
    fn new(app: &App, stored: StoredConnection, routes: Vec<RailKind>) -> Self {
        let fields = profile(&stored.profile).map_or(&[][..], Profile::fields);
        let secrets = fields.iter().filter(|field| field.kind == FieldKind::Secret);
        Self {
            notices_url: door(&app.settings, &app.secrets, stored.id),
            secrets: secrets.map(|field| field.name).collect(),
            id: stored.id,
            name: stored.name,
            profile: stored.profile,
            environment: stored.environment,
            settings: stored.settings,
            certificate: stored.certificate.map(CertificateView::new),
            routes,
            problem: stored.problem.map(|problem| problem.text),
            checked_at: stored.checked_at,
            disabled_at: stored.disabled_at,
            created_at: stored.created_at,
            updated_at: stored.updated_at,
        }
    }
}

impl CertificateView {
    fn new(Certificate { subject, fingerprint, not_after }: Certificate) -> Self {
        Self { subject, fingerprint, not_after }
    }
}

impl ProfileView {
    fn new(profile: &dyn Profile) -> Self {
        let field = |&Field { name, kind, about }: &Field| FieldView {
            name,
            required: kind != FieldKind::Optional,
            secret: kind == FieldKind::Secret,
            about,
        };
        Self { name: profile.name(), fields: profile.fields().iter().map(field).collect() }
    }
}
