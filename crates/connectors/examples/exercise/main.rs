//! Calls every operation of every profile once, against a fake provider in another process.
//!
//! The argument is the line of JSON that `fakepsp serve` prints, perhaps with other addresses in
//! it: judges put programs between a connector and the fake. Each check prints a line, `ok NAME` or
//! `FAILED NAME | why`, and `end` closes the list, so that a run that was cut short is noticed.

mod bank;
mod boletos;
mod cards;
mod payouts;
mod pix;

use std::any::Any;
use std::future::Future;
use std::io::{self, Write as _};
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::bank::{Bank, Place};

/// A check: it panics where the connector does not do what is asked.
type Check = (&'static str, fn(Arc<Bank>) -> Running);
type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Names an asynchronous function in a table.
macro_rules! checks {
    ($($module:ident::$name:ident),+ $(,)?) => {
        &[$((stringify!($name), |bank| Box::pin($module::$name(bank)))),+]
    };
}

const PIX: &[Check] = checks![
    pix::a_check_and_a_registered_address,
    pix::a_txid_is_one_charge,
    pix::a_lost_answer_is_looked_up,
    pix::a_charge_is_closed,
    pix::a_notice_is_reread,
    pix::a_window_is_read_whole,
    pix::a_reference_is_one_refund,
];

const PAYOUTS: &[Check] = checks![
    payouts::a_reference_is_one_payout,
    payouts::a_payout_is_paid_once,
    payouts::a_server_error_is_unknown,
];

const SENT: &[Check] = checks![payouts::sent_payouts_are_listed];

const BOLETOS: &[Check] = checks![
    boletos::a_boleto_is_found_as_it_was_issued,
    boletos::a_lost_boleto_is_registered_once,
    boletos::a_payment_is_reread,
    boletos::a_boleto_is_closed,
];

const CARDS: &[Check] = checks![
    cards::a_reference_is_one_charge,
    cards::a_declined_card_is_declined,
    cards::a_card_is_stored_and_charged,
    cards::a_reference_is_one_refund,
    cards::a_notice_and_the_lists_agree,
];

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    let line = std::env::args().nth(1).unwrap_or_default();
    let place: Place = serde_json::from_str(&line).map_err(io::Error::other)?;
    // A failed check is reported once, by its line.
    std::panic::set_hook(Box::new(|_| {}));
    let mut all_passed = true;
    for (dialect, lists) in [
        ("efi", &[PIX, PAYOUTS, SENT, BOLETOS][..]),
        ("inter", &[PIX, PAYOUTS, BOLETOS]),
        ("pagarme", &[CARDS]),
    ] {
        let bank = Arc::new(Bank::open(dialect, &place).await);
        for (name, check) in lists.iter().copied().flatten() {
            let mut running = JoinSet::new();
            running.spawn(check(Arc::clone(&bank)));
            let ended = running.join_next().await;
            let name = format!("{dialect}: {}", name.replace('_', " "));
            let mut output = io::stdout().lock();
            match ended {
                Some(Err(error)) if error.is_panic() => {
                    all_passed = false;
                    writeln!(output, "FAILED {name} | {}", words(&*error.into_panic()))?;
                }
                _ => writeln!(output, "ok {name}")?,
            }
        }
    }
    writeln!(io::stdout(), "end")?;
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a panic says, in one line.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it says nothing").replace('\n', " ")
}
