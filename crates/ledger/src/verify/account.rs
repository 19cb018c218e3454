//! Verification of one account, leg by leg.

use uuid::Uuid;

use crate::cents::Cents;
use crate::chain::{Hash, Origin, Side, link};
use crate::verify::store::{Account, Key, Leg, Scope};

/// An account and the state after the legs checked so far.
pub struct AccountCheck {
    account: Option<Account>,
    of: Scope,
    /// The expected head of the account's chain; `None` before the chain starts.
    head: Option<Hash>,
    origin: Origin,
    balance: Cents,
    legs: i64,
    posting: Option<Posting>,
    overdrawn: bool,
    broken: i64,
    pub broken_legs: i64,
    pub transfers: i64,
    pub transfers_before_chain: i64,
}

/// The legs of one posting on the account.
struct Posting {
    subject: Uuid,
    kind: String,
    before: Cents,
    after: Cents,
    forced: bool,
}

impl AccountCheck {
    pub fn new(key: Key, account: Option<Account>, of: Scope) -> Self {
        let (owner, book, code) = key;
        let floor_cents = account.as_ref().map_or(i64::MIN, |account| account.floor_cents);
        let after = account.as_ref().map_or(0, |account| account.chained_after);
        Self {
            account,
            of,
            head: None,
            origin: Origin { owner, book, code, floor_cents, after },
            balance: Cents::ZERO,
            legs: 0,
            posting: None,
            overdrawn: false,
            broken: 0,
            broken_legs: 0,
            transfers: 0,
            transfers_before_chain: 0,
        }
    }

    /// Checks the next leg.
    pub fn take(&mut self, leg: &Leg) {
        let end = leg.end();
        let amount = match leg.side {
            Side::Debit => Cents::ZERO.minus(leg.amount),
            Side::Credit => Some(leg.amount),
        };
        self.legs = self.legs.saturating_add(1);
        let follows = amount.and_then(|amount| self.balance.plus(amount)) == Some(end.balance);
        if !follows || end.sequence != self.legs {
            self.broken_legs = self.broken_legs.saturating_add(1);
        }
        self.judge(leg);
        self.balance = end.balance;
        self.count(leg);
        self.chain(leg);
    }

    /// Whether the account does not match its legs, or is missing.
    pub fn is_inconsistent(&self) -> bool {
        self.account
            .as_ref()
            .is_none_or(|account| account.balance != self.balance || account.sequence != self.legs)
    }

    /// Whether a transfer that was not forced took it below its floor.
    pub fn is_overdrawn(&self) -> bool {
        let last = self.posting.as_ref().is_some_and(|posting| self.overdraws(posting));
        let below = self.account.as_ref().is_some_and(|account| {
            account.balance.get() < account.floor_cents && account.balance < self.balance
        });
        self.overdrawn || last || below
    }

    /// Hashes that do not match the legs, including the account's head.
    pub fn broken_hashes(&self) -> i64 {
        let ends = self
            .account
            .as_ref()
            .is_none_or(|account| account.head == self.head && account.chained_after <= self.legs);
        self.broken.saturating_add(i64::from(!ends))
    }

    /// Checks posting by posting, because a balance is updated once for all legs of one.
    fn judge(&mut self, leg: &Leg) {
        let (after, before) = (leg.end().balance, self.balance);
        let forced = leg.forced && leg.side == Side::Debit;
        match &mut self.posting {
            Some(posting) if posting.subject == leg.subject && posting.kind == leg.kind => {
                posting.after = after;
                posting.forced |= forced;
            }
            _ => {
                let (subject, kind) = (leg.subject, leg.kind.clone());
                let posting = Posting { subject, kind, before, after, forced };
                let ended = self.posting.replace(posting);
                self.overdrawn |= ended.is_some_and(|ended| self.overdraws(&ended));
            }
        }
    }

    fn overdraws(&self, posting: &Posting) -> bool {
        let below = posting.after.get() < self.origin.floor_cents;
        below && posting.after < posting.before && !posting.forced
    }

    /// Counts a transfer once, even if both its legs are checked.
    fn count(&mut self, leg: &Leg) {
        let other = (leg.debit.owner, leg.book);
        if leg.side == Side::Debit || self.of.is_some_and(|of| of != other) {
            self.transfers = self.transfers.saturating_add(1);
            if self.legs <= self.origin.after {
                self.transfers_before_chain = self.transfers_before_chain.saturating_add(1);
            }
        }
    }

    /// Continues from the stored hash, so that one changed transfer breaks one hash.
    fn chain(&mut self, leg: &Leg) {
        if self.legs <= self.origin.after {
            return;
        }
        let previous = self.head.unwrap_or_else(|| self.origin.hash());
        let due = link(&previous, leg.side, &leg.entry().encode());
        if leg.hash != Some(due) {
            self.broken = self.broken.saturating_add(1);
        }
        self.head = leg.hash.or(Some(due));
    }
}
