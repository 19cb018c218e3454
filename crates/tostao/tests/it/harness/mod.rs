//! A whole product for one test: its own database, a clock that stands still, seeded randomness.
//!
//! A test is a story told to [`story`]; when it ends, the books are proved.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use db::time::Timestamp;
use tostao::app::App;
use tostao::{books, jobs, routes};

use crate::harness::client::Client;
use crate::harness::database::TestDatabase;
use crate::harness::shop::Shop;
use crate::harness::world::{TestClock, sources};

pub mod client;
pub mod database;
pub mod page;
pub mod receiver;
pub mod reply;
pub mod shop;
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

/// Tells a story to a fresh product and proves its books afterwards.
pub fn story(tell: impl AsyncFn(&TestApp)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async {
        let database = TestDatabase::create().await;
        let app = TestApp::open(&database);
        tell(&app).await;
        app.prove_books().await;
        drop(app);
        database.drop().await;
    });
}

impl TestApp {
    fn open(database: &TestDatabase) -> Self {
        let clock = Arc::new(TestClock::at(Timestamp::parse(START).expect("is a date")));
        let app = App::open(database.settings(), sources(clock.clone())).expect("opens");
        let router = routes::router(app.clone());
        Self { app, router, clock }
    }

    /// Somebody without a key.
    pub fn anyone(&self) -> Client {
        Client::new(self.router.clone(), None)
    }

    /// A merchant with an account and a development key that may do everything.
    pub async fn shop(&self, name: &str) -> Shop {
        Shop::open(self, name).await
    }

    /// Lets time pass for everybody.
    pub fn pass(&self, span: Duration) {
        self.clock.pass(span);
    }

    /// Runs every job that is due, and those that follow from it.
    pub async fn run_jobs(&self) -> usize {
        jobs::run_due(&self.app).await.expect("jobs run")
    }

    /// Fails unless every balance is what its transfers say.
    pub async fn prove_books(&self) {
        let report = self.app.scan(async |tx| books::prove(tx, None).await).await;
        let report = report.expect("the books can be read");
        assert!(report.is_sound(), "{report:?}");
    }
}
