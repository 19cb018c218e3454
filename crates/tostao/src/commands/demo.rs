//! The first minute: the life of a sale with simulated money, printed as it happens.
//!
//! The story uses a client and a webhook receiver of its own, through the routes that
//! everybody uses; nothing in it is possible only from inside.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use anyhow::Context;
use clap::Command;
use db::tx::Tx;
use futures_util::FutureExt;
use futures_util::future::Shared;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};

use crate::app::App;
use crate::commands::demo::client::Client;
use crate::commands::demo::console::Console;
use crate::commands::demo::receiver::{Delivery, receive};
use crate::commands::demo::story::{Shop, run_story};
use crate::commands::listen::explain;
use crate::commands::serve::{asked_to_stop, metrics, serve};
use crate::commands::user_error;
use crate::people;
use crate::platform::config::{LISTEN, ListenSettings, Settings};
use crate::platform::error::Error;
use crate::platform::messages::Lang;
use crate::platform::{system_clock, telemetry};
use crate::registration::setup;
use crate::worker;

pub mod production;

mod client;
mod console;
mod receiver;
mod story;

/// What the program does after the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterStory {
    Exit,
    KeepServing,
}

const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Stands for a database in a folder that is removed at the end.
const TEMPORARY: &str = "temporary";
/// Deliveries not read yet; the story reads one, the rest are printed as they come.
const DELIVERIES_WAITING: usize = 64;

/// Defaults that differ from production.
pub fn demo_defaults(command: Command) -> Command {
    command
        .mut_arg("database_url", |arg| arg.default_value(TEMPORARY))
        .mut_arg("allow_local_webhooks", |arg| arg.default_value("true"))
        .mut_arg("log", |arg| arg.default_value("warn"))
}

/// Runs the story; fails if any step did.
pub async fn run(settings: Settings, after: AfterStory, lang: Lang) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let listener = listen(settings.listener.listen, after).await?;
    let address = reachable(listener.local_addr()?);
    let settings = for_demo(settings, folder.path(), address);
    settings.check_to_serve()?;
    telemetry::init_demo_logging(&settings.log, settings.log_format)?;
    let outcome = serve_and_print(settings, listener, address, after, lang).await;
    outcome.and(leave(folder))
}

async fn serve_and_print(
    settings: Settings,
    listener: TcpListener,
    address: SocketAddr,
    after: AfterStory,
    lang: Lang,
) -> anyhow::Result<()> {
    let app = App::open(settings, system_clock::system())?;
    app.migrate().await?;
    let (inbox, mut arrived) = mpsc::channel(DELIVERIES_WAITING);
    let receiver = TcpListener::bind(ANY_PORT).await.context("no port for the receiver")?;
    let receiver_address = receiver.local_addr()?;
    let (finished_sender, done) = oneshot::channel::<()>();
    let stop = asked_to_stop_or(done)?.shared();
    let metrics = metrics(&app, stop.clone()).await?;
    let story = async {
        let mut console = Console::for_this_terminal(lang);
        let addresses = (address, receiver_address);
        let outcome = narrate(&app, addresses, &mut arrived, after, &mut console, stop.clone());
        let outcome = outcome.await;
        drop(finished_sender);
        outcome
    };
    let (outcome, (), (), (), ()) = tokio::join!(
        story,
        serve(app.clone(), listener, stop.clone()),
        worker::run_until(app.clone(), stop.clone()),
        receive(receiver, inbox, stop.clone()),
        metrics,
    );
    outcome
}

async fn narrate(
    app: &App,
    (address, receiver): (SocketAddr, SocketAddr),
    arrived: &mut mpsc::Receiver<Delivery>,
    after: AfterStory,
    console: &mut Console,
    ending: Shared<impl Future<Output = ()>>,
) -> anyhow::Result<()> {
    let shop = run_story(app, &Client::new(address), receiver, arrived, console).await?;
    if after == AfterStory::Exit {
        return console.end(console.lang.demo_done());
    }
    invite(app, &shop, console).await?;
    print_deliveries(&shop, arrived, console, ending).await
}

/// Resolves when the operator asks to stop, or when the story's end is dropped.
fn asked_to_stop_or(done: oneshot::Receiver<()>) -> anyhow::Result<impl Future<Output = ()>> {
    let asked = asked_to_stop()?;
    Ok(async move {
        tokio::select! {
            () = asked => {}
            // Dropping the other end has the same effect as a message.
            _ = done => {}
        }
    })
}

/// Says where to go on by oneself.
async fn invite(app: &App, shop: &Shop, console: &Console) -> anyhow::Result<()> {
    let (lang, email) = (console.lang, shop.email.clone());
    let unit = async move |tx: &Tx| {
        let owner = people::find_by_email(tx, &email).await?.ok_or(Error::NotFound("Person"))?;
        let accounts = people::accounts_of(tx, owner.id).await?;
        let account = accounts.first().ok_or(Error::NotFound("Account"))?;
        setup::link_into(tx, *account).await
    };
    let (token, _) = app.transact(unit).await.map_err(user_error)?;
    console.end(lang.demo_your_turn())?;
    let address = format!("{}/setup/{}", app.settings.base_url(), token.expose());
    console.fact(lang.demo_dashboard(), &address)?;
    console.note(lang.demo_enters_once())?;
    console.fact("Checkout", &shop.checkout_url)?;
    console.fact(lang.demo_documentation(), &format!("{}/docs", app.settings.base_url()))?;
    console.fact("Login", &lang.demo_login(&shop.email, &shop.password))?;
    console.fact(lang.cli_key(), &shop.key)?;
    console.note(lang.demo_stop())
}

/// Prints every delivery until asked to stop.
async fn print_deliveries(
    shop: &Shop,
    arrived: &mut mpsc::Receiver<Delivery>,
    console: &Console,
    ending: Shared<impl Future<Output = ()>>,
) -> anyhow::Result<()> {
    loop {
        let delivery = tokio::select! {
            () = ending.clone() => return Ok(()),
            Some(delivery) = arrived.recv() => delivery,
            else => return Ok(()),
        };
        let (lang, event) = (console.lang, &delivery.event);
        let is_ours = delivery.is_signed_with(&shop.secret);
        let text = if is_ours { lang.demo_signed(event) } else { lang.demo_forged(event) };
        console.fact("Webhook", &text)?;
    }
}

/// Takes the port that was asked for; a story that exits by itself can run on any other than the
/// default.
async fn listen(wanted: SocketAddr, after: AfterStory) -> anyhow::Result<TcpListener> {
    match TcpListener::bind(wanted).await {
        Err(taken) if taken.kind() == ErrorKind::AddrInUse && may_move(wanted, after) => {
            TcpListener::bind(ANY_PORT).await.context("no port is free")
        }
        bound => explain(bound, wanted),
    }
}

/// Whether a story may run on another port than this one, which was not asked for.
fn may_move(wanted: SocketAddr, after: AfterStory) -> bool {
    after == AfterStory::Exit && LISTEN.parse() == Ok(wanted)
}

/// The address under which this machine reaches a listener on all addresses.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = if bound.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { bound.ip() };
    SocketAddr::new(ip, bound.port())
}

fn for_demo(mut settings: Settings, folder: &Path, address: SocketAddr) -> Settings {
    if settings.storage.database_url == TEMPORARY {
        settings.storage.database_url = format!("sqlite:{}", folder.join("tostao.db").display());
    }
    Settings { listener: ListenSettings { listen: address }, ..settings }
}

/// Removes the folder, and says so if that is not possible.
fn leave(folder: TempDir) -> anyhow::Result<()> {
    let path = folder.path().display().to_string();
    folder.close().with_context(|| format!("cannot remove {path}"))
}

#[cfg(test)]
mod tests {
    use super::{ANY_PORT, AfterStory, LISTEN, listen, may_move, reachable};

    #[tokio::test]
    async fn only_a_story_that_ends_by_itself_and_was_given_no_port_moves_to_another_one() {
        let first = listen(ANY_PORT, AfterStory::Exit).await.unwrap().local_addr();
        let held = tokio::net::TcpListener::bind(ANY_PORT).await.unwrap();
        let taken = held.local_addr().unwrap();
        for after in [AfterStory::Exit, AfterStory::KeepServing] {
            let refused = listen(taken, after).await.unwrap_err().to_string();
            assert!(refused.contains("is in use by another program"), "{refused}");
        }
        let default = LISTEN.parse().unwrap();
        assert!(may_move(default, AfterStory::Exit));
        assert!(!may_move(default, AfterStory::KeepServing));
        assert!(first.unwrap().ip().is_loopback());
    }

    #[test]
    fn a_server_on_all_addresses_is_reached_through_the_loopback_one() {
        let table = [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "127.0.0.1:8080"),
            ("127.0.0.1:9000", "127.0.0.1:9000"),
            ("[::1]:9000", "[::1]:9000"),
        ];
        for (bound, expected) in table {
            assert_eq!(reachable(bound.parse().unwrap()), expected.parse().unwrap(), "{bound}");
        }
    }
}
