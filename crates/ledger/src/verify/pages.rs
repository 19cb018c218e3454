//! Accounts, their legs and their proven positions, merged in one order from paginated lists.

use std::vec::IntoIter;

use db::error::Result;
use db::tx::Tx;
use uuid::Uuid;

use crate::chain::Side;
use crate::verify::account::Position;
use crate::verify::onward::positions_after;
use crate::verify::store::{self, Account, Key, Leg, PAGE, Scope};

/// Sorts before every account.
pub const FIRST: Key = (Uuid::nil(), i64::MIN, i64::MIN);

/// All accounts in their order.
pub struct Accounts<'a> {
    tx: &'a Tx,
    of: Scope,
    list: List<Account>,
}

/// The position of a verification.
pub struct Pages<'a> {
    tx: &'a Tx,
    of: Scope,
    accounts: Accounts<'a>,
    debits: List<Leg>,
    credits: List<Leg>,
    positions: List<(Key, Position)>,
}

/// What there is of an account besides its legs.
pub struct Listed {
    pub key: Key,
    /// It may be missing.
    pub account: Option<Account>,
    /// The position that an earlier proof stored.
    pub known: Option<Position>,
}

/// The rest of a page, and whether another one may follow.
struct List<T> {
    next: Option<T>,
    page: IntoIter<T>,
    more: bool,
}

/// The legs of one account from a sequence on, merged from two paginated lists.
pub struct AccountLegs<'a> {
    tx: &'a Tx,
    key: Key,
    /// How many rows a page has.
    page: i64,
    debits: List<Leg>,
    credits: List<Leg>,
}

impl<T> List<T> {
    fn of(rows: Vec<T>) -> Self {
        Self::of_pages(rows, PAGE)
    }

    fn of_pages(rows: Vec<T>, size: i64) -> Self {
        let more = i64::try_from(rows.len()).is_ok_and(|count| count >= size);
        let mut page = rows.into_iter();
        Self { next: page.next(), page, more }
    }

    /// Takes the next one; `None` in the second place if the next page must be read.
    fn pop(&mut self) -> (Option<T>, bool) {
        let taken = self.next.take();
        self.next = self.page.next();
        (taken, self.next.is_none() && self.more)
    }
}

impl<'a> Accounts<'a> {
    pub async fn open(tx: &'a Tx, of: Scope) -> Result<Self> {
        let list = List::of(store::accounts(tx, of, FIRST).await?);
        Ok(Self { tx, of, list })
    }

    pub async fn next(&mut self) -> Result<Option<Account>> {
        let (taken, empty) = self.list.pop();
        if let Some(account) = taken.as_ref().filter(|_| empty) {
            self.list = List::of(store::accounts(self.tx, self.of, account.key).await?);
        }
        Ok(taken)
    }

    /// The position of the one that `next` returns.
    fn key(&self) -> Option<Key> {
        self.list.next.as_ref().map(|account| account.key)
    }
}

impl<'a> Pages<'a> {
    pub async fn open(tx: &'a Tx, of: Scope) -> Result<Self> {
        Ok(Self {
            tx,
            of,
            accounts: Accounts::open(tx, of).await?,
            debits: List::of(store::debits(tx, of, (FIRST, i64::MIN)).await?),
            credits: List::of(store::credits(tx, of, (FIRST, i64::MIN)).await?),
            positions: List::of(positions_after(tx, of, FIRST).await?),
        })
    }

    /// Moves to the next key that has an account, legs or a proven position.
    pub async fn next_account(&mut self) -> Result<Option<Listed>> {
        let account = self.accounts.key();
        let known = self.positions.next.as_ref().map(|(key, _)| *key);
        let legs = [&self.debits, &self.credits].map(|legs| legs.next.as_ref().map(Leg::key));
        let Some(key) = [account, known, legs[0], legs[1]].into_iter().flatten().min() else {
            return Ok(None);
        };
        let account = if account == Some(key) { self.accounts.next().await? } else { None };
        let known = if known == Some(key) { self.next_position().await? } else { None };
        Ok(Some(Listed { key, account, known }))
    }

    async fn next_position(&mut self) -> Result<Option<Position>> {
        let (taken, empty) = self.positions.pop();
        if let Some((key, _)) = taken.filter(|_| empty) {
            self.positions = List::of(positions_after(self.tx, self.of, key).await?);
        }
        Ok(taken.map(|(_, position)| position))
    }

    /// Takes the next leg of an account, by sequence.
    pub async fn next_leg(&mut self, of: Key) -> Result<Option<Leg>> {
        let sequence = |legs: &List<Leg>| {
            let leg = legs.next.as_ref().filter(|leg| leg.key() == of);
            leg.map(|leg| leg.end().sequence)
        };
        match (sequence(&self.debits), sequence(&self.credits)) {
            (None, None) => Ok(None),
            (Some(debit), Some(credit)) if debit <= credit => self.take(Side::Debit).await,
            (Some(_), None) => self.take(Side::Debit).await,
            (_, Some(_)) => self.take(Side::Credit).await,
        }
    }

    async fn take(&mut self, side: Side) -> Result<Option<Leg>> {
        let list = match side {
            Side::Debit => &mut self.debits,
            Side::Credit => &mut self.credits,
        };
        let (taken, empty) = list.pop();
        if let Some(leg) = taken.as_ref().filter(|_| empty) {
            let after = (leg.key(), leg.end().sequence);
            let rows = match side {
                Side::Debit => store::debits(self.tx, self.of, after).await?,
                Side::Credit => store::credits(self.tx, self.of, after).await?,
            };
            *list = List::of(rows);
        }
        Ok(taken)
    }
}

impl<'a> AccountLegs<'a> {
    /// Begins after a sequence, to read about `most` legs.
    pub async fn open(tx: &'a Tx, key: Key, after: i64, most: i64) -> Result<Self> {
        let page = most.clamp(1, PAGE);
        let debits = store::legs_of(tx, Side::Debit, key, after, page).await?;
        let credits = store::legs_of(tx, Side::Credit, key, after, page).await?;
        let (debits, credits) = (List::of_pages(debits, page), List::of_pages(credits, page));
        Ok(Self { tx, key, page, debits, credits })
    }

    /// Whether no leg is left.
    pub fn is_over(&self) -> bool {
        self.debits.next.is_none() && self.credits.next.is_none()
    }

    /// Takes the next leg, by sequence.
    pub async fn next(&mut self) -> Result<Option<Leg>> {
        let sequence = |legs: &List<Leg>| legs.next.as_ref().map(|leg| leg.end().sequence);
        let (side, list) = match (sequence(&self.debits), sequence(&self.credits)) {
            (None, None) => return Ok(None),
            (Some(debit), Some(credit)) if debit <= credit => (Side::Debit, &mut self.debits),
            (Some(_), None) => (Side::Debit, &mut self.debits),
            (_, Some(_)) => (Side::Credit, &mut self.credits),
        };
        let (taken, empty) = list.pop();
        if let Some(leg) = taken.as_ref().filter(|_| empty) {
            let after = leg.end().sequence;
            let rows = store::legs_of(self.tx, side, self.key, after, self.page).await?;
            *list = List::of_pages(rows, self.page);
        }
        Ok(taken)
    }
}
