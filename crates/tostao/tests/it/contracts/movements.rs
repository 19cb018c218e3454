//! Every way money moves: the accounts it leaves and reaches, and the floors that hold it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ledger::cents::Cents;
use tostao::books::chart::AccountKind;
use tostao::books::movements::{Movement, SettlementSplit};
use tostao::platform::ids::{CommissionId, DisputeId, TransactionId};
use uuid::Uuid;

use crate::docs;

#[test]
fn every_movement_books_what_it_did() {
    let mut table = String::new();
    for movement in movements() {
        writeln!(table, "{}", movement.kind()).expect("has room");
        for transfer in movement.transfers() {
            if transfer.amount.is_zero() {
                continue;
            }
            let (from, to) = (docs::name_of(transfer.debit), docs::name_of(transfer.credit));
            let forced = if transfer.forced { ", even into debt" } else { "" };
            let cents = transfer.amount.get();
            writeln!(table, "    {from} -> {to}: {cents}{forced}").expect("has room");
        }
    }
    insta::assert_snapshot!("movements", table);
}

#[test]
fn every_account_has_its_number_and_its_floor() {
    let mut table = String::new();
    for place in AccountKind::ALL {
        let (code, name, floor) = (place.code(), place.name(), place.floor());
        writeln!(table, "{code} {name}: floor {floor:?}").expect("has room");
    }
    insta::assert_snapshot!("chart", table);
}

/// Those of the documents, and what an affiliate's share changes in some.
fn movements() -> Vec<Movement> {
    let (scope, affiliate) = docs::scopes();
    let sale = TransactionId(Uuid::from_u128(2));
    let commission = CommissionId(Uuid::from_u128(10));
    let dispute = DisputeId(Uuid::from_u128(8));
    let (amount, zero) = (Cents::new(1_000), Cents::ZERO);
    let nothing = SettlementSplit { available: zero, pending: zero };
    let released = Some(docs::share(true));
    let mut all: Vec<_> = docs::movements().into_iter().map(|(movement, _)| movement).collect();
    all.extend([
        Movement::payment_captured(sale, scope, amount, Cents::new(10), true, None),
        Movement::commission_released(commission, scope, affiliate, amount, zero, zero),
        Movement::dispute_opened(dispute, scope, nothing, released),
        Movement::dispute_won(dispute, scope, nothing, released),
    ]);
    all
}

/// The functions that make a movement, each named like its kind.
pub fn kinds() -> BTreeSet<&'static str> {
    let source = include_str!("../../../src/books/movements.rs");
    let functions = source.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
    functions.filter_map(|function| function.split_once('(')).map(|(name, _)| name).collect()
}
