//! `GET /metrics`, on its own listener.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use http::header;
use tokio::net::TcpListener;

use crate::platform::http::client_ip::TrustedProxies;
use crate::platform::http::server::{self, ServerLimits};
use crate::platform::telemetry::MetricsHandle;

/// How often observations are aggregated between scrapes.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
const CONNECTIONS_MAX: usize = 64;

/// Serves `GET /metrics` on its own listener until `stop` resolves.
pub async fn serve(listener: TcpListener, handle: MetricsHandle, stop: impl Future<Output = ()>) {
    let limits = ServerLimits {
        connections: CONNECTIONS_MAX,
        connections_per_address: CONNECTIONS_MAX,
        ..ServerLimits::default()
    };
    let shown = handle.clone();
    let page =
        async move || ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], shown.render());
    let router = Router::new().route("/metrics", get(page));
    let mut served = pin!(server::serve(listener, router, limits, TrustedProxies::default(), stop));
    let mut upkeep = tokio::time::interval(UPKEEP_EVERY);
    loop {
        tokio::select! {
            () = &mut served => return,
            _ = upkeep.tick() => handle.run_upkeep(),
        }
    }
}
