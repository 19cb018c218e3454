//! The proof: the ledger verifies, and the banks have as much money as it says.

use anyhow::ensure;
use brazil::money::format_brl;
use db::tx::Tx;
use serde_json::Value;

use crate::books;
use crate::books::chart::AccountKind;
use crate::commands::demo::production::Stage;
use crate::commands::ledger::check;
use crate::commands::user_error;
use crate::platform::ids::Mode;

/// How much money there is outside, by the banks and by the books.
#[derive(Clone, Copy)]
pub struct Money {
    at_banks: i64,
    in_books: i64,
}

/// Counts the money.
pub async fn money(stage: &Stage<'_>) -> anyhow::Result<Money> {
    let at_banks = at_banks(&stage.bank.read("/__state").await?);
    let unit = async |tx: &Tx| books::all_balances(tx, None).await;
    let balances = stage.app.read(unit).await.map_err(user_error)?;
    let of_production = balances.iter().filter(|((_, book), _)| *book == Mode::Production.book());
    let outside = of_production.filter_map(|(_, accounts)| {
        accounts.get(&AccountKind::Outside.code()).map(|cents| cents.get())
    });
    // What is outside is negative there: it is owed to somebody here.
    Ok(Money { at_banks, in_books: -outside.sum::<i64>() })
}

/// Verifies the ledger, as `tostao ledger verify` does, and compares what has changed since the
/// beginning.
pub async fn prove(stage: &mut Stage<'_>, before: Money) -> anyhow::Result<()> {
    stage.console.step(stage.console.lang.demo_proves())?;
    let verification = check(&stage.app.database).await?;
    ensure!(verification.is_sound(), "the books do not agree: {verification:?}");
    let (accounts, transfers) = (verification.ledger.accounts, verification.ledger.transfers);
    let lang = stage.console.lang;
    stage.console.fact(lang.demo_ledger(), &lang.demo_verified(accounts, transfers))?;
    let after = money(stage).await?;
    let (at_banks, in_books) = (after.at_banks - before.at_banks, after.in_books - before.in_books);
    stage.console.fact(lang.demo_at_banks(), &format_brl(at_banks))?;
    stage.console.fact(lang.demo_in_books(), &format_brl(in_books))?;
    let drift = at_banks - in_books;
    ensure!(drift == 0, "the banks have {at_banks} cents, and the books say {in_books}");
    stage.console.fact(lang.demo_difference(), &format_brl(drift))
}

/// What the fake's accounts hold: PIX and payouts in one, paid slips, and cards less their refunds.
fn at_banks(state: &Value) -> i64 {
    let cents = |value: &Value| value.as_i64().unwrap_or_default();
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let pix = cents(&state["efi"]["pix"]["balance_cents"]);
    let slips: i64 = all(&state["cobrancas"]).iter().map(|slip| cents(&slip["paid_cents"])).sum();
    let kept = |charge: &Value| cents(&charge["paid_amount"]) - cents(&charge["canceled_amount"]);
    let cards: i64 = all(&state["pagarme"]["charges"]).iter().map(kept).sum();
    pix + slips + cards
}
