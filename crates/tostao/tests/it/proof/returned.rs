//! What banks sent back of paid withdrawals: changed, added and deleted.

use super::kinds::{Kind, expect_found};
use crate::connections::orders::returned;
use crate::connections::{Bank, real};
use crate::harness::TestApp;
use crate::harness::receiver::Receiver;
use crate::harness::shop::Shop;

/// All that are tried here.
pub const KINDS: [Kind; 2] = [RETURNS, SENT_BACK];

const RETURNS: Kind = Kind {
    table: "withdrawal_returns",
    key: "merchant_id, mode, id",
    rows: "true",
    amounts: &["amount_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("return_id", "return_id || 'x'")],
    missed: true,
};

const SENT_BACK: Kind = Kind {
    table: "withdrawals",
    key: "merchant_id, mode, id",
    rows: "returned_cents > 0",
    amounts: &["returned_cents"],
    changes: &[],
    copied: &[("id", "$1"), ("external_id", "external_id || 'x'"), ("idempotency_key", "null")],
    missed: true,
};

#[story::test]
async fn every_change_of_what_came_back_of_a_withdrawal_is_found(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let (bank, shop) = (Bank::routed(test).await, real(shop).await);
    returned(test, &bank, &shop, &receiver).await;
    expect_found(test, &KINDS).await;
}
