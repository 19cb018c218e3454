//! Money that moves because the test says so: payers, fraud reports, chargebacks, outcomes.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Done, read};
use crate::bacen::book::{Bank, RefundOutcome};
use crate::bacen::receive::{self, Payment};
use crate::call::Call;
use crate::efi::payout::{self, Outcome};
use crate::inter::banking;
use crate::route::Dialect;
use crate::world::World;
use crate::{cobrancas, inter, pagarme};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pays {
    dialect: Dialect,
    /// The charge: a PIX txid, a slip's id at the bank or ours, a Pagar.me charge.
    charge: Option<String>,
    /// Without a charge: a transfer to this PIX key.
    key: Option<String>,
    amount_cents: Option<i64>,
    #[serde(default = "once")]
    times: u32,
    /// Pays also what is expired, completed or removed.
    #[serde(default)]
    late: bool,
    note: Option<String>,
    /// A slip's way: `boleto` or `pix`; or a status such as `identified` or `settled`; `reproved`
    /// for a card that the antifraud holds.
    by: Option<String>,
}

fn once() -> u32 {
    1
}

pub fn pay(world: &mut World, call: &Call) -> Done {
    let pays: Pays = read(call)?;
    let by = pays.by.as_deref().unwrap_or("boleto");
    let charge = pays.charge.clone().unwrap_or_default();
    match pays.dialect {
        Dialect::Efi => pay_pix(world, Bank::Efi, &pays),
        Dialect::Inter if world.titles.find(&charge).is_some() => {
            inter::pay::slip(world, &charge, pays.amount_cents, pays.times, by)
        }
        Dialect::Inter => pay_pix(world, Bank::Inter, &pays),
        Dialect::Cobrancas => {
            cobrancas::pay::slip(world, &charge, pays.amount_cents, pays.times, by)
        }
        Dialect::Pagarme => {
            pagarme::outcome::confirm(world, &charge, pays.amount_cents, pays.by.as_deref())
        }
    }
}

fn pay_pix(world: &mut World, bank: Bank, pays: &Pays) -> Done {
    let now = world.now();
    let book = world.book(bank);
    let mut cents = pays.amount_cents;
    if let Some(txid) = &pays.charge
        && let Some(cob) = book.charges.get(txid)
    {
        if !pays.late && !cob.is_payable(now) {
            return Err("the charge is expired, completed or removed; say `late`".to_owned());
        }
        cents = cents.or(Some(cob.cents));
    }
    let payment = Payment {
        txid: pays.charge.clone(),
        key: pays.key.clone(),
        cents: cents.ok_or("how much? `amount_cents`")?,
        note: pays.note.clone(),
    };
    let ids: Vec<String> =
        (0..pays.times).map(|_| receive::pay_charge(world, bank, &payment)).collect();
    Ok(json!({ "e2e": ids }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Med {
    #[serde(default = "efi")]
    dialect: Dialect,
    /// The Pix, to open a report or to take money back without one.
    e2e: Option<String>,
    /// The report, to end it, or the return that takes money back.
    id: Option<String>,
    amount_cents: Option<i64>,
    action: Action,
}

fn efi() -> Dialect {
    Dialect::Efi
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Action {
    Open,
    Accept,
    /// Accepts a report whose money goes back later.
    Decide,
    Reject,
    Cancel,
    /// Opens a report again that was rejected, as if it had not been.
    Reopen,
    /// The bank's own mistake: money goes back without a report.
    TakeBack,
    /// The account's holder refunds in the bank's app.
    Refund,
}

pub fn med(world: &mut World, call: &Call) -> Done {
    let med: Med = read(call)?;
    let bank = bank(med.dialect)?;
    let e2e = med.e2e.unwrap_or_default();
    let rtr = med.id.clone();
    let id = med.id.unwrap_or_default();
    let left = world.book(bank).find(&e2e).map(crate::bacen::book::Received::left_cents);
    let cents = med.amount_cents.or(left).unwrap_or_default();
    let done = match med.action {
        Action::Open => {
            let opened = receive::open_infraction(world, bank, &e2e, cents);
            return opened.map(|id| json!({ "id": id })).ok_or_else(unknown);
        }
        Action::Accept => receive::accept_infraction(world, bank, &id),
        Action::Decide => receive::close_infraction(world, bank, &id, "ACEITA").is_some(),
        Action::Reject => receive::close_infraction(world, bank, &id, "REJEITADA").is_some(),
        Action::Cancel => receive::close_infraction(world, bank, &id, "CANCELADA_EFI").is_some(),
        Action::Reopen => receive::reopen_infraction(world, bank, &id),
        Action::TakeBack => receive::take_back(world, bank, &e2e, (cents, "MED_OPERACIONAL"), rtr),
        Action::Refund => receive::take_back(world, bank, &e2e, (cents, "ORIGINAL"), rtr),
    };
    done.then(|| json!({})).ok_or_else(unknown)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chargeback {
    charge: String,
    amount_cents: Option<i64>,
    #[serde(default)]
    outcome: pagarme::outcome::Dispute,
}

pub fn chargeback(world: &mut World, call: &Call) -> Done {
    let Chargeback { charge, amount_cents, outcome } = read(call)?;
    pagarme::outcome::dispute(world, &charge, amount_cents, outcome)
}

#[derive(Deserialize)]
struct Payout {
    #[serde(default = "efi")]
    dialect: Dialect,
    /// A payout that exists; without one, the next `times` payouts.
    id: Option<String>,
    #[serde(default = "once")]
    times: u32,
    #[serde(flatten)]
    outcome: Outcome,
}

pub fn payout(world: &mut World, call: &Call) -> Done {
    let asked: Payout = read(call)?;
    let Some(id) = asked.id else {
        let outcomes = match asked.dialect {
            Dialect::Inter => &mut world.transfers.outcomes,
            _ => &mut world.efi_payouts.outcomes,
        };
        outcomes.extend((0..asked.times).map(|_| asked.outcome.clone()));
        return Ok(json!({ "waiting": outcomes.len() }));
    };
    let found = match asked.dialect {
        Dialect::Inter => banking::follow(world, &id, asked.outcome),
        _ => payout::follow(world, &id, asked.outcome),
    };
    found.then(|| json!({})).ok_or_else(unknown)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refund {
    #[serde(default = "efi")]
    dialect: Dialect,
    outcome: RefundOutcome,
    #[serde(default = "once")]
    times: u32,
    /// A refund in process: its Pix and its id.
    e2e: Option<String>,
    id: Option<String>,
}

pub fn refund(world: &mut World, call: &Call) -> Done {
    let asked: Refund = read(call)?;
    let bank = bank(asked.dialect)?;
    let (Some(e2e), Some(id)) = (&asked.e2e, &asked.id) else {
        let outcomes = &mut world.book(bank).refund_outcomes;
        outcomes.extend((0..asked.times).map(|_| asked.outcome));
        return Ok(json!({ "waiting": outcomes.len() }));
    };
    let done = match asked.outcome {
        RefundOutcome::Pay => receive::settle(world, bank, e2e, id, true),
        RefundOutcome::Refuse => receive::settle(world, bank, e2e, id, false),
        RefundOutcome::Process => true,
    };
    done.then(|| json!({})).ok_or_else(unknown)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Balance {
    #[serde(default = "efi")]
    dialect: Dialect,
    cents: i64,
}

pub fn balance(world: &mut World, call: &Call) -> Done {
    let Balance { dialect, cents } = read(call)?;
    world.book(bank(dialect)?).balance_cents = cents;
    Ok(Value::Null)
}

fn bank(dialect: Dialect) -> Result<Bank, String> {
    match dialect {
        Dialect::Efi => Ok(Bank::Efi),
        Dialect::Inter => Ok(Bank::Inter),
        _ => Err("only efi and inter have PIX".to_owned()),
    }
}

fn unknown() -> String {
    "there is nothing of this id in such a state".to_owned()
}
