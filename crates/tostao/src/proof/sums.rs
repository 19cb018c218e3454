//! What the books and every feature's rows add up to, by merchant and mode.

use std::collections::{BTreeMap, BTreeSet};

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::books::chart::Place;
use crate::error::Result;
use crate::ids::Scope;
use crate::store::Sums;
use crate::transactions::{disputes, refunds, returns, unknown, unmatched};
use crate::{advances, affiliates, books, receivables, referrals, transactions, withdrawals};

/// A merchant and the number of a mode.
pub type Key = (Uuid, i64);

/// Everything that is compared.
pub struct Found {
    pub balances: BTreeMap<Key, BTreeMap<i64, Cents>>,
    pub accepted_fees: BTreeMap<Key, Cents>,
    pub left_outside: BTreeMap<Key, Cents>,
    pub payments: Sums<10>,
    pub refunds: Sums<2>,
    pub disputes: Sums<4>,
    pub unmatched: Sums<2>,
    pub returns: Sums<2>,
    pub unknown: Sums<2>,
    pub withdrawals: Sums<3>,
    pub receivables: Sums<6>,
    pub receivable_takes: Sums<1>,
    pub advances: Sums<3>,
    pub slices: Sums<1>,
    pub commissions: Sums<4>,
    pub commission_takes: Sums<1>,
    pub links: Sums<2>,
    pub rewards: Sums<2>,
    pub reward_withdrawals: Sums<1>,
}

impl Found {
    pub async fn read(tx: &Tx, of: Option<Scope>) -> Result<Self> {
        Ok(Self {
            balances: books::all_balances(tx, of).await?,
            accepted_fees: books::fees_of_accepted(tx, of).await?,
            left_outside: books::left_outside(tx, of).await?,
            payments: transactions::sums(tx, of).await?,
            refunds: refunds::sums(tx, of).await?,
            disputes: disputes::sums(tx, of).await?,
            unmatched: unmatched::sums(tx, of).await?,
            returns: returns::sums(tx, of).await?,
            unknown: unknown::sums(tx, of).await?,
            withdrawals: withdrawals::sums(tx, of).await?,
            receivables: receivables::sums(tx, of).await?,
            receivable_takes: receivables::sums_of_takes(tx, of).await?,
            advances: advances::sums(tx, of).await?,
            slices: advances::sums_of_slices(tx, of).await?,
            commissions: affiliates::commissions::sums::of_commissions(tx, of).await?,
            commission_takes: affiliates::commissions::sums::of_takes(tx, of).await?,
            links: affiliates::links::sums(tx, of).await?,
            rewards: referrals::rewards::sums(tx, of).await?,
            reward_withdrawals: referrals::sums_of_withdrawals(tx, of).await?,
        })
    }

    /// Every merchant and mode of which there is anything.
    pub fn keys(&self) -> BTreeSet<Key> {
        let mut keys: BTreeSet<Key> = self.balances.keys().copied().collect();
        keys.extend(self.payments.keys());
        keys.extend(self.refunds.keys());
        keys.extend(self.disputes.keys());
        keys.extend(self.unmatched.keys());
        keys.extend(self.returns.keys());
        keys.extend(self.unknown.keys());
        keys.extend(self.withdrawals.keys());
        keys.extend(self.receivables.keys());
        keys.extend(self.receivable_takes.keys());
        keys.extend(self.advances.keys());
        keys.extend(self.slices.keys());
        keys.extend(self.commissions.keys());
        keys.extend(self.commission_takes.keys());
        keys.extend(self.links.keys());
        keys.extend(self.rewards.keys());
        keys.extend(self.reward_withdrawals.keys());
        keys
    }

    /// What an account holds, in cents.
    pub fn held(&self, key: Key, place: Place) -> i64 {
        let balance = self.balances.get(&key).and_then(|own| own.get(&place.code()));
        balance.map_or(0, |balance| balance.get())
    }
}
