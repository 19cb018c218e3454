//! The product without HTTP: its router in this process, called directly.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::pending;
use std::path::Path;

use anyhow::Result;
use axum::Router;
use bytes::Bytes;
use clap::Parser;
use futures_util::future::try_join_all;
use http_body_util::BodyExt;
use tokio::task::spawn_local;
use tostao::app::App;
use tostao::platform::config::Settings;
use tostao::platform::system_clock;
use tostao::{routes, worker};
use tower::ServiceExt;

use crate::charge::Parties;
use crate::client::{Request, Response, Transport};
use crate::clock;
use crate::load::{Meter, Plan};
use crate::numbers::rate;
use crate::server::{FEE_CENTS, SECRET};
use crate::shop::Shop;

/// The product's router, and its last response.
struct InProcess {
    router: Router,
    body: Bytes,
}

#[derive(Parser)]
struct Configuration {
    #[command(flatten)]
    settings: Settings,
}

impl Transport for InProcess {
    async fn send(&mut self, request: &Request) -> Result<Response<'_>> {
        let answer: Result<_, Infallible> = self.router.clone().oneshot(request.unpacked()?).await;
        let Ok(answer) = answer;
        let status = answer.status().as_u16();
        self.body = answer.into_body().collect().await?.to_bytes();
        Ok(Response { status, head: b"", body: &self.body })
    }
}

/// Creates charges of one merchant without webhooks; returns charges per second.
pub async fn charges(file: &Path, callers: usize, plan: Plan) -> Result<f64> {
    let app = open(file)?;
    app.migrate().await?;
    let router = routes::router(app.clone());
    spawn_local(worker::run_until(app, pending()));
    let transport = || InProcess { router: router.clone(), body: Bytes::new() };
    let shop = Shop::open_at(&mut transport(), 0).await?;
    let (parties, started, meter) = (Parties::default(), Cell::new(0), Meter::new(plan));
    let call = async || {
        let mut transport = transport();
        while !meter.is_over() {
            let number = started.replace(started.get() + 1);
            parties.pay(&shop, number, &mut transport, clock::now(), &meter).await?;
            meter.count();
        }
        anyhow::Ok(())
    };
    try_join_all((0..callers).map(|_| call())).await?;
    Ok(rate(meter.done_in_time(), plan.measure))
}

fn open(file: &Path) -> Result<App> {
    let url = format!("sqlite:{}", file.display());
    let fee = FEE_CENTS.to_string();
    let Configuration { settings } = Configuration::try_parse_from([
        "bench",
        "--database-url",
        &url,
        "--secret-key",
        SECRET,
        "--rate-limits",
        "off",
        "--pix-fee-cents",
        &fee,
    ])?;
    App::open(settings, system_clock::system())
}
