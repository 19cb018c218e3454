//! Every way money moves: the accounts it leaves and reaches, and the floors that hold it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use ledger::account::Account;
use ledger::cents::Cents;
use tostao::books::chart::AccountKind;
use tostao::books::movements::{Movement, Share, Split};
use tostao::platform::ids::{
    AdvanceId, CommissionId, DisputeId, MerchantId, Mode, ReceivableId, RefundId, ReturnId,
    RewardId, RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId,
};
use uuid::Uuid;

const AMOUNT: Cents = Cents::new(1_000);
const FEE: Cents = Cents::new(10);
const COMMISSION: Cents = Cents::new(100);

#[test]
fn every_movement_books_what_it_did() {
    let mut table = String::new();
    for movement in movements() {
        writeln!(table, "{}", movement.kind).expect("has room");
        for transfer in movement.transfers {
            if transfer.amount.is_zero() {
                continue;
            }
            let (from, to) = (name(transfer.debit), name(transfer.credit));
            let forced = if transfer.forced { ", even into debt" } else { "" };
            let amount = amount(transfer.amount);
            writeln!(table, "    {from} -> {to}: {amount}{forced}").expect("has room");
        }
    }
    insta::assert_snapshot!("movements", table);
}

#[test]
fn every_kind_of_movement_is_in_this_table() {
    let booked: BTreeSet<_> = movements().iter().map(|movement| movement.kind).collect();
    assert_eq!(booked, kinds());
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

/// One of each kind.
fn movements() -> Vec<Movement> {
    let merchant = MerchantId(Uuid::from_u128(1));
    let scope = Scope { merchant, mode: Mode::Development, ahead: Duration::ZERO };
    let of = WithdrawalId(Uuid::from_u128(4));
    let sale = TransactionId(Uuid::from_u128(2));
    let captured = |settled| Movement::payment_captured(sale, scope, AMOUNT, FEE, settled, None);
    let mut all = vec![
        captured(true),
        captured(false),
        Movement::receivable_settled(ReceivableId(Uuid::from_u128(6)), scope, AMOUNT, AMOUNT),
        Movement::withdrawal_requested(of, scope, AMOUNT),
        Movement::withdrawal_completed(of, scope, AMOUNT, FEE),
        Movement::withdrawal_failed(of, scope, AMOUNT),
        Movement::development_cleared(
            Uuid::from_u128(4),
            scope,
            [AMOUNT; AccountKind::HELD.len()],
            AMOUNT,
        ),
    ];
    all.extend(beside_charges(scope));
    all.extend(taken_back(scope));
    all.extend(advanced(scope));
    all.extend(rewards(scope));
    all.extend(shared(scope));
    all
}

/// What becomes of money that no charge accounts for.
fn beside_charges(scope: Scope) -> [Movement; 6] {
    let (of, sent_back) = (UnmatchedId(Uuid::from_u128(3)), ReturnId(Uuid::from_u128(11)));
    [
        Movement::payment_unmatched(of, scope, AMOUNT),
        Movement::suspense_released(of, scope, AMOUNT, FEE),
        Movement::payment_matched(of, scope, AMOUNT),
        Movement::return_requested(sent_back, scope, AMOUNT),
        Movement::return_completed(sent_back, scope, AMOUNT),
        Movement::return_failed(sent_back, scope, AMOUNT),
    ]
}

/// What takes money from a merchant, with or without consent.
fn taken_back(scope: Scope) -> Vec<Movement> {
    let refund = RefundId(Uuid::from_u128(7));
    let dispute = DisputeId(Uuid::from_u128(8));
    let part = Split { available: AMOUNT, pending: AMOUNT };
    vec![
        Movement::refund_requested(refund, scope, part, false, None),
        Movement::refund_completed(refund, scope, AMOUNT),
        Movement::refund_failed(refund, scope, part, None),
        Movement::dispute_opened(dispute, scope, part, None),
        Movement::dispute_won(dispute, scope, part, None),
        Movement::dispute_lost(dispute, scope, AMOUNT),
    ]
}

/// What the platform pays out before its day, and gets back from the balance.
fn advanced(scope: Scope) -> Vec<Movement> {
    let (of, by) = (AdvanceId(Uuid::from_u128(9)), Uuid::from_u128(8));
    vec![
        Movement::advance_approved(of, scope, AMOUNT, FEE),
        Movement::advance_debited(by, scope, AMOUNT),
    ]
}

/// What inviting others brings.
fn rewards(scope: Scope) -> Vec<Movement> {
    let (of, amount) = (RewardId(Uuid::from_u128(9)), AMOUNT);
    let back = |released| Movement::referral_taken_back(of.0, scope, amount, released);
    let withdrawal = RewardWithdrawalId(Uuid::from_u128(10));
    vec![
        Movement::referral_earned(of, scope, amount),
        Movement::referral_released(of, scope, amount),
        back(false),
        back(true),
        Movement::referral_withdrawn(withdrawal, scope, amount),
    ]
}

/// What an affiliate has of it, from the sale to its end.
fn shared(scope: Scope) -> Vec<Movement> {
    let affiliate = Scope { merchant: MerchantId(Uuid::from_u128(9)), ..scope };
    let (of, of_commission) =
        (TransactionId(Uuid::from_u128(2)), CommissionId(Uuid::from_u128(10)));
    let dispute = DisputeId(Uuid::from_u128(8));
    let nothing = Split { available: Cents::ZERO, pending: Cents::ZERO };
    let share = |released| Some(Share { affiliate, amount: COMMISSION, released });
    let (amount, fee) = (AMOUNT, FEE);
    vec![
        Movement::payment_captured(of, scope, amount, fee, true, share(false)),
        Movement::payment_captured(of, scope, amount, fee, false, share(false)),
        Movement::commission_released(
            of_commission,
            scope,
            affiliate,
            COMMISSION,
            Cents::ZERO,
            Cents::ZERO,
        ),
        Movement::commission_released(of_commission, scope, affiliate, COMMISSION, FEE, FEE),
        Movement::dispute_opened(dispute, scope, nothing, share(false)),
        Movement::dispute_opened(dispute, scope, nothing, share(true)),
        Movement::dispute_won(dispute, scope, nothing, share(false)),
        Movement::dispute_won(dispute, scope, nothing, share(true)),
        Movement::commission_cleared(Uuid::from_u128(4), scope, affiliate, COMMISSION),
    ]
}

/// The functions that make a movement, each named like its kind.
pub fn kinds() -> BTreeSet<&'static str> {
    let source = include_str!("../../../src/books/movements.rs");
    let functions = source.lines().filter_map(|line| line.trim().strip_prefix("pub fn "));
    functions.filter_map(|function| function.split_once('(')).map(|(name, _)| name).collect()
}

fn name(account: Account) -> String {
    let place = AccountKind::ALL.iter().find(|place| place.code() == account.code);
    let name = place.expect("is of the chart").name();
    if account.owner == Uuid::from_u128(9) {
        format!("affiliate's {name}")
    } else {
        name.to_owned()
    }
}

fn amount(cents: Cents) -> &'static str {
    match cents {
        FEE => "the fee",
        COMMISSION => "the commission",
        _ => "the amount",
    }
}
