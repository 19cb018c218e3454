//! Dry runs: with `?dryRun=true` the whole unit runs and is undone.
//!
//! The response is the usual one, with what would have changed. No event is published, no job is
//! enqueued, no provider is called and no idempotency key is reserved; ids in the response exist
//! nowhere. An operation that asks a provider runs up to there, in one unit, which has no handle to
//! a provider.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use db::time::Timestamp;
use db::tx::Tx;
use http::Method;
use ledger::cents::Cents;
use queue::job::Pushed;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::app::App;
use crate::books;
use crate::events::Published;
use crate::idempotency::key::in_progress;
use crate::idempotency::{
    Execution, IdempotencyKey, IdempotentOperation, KeyState, Replayable, StoredResponse,
};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::context::{Context, KnownCaller, RequestContext};
use crate::platform::http::rate_limit::DRY_RUN;
use crate::platform::http::reply::StorableReply;
use crate::platform::ids::Scope;
use crate::platform::openapi::describe::Describe;
use crate::platform::openapi::described::{document, operations};
use crate::platform::openapi::operation::Operation;
use crate::platform::permissions::{Permission, Permissions};
use crate::platform::persons;

const PARAMETER: &str = "dryRun";
const NOT_ASKED: &str = "not asked";

/// Whether each method of each route of the document has a dry run.
type DryRuns = HashMap<String, HashMap<String, bool>>;

static DRY_RUNS: OnceLock<DryRuns> = OnceLock::new();

/// Whether the request is a dry run.
#[derive(Debug, Clone, Default)]
pub struct DryRun(Option<Rehearser>);

/// Who asks for a dry run.
#[derive(Debug, Clone)]
struct Rehearser {
    context: Arc<RequestContext>,
    /// What a person may read; a program's caller is noted in the context.
    person: Option<Readable>,
}

/// What of the response a caller may read.
#[derive(Debug, Clone, Copy)]
struct Readable {
    balances: bool,
    customers: bool,
}

/// What a request says of a dry run, whether or not its route has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Real,
    Dry,
    /// Something that may be meant as either.
    Unclear,
}

/// What a dry run would have changed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "WouldChange")]
pub struct WouldChange {
    /// The merchant's accounts in the ledger.
    ledger: Vec<LedgerChange>,
    /// The names of the events.
    events: Vec<&'static str>,
    /// The jobs, with the times at which they would run.
    jobs: Vec<JobChange>,
}

/// What a dry run would have changed on an account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LedgerChange")]
pub struct LedgerChange {
    account: &'static str,
    /// By how many cents the balance would have grown; negative if it would have shrunk.
    amount_cents: Cents,
    /// The balance in cents before; null for keys without `withdrawals:read`.
    before: Option<Cents>,
    /// The balance in cents after; null for keys without `withdrawals:read`.
    after: Option<Cents>,
}

/// A job that a dry run would have enqueued.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JobChange")]
pub struct JobChange {
    kind: &'static str,
    at: Timestamp,
}

/// An operation whose dry run ends where it would ask a provider.
pub trait Rehearsable: IdempotentOperation {
    /// What the unit needs besides the database, made without waiting for a provider.
    type Known: for<'a> From<&'a App> + Send + Sync + 'static;

    /// Does in one unit, which is undone, what the operation does until it asks a provider, and
    /// stores afterwards.
    fn rehearse(
        &self,
        tx: &Tx,
        known: &Self::Known,
    ) -> impl Future<Output = Result<Rehearsal<Self::Output>>>;
}

/// What an operation comes to without its provider.
#[derive(Debug)]
pub struct Rehearsal<O> {
    pub output: O,
    /// Whether it would have asked one.
    pub asks_provider: bool,
}

impl DryRun {
    /// A dry run for a person at a page.
    pub fn of_person(context: Arc<RequestContext>, permissions: &Permissions) -> Self {
        let person = Some(Readable {
            balances: permissions.contains(Permission::WithdrawalsRead),
            customers: permissions.contains(Permission::CustomersRead),
        });
        Self(Some(Rehearser { context, person }))
    }

    /// Whether nothing is to be done.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }
}

impl App {
    /// Runs a unit whose response is stored under the caller's idempotency key, if there is one; in
    /// a dry run the unit is undone, and the response says what would have changed.
    pub async fn change_once<A>(
        &self,
        dry_run: DryRun,
        scope: Scope,
        execution: impl Into<Execution> + Send,
        unit: impl AsyncFn(&Tx) -> Result<A> + Send + 'static,
    ) -> Result<Replayable<A>>
    where
        A: StorableReply + Send + 'static,
    {
        let execution = execution.into();
        let DryRun(Some(by)) = dry_run else {
            let turn = self.turn_to_change(scope.merchant).await?;
            // The unit holds the turn, so that it counts until the unit ends, even if its caller
            // has gone.
            let unit = async move |tx: &Tx| {
                let _held = &turn;
                unit(tx).await
            };
            return self.transact_once(execution, unit).await;
        };
        let unit =
            async move |tx: &Tx| Ok(Rehearsal { output: unit(tx).await?, asks_provider: false });
        self.rehearse(&by, scope, execution, unit).await
    }

    /// Runs an operation that asks a provider, as [`App::run_once`] does; in a dry run it ends
    /// where the provider would be asked, and the response says what would have changed.
    pub async fn charge_once<W, A>(
        &self,
        dry_run: DryRun,
        scope: Scope,
        key: Option<IdempotencyKey>,
        operation: W,
        render: impl Fn(W::Output) -> A + Clone + Send + Sync + 'static,
    ) -> Result<Replayable<A>>
    where
        W: Rehearsable,
        A: StorableReply + Send + 'static,
    {
        let DryRun(Some(by)) = dry_run else {
            return self.run_once(key, operation, render).await;
        };
        let known = W::Known::from(self);
        let unit = async move |tx: &Tx| {
            let Rehearsal { output, asks_provider } = operation.rehearse(tx, &known).await?;
            Ok(Rehearsal { output: render(output), asks_provider })
        };
        self.rehearse(&by, scope, key.into(), unit).await
    }

    async fn rehearse<A>(
        &self,
        Rehearser { context, person }: &Rehearser,
        scope: Scope,
        Execution { key, permit }: Execution,
        unit: impl AsyncFn(&Tx) -> Result<Rehearsal<A>> + Send + 'static,
    ) -> Result<Replayable<A>>
    where
        A: StorableReply + Send + 'static,
    {
        let noted = || context.noted().caller.map(Readable::of);
        let Some(readable) = person.or_else(noted) else {
            let message = "Buyers have no dry runs. Nothing was done.";
            return Err(Error::refused(ErrorCode::DryRunNotSupported, message));
        };
        self.check_rate_limit(context, &DRY_RUN, scope)?;
        // A used key is refused or replayed, as it would be.
        match self.permitted(key, permit).await? {
            KeyState::Free(()) => {}
            KeyState::Running(_) => return Err(in_progress()),
            KeyState::Completed(response) => return Ok(response.retype()),
        }
        let unit = async move |tx: &Tx| {
            let Rehearsal { output, asks_provider } = unit(tx).await?;
            let would_change = WouldChange::of(tx, scope, readable.balances).await?;
            Ok::<_, Error>((Replayable::fresh(&output)?.response, would_change, asks_provider))
        };
        let (response, would_change, asks_provider) = self.database.rehearse(unit).await?;
        let mut body: Value = serde_json::from_str(&response.body)?;
        if !readable.customers {
            // The real request leaves a trace; this one would be a look without one.
            persons::hide(&mut body);
        }
        body[PARAMETER] = json!(true);
        body["wouldChange"] = serde_json::to_value(would_change)?;
        if asks_provider {
            body["provider"] = json!(NOT_ASKED);
        }
        let response = StoredResponse { body: body.to_string(), ..response };
        Ok(Replayable::rehearsed(response))
    }
}

impl Readable {
    fn of(caller: KnownCaller) -> Self {
        Self { balances: caller.reads_balances, customers: caller.reads_customers }
    }
}

impl WouldChange {
    async fn of(tx: &Tx, scope: Scope, reads_balances: bool) -> Result<Self> {
        let ledger = books::would_change(tx, scope).await?.into_iter().map(|one| LedgerChange {
            account: one.account.name(),
            amount_cents: one.change,
            before: reads_balances.then_some(one.before),
            after: reads_balances.then_some(one.after),
        });
        let events =
            tx.effects::<Published>().into_iter().filter(|one| one.owner == scope.merchant);
        let own = Some(scope.merchant.0);
        let jobs = tx
            .effects::<Pushed>()
            .into_iter()
            .filter(|job| job.clock.is_none() || job.clock == own);
        let jobs = jobs.map(|job| JobChange { kind: job.kind, at: job.at.plus(scope.ahead) });
        Ok(Self {
            ledger: ledger.collect(),
            events: events.map(|one| one.name.text()).collect(),
            jobs: jobs.collect(),
        })
    }
}

/// Reads what a request says of a dry run.
pub fn wish(method: &Method, query: Option<&str>) -> Wish {
    if method.is_safe() {
        return Wish::Real;
    }
    match wanted(query.unwrap_or_default()) {
        Ok(false) => Wish::Real,
        Ok(true) => Wish::Dry,
        Err(_) => Wish::Unclear,
    }
}

/// Whether a request may be meant as a dry run of a route that has none: then it must not be done.
pub fn is_unsupported(wish: Wish, method: &Method, route: &str) -> bool {
    // A path that does not exist is refused as such.
    if wish == Wish::Real || route.is_empty() {
        return false;
    }
    match DRY_RUNS.get_or_init(|| dry_runs(&document())).get(route) {
        // So is a method that the path does not have: the document has all of its methods.
        Some(methods) => methods.get(&method.as_str().to_ascii_lowercase()) == Some(&false),
        None => true,
    }
}

fn dry_runs(document: &Value) -> DryRuns {
    let has_it = |operation: &Value| {
        let parameters = operation["parameters"].as_array();
        parameters.is_some_and(|all| all.iter().any(|one| one["name"] == PARAMETER))
    };
    let mut found = DryRuns::new();
    for (path, method, operation) in operations(document) {
        let methods = found.entry(path.to_owned()).or_default();
        methods.insert(method.to_owned(), has_it(operation));
    }
    found
}

impl FromRequestParts<App> for DryRun {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        if !wanted(parts.uri.query().unwrap_or_default())? {
            return Ok(Self(None));
        }
        let Context(context) = Context::from_request_parts(parts, app).await?;
        Ok(Self(Some(Rehearser { context, person: None })))
    }
}

impl Describe for DryRun {
    fn describe(operation: &mut Operation) {
        let description = "Run the request and undo it: the response has `wouldChange`, and its \
            ids exist nowhere. See /docs/api-design#dry-runs.";
        operation.query_flag(PARAMETER, description);
        operation.mention::<WouldChange>();
    }
}

/// Reads the parameter; a name that is nearly its own is refused, because the caller means it.
fn wanted(query: &str) -> Result<bool> {
    let is_meant = |name: &str| name.replace('_', "").eq_ignore_ascii_case(PARAMETER);
    let pairs = form_urlencoded::parse(query.as_bytes());
    let meant: Vec<_> = pairs.filter(|(name, _)| is_meant(name)).collect();
    let meant: Vec<_> = meant.iter().map(|(name, value)| (&**name, &**value)).collect();
    match meant.as_slice() {
        [] | [(PARAMETER, "false" | "0")] => Ok(false),
        [(PARAMETER, "true" | "1")] => Ok(true),
        _ => Err(Error::field(PARAMETER, "INVALID_VALUE", "must be sent once, as true or false")),
    }
}
