//! The story of production: the money is real as far as the program knows, and of fake banks.
//!
//! Connections, routes, keys and payments are made as an operator and a merchant make them. The
//! banks are played by `fakepsp`, a program of this repository that is in no release, and what
//! happens at them is said to it. So this shows that the program does what these fakes expect, and
//! not how a bank behaves.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use futures_util::FutureExt;
use futures_util::future::Shared;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{interval, timeout};
use url::Url;

use crate::app::App;
use crate::commands::demo::client::Client;
use crate::commands::demo::console::Console;
use crate::commands::demo::production::fake::FakeBank;
use crate::commands::demo::production::operator::Operator;
use crate::commands::demo::production::sales::Shop;
use crate::commands::demo::{AfterStory, asked_to_stop_or, for_demo, leave, listen, reachable};
use crate::commands::serve::{metrics, serve};
use crate::commands::user_error;
use crate::connections;
use crate::platform::config::Settings;
use crate::platform::messages::Lang;
use crate::platform::{system_clock, telemetry};
use crate::worker;

mod boleto;
mod books;
mod card;
mod fake;
mod operator;
mod sales;

const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What follows from a notice takes milliseconds; a busy machine gets some patience.
const PATIENCE: Duration = Duration::from_secs(30);
/// How far the bank's clock is behind at first: reconciliation reads what is two minutes old.
const BEHIND_SECONDS: i64 = 180;

/// Who and what take part in the story.
pub struct Stage<'a> {
    pub app: &'a App,
    pub client: &'a Client,
    pub bank: &'a FakeBank,
    pub console: &'a mut Console,
}

/// A rail of the story that this release cannot route.
struct Missing {
    rail: &'static str,
}

/// Runs the story; fails if any step did.
pub async fn run(
    settings: Settings,
    after: AfterStory,
    lang: Lang,
    running: Option<Url>,
    program: Option<PathBuf>,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let bank = match running {
        Some(url) => FakeBank::running(&url).await?,
        None => FakeBank::start(program, folder.path()).await?,
    };
    let listener = listen(settings.listener.listen, after).await?;
    let settings = for_demo(settings, folder.path(), reachable(listener.local_addr()?));
    settings.check_to_serve()?;
    telemetry::init_demo_logging(&settings.log, settings.log_format)?;
    let outcome = serve_and_print(settings, listener, &bank, after, lang).await;
    bank.stop().await;
    outcome.and(leave(folder))
}

async fn serve_and_print(
    settings: Settings,
    listener: TcpListener,
    bank: &FakeBank,
    after: AfterStory,
    lang: Lang,
) -> anyhow::Result<()> {
    let client = Client::new(settings.listener.listen);
    let app = App::open(settings, system_clock::system())?;
    app.migrate().await?;
    expect_no_connections(&app).await?;
    let (finished_sender, done) = oneshot::channel::<()>();
    let (start_workers, started) = oneshot::channel::<()>();
    let stop = asked_to_stop_or(done)?.shared();
    let metrics = metrics(&app, stop.clone()).await?;
    let story = async {
        let mut console = Console::for_this_terminal(lang);
        let stage = Stage { app: &app, client: &client, bank, console: &mut console };
        let outcome = narrate(stage, start_workers, after, stop.clone()).await;
        drop(finished_sender);
        outcome
    };
    let working = async {
        if started.await.is_ok() {
            worker::run_until(app.clone(), stop.clone()).await;
        }
    };
    let served = serve(app.clone(), listener, stop.clone());
    let (outcome, (), (), ()) = tokio::join!(story, served, working, metrics);
    outcome
}

/// Plays the story from the first connection to the proof of the books.
async fn narrate(
    mut stage: Stage<'_>,
    start_workers: oneshot::Sender<()>,
    after: AfterStory,
    ending: Shared<impl Future<Output = ()>>,
) -> anyhow::Result<()> {
    let lang = stage.console.lang;
    stage.console.title(lang.demo_production_title())?;
    let before = books::money(&stage).await?;
    stage.bank.at("/__clock", &serde_json::json!({ "offset_seconds": -BEHIND_SECONDS })).await?;
    let operator = operator::connect(&mut stage).await?;
    let shop = Shop::open(&mut stage).await?;
    let lost = sales::pay_without_notice(&mut stage, &shop).await?;
    start_workers.send(()).ok().context("the workers have ended")?;
    sales::reconcile(&mut stage, &shop, &lost).await?;
    stage.bank.at("/__clock", &serde_json::json!({ "offset_seconds": 0 })).await?;
    operator.await_registration(&mut stage).await?;
    let pix = sales::pix(&mut stage, &shop).await?;
    let slip = boleto::sell(&mut stage, &operator, &shop).await?;
    let card = card::sell(&mut stage, &operator, &shop).await?;
    // Before the refunds, which are paid from the balance first.
    operator.pay_out(&mut stage, &shop).await?;
    stage.console.step(lang.demo_refunds())?;
    sales::refund(&mut stage, &shop, "PIX", &pix, None).await?;
    let mut missing = Vec::new();
    match slip {
        Ok(slip) => {
            let key = Some(sales::BUYERS_KEY);
            sales::refund(&mut stage, &shop, "Boleto", &slip, key).await?;
        }
        Err(Missing { rail }) => missing.push(rail),
    }
    match card {
        Ok(card) => sales::refund(&mut stage, &shop, lang.demo_card(), &card, None).await?,
        Err(Missing { rail }) => missing.push(rail),
    }
    sales::taken_back(&mut stage, &shop).await?;
    books::prove(&mut stage, before).await?;
    if !missing.is_empty() {
        stage.console.note(&lang.demo_left_out(missing.join(lang.demo_and())))?;
    }
    if after == AfterStory::Exit {
        return stage.console.end(lang.demo_done());
    }
    invite(&stage, &operator, &shop)?;
    ending.await;
    Ok(())
}

/// Says where to go on by oneself.
fn invite(stage: &Stage<'_>, operator: &Operator, shop: &Shop) -> anyhow::Result<()> {
    let (console, lang) = (&stage.console, stage.console.lang);
    console.end(lang.demo_your_turn())?;
    console.fact(lang.demo_documentation(), &format!("{}/docs", stage.app.settings.base_url()))?;
    console.fact(lang.demo_operator(), &operator.login(lang))?;
    console.fact(lang.demo_shop(), &shop.login(lang))?;
    console.fact(lang.cli_key(), &shop.key)?;
    console.fact(lang.demo_fake_bank(), &stage.bank.control())?;
    console.note(lang.demo_stop())
}

/// Refuses a database whose rails may go to a bank: they would go to the fake.
async fn expect_no_connections(app: &App) -> anyhow::Result<()> {
    let listed = app.read(async |tx| connections::list(tx).await).await.map_err(user_error)?;
    ensure!(
        listed.is_empty(),
        "the database has connections; the production-like demo needs one without any"
    );
    Ok(())
}

/// Looks again and again until something has happened.
async fn until<T>(
    what: &str,
    mut look: impl AsyncFnMut() -> anyhow::Result<Option<T>>,
) -> anyhow::Result<T> {
    let mut turns = interval(LOOK_EVERY);
    let looked = async {
        loop {
            turns.tick().await;
            if let Some(found) = look().await? {
                return Ok(found);
            }
        }
    };
    let in_time = timeout(PATIENCE, looked).await;
    in_time.with_context(|| format!("it did not happen in {} s: {what}", PATIENCE.as_secs()))?
}
