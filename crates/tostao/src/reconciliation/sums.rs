//! The sums of the ledger and of every feature's rows, by merchant and mode.

use std::collections::{BTreeMap, BTreeSet};

use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::books::chart::AccountKind;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::reconciliation::store;
use crate::store::Sums;
use crate::transactions::{disputes, refunds, returns, unknown, unmatched};
use crate::{
    advances, affiliates, books, figures, receivables, referrals, transactions, withdrawals,
};

/// A merchant and the number of a mode.
pub type Key = (Uuid, i64);

/// All sums that are compared.
pub struct Found {
    pub balances: BTreeMap<Key, BTreeMap<i64, Cents>>,
    pub accepted_fees: BTreeMap<Key, Cents>,
    pub left_outside: BTreeMap<Key, Cents>,
    pub ever_booked: BTreeMap<Key, BTreeMap<String, Cents>>,
    pub payments: Sums<10>,
    pub refunds: Sums<2>,
    pub disputes: Sums<4>,
    pub unmatched: Sums<2>,
    pub returns: Sums<2>,
    pub unknown: Sums<3>,
    pub withdrawals: Sums<4>,
    pub withdrawal_returns: Sums<1>,
    pub receivables: Sums<6>,
    pub receivable_takes: Sums<2>,
    pub advances: Sums<3>,
    pub collateral: Sums<2>,
    pub commissions: Sums<5>,
    pub commission_takes: Sums<1>,
    pub links: Sums<2>,
    pub rewards: Sums<4>,
    pub reward_withdrawals: Sums<1>,
    pub referrals: Sums<2>,
    pub daily_figures: Sums<2>,
    pub facts: PostedAndStored,
}

/// For each kind of row, the sum of its transfers and the sum of its rows.
pub struct PostedAndStored {
    pub refunds: Sums<3>,
    pub disputes: Sums<3>,
    pub withdrawals: Sums<2>,
    pub returns: Sums<2>,
    pub rewards: Sums<2>,
    pub rewarded_sales: Sums<2>,
    pub settled: Sums<2>,
    pub captured: Sums<2>,
    pub released: Sums<4>,
    pub held: Sums<3>,
    pub given_for_refunds: Sums<1>,
    pub given_for_disputes: Sums<1>,
    pub commissions: Sums<3>,
}

impl Found {
    pub async fn read(tx: &Tx, of: Option<Scope>) -> Result<Self> {
        Ok(Self {
            balances: books::all_balances(tx, of).await?,
            accepted_fees: books::fees_of_accepted(tx, of).await?,
            left_outside: books::left_outside(tx, of).await?,
            ever_booked: books::ever_booked(tx, of).await?,
            payments: transactions::sums(tx, of).await?,
            refunds: refunds::sums(tx, of).await?,
            disputes: disputes::sums(tx, of).await?,
            unmatched: unmatched::sums(tx, of).await?,
            returns: returns::sums(tx, of).await?,
            unknown: unknown::sums(tx, of).await?,
            withdrawals: withdrawals::sums(tx, of).await?,
            withdrawal_returns: withdrawals::returns::sums(tx, of).await?,
            receivables: receivables::sums(tx, of).await?,
            receivable_takes: receivables::sums_of_deductions(tx, of).await?,
            advances: advances::sums(tx, of).await?,
            collateral: advances::sums_of_collateral(tx, of).await?,
            commissions: affiliates::commissions::sums::of_commissions(tx, of).await?,
            commission_takes: affiliates::commissions::sums::of_holds(tx, of).await?,
            links: affiliates::links::sums(tx, of).await?,
            rewards: referrals::rewards::sums(tx, of).await?,
            reward_withdrawals: referrals::sums_of_withdrawals(tx, of).await?,
            referrals: referrals::sums_of_referrals(tx, of).await?,
            daily_figures: figures::sums(tx, of).await?,
            facts: PostedAndStored::read(tx, of).await?,
        })
    }

    /// Every merchant and mode that has any of the sums.
    pub fn keys(&self) -> BTreeSet<Key> {
        let mut keys: BTreeSet<Key> = self.balances.keys().copied().collect();
        keys.extend(self.payments.keys());
        keys.extend(self.refunds.keys());
        keys.extend(self.disputes.keys());
        keys.extend(self.unmatched.keys());
        keys.extend(self.returns.keys());
        keys.extend(self.unknown.keys());
        keys.extend(self.withdrawals.keys());
        keys.extend(self.withdrawal_returns.keys());
        keys.extend(self.receivables.keys());
        keys.extend(self.receivable_takes.keys());
        keys.extend(self.advances.keys());
        keys.extend(self.collateral.keys());
        keys.extend(self.commissions.keys());
        keys.extend(self.commission_takes.keys());
        keys.extend(self.links.keys());
        keys.extend(self.rewards.keys());
        keys.extend(self.reward_withdrawals.keys());
        keys.extend(self.referrals.keys());
        keys.extend(self.daily_figures.keys());
        keys.extend(self.facts.captured.keys());
        keys
    }

    /// An account's balance, in cents.
    pub fn held(&self, key: Key, account: AccountKind) -> i64 {
        let balance = self.balances.get(&key).and_then(|own| own.get(&account.code()));
        balance.map_or(0, |balance| balance.get())
    }

    /// What movements of one kind have booked into an owner's accounts, in cents.
    pub fn ever_booked(&self, key: Key, kind: &str) -> i64 {
        let booked = self.ever_booked.get(&key).and_then(|own| own.get(kind));
        booked.map_or(0, |booked| booked.get())
    }
}

impl PostedAndStored {
    async fn read(tx: &Tx, of: Option<Scope>) -> Result<Self> {
        Ok(Self {
            refunds: store::of_refunds(tx, of).await?,
            disputes: store::of_disputes(tx, of).await?,
            withdrawals: store::of_withdrawals(tx, of).await?,
            returns: store::of_returns(tx, of).await?,
            rewards: store::of_rewards(tx, of).await?,
            rewarded_sales: store::of_rewarded_sales(tx, of).await?,
            settled: store::of_settled(tx, of).await?,
            captured: store::of_captured(tx, of).await?,
            released: store::of_released(tx, of).await?,
            held: store::of_held(tx, of).await?,
            given_for_refunds: store::of_given_for_refunds(tx, of).await?,
            given_for_disputes: store::of_given_for_disputes(tx, of).await?,
            commissions: store::of_commissions(tx, of).await?,
        })
    }
}
