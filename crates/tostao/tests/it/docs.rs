//! The generated tables of the documents: what stands there is what the code says.
//!
//! A table stands between two markers of its document. `UPDATE_DOCS=1 cargo test docs` writes all
//! of them again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use ledger::account::{Account, Floor};
use ledger::cents::Cents;
use rails::card::DeclineCode;
use sandbox::test_cards::TEST_CARDS;
use serde_json::Value;
use tostao::audit::Action;
use tostao::books::chart::AccountKind;
use tostao::books::movements::{AffiliateShare, Movement, SettlementSplit};
use tostao::events::names::Name;
use tostao::platform::error::field_codes::FIELD_CODES;
use tostao::platform::error::{Error, ErrorCode};
use tostao::platform::ids::{
    AdvanceId, CommissionId, DisputeId, MerchantId, Mode, ReceivableId, RefundId, ReturnId,
    RewardId, RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId,
    WithdrawalReturnId,
};
use tostao::samples;
use uuid::Uuid;

use crate::contracts::movements::kinds;
use crate::documented::check;

#[test]
fn the_list_of_errors_is_what_the_code_answers() {
    let mut table = String::from("| Status | Code | Kept | When |\n|---|---|---|---|\n");
    for code in ErrorCode::ALL {
        let (status, name) = (code.status(), code.name());
        let kept = if Error::refused(*code, "").is_final() { "yes" } else { "" };
        let when = code.when();
        line(&mut table, format_args!("| {status} | `{name}` | {kept} | {when} |"));
    }
    check("errors", "codes", &table);
}

#[test]
fn the_list_of_codes_of_fields_is_what_the_code_answers() {
    let mut table = String::from("| Code | What is wrong |\n|---|---|\n");
    for (code, meaning) in FIELD_CODES {
        line(&mut table, format_args!("| `{code}` | {meaning} |"));
    }
    check("errors", "codes of fields", &table);
}

#[test]
fn the_list_of_events_is_what_the_code_emits() {
    let mut table = String::from("| Event | Other names | `data` | When |\n|---|---|---|---|\n");
    for name in Name::ALL {
        let (text, aliases) = (name.text(), aliases(*name));
        let data = serde_json::from_str::<Value>(&samples::of(*name).data).unwrap();
        let keys = data.as_object().unwrap().keys().map(|key| code(key));
        let keys = keys.collect::<Vec<_>>().join(", ");
        let occasion = name.when();
        line(&mut table, format_args!("| `{text}` | {aliases} | {keys} | {occasion} |"));
    }
    check("events", "names", &table);
}

#[test]
fn the_list_of_audited_actions_is_what_the_code_records() {
    let mut table = String::from("| Action | Entry |\n|---|---|\n");
    for action in Action::ALL {
        line(&mut table, format_args!("| `{}` | {} |", action.name(), action.meaning()));
    }
    check("operating", "audited actions", &table);
}

#[test]
fn the_examples_of_events_are_what_receivers_get() {
    let shown = [Name::TransactionPaid, Name::PaymentLinkPaid, Name::ProductCreated];
    let mut examples = String::new();
    for name in shown.iter().chain(&[Name::BalanceUpdated]) {
        let data: Value = serde_json::from_str::<Value>(&samples::of(*name).data).unwrap();
        let data = serde_json::to_string_pretty(&data).unwrap();
        line(&mut examples, format_args!("### {}\n\n```json\n{data}\n```\n", name.text()));
    }
    check("events", "examples", examples.trim_end());
}

#[test]
fn the_list_of_test_cards_is_what_the_sandbox_takes() {
    let mut table = String::from("| Number | Brand | What happens |\n|---|---|---|\n");
    for card in TEST_CARDS {
        let (number, brand) = (card.number, card.brand);
        let happens = card.scenario.happens();
        line(&mut table, format_args!("| `{number}` | {brand} | {happens} |"));
    }
    check("sandbox", "cards", &table);
}

#[test]
fn the_list_of_decline_codes_is_what_a_card_can_be_declined_with() {
    let mut table = String::from("| Code | Final | Meaning |\n|---|---|---|\n");
    for code in DeclineCode::ALL {
        let is_final = if code.is_hard() { "yes" } else { "" };
        line(&mut table, format_args!("| `{code}` | {is_final} | {} |", code.meaning()));
    }
    check("sandbox", "declines", &table);
}

#[test]
fn the_chart_of_accounts_is_what_the_books_hold() {
    let mut table = String::from("| Number | Account | Below zero | Holds |\n|---|---|---|---|\n");
    for place in AccountKind::ALL {
        let below = match place.floor() {
            Floor::None => "yes",
            Floor::Zero if is_forced(*place) => "by force",
            Floor::Zero => "never",
        };
        let (number, name, holds) = (place.code(), place.name(), place.holds());
        line(&mut table, format_args!("| {number} | {name} | {below} | {holds} |"));
    }
    check("ledger", "chart", &table);
}

#[test]
fn the_list_of_movements_is_what_the_books_record() {
    let mut table = String::from("| Movement | From | To | How much |\n|---|---|---|---|\n");
    let movements = movements();
    for (movement, amounts) in &movements {
        for transfer in movement.transfers() {
            let kind = movement.kind();
            let (from, to) = (name_of(transfer.debit), name_of(transfer.credit));
            let amount = amounts.iter().find(|(amount, _)| *amount == transfer.amount);
            let (_, how_much) = amount.unwrap();
            line(&mut table, format_args!("| `{kind}` | {from} | {to} | {how_much} |"));
        }
    }
    check("ledger", "movements", &table);
    let described: BTreeSet<_> = movements.iter().map(|(movement, _)| movement.kind()).collect();
    assert_eq!(described, kinds());
}

/// Whether a movement may leave a debt there.
fn is_forced(place: AccountKind) -> bool {
    let movements = movements();
    let mut transfers = movements.iter().flat_map(|(movement, _)| movement.transfers());
    transfers.any(|transfer| transfer.forced && transfer.debit.code == place.code())
}

const AMOUNT: Cents = Cents::new(1_000);
const FEE: Cents = Cents::new(10);
/// What moves of an affiliate's, whatever moves it.
const SHARE: (Cents, &str) = (Cents::new(100), "the affiliate's share, if there is one");
/// The affiliate in the movements of these tables.
const AFFILIATE: MerchantId = MerchantId(Uuid::from_u128(9));

/// A movement, and the names of its amounts.
pub type Described = (Movement, Vec<(Cents, &'static str)>);

/// One movement of each kind, with amounts that differ.
pub fn movements() -> Vec<Described> {
    let (scope, _) = scopes();
    let mut all = sold(scope);
    all.extend(beside_charges(scope));
    all.extend(taken_back(scope));
    all.extend(paid_out(scope));
    all
}

/// A merchant and an affiliate.
pub fn scopes() -> (Scope, Scope) {
    let of = |merchant| Scope { merchant, mode: Mode::Development, ahead: Duration::ZERO };
    (of(MerchantId(Uuid::from_u128(1))), of(AFFILIATE))
}

/// The affiliate's share of a sale.
pub fn share(released: bool) -> AffiliateShare {
    let (_, affiliate) = scopes();
    AffiliateShare { affiliate, amount: SHARE.0, released }
}

/// What a sale brings to everybody.
fn sold(scope: Scope) -> Vec<Described> {
    let (_, affiliate) = scopes();
    let (of, commission) = (TransactionId(Uuid::from_u128(2)), CommissionId(Uuid::from_u128(10)));
    let share = Some(share(false));
    let captured = |settled| {
        let fee = (FEE, "the platform's fee, if there is one");
        let captured = Movement::payment_captured(of, scope, AMOUNT, FEE, settled, share);
        (captured, vec![(AMOUNT, "the payment's amount"), fee, SHARE])
    };
    let (part, advance) = (ReceivableId(Uuid::from_u128(6)), AdvanceId(Uuid::from_u128(9)));
    vec![
        captured(true),
        captured(false),
        (
            Movement::commission_released(commission, scope, affiliate, AMOUNT, FEE, SHARE.0),
            vec![
                (FEE, "the unfunded part, because the sale first repaid the seller's debt"),
                (SHARE.0, "what the affiliate owes the seller for clawbacks"),
                (AMOUNT.minus(SHARE.0).expect("is less"), "the rest of the commission"),
            ],
        ),
        (
            Movement::receivable_settled(part, scope, AMOUNT, FEE),
            vec![
                (AMOUNT, "the part less its fee and less what of it is pledged"),
                (FEE, "what of it is pledged"),
            ],
        ),
        (
            Movement::advance_approved(advance, scope, AMOUNT, FEE),
            vec![(AMOUNT, "the advance's amount"), (FEE, "the advance's fee, if there is one")],
        ),
        (
            Movement::advance_debited(of.0, scope, AMOUNT),
            vec![(AMOUNT, "what no other receivable covers")],
        ),
    ]
}

/// What becomes of money that no charge accounts for.
fn beside_charges(scope: Scope) -> Vec<Described> {
    let (of, sent_back) = (UnmatchedId(Uuid::from_u128(3)), ReturnId(Uuid::from_u128(11)));
    let fee = (FEE, "the platform's fee, if there is one");
    let whole = |movement, what| (movement, vec![(AMOUNT, what), fee]);
    let requested = |accepted, what| {
        whole(Movement::return_requested(sent_back, scope, AMOUNT, accepted), what)
    };
    vec![
        whole(Movement::payment_unmatched(of, scope, AMOUNT), "what arrived"),
        whole(Movement::payment_matched(of, scope, AMOUNT), "what had arrived for no known charge"),
        whole(Movement::suspense_released(of, scope, AMOUNT, FEE), "what had arrived"),
        requested(false, "what was set aside"),
        requested(true, "what the merchant accepted and the bank took back"),
        whole(Movement::return_completed(sent_back, scope, AMOUNT), "what was set aside"),
        whole(Movement::return_failed(sent_back, scope, AMOUNT), "what was set aside"),
    ]
}

/// What takes money from a merchant, with or without consent.
fn taken_back(scope: Scope) -> Vec<Described> {
    let (refund, dispute) = (RefundId(Uuid::from_u128(7)), DisputeId(Uuid::from_u128(8)));
    let part = SettlementSplit { available: AMOUNT, pending: FEE };
    let share = Some(share(false));
    let unsettled = (FEE, "what is taken from the sale's unsettled parts");
    let held =
        || vec![(AMOUNT, "what neither `pending` nor the affiliate covers"), unsettled, SHARE];
    let unsettled = (FEE, "what was taken from parts that are still unsettled");
    let released = || {
        vec![(AMOUNT, "what returns neither to `pending` nor to the affiliate"), unsettled, SHARE]
    };
    vec![
        (Movement::refund_requested(refund, scope, part, false, share), held()),
        (Movement::refund_completed(refund, scope, AMOUNT), vec![(AMOUNT, "the refund's amount")]),
        (Movement::refund_failed(refund, scope, part, share), released()),
        (Movement::dispute_opened(dispute, scope, part, share), held()),
        (Movement::dispute_won(dispute, scope, part, share), released()),
        (Movement::dispute_lost(dispute, scope, AMOUNT), vec![(AMOUNT, "what was held")]),
    ]
}

/// What leaves, and what the platform gives for an invitation.
fn paid_out(scope: Scope) -> Vec<Described> {
    let (of, reward) = (WithdrawalId(Uuid::from_u128(4)), RewardId(Uuid::from_u128(9)));
    let moved = RewardWithdrawalId(Uuid::from_u128(10));
    let returned = WithdrawalReturnId(Uuid::from_u128(12));
    let (_, affiliate) = scopes();
    let whole = |movement, what| (movement, vec![(AMOUNT, what)]);
    let back = |released| {
        let back = Movement::referral_taken_back(reward.0, scope, AMOUNT, released);
        whole(back, "what is earned no more")
    };
    let all = [AMOUNT; AccountKind::HELD.len()];
    vec![
        whole(Movement::withdrawal_requested(of, scope, AMOUNT), "the withdrawal's amount"),
        (
            Movement::withdrawal_completed(of, scope, AMOUNT, FEE),
            vec![
                (AMOUNT, "what is left after the fee"),
                (FEE, "the platform's fee, if there is one"),
            ],
        ),
        whole(Movement::withdrawal_failed(of, scope, AMOUNT), "the withdrawal's amount"),
        whole(Movement::withdrawal_returned(returned, scope, AMOUNT), "what the bank sent back"),
        whole(Movement::referral_earned(reward, scope, AMOUNT), "the reward"),
        whole(Movement::referral_released(reward, scope, AMOUNT), "what is left of the reward"),
        back(false),
        back(true),
        whole(Movement::referral_withdrawn(moved, scope, AMOUNT), "what the merchant asks for"),
        (
            Movement::development_cleared(of.0, scope, all, FEE),
            vec![(AMOUNT, "all it holds"), (FEE, "what others have of deleted payments")],
        ),
        (
            Movement::commission_cleared(of.0, scope, affiliate, SHARE.0),
            vec![(SHARE.0, "what the affiliate holds")],
        ),
    ]
}

pub fn name_of(account: Account) -> String {
    let place = AccountKind::ALL.iter().find(|place| place.code() == account.code);
    let name = place.expect("the chart has every account").name();
    if account.owner == AFFILIATE.0 { format!("affiliate's {name}") } else { name.to_owned() }
}

fn aliases(name: Name) -> String {
    name.aliases().map(code).collect::<Vec<_>>().join(", ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("memory accepts every write");
}
