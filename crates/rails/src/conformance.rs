//! What every provider has to do, as checks that its own tests call.
//!
//! Each check panics with the sentence that does not hold. It asks a provider only through its
//! trait; the test prepares what a person outside would do, such as paying.

use ledger::cents::Cents;

use crate::boleto::{BoletoOrder, BoletoProvider, BoletoRequest, IssuedBoleto, Registration};
use crate::card::{CardChargeRequest, CardProvider, CardRefundRequest, StoreCardRequest};
use crate::error::ProviderError;
use crate::payout::{PayoutProvider, PayoutRequest};
use crate::pix::{PixChargeRequest, PixProvider, PixReturnRequest};

/// How often a bank is asked for a boleto that it makes later.
const ASKED_MAX: u32 = 10;

/// Issues a charge, and again: the same txid is the same charge.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_txid_is_one_charge(bank: &dyn PixProvider, order: &PixChargeRequest) {
    let first = bank.issue(order).await.expect("the bank issues a charge");
    let again = bank.issue(order).await.expect("the bank issues a known charge again");
    assert_eq!(first.code, again.code, "the same txid is the same charge");
}

/// Refunds a payment, and again: the same reference is the same refund, and only itself.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_reference_is_one_pix_refund(bank: &dyn PixProvider, order: &PixReturnRequest) {
    let none = bank.find_refund(order).await.expect("the bank answers a question");
    assert_eq!(none, None, "a refund that was never ordered is unknown");
    bank.refund(order).await.expect("the bank refunds a payment");
    let known = bank.find_refund(order).await.expect("the bank answers a question");
    let known = known.expect("a refund that was ordered is known");
    let again = bank.refund(order).await.expect("a known order is no error");
    assert_eq!(again, known, "the same reference is the same refund");
    let other = PixReturnRequest { amount: another(order.amount), ..order.clone() };
    expect_contradiction(bank.refund(&other).await, "another amount is not the same refund");
}

/// Sends a payout, and again: the same reference is the same payout, and only itself.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_reference_is_one_payout(bank: &dyn PayoutProvider, order: &PayoutRequest) {
    if bank.finds_by_reference() {
        let none = bank.find(order, None).await.expect("the bank answers a question");
        assert_eq!(none, None, "a payout that was never ordered is unknown");
    }
    let sent = bank.send(order).await.expect("the bank takes a payout");
    let code = sent.bank_code.as_deref();
    let known = bank.find(order, code).await.expect("the bank answers a question");
    let known = known.expect("a payout that was ordered is known");
    assert_eq!(known.bank_code, sent.bank_code, "a payout keeps the bank's code");
    let other = PayoutRequest { amount: another(order.amount), ..order.clone() };
    expect_contradiction(bank.find(&other, code).await, "another amount is not the same payout");
    if bank.takes_once() {
        let again = bank.send(order).await.expect("a known order is no error");
        assert!(again == known || again == sent, "the same reference is the same payout");
        expect_contradiction(bank.send(&other).await, "another amount is not the same payout");
        let after = bank.find(order, code).await.expect("the bank answers a question");
        assert_eq!(after, Some(known), "a payout that is sent again stays as it is");
    }
}

/// Registers a boleto, waits until the bank has made it, and finds it: by the bank's code and by
/// our reference it is the same boleto, and only itself.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_boleto_is_found_as_it_was_issued(
    bank: &dyn BoletoProvider,
    order: &BoletoRequest,
) -> IssuedBoleto {
    let wanted = order.order();
    let none = bank.find(&wanted, None).await.expect("the bank answers a question");
    assert_eq!(none, None, "a boleto that was never ordered is unknown");
    let mut registered = bank.issue(order).await.expect("the bank registers a boleto");
    let mut asked = 0;
    let issued = loop {
        let code = match registered {
            Registration::Issued(issued) => break issued,
            Registration::Later { bank_code } => bank_code,
        };
        assert!(asked < ASKED_MAX, "the bank makes a boleto");
        asked += 1;
        let found = bank.find(&wanted, Some(&code)).await.expect("the bank answers a question");
        registered = found.expect("a boleto with a code is known");
    };
    let known = Some(Registration::Issued(issued.clone()));
    let dearer = BoletoOrder { amount: another(order.amount), ..wanted.clone() };
    for code in [Some(&*issued.bank_code), None] {
        let found = bank.find(&wanted, code).await.expect("the bank answers a question");
        assert_eq!(found, known, "a boleto is found as it was issued");
        let found = bank.find(&dearer, code).await;
        expect_contradiction(found, "another amount is not the same boleto");
    }
    issued
}

/// Charges a card, and again: the same reference is the same charge, and only itself.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_reference_is_one_card_charge(
    acquirer: &dyn CardProvider,
    order: &CardChargeRequest,
) {
    let find = || acquirer.find(&order.reference, order.amount);
    let none = find().await.expect("the acquirer answers a question");
    assert_eq!(none, None, "a charge that was never ordered is unknown");
    let first = acquirer.authorize(order).await.expect("the acquirer decides a charge");
    let known = find().await.expect("the acquirer answers a question");
    assert_eq!(known.as_ref(), Some(&first), "a charge that was ordered is known");
    let again = acquirer.authorize(order).await.expect("a known order is no error");
    assert_eq!(again, first, "the same reference is the same charge");
    let other = CardChargeRequest { amount: another(order.amount), ..order.clone() };
    expect_contradiction(acquirer.authorize(&other).await, "another amount is not the same charge");
    let found = acquirer.find(&other.reference, other.amount).await;
    expect_contradiction(found, "another amount is not the same charge");
}

/// Refunds a charge, and again: the same reference is the same refund, and only itself.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_reference_is_one_card_refund(
    acquirer: &dyn CardProvider,
    order: &CardRefundRequest,
) {
    let none = acquirer.find_refund(order).await.expect("the acquirer answers a question");
    assert_eq!(none, None, "a refund that was never ordered is unknown");
    acquirer.refund(order).await.expect("the acquirer refunds a charge");
    let known = acquirer.find_refund(order).await.expect("the acquirer answers a question");
    let known = known.expect("a refund that was ordered is known");
    let again = acquirer.refund(order).await.expect("a known order is no error");
    assert_eq!(again, known, "the same reference is the same refund");
    let other = CardRefundRequest { amount: another(order.amount), ..order.clone() };
    expect_contradiction(acquirer.refund(&other).await, "another amount is not the same refund");
}

/// Stores a card, and again: the same reference is the same card.
///
/// # Panics
///
/// If the provider does not conform.
pub async fn a_reference_is_one_stored_card(acquirer: &dyn CardProvider, order: &StoreCardRequest) {
    let first = acquirer.store_card(order).await.expect("the acquirer stores a card");
    let again = acquirer.store_card(order).await.expect("a known order is no error");
    assert_eq!(again, first, "the same reference is the same card");
}

/// A provider may refuse or be unsure, but must not take one order for another.
fn expect_contradiction<T: std::fmt::Debug>(answer: Result<T, ProviderError>, rule: &str) {
    match answer {
        Err(ProviderError::Refused { .. } | ProviderError::Unknown(_)) => {}
        other => panic!("{rule}: {other:?}"),
    }
}

fn another(amount: Cents) -> Cents {
    amount.minus(Cents::new(1)).expect("is an amount")
}
