//! The generated tables of the documents: what stands there is what the code says.
//!
//! A table stands between two markers of its document. `UPDATE_DOCS=1 cargo test docs` writes all
//! of them again.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ledger::account::{Account, Floor};
use ledger::cents::Cents;
use serde_json::Value;
use tostao::audit::Action;
use tostao::books::chart::Place;
use tostao::books::movements::{Movement, Share, Split};
use tostao::events::names::Name;
use tostao::platform::error::when::FIELD_CODES;
use tostao::platform::error::{Error, Refusal};
use tostao::platform::ids::{
    AdvanceId, CommissionId, DisputeId, MerchantId, Mode, ReceivableId, RefundId, ReturnId,
    RewardId, RewardWithdrawalId, Scope, TransactionId, UnmatchedId, WithdrawalId,
};
use tostao::providers::card::DeclineCode;
use tostao::providers::sandbox::test_cards::{Scenario, TEST_CARDS};
use tostao::samples;
use uuid::Uuid;

static TURN: Mutex<()> = Mutex::new(());

/// What each test card does that is not simply declined.
const SCENARIOS: &[(&str, &str)] = &[
    ("approves", "approved"),
    ("declines_once_kept", "can be kept for later; every charge is declined: `card_declined`"),
    ("loses_the_approval", "approved, and the answer is lost"),
    ("loses_the_decline", "declined with `card_declined`, and the answer is lost"),
    ("approves_late", "undecided for a while, then approved"),
    ("refunds_late", "approved; refunds take a while"),
    ("refuses_refunds", "approved; refunds are refused"),
];

/// What each decline means.
const DECLINES: &[(&str, &str)] = &[
    ("card_declined", "The issuer said no and gave no reason."),
    ("insufficient_funds", "The limit or the balance is not enough."),
    ("do_not_honor", "The issuer said no; the buyer may ask it why."),
    ("card_velocity_exceeded", "Too many charges, or too much, in a short time."),
    ("incorrect_cvc", "The security code is wrong."),
    ("expired_card", "The card has expired."),
    ("lost_card", "The card was reported lost."),
    ("stolen_card", "The card was reported stolen."),
];

/// What each account holds.
const HOLDINGS: &[(&str, &str)] = &[
    ("outside", "The world: what buyers paid in less what was paid out, as a negative number."),
    ("cleared", "What starting over in development left of payments that others have a part of."),
    (
        "advanced",
        "What the platform has advanced to the merchant and not got back, as a negative number.",
    ),
    ("available", "What the merchant may take out."),
    ("pending", "What is the merchant's and not settled yet."),
    ("refunding", "What is on its way back to payers, until it has arrived or was refused."),
    ("disputed", "What buyers contest, until somebody has decided whose it is."),
    ("withdrawing", "What is on its way out, until the bank has paid it or refused to."),
    ("suspense", "What arrived without a charge to credit it to, until somebody decides."),
    ("referral pending", "What the merchant earned by inviting others, until it is released."),
    ("referral available", "What of it was released, until the merchant moves it to `available`."),
    (
        "referral expense",
        "What the platform spent on rewards for invitations, as a negative number.",
    ),
    ("fee revenue", "What the platform earned in fees."),
];

#[test]
fn the_list_of_errors_is_what_the_code_answers() {
    let mut table = String::from("| Status | Code | Kept | When |\n|---|---|---|---|\n");
    for refusal in Refusal::ALL {
        let (status, code) = (refusal.status(), refusal.code());
        let kept = if Error::refused(*refusal, "").is_final() { "yes" } else { "" };
        let when = refusal.when();
        line(&mut table, format_args!("| {status} | `{code}` | {kept} | {when} |"));
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
fn the_list_of_events_is_what_the_code_tells() {
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
        let happens = match card.scenario {
            Scenario::Declines(code) => format!("declined: {}", code_of(code)),
            scenario => described(SCENARIOS, scenario.name()).to_owned(),
        };
        line(&mut table, format_args!("| `{number}` | {brand} | {happens} |"));
    }
    check("sandbox", "cards", &table);
}

#[test]
fn the_list_of_decline_codes_is_what_a_card_can_be_declined_with() {
    let mut table = String::from("| Code | Final | Meaning |\n|---|---|---|\n");
    for code in DeclineCode::ALL {
        let is_final = if code.is_hard() { "yes" } else { "" };
        let meaning = described(DECLINES, code.name());
        line(&mut table, format_args!("| {} | {is_final} | {meaning} |", code_of(*code)));
    }
    check("sandbox", "declines", &table);
}

#[test]
fn the_chart_of_accounts_is_what_the_books_hold() {
    let mut table = String::from("| Number | Account | Below zero | Holds |\n|---|---|---|---|\n");
    for place in Place::ALL {
        let below = match place.floor() {
            Floor::None => "yes",
            Floor::Zero if is_forced(*place) => "by force",
            Floor::Zero => "never",
        };
        let (number, name) = (place.code(), place.name());
        let holds = described(HOLDINGS, name);
        line(&mut table, format_args!("| {number} | {name} | {below} | {holds} |"));
    }
    check("ledger", "chart", &table);
}

#[test]
fn the_list_of_movements_is_what_the_books_record() {
    let mut table = String::from("| Movement | From | To | How much |\n|---|---|---|---|\n");
    for movement in movements() {
        let amounts = amounts(&movement);
        for transfer in movement.transfers() {
            let kind = movement.kind();
            let (from, to) = (name_of(transfer.debit), name_of(transfer.credit));
            let amount = amounts.iter().find(|(amount, _)| *amount == transfer.amount);
            let (_, how_much) = amount.unwrap();
            line(&mut table, format_args!("| `{kind}` | {from} | {to} | {how_much} |"));
        }
    }
    check("ledger", "movements", &table);
}

/// Whether a movement may leave a debt there.
fn is_forced(place: Place) -> bool {
    let movements = movements();
    let mut transfers = movements.iter().flat_map(Movement::transfers);
    transfers.any(|transfer| transfer.forced && transfer.debit.code == place.code())
}

/// One movement of each kind, with amounts that can be told apart.
fn movements() -> Vec<Movement> {
    let merchant = MerchantId(Uuid::from_u128(1));
    let scope = Scope { merchant, mode: Mode::Development, ahead: Duration::ZERO };
    let (amount, fee) = (Cents::new(1_000), Cents::new(10));
    let of = WithdrawalId(Uuid::from_u128(4));
    let refund = RefundId(Uuid::from_u128(7));
    let dispute = DisputeId(Uuid::from_u128(8));
    let part = Split { available: amount, pending: fee };
    let affiliate = Scope { merchant: AFFILIATE, ..scope };
    let share = Cents::new(100);
    let commission = Some(Share { affiliate, amount: share, released: false });
    let reward = RewardId(Uuid::from_u128(9));
    let back = |released| Movement::ReferralTakenBack { of: reward.0, scope, amount, released };
    let moved = RewardWithdrawalId(Uuid::from_u128(10));
    let mut all = vec![
        captured(scope, true),
        captured(scope, false),
        Movement::CommissionReleased {
            of: CommissionId(Uuid::from_u128(10)),
            scope,
            affiliate,
            amount,
            added: fee,
            repaid: share,
        },
        Movement::ReceivableSettled {
            of: ReceivableId(Uuid::from_u128(6)),
            scope,
            free: amount,
            pledged: fee,
        },
        Movement::AdvanceApproved { of: AdvanceId(Uuid::from_u128(9)), scope, amount, fee },
        Movement::AdvanceDebited { by: Uuid::from_u128(8), scope, amount },
    ];
    all.extend(beside_charges(scope, amount, fee));
    all.extend([
        Movement::RefundRequested { of: refund, scope, from: part, forced: false, commission },
        Movement::RefundCompleted { of: refund, scope, amount },
        Movement::RefundFailed { of: refund, scope, to: part, commission },
        Movement::DisputeOpened { of: dispute, scope, from: part, commission },
        Movement::DisputeWon { of: dispute, scope, to: part, commission },
        Movement::DisputeLost { of: dispute, scope, amount },
        Movement::WithdrawalRequested { of, scope, amount },
        Movement::WithdrawalCompleted { of, scope, net: amount, fee },
        Movement::WithdrawalFailed { of, scope, amount },
        Movement::ReferralEarned { of: reward, scope, amount },
        Movement::ReferralReleased { of: reward, scope, amount },
        back(false),
        back(true),
        Movement::ReferralWithdrawn { of: moved, scope, amount },
        Movement::DevelopmentCleared {
            of: Uuid::from_u128(4),
            scope,
            held: [amount; Place::HELD.len()],
            left: fee,
        },
        Movement::CommissionCleared { of: Uuid::from_u128(4), scope, affiliate, amount: share },
    ]);
    all
}

/// What becomes of money that no charge accounts for.
fn beside_charges(scope: Scope, amount: Cents, fee: Cents) -> [Movement; 6] {
    let (of, sent_back) = (UnmatchedId(Uuid::from_u128(3)), ReturnId(Uuid::from_u128(11)));
    [
        Movement::PaymentUnmatched { of, scope, amount },
        Movement::PaymentMatched { of, scope, amount },
        Movement::SuspenseReleased { of, scope, amount, fee },
        Movement::ReturnRequested { of: sent_back, scope, amount },
        Movement::ReturnCompleted { of: sent_back, scope, amount },
        Movement::ReturnFailed { of: sent_back, scope, amount },
    ]
}

fn captured(scope: Scope, settled: bool) -> Movement {
    let (amount, fee) = (Cents::new(1_000), Cents::new(10));
    let affiliate = Scope { merchant: AFFILIATE, ..scope };
    let commission = Some(Share { affiliate, amount: Cents::new(100), released: false });
    let of = TransactionId(Uuid::from_u128(2));
    Movement::PaymentCaptured { of, scope, amount, fee, settled, commission }
}

/// What moves of an affiliate's, whatever moves it.
const SHARE: (Cents, &str) = (Cents::new(100), "the affiliate's share, if there is one");
/// The affiliate in the movements of these tables.
const AFFILIATE: MerchantId = MerchantId(Uuid::from_u128(9));

/// The amounts of a movement with their names; a new kind of movement does not compile without.
fn amounts(movement: &Movement) -> Vec<(Cents, &'static str)> {
    match *movement {
        Movement::PaymentCaptured { amount, fee, .. } => {
            let fee = (fee, "the platform's fee, if there is one");
            vec![(amount, "the payment's amount"), fee, SHARE]
        }
        Movement::CommissionReleased { amount, added, repaid, .. } => vec![
            (added, "what the sale could not pay because the seller owed"),
            (repaid, "what the affiliate owes the seller for clawbacks"),
            (amount.minus(repaid).expect("is less"), "the rest of the commission"),
        ],
        Movement::CommissionCleared { amount, .. } => vec![(amount, "what the affiliate holds")],
        Movement::PaymentUnmatched { amount, .. } => vec![(amount, "what arrived")],
        Movement::ReceivableSettled { free, pledged, .. } => vec![
            (free, "the part less its fee and less what of it is pledged"),
            (pledged, "what of it is pledged"),
        ],
        Movement::AdvanceApproved { amount, fee, .. } => {
            vec![(amount, "the advance's amount"), (fee, "the advance's fee, if there is one")]
        }
        Movement::AdvanceDebited { amount, .. } => {
            vec![(amount, "what no other receivable covers")]
        }
        Movement::PaymentMatched { amount, .. } => {
            vec![(amount, "what had arrived for no known charge")]
        }
        Movement::ReturnRequested { amount, .. }
        | Movement::ReturnCompleted { amount, .. }
        | Movement::ReturnFailed { amount, .. } => vec![(amount, "what was set aside")],
        Movement::SuspenseReleased { amount, fee, .. } => {
            vec![(amount, "what had arrived"), (fee, "the platform's fee, if there is one")]
        }
        Movement::RefundRequested { from, .. } | Movement::DisputeOpened { from, .. } => vec![
            (from.available, "what is not taken from the other"),
            (from.pending, "what is taken from the sale's unsettled parts"),
            SHARE,
        ],
        Movement::RefundFailed { to, .. } | Movement::DisputeWon { to, .. } => vec![
            (to.available, "the rest"),
            (to.pending, "what was taken from parts that are still unsettled"),
            SHARE,
        ],
        Movement::RefundCompleted { amount, .. } => vec![(amount, "the refund's amount")],
        Movement::DisputeLost { amount, .. } => vec![(amount, "what was held")],
        Movement::WithdrawalRequested { amount, .. }
        | Movement::WithdrawalFailed { amount, .. } => {
            vec![(amount, "the withdrawal's amount")]
        }
        Movement::WithdrawalCompleted { net, fee, .. } => {
            vec![(net, "what is left after the fee"), (fee, "the platform's fee, if there is one")]
        }
        Movement::ReferralEarned { amount, .. } => vec![(amount, "the reward")],
        Movement::ReferralReleased { amount, .. } => vec![(amount, "what is left of the reward")],
        Movement::ReferralTakenBack { amount, .. } => {
            vec![(amount, "what is earned no more")]
        }
        Movement::ReferralWithdrawn { amount, .. } => vec![(amount, "what the merchant asks for")],
        Movement::DevelopmentCleared { held, left, .. } => {
            let others = (left, "what others have of deleted payments");
            held.iter().map(|held| (*held, "all it holds")).chain([others]).collect()
        }
    }
}

fn name_of(account: Account) -> String {
    let place = Place::ALL.iter().find(|place| place.code() == account.code);
    let name = place.expect("the chart has every account").name();
    if account.owner == AFFILIATE.0 { format!("affiliate's {name}") } else { name.to_owned() }
}

fn described<'a>(list: &[(&str, &'a str)], name: &str) -> &'a str {
    let found = list.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("say what {name} means, in tests/it/docs.rs")).1
}

fn aliases(name: Name) -> String {
    name.aliases().map(code).collect::<Vec<_>>().join(", ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn code_of(decline: DeclineCode) -> String {
    code(decline.name())
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("memory accepts every write");
}

/// Compares a table with its document, or writes it there.
fn check(document: &str, table: &str, generated: &str) {
    // The tests of one document run side by side.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let path = path.join(document).with_extension("md");
    let text = std::fs::read_to_string(&path).expect("the document is there");
    let begin = format!("<!-- {table} -->\n");
    let (before, rest) = text.split_once(&begin).expect("the document has the marker");
    let end = format!("<!-- end of {table} -->");
    let (present, after) = rest.split_once(&end).expect("the document has the end's marker");
    let generated = format!("\n{}\n\n", generated.trim_end());
    if present == generated {
        return;
    }
    assert!(wants_update(), "docs/{document}.md differs from the code; run with UPDATE_DOCS=1");
    let text = format!("{before}{begin}{generated}{end}{after}");
    std::fs::write(&path, text).expect("the document can be written");
}

#[expect(clippy::disallowed_methods, reason = "whoever runs the tests asks for it this way")]
fn wants_update() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}
