//! Every way money moves: the accounts it leaves and reaches, and the floors that hold it.

use std::fmt::Write as _;
use std::time::Duration;

use db::time::Timestamp;
use ledger::account::Account;
use ledger::cents::Cents;
use tostao::books::chart::Place;
use tostao::books::movements::{Movement, Share, Split};
use tostao::platform::ids::{
    AdvanceId, CommissionId, DisputeId, MerchantId, Mode, ReceivableId, RefundId, ReturnId,
    RewardId, RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId,
};
use uuid::Uuid;

const NOW: Timestamp = Timestamp::from_micros(0);
const AMOUNT: Cents = Cents::new(1_000);
const FEE: Cents = Cents::new(10);
const COMMISSION: Cents = Cents::new(100);

#[test]
fn every_movement_books_what_it_did() {
    let mut table = String::new();
    for movement in movements() {
        writeln!(table, "{}", movement.kind()).expect("has room");
        for transfer in movement.posting(NOW).transfers {
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
fn every_account_has_its_number_and_its_floor() {
    let mut table = String::new();
    for place in Place::ALL {
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
    let captured = |settled| Movement::PaymentCaptured {
        of: sale,
        scope,
        amount: AMOUNT,
        fee: FEE,
        settled,
        commission: None,
    };
    let mut all = vec![
        captured(true),
        captured(false),
        Movement::ReceivableSettled {
            of: ReceivableId(Uuid::from_u128(6)),
            scope,
            free: AMOUNT,
            pledged: AMOUNT,
        },
        Movement::WithdrawalRequested { of, scope, amount: AMOUNT },
        Movement::WithdrawalCompleted { of, scope, net: AMOUNT, fee: FEE },
        Movement::WithdrawalFailed { of, scope, amount: AMOUNT },
        Movement::DevelopmentCleared {
            of: Uuid::from_u128(4),
            scope,
            held: [AMOUNT; Place::HELD.len()],
            left: AMOUNT,
        },
    ];
    all.extend(beside_charges(scope));
    all.extend(taken_back(scope));
    all.extend(advanced(scope));
    all.extend(rewards(scope));
    all.extend(shared(scope));
    for movement in &all {
        // A new kind does not compile here; add it to the list above.
        match movement {
            Movement::PaymentCaptured { .. }
            | Movement::ReceivableSettled { .. }
            | Movement::AdvanceApproved { .. }
            | Movement::AdvanceDebited { .. }
            | Movement::PaymentUnmatched { .. }
            | Movement::PaymentMatched { .. }
            | Movement::ReturnRequested { .. }
            | Movement::ReturnCompleted { .. }
            | Movement::ReturnFailed { .. }
            | Movement::SuspenseReleased { .. }
            | Movement::RefundRequested { .. }
            | Movement::RefundCompleted { .. }
            | Movement::RefundFailed { .. }
            | Movement::DisputeOpened { .. }
            | Movement::DisputeWon { .. }
            | Movement::DisputeLost { .. }
            | Movement::WithdrawalRequested { .. }
            | Movement::WithdrawalCompleted { .. }
            | Movement::WithdrawalFailed { .. }
            | Movement::CommissionReleased { .. }
            | Movement::CommissionCleared { .. }
            | Movement::ReferralEarned { .. }
            | Movement::ReferralReleased { .. }
            | Movement::ReferralTakenBack { .. }
            | Movement::ReferralWithdrawn { .. }
            | Movement::DevelopmentCleared { .. } => {}
        }
    }
    all
}

/// What becomes of money that no charge accounts for.
fn beside_charges(scope: Scope) -> [Movement; 6] {
    let (of, sent_back) = (UnmatchedId(Uuid::from_u128(3)), ReturnId(Uuid::from_u128(11)));
    [
        Movement::PaymentUnmatched { of, scope, amount: AMOUNT },
        Movement::SuspenseReleased { of, scope, amount: AMOUNT, fee: FEE },
        Movement::PaymentMatched { of, scope, amount: AMOUNT },
        Movement::ReturnRequested { of: sent_back, scope, amount: AMOUNT },
        Movement::ReturnCompleted { of: sent_back, scope, amount: AMOUNT },
        Movement::ReturnFailed { of: sent_back, scope, amount: AMOUNT },
    ]
}

/// What takes money from a merchant, with or without consent.
fn taken_back(scope: Scope) -> Vec<Movement> {
    let refund = RefundId(Uuid::from_u128(7));
    let dispute = DisputeId(Uuid::from_u128(8));
    let part = Split { available: AMOUNT, pending: AMOUNT };
    vec![
        Movement::RefundRequested {
            of: refund,
            scope,
            from: part,
            forced: false,
            commission: None,
        },
        Movement::RefundCompleted { of: refund, scope, amount: AMOUNT },
        Movement::RefundFailed { of: refund, scope, to: part, commission: None },
        Movement::DisputeOpened { of: dispute, scope, from: part, commission: None },
        Movement::DisputeWon { of: dispute, scope, to: part, commission: None },
        Movement::DisputeLost { of: dispute, scope, amount: AMOUNT },
    ]
}

/// What the platform pays out before its day, and gets back from the balance.
fn advanced(scope: Scope) -> Vec<Movement> {
    let (of, by) = (AdvanceId(Uuid::from_u128(9)), Uuid::from_u128(8));
    vec![
        Movement::AdvanceApproved { of, scope, amount: AMOUNT, fee: FEE },
        Movement::AdvanceDebited { by, scope, amount: AMOUNT },
    ]
}

/// What inviting others brings.
fn rewards(scope: Scope) -> Vec<Movement> {
    let (of, amount) = (RewardId(Uuid::from_u128(9)), AMOUNT);
    let back = |released| Movement::ReferralTakenBack { of: of.0, scope, amount, released };
    let withdrawal = RewardWithdrawalId(Uuid::from_u128(10));
    vec![
        Movement::ReferralEarned { of, scope, amount },
        Movement::ReferralReleased { of, scope, amount },
        back(false),
        back(true),
        Movement::ReferralWithdrawn { of: withdrawal, scope, amount },
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
        Movement::PaymentCaptured {
            of,
            scope,
            amount,
            fee,
            settled: true,
            commission: share(false),
        },
        Movement::PaymentCaptured {
            of,
            scope,
            amount,
            fee,
            settled: false,
            commission: share(false),
        },
        Movement::CommissionReleased {
            of: of_commission,
            scope,
            affiliate,
            amount: COMMISSION,
            added: Cents::ZERO,
            repaid: Cents::ZERO,
        },
        Movement::CommissionReleased {
            of: of_commission,
            scope,
            affiliate,
            amount: COMMISSION,
            added: FEE,
            repaid: FEE,
        },
        Movement::DisputeOpened { of: dispute, scope, from: nothing, commission: share(false) },
        Movement::DisputeOpened { of: dispute, scope, from: nothing, commission: share(true) },
        Movement::DisputeWon { of: dispute, scope, to: nothing, commission: share(false) },
        Movement::DisputeWon { of: dispute, scope, to: nothing, commission: share(true) },
        Movement::CommissionCleared {
            of: Uuid::from_u128(4),
            scope,
            affiliate,
            amount: COMMISSION,
        },
    ]
}

fn name(account: Account) -> String {
    let place = Place::ALL.iter().find(|place| place.code() == account.code);
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
