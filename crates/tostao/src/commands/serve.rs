//! Serving, and working without serving.

use std::future::Future;

use anyhow::Context;
use db::tx::Tx;
use futures_util::FutureExt;
use futures_util::future::{OptionFuture, Shared};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::app::App;
use crate::audit::refused;
use crate::commands::listen::listen;
use crate::commands::{mention, user_error};
use crate::connections::{keep_current, reload};
use crate::mail;
use crate::platform::config::{ListenSettings, Settings};
use crate::platform::http::server::{ServerLimits, serve as serve_connections};
use crate::platform::secrets::SealCount;
use crate::platform::telemetry::LogFormat;
use crate::platform::{http, system_clock, telemetry};
use crate::registration::setup;
use crate::requests::queue;
use crate::resealing::count_webhooks;
use crate::{health, routes, worker};

/// Serves until asked to stop, then finishes what is running.
pub async fn run(settings: Settings, with_worker: bool) -> anyhow::Result<()> {
    settings.check_to_serve()?;
    telemetry::init_logging(&settings.log, settings.log_format)?;
    let listener = listen(settings.listener.listen).await?;
    // Port 0 stands for any that is free; only now is it known which, and addresses need it.
    let settings =
        Settings { listener: ListenSettings { listen: listener.local_addr()? }, ..settings };
    let app = App::open(settings, system_clock::system())?;
    migrate(&app).await?;
    warn(&app).await?;
    reload(&app).await.map_err(user_error)?;
    invite_the_first(&app).await?;
    let stop = asked_to_stop()?.shared();
    let metrics = metrics(&app, stop.clone()).await?;
    let watching = keep_current(app.clone(), stop.clone());
    tracing::info!(
        address = %listener.local_addr()?,
        base_url = app.settings.base_url(),
        checkout_url = app.settings.checkout_url(),
        "serving"
    );
    // Jobs have threads of their own, so that a request never queues behind a burst of them.
    let threads = || Builder::new_multi_thread().thread_name("jobs").enable_all().build();
    let jobs = with_worker.then(threads).transpose()?;
    let working =
        jobs.as_ref().map(|jobs| jobs.spawn(worker::run_until(app.clone(), stop.clone())));
    let served =
        async { anyhow::Ok(tokio::join!(serve(app.clone(), listener, stop), metrics, watching)) };
    let worked = async { OptionFuture::from(working).await.transpose().context("a worker ended") };
    let ended = tokio::try_join!(served, worked);
    // A runtime may not wait for its threads where others run on one.
    if let Some(jobs) = jobs {
        jobs.shutdown_background();
    }
    ended?;
    tracing::info!("stopped");
    Ok(())
}

/// Runs the workers alone until asked to stop.
pub async fn run_worker(settings: Settings) -> anyhow::Result<()> {
    settings.storage.ensure_exists()?;
    telemetry::init_logging(&settings.log, settings.log_format)?;
    let app = App::open(settings, system_clock::system())?;
    migrate(&app).await?;
    warn(&app).await?;
    reload(&app).await.map_err(user_error)?;
    let stop = asked_to_stop()?.shared();
    let metrics = metrics(&app, stop.clone()).await?;
    let watching = keep_current(app.clone(), stop.clone());
    tracing::info!("working");
    tokio::join!(worker::run_until(app.clone(), stop), metrics, watching);
    Ok(())
}

/// Serves on a listener until `stop`.
pub async fn serve(
    app: App,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let (proxies, limits) = (app.proxies.clone(), ServerLimits::of_process());
    let usual = ServerLimits::default().connections;
    if limits.connections < usual {
        tracing::warn!(
            connections = limits.connections,
            usual,
            "the limit of open files is low, so this server takes fewer connections: raise the \
             hard limit (`ulimit -Hn`, or LimitNOFILE of systemd)"
        );
    }
    let router = routes::router(app.clone());
    let served = serve_connections(listener, router, limits, proxies, stop);
    let served = queue::write_while(&app.requests, &app.database, served);
    refused::write_while(&app.refusals, &app.database, served).await;
}

/// Resolves at the first SIGTERM or SIGINT; the second one ends the process by itself.
pub fn asked_to_stop() -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        health::stop();
        tracing::info!("stopping: finishing requests and jobs in flight");
        end_at_the_next(terminate, interrupt);
    })
}

/// Somebody who asks twice does not want to wait.
#[expect(clippy::disallowed_methods, reason = "waits beside everything that is being finished")]
fn end_at_the_next(mut terminate: Signal, mut interrupt: Signal) {
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        std::process::exit(1);
    });
}

async fn migrate(app: &App) -> anyhow::Result<()> {
    match app.migrate().await?.as_slice() {
        [] => tracing::info!("the database is up to date"),
        applied => {
            let names = applied.join(", ");
            tracing::info!(count = applied.len(), names, "migrations applied");
        }
    }
    Ok(())
}

/// Where there is no account yet, shows an address that opens the first one, if a person reads the
/// log: a program would keep it, and has no use for a line that is not JSON.
async fn invite_the_first(app: &App) -> anyhow::Result<()> {
    if LogFormat::or_usual(app.settings.log_format) == LogFormat::Json {
        return Ok(());
    }
    let made = app.transact(async |tx: &Tx| setup::link_if_empty(tx).await).await;
    if let Some((token, expires_at)) = made.map_err(user_error)? {
        let (base, token) = (app.settings.base_url(), token.expose());
        mention(&format!("No account yet. Open the first one, once and until {expires_at}:"));
        mention(&format!("  {base}/setup/{token}"));
    }
    Ok(())
}

async fn warn(app: &App) -> anyhow::Result<()> {
    for warning in app.settings.warnings() {
        tracing::warn!("{warning}");
    }
    let mails = app.scan(async |tx| mail::backlog(tx).await).await.map_err(user_error)?;
    if app.mail.is_none() && mails.count > 0 {
        tracing::warn!("{} mails wait: set TOSTAO_SMTP_URL, so that they leave", mails.count);
    }
    let SealCount { previous, unknown, .. } = count_webhooks(app).await.map_err(user_error)?;
    if previous > 0 {
        tracing::warn!(
            "{previous} webhooks are sealed with TOSTAO_SECRET_KEY_PREVIOUS; run `tostao secrets \
             reseal` before you remove it"
        );
    }
    if unknown > 0 {
        tracing::warn!(
            "{unknown} webhooks are sealed with a secret that this server does not have: \
             deliveries to them fail; set TOSTAO_SECRET_KEY_PREVIOUS to that secret, then run \
             `tostao secrets reseal`"
        );
    }
    Ok(())
}

/// Serves metrics until `stop`, where an address for them is set.
pub async fn metrics(
    app: &App,
    stop: Shared<impl Future<Output = ()> + 'static>,
) -> anyhow::Result<impl Future<Output = ()>> {
    let bound = match app.settings.metrics_listen {
        None => None,
        Some(address) => {
            let listener = TcpListener::bind(address).await;
            let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
            tracing::info!(address = %listener.local_addr()?, "serving metrics");
            Some((listener, telemetry::install_metrics()?))
        }
    };
    Ok(async move {
        if let Some((listener, handle)) = bound {
            http::metrics::serve(listener, handle, stop).await;
        }
    })
}
