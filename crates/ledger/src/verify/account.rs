//! Verification of one account, leg by leg; it can stop after any leg and go on later.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::cents::Cents;
use crate::chain::{Hash, Origin, Side, link};
use crate::verify::store::{Account, Key, Leg, Scope};

/// A prefix of an account's legs, and the account's state after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The account's floor and the start of its chain; with others, the prefix proves nothing.
    pub floor_cents: i64,
    pub chained_after: i64,
    /// How many legs it has.
    pub sequence: i64,
    pub balance: Cents,
    /// The chain's head; `None` before the chain starts.
    pub head: Option<Hash>,
    /// How many transfers it counts, and how many of them precede the chain.
    pub transfers: i64,
    pub transfers_before_chain: i64,
}

/// An account and the state after the legs checked so far.
pub struct AccountCheck {
    account: Option<Account>,
    of: Scope,
    origin: Origin,
    /// What an earlier proof found at a later leg, which the legs up to it must lead to.
    known: Option<Position>,
    pub state: State,
    /// The encoding of the last leg's transfer.
    encoded: Vec<u8>,
}

/// How far the check of an account is, and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub at: Position,
    /// The end of the last posting without any fault up to it.
    pub sound: Option<Position>,
    posting: Option<Posting>,
    overdrawn: bool,
    broken: i64,
    pub broken_legs: i64,
    /// Whether the account or its legs are not those of which an earlier proof stored the position.
    pub is_rewritten: bool,
}

/// The legs of one posting on the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Posting {
    subject: Uuid,
    kind: String,
    before: Cents,
    after: Cents,
    forced: bool,
}

impl Position {
    /// The position before an account's first leg.
    pub fn start(account: Option<&Account>) -> Self {
        Self {
            floor_cents: account.map_or(i64::MIN, |account| account.floor_cents),
            chained_after: account.map_or(0, |account| account.chained_after),
            sequence: 0,
            balance: Cents::ZERO,
            head: None,
            transfers: 0,
            transfers_before_chain: 0,
        }
    }

    /// Whether the account as it is stored now can have such a prefix: a restored account may have
    /// fewer legs, and a restarted chain begins elsewhere.
    pub fn is_of(&self, account: &Account) -> bool {
        self.floor_cents == account.floor_cents
            && self.chained_after == account.chained_after
            && self.sequence <= account.sequence
    }

    /// Whether no account can have such a prefix: the one that is stored cannot, or none is.
    pub fn contradicts(&self, account: Option<&Account>) -> bool {
        account.is_none_or(|account| !self.is_of(account))
    }
}

impl State {
    /// Begins after a sound position.
    pub fn after(at: Position) -> Self {
        Self {
            at,
            sound: None,
            posting: None,
            overdrawn: false,
            broken: 0,
            broken_legs: 0,
            is_rewritten: false,
        }
    }

    /// Whether anything is wrong so far.
    pub fn has_faults(&self) -> bool {
        self.overdrawn || self.broken > 0 || self.broken_legs > 0 || self.is_rewritten
    }
}

impl AccountCheck {
    /// Begins before an account's first leg.
    pub fn new(key: Key, account: Option<Account>, of: Scope) -> Self {
        let state = State::after(Position::start(account.as_ref()));
        Self::resume(key, account, of, state)
    }

    /// Goes on where an earlier check of the same account stopped.
    pub fn resume(key: Key, account: Option<Account>, of: Scope, state: State) -> Self {
        let (owner, book, code) = key;
        let Position { floor_cents, chained_after: after, .. } = state.at;
        let origin = Origin { owner, book, code, floor_cents, after };
        Self { account, of, origin, known: None, state, encoded: Vec::new() }
    }

    /// Compares the account and its legs with a position that an earlier proof stored.
    pub fn expecting(mut self, known: Option<Position>) -> Self {
        let account = self.account.as_ref();
        self.state.is_rewritten |= known.is_some_and(|known| known.contradicts(account));
        self.known = known;
        self
    }

    /// The sequence of the next leg.
    pub fn next_sequence(&self) -> i64 {
        self.state.at.sequence.saturating_add(1)
    }

    /// Checks the next leg.
    pub fn take(&mut self, mut leg: Leg) {
        self.judge(&mut leg);
        let end = leg.end();
        let amount = match leg.side {
            Side::Debit => Cents::ZERO.minus(leg.amount),
            Side::Credit => Some(leg.amount),
        };
        let at = &mut self.state.at;
        at.sequence = at.sequence.saturating_add(1);
        let follows = amount.and_then(|amount| at.balance.plus(amount)) == Some(end.balance);
        if !follows || end.sequence != at.sequence {
            self.state.broken_legs = self.state.broken_legs.saturating_add(1);
        }
        at.balance = end.balance;
        self.count(&leg);
        self.chain(&leg);
        self.compare();
    }

    /// Ends the check after the account's last leg.
    pub fn end(&mut self) {
        let last = self.state.posting.take();
        self.state.overdrawn |= last.is_some_and(|last| self.overdraws(&last));
        self.mark_sound();
    }

    /// Whether the account does not match its legs, or is missing.
    pub fn is_inconsistent(&self) -> bool {
        let at = &self.state.at;
        self.account
            .as_ref()
            .is_none_or(|account| account.balance != at.balance || account.sequence != at.sequence)
    }

    /// Whether a transfer that was not forced took it below its floor.
    pub fn is_overdrawn(&self) -> bool {
        let last = self.state.posting.as_ref().is_some_and(|posting| self.overdraws(posting));
        let below = self.account.as_ref().is_some_and(|account| {
            let balance = account.balance;
            balance.get() < account.floor_cents && balance < self.state.at.balance
        });
        self.state.overdrawn || last || below
    }

    /// Whether the legs checked so far took it below its floor.
    pub fn was_overdrawn(&self) -> bool {
        self.state.overdrawn
    }

    /// Hashes that do not match the legs, including the account's head.
    pub fn broken_hashes(&self) -> i64 {
        let at = &self.state.at;
        let ends = self
            .account
            .as_ref()
            .is_none_or(|account| account.head == at.head && account.chained_after <= at.sequence);
        self.broken_links().saturating_add(i64::from(!ends))
    }

    /// Hashes that do not match the legs checked so far.
    pub fn broken_links(&self) -> i64 {
        self.state.broken.saturating_add(i64::from(self.state.is_rewritten))
    }

    /// Checks posting by posting, because a balance is updated once for all legs of one; takes the
    /// leg's kind, which the posting then has.
    fn judge(&mut self, leg: &mut Leg) {
        let (after, before) = (leg.end().balance, self.state.at.balance);
        let forced = leg.forced && leg.side == Side::Debit;
        match &mut self.state.posting {
            Some(posting) if posting.subject == leg.subject && posting.kind == leg.kind => {
                posting.after = after;
                posting.forced |= forced;
            }
            _ => {
                let (subject, kind) = (leg.subject, std::mem::take(&mut leg.kind));
                let posting = Posting { subject, kind, before, after, forced };
                let ended = self.state.posting.replace(posting);
                self.state.overdrawn |= ended.is_some_and(|ended| self.overdraws(&ended));
                self.mark_sound();
            }
        }
    }

    /// Keeps the end of a posting, unless a fault is before it.
    fn mark_sound(&mut self) {
        if !self.state.has_faults() && self.state.at.sequence > 0 {
            self.state.sound = Some(self.state.at);
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
            let at = &mut self.state.at;
            at.transfers = at.transfers.saturating_add(1);
            if at.sequence <= self.origin.after {
                at.transfers_before_chain = at.transfers_before_chain.saturating_add(1);
            }
        }
    }

    /// Continues from the stored hash, so that one changed transfer breaks one hash.
    fn chain(&mut self, leg: &Leg) {
        if self.state.at.sequence <= self.origin.after {
            return;
        }
        let previous = self.state.at.head.unwrap_or_else(|| self.origin.hash());
        let kind = self.state.posting.as_ref().map_or("", |posting| &posting.kind);
        leg.entry(kind).encode_to(&mut self.encoded);
        let due = link(&previous, leg.side, &self.encoded);
        if leg.hash != Some(due) {
            self.state.broken = self.state.broken.saturating_add(1);
        }
        self.state.at.head = leg.hash.or(Some(due));
    }

    /// A chain whose hashes were all calculated again after a change leads elsewhere.
    fn compare(&mut self) {
        let at = &self.state.at;
        let Some(known) = &self.known else { return };
        if known.sequence != at.sequence {
            return;
        }
        if (known.balance, known.head) != (at.balance, at.head) && !self.state.has_faults() {
            self.state.is_rewritten = true;
        }
    }
}
