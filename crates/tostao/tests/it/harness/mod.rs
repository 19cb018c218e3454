//! A whole product for one test: its own database, a clock that stands still, seeded randomness.
//!
//! A test is an async function marked `#[story::test]`, which [`story`] runs; when it ends, the
//! books are verified. What it asks for by its parameters' names is made by [`given`].

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use db::database::Dialect;
use db::source::Sources;
use db::time::Timestamp;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tostao::app::App;
use tostao::platform::config::{Settings, Switch};
use tostao::{reconciliation, routes, worker};

use crate::harness::client::Client;
use crate::harness::database::TestDatabase;
use crate::harness::shop::Shop;
use crate::harness::world::{TestClock, sources};

pub mod authenticator;
pub mod client;
pub mod crashes;
pub mod database;
pub mod engine;
pub mod given;
pub mod logs;
pub mod metrics;
pub mod page;
pub mod receiver;
pub mod refusals;
pub mod reply;
pub mod shop;
pub mod smtp;
pub mod world;

/// When every story begins: a Saturday morning in São Paulo.
pub const START: &str = "2026-11-21T12:00:00Z";

/// The product under test.
#[derive(Clone)]
pub struct TestApp {
    pub app: App,
    router: Router,
    clock: Arc<TestClock>,
}

/// Runs a story on a fresh product and verifies its books afterwards.
pub fn story(report: impl AsyncFnOnce(&TestApp)) {
    story_where(|_| {}, report);
}

/// The same, with other settings.
pub fn story_where(change: impl FnOnce(&mut Settings), report: impl AsyncFnOnce(&TestApp)) {
    run(Box::pin(async {
        let mut change = Some(change);
        let (database, app) = opened_afresh(&mut |settings| changed(&mut change, settings)).await;
        report(&app).await;
        ended(database, app).await;
    }));
}

/// Settings with rate limits.
pub fn rate_limited(settings: &mut Settings) {
    settings.rate_limits = Switch::On;
}

/// The same with other limits for some zones, written as an operator writes them.
pub fn rate_limited_to(overrides: &str) -> impl FnOnce(&mut Settings) {
    let overrides = overrides.parse().expect("makes sense");
    |settings| {
        rate_limited(settings);
        settings.rate_limit_overrides = overrides;
    }
}

/// The same, of a product that is stopped however it stands and started again.
///
/// What the first part knows is handed to the second; nothing in it may belong to the product.
pub fn story_with_restart<T>(
    before: impl AsyncFnOnce(&TestApp) -> T,
    after: impl AsyncFnOnce(&TestApp, T),
) {
    run(Box::pin(async {
        let (database, first) = opened_afresh(&mut |_| {}).await;
        let known = before(&first).await;
        let second = first.restarted();
        after(&second, known).await;
        ended(database, second).await;
    }));
}

/// The same, of a product that the story may stop and start again as often as it likes; it hands
/// the last one back.
pub fn story_of_lives(
    change: impl FnOnce(&mut Settings),
    report: impl AsyncFnOnce(TestApp) -> TestApp,
) {
    run(Box::pin(async {
        let mut change = Some(change);
        let (database, app) = opened_afresh(&mut |settings| changed(&mut change, settings)).await;
        ended(database, report(app).await).await;
    }));
}

/// A fresh product with its database.
async fn opened_afresh(change: &mut dyn FnMut(&mut Settings)) -> (TestDatabase, TestApp) {
    let database = TestDatabase::create().await;
    let mut settings = database.settings();
    change(&mut settings);
    let app = TestApp::open(&settings);
    (database, app)
}

/// Verifies the books of a product, and removes it.
async fn ended(database: TestDatabase, app: TestApp) {
    app.prove_books().await;
    drop(app);
    database.drop().await;
}

fn changed(change: &mut Option<impl FnOnce(&mut Settings)>, settings: &mut Settings) {
    if let Some(change) = change.take() {
        change(settings);
    }
}

/// How often a database is tried that the product before it still holds.
const TRIES: u32 = 1_000_000;

/// Opens the product; the thread that wrote for the one before lets go of the database a moment
/// after that was dropped.
fn opened(settings: &Settings, sources: &Sources) -> App {
    for _ in 1..TRIES {
        match App::open(settings.clone(), sources.clone()) {
            Err(error) if format!("{error:#}").contains("is serving") => std::thread::yield_now(),
            opened => return opened.expect("opens"),
        }
    }
    App::open(settings.clone(), sources.clone()).expect("opens")
}

impl TestApp {
    fn open(settings: &Settings) -> Self {
        let clock = Arc::new(TestClock::at(Timestamp::parse(START).expect("is a date")));
        Self::with(settings, clock.clone(), &sources(clock))
    }

    fn with(settings: &Settings, clock: Arc<TestClock>, sources: &Sources) -> Self {
        let app = opened(settings, sources);
        let router = routes::router(app.clone());
        Self { app, router, clock }
    }

    /// Stops the product however it stands, and starts it again.
    pub fn restarted(self) -> Self {
        self.restarted_where(|_| {})
    }

    /// The same, with other settings.
    pub fn restarted_where(self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::clone(&self.app.settings);
        change(&mut settings);
        let (clock, sources) = (self.clock.clone(), self.app.database.sources().clone());
        drop(self);
        Self::with(&settings, clock, &sources)
    }

    /// Another node on the same database, if several can share it.
    pub fn another_node(&self) -> Option<Self> {
        let is_shared = self.app.database.dialect() == Dialect::Postgres;
        let sources = self.app.database.sources();
        is_shared.then(|| Self::with(&self.app.settings, self.clock.clone(), sources))
    }

    /// Somebody without a key.
    pub fn anyone(&self) -> Client {
        Client::new(self.router.clone(), None)
    }

    /// A merchant with an account and a development key that may do everything.
    pub async fn shop(&self, name: &str) -> Shop {
        Shop::open(self, name).await
    }

    /// A merchant who has an account already.
    pub async fn shop_again(&self, name: &str) -> Shop {
        Shop::sign_in(self, name).await
    }

    /// An administrator, signed in afresh and looking at development data.
    pub async fn admin(&self) -> Client {
        shop::admin(self, "Admin").await
    }

    /// Another administrator, likewise.
    pub async fn other_admin(&self) -> Client {
        shop::admin(self, "Other Admin").await
    }

    /// Lets time pass for everybody.
    pub fn pass(&self, span: Duration) {
        self.clock.pass(span);
    }

    /// Sets the clock back for everybody.
    pub fn set_back(&self, span: Duration) {
        self.clock.set_back(span);
    }

    /// Runs every job that is due, and those that follow from it.
    pub async fn run_jobs(&self) -> usize {
        worker::run_due(&self.app).await.expect("jobs run")
    }

    /// Lets time pass for everybody, and runs the jobs that are due then.
    pub async fn run_jobs_after(&self, span: Duration) -> usize {
        self.pass(span);
        self.run_jobs().await
    }

    /// Serves every lane, as a running server does, until something else is done.
    pub async fn at_work<T>(&self, meanwhile: impl Future<Output = T>) -> T {
        let (stop, stopped) = oneshot::channel::<()>();
        let work = worker::run_until(self.app.clone(), stopped.map(drop).shared());
        let until = async {
            let done = meanwhile.await;
            drop(stop);
            done
        };
        tokio::join!(until, work).0
    }

    /// Fails unless the books agree with themselves and with all rows about money.
    pub async fn prove_books(&self) {
        let report = self.app.scan(async |tx| reconciliation::verify(tx, None).await).await;
        let report = report.expect("the books can be read");
        assert!(report.is_sound(), "{report:?}");
    }
}

/// Runs a story to its end.
///
/// Every story is one type here: otherwise the runtime is compiled again for each of them.
fn run(story: LocalBoxFuture<'_, ()>) {
    logs::begin();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().expect("a runtime starts");
    runtime.block_on(story);
}
