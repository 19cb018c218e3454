//! Every state has its own sentence, in both languages.

use std::collections::BTreeSet;
use std::time::Duration;

use db::time::Timestamp;
use jiff::civil::date;
use ledger::cents::Cents;
use rails::card::DeclineCode;
use serde_json::Value;
use uuid::Uuid;

use super::of;
use crate::clients::CustomerDetails;
use crate::platform::ids::{ClientId, TransactionId};
use crate::platform::messages::Lang;
use crate::transactions::failure::FailureReason;
use crate::transactions::status::Status;
use crate::transactions::{Boleto, Method, Transaction};

const NOW: Timestamp = Timestamp::from_micros(1_795_262_400_000_000);

fn payment(status: Status, method: Method) -> Transaction {
    let paid =
        matches!(status, Status::Paid | Status::Refunded | Status::Disputed | Status::ChargedBack);
    Transaction {
        id: TransactionId(Uuid::nil()),
        version: 1,
        status,
        method,
        external_id: None,
        link: None,
        period: None,
        description: None,
        items: Vec::new(),
        client: ClientId(Uuid::nil()),
        customer: CustomerDetails {
            name: "Fulano de Tal".to_owned(),
            email: "fulano@example.com".to_owned(),
            document: None,
            phone: None,
        },
        address: None,
        amount: Cents::new(4_990),
        paid: paid.then_some(Cents::new(4_990)),
        refunding: Cents::ZERO,
        refunded: Cents::ZERO,
        discount: Cents::ZERO,
        interest: Cents::ZERO,
        fee: Cents::ZERO,
        installments: 1,
        coupon_code: None,
        affiliate_code: None,
        provider: "sandbox".to_owned(),
        pix: None,
        boleto: None,
        card: None,
        paid_late: false,
        oversold: false,
        unmatched: Cents::ZERO,
        decline_code: None,
        failure_reason: None,
        metadata: Value::Null,
        created_at: NOW,
        updated_at: NOW,
        expires_at: Some(NOW),
        paid_at: paid.then_some(NOW),
        cancelled_at: None,
        expired_at: None,
        failed_at: None,
        refunded_at: None,
    }
}

/// A payment in every state that has a sentence of its own.
fn states() -> Vec<Transaction> {
    let methods = [Method::Pix, Method::Boleto, Method::CreditCard, Method::Free];
    let mut states = Vec::new();
    for status in Status::ALL.iter().copied() {
        match status {
            Status::Pending | Status::Paid => {
                states.extend(methods.map(|method| payment(status, method)));
            }
            Status::Failed => {
                states.extend(DeclineCode::ALL.iter().map(|code| Transaction {
                    decline_code: Some(*code),
                    ..payment(status, Method::CreditCard)
                }));
                states.extend(FailureReason::ALL.iter().map(|reason| Transaction {
                    failure_reason: Some(reason.name().to_owned()),
                    ..payment(status, Method::CreditCard)
                }));
            }
            Status::Cancelled => {
                let replaced = Some(FailureReason::Replaced.name().to_owned());
                let payment = payment(status, Method::Pix);
                states.push(Transaction { failure_reason: replaced, ..payment.clone() });
                states.push(payment);
            }
            Status::Processing
            | Status::Expired
            | Status::Refunded
            | Status::Disputed
            | Status::ChargedBack => states.push(payment(status, Method::Pix)),
        }
    }
    states
}

#[test]
fn every_state_has_its_own_cause_and_says_what_is_next_and_what_to_do() {
    for lang in [Lang::PtBr, Lang::En] {
        let mut causes = BTreeSet::new();
        for state in states() {
            let why = of(&state, NOW, lang);
            let [cause] = why.causes.as_slice() else { panic!("one cause: {why:?}") };
            assert!(causes.insert(cause.clone()), "{cause} is said of two states");
            assert!(!why.next.is_empty() && !why.action.is_empty(), "{why:?}");
        }
    }
}

#[test]
fn what_happened_beside_a_payment_is_said_with_its_amount() {
    let paid = payment(Status::Paid, Method::Pix);
    let some = Cents::new(1_234);
    let table = [
        Transaction { refunding: some, ..paid.clone() },
        Transaction { refunded: some, ..paid.clone() },
        Transaction { unmatched: some, ..paid.clone() },
    ];
    for state in table {
        let why = of(&state, NOW, Lang::PtBr);
        let [_, beside] = why.causes.as_slice() else { panic!("two causes: {why:?}") };
        assert!(beside.contains("R$\u{a0}12,34"), "{beside}");
    }
    let late = Transaction { paid_late: true, ..paid.clone() };
    let oversold = Transaction { oversold: true, ..late.clone() };
    let said = [&late, &oversold].map(|state| of(state, NOW, Lang::PtBr).causes);
    assert_eq!(said.each_ref().map(Vec::len), [2, 2]);
    assert_ne!(said[0], said[1]);
}

#[test]
fn a_refund_is_offered_as_long_as_there_is_one() {
    let action = |state: &Transaction, now| of(state, now, Lang::En).action;
    let paid = payment(Status::Paid, Method::Pix);
    let (last, over) = (NOW.plus(days(90)), NOW.plus(days(91)));
    assert!(action(&paid, last).starts_with("It can be refunded"));
    assert!(action(&paid, over).starts_with("The term"));
    let card = payment(Status::Paid, Method::CreditCard);
    assert!(action(&card, over).starts_with("It can be refunded"));
    let refunding = Transaction { refunding: Cents::new(4_990), ..paid };
    assert!(action(&refunding, NOW).starts_with("There is nothing"));
}

#[test]
fn a_boleto_says_whether_its_bank_has_made_it_and_which_of_its_codes_was_paid() {
    let boleto = |payment_id| Boleto {
        bank_code: "1".to_owned(),
        reference: None,
        due_on: date(2026, 11, 24),
        made: None,
        payment_id,
    };
    let with =
        |status, id| Transaction { boleto: Some(boleto(id)), ..payment(status, Method::Boleto) };
    let cause = |state: &Transaction| of(state, NOW, Lang::En).causes.concat();
    assert!(cause(&with(Status::Pending, None)).contains("still making"));
    assert!(cause(&with(Status::Paid, None)).contains("by its PIX code"));
    let slip = with(Status::Paid, Some("1".to_owned()));
    assert!(cause(&slip).contains("payment of the slip"));
}

#[test]
fn a_reason_of_an_earlier_release_is_shown_as_it_is() {
    let reason = Some("something_else".to_owned());
    let failed = payment(Status::Failed, Method::CreditCard);
    let failed = Transaction { failure_reason: reason, ..failed };
    assert!(of(&failed, NOW, Lang::PtBr).causes.concat().contains("something_else"));
}

fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 3600)
}
