//! What a connection reports and nothing here explains. Nothing is changed by it: an administrator
//! finds out what it is, and closes it with a note. Only what was taken back or refunded of money
//! that awaits a decision is booked then, so that the rest of it can be decided on.
//!
//! One that is reported otherwise later, such as another state of the same payout, is open again.

use std::time::Duration;

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use serde_json::{Map, Value};

use crate::app::App;
use crate::audit::decision::Decision;
use crate::audit::{self, Action, ActorContext, Entry};
use crate::platform::error::{Error, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{ConnectionId, DifferenceId, MerchantId, Mode, Scope, TransactionId};
use crate::platform::telemetry;
use crate::transactions::deciding::decide_about;
use crate::transactions::disputes::taken_back::{self, FoundRefund};
use crate::transactions::owners;
use crate::transactions::terms::PaymentTerms;
use crate::withdrawals;

pub mod admin_api;
mod store;

/// The one difference of a connection's balance.
pub const BALANCE: &str = "balance";
/// The detail with the PIX that a difference is about.
const END_TO_END_ID: &str = "endToEndId";
/// The detail with our reference of what a difference is about, where it has another name.
const REFERENCE: &str = "reference";
/// The detail with the state of a refund, and how that begins once the money is back.
const STATE: &str = "state";
const DONE: &str = "DONE ";
/// The kinds that keep an entry as it came, which may name its payer.
const AS_THEY_CAME: [Kind; 2] = [Kind::NotTakenIn, Kind::UnreadableEntry];
/// How long such an entry is kept.
const ENTRIES_KEPT: Duration = Duration::from_hours(90 * 24);
/// How many unreadable ones a connection may have open; what more there are is only in the log.
const ENTRIES_MAX: i64 = 1_000;
/// The same for parts that an acquirer owes otherwise: terms that differ make every part differ.
const PAYABLES_MAX: i64 = 100;

text_enum! {
    /// What does not agree with the stored records.
    pub enum Kind as "DifferenceKind" {
        /// A refund that was not ordered here, or that contradicts how it ended here.
        UnknownRefund = "UNKNOWN_REFUND",
        /// A payout that was not ordered here.
        UnknownPayout = "UNKNOWN_PAYOUT",
        /// Money of a payout that came back after it was paid, and that is of no withdrawal.
        PayoutReturned = "PAYOUT_RETURNED",
        /// Money that the central bank's return mechanism took back: of no sale, more than there
        /// was of a payment, or under the ID of another return.
        TakenBack = "TAKEN_BACK",
        /// A payment of a charge that another connection issued: both have the same account. The
        /// reference is that connection's name, and the payment is the first of them.
        OtherConnection = "OTHER_CONNECTION",
        /// A card charge whose end contradicts the stored one, or that was not made here.
        CardCharge = "CARD_CHARGE",
        /// A chargeback that is not about all that is left of a payment.
        Chargeback = "CHARGEBACK",
        /// A part of what an acquirer owes whose amount or day is not that of its receivable.
        Payable = "PAYABLE",
        /// A list whose pages do not end; the rest of its window is not read.
        EndlessList = "ENDLESS_LIST",
        /// A report of fraud about money that is of no sale.
        Infraction = "INFRACTION",
        /// The balance at the bank is not what the books have there.
        Balance = "BALANCE",
        /// An event that could not be booked, however often it was tried.
        NotTakenIn = "NOT_TAKEN_IN",
        /// An entry of a list or an answer that cannot be read.
        UnreadableEntry = "UNREADABLE_ENTRY",
    }
}

text_enum! {
    /// The status of a difference.
    pub enum Status as "DifferenceStatus" {
        /// Awaits an administrator.
        Open = "OPEN",
        /// Closed with a note.
        Resolved = "RESOLVED",
    }
}

/// A difference to be stored.
#[derive(Debug, Clone)]
pub struct NewDifference {
    pub connection: ConnectionId,
    pub kind: Kind,
    /// The provider's own name of it, by which it is stored once.
    pub reference: String,
    pub amount: Option<Cents>,
    pub details: Map<String, Value>,
    /// What its merchant is found by: the first that names one.
    pub about: Vec<About>,
}

/// What a difference is about, by which its merchant is found.
#[derive(Debug, Clone)]
pub enum About {
    /// A card charge, by our reference.
    Charge(String),
    /// The payment that a PIX paid, whatever it names.
    Pix(String),
    /// The payment of a PIX code.
    Txid(String),
    /// A withdrawal, a refund or a return, by its reference at the provider.
    Order(String),
}

/// A stored difference.
#[derive(Debug, Clone)]
pub struct Difference {
    pub id: DifferenceId,
    pub connection: ConnectionId,
    /// The connection's name.
    pub connection_name: String,
    pub kind: Kind,
    pub reference: String,
    pub amount: Option<Cents>,
    pub details: Map<String, Value>,
    /// Whose sale, refund or payout it is about, if that is known.
    pub merchant: Option<MerchantId>,
    pub status: Status,
    pub note: Option<String>,
    pub found_at: Timestamp,
    pub decided: Option<Decision>,
}

impl Difference {
    fn detail(&self, name: &str) -> Option<&str> {
        self.details.get(name)?.as_str()
    }
}

/// Which differences to list.
#[derive(Debug, Clone)]
pub struct Filter {
    pub page: Page,
    pub status: Option<Status>,
}

/// Stores a difference, unless it is known and as it was.
pub async fn note(app: &App, new: NewDifference) -> Result<()> {
    app.transact(async move |tx| insert(tx, &new).await).await
}

/// The same, in the caller's unit.
pub async fn insert(tx: &Tx, new: &NewDifference) -> Result<()> {
    let most = match new.kind {
        Kind::UnreadableEntry => Some(ENTRIES_MAX),
        Kind::Payable => Some(PAYABLES_MAX),
        _ => None,
    };
    if let Some(most) = most
        && store::count_open_of(tx, new.connection, new.kind).await? >= most
    {
        let (kind, reference) = (new.kind, new.reference.as_str());
        tracing::error!(%kind, reference, "too many entries wait for an administrator");
        return Ok(());
    }
    let owner = owner(tx, &new.about).await?;
    if store::insert(tx, new, owner).await? {
        let (kind, reference) = (new.kind, new.reference.clone());
        tx.once_committed(move || {
            tracing::error!(%kind, reference, "a connection reports what nothing explains");
        });
    } else if let Some(owner) = owner {
        store::name_owner(tx, (new.connection, new.kind, &new.reference), owner).await?;
    }
    Ok(())
}

/// The same about money of a PIX: nothing is decided about that meanwhile.
pub async fn insert_about_money(
    tx: &Tx,
    (provider, end_to_end_id): (&str, &str),
    new: &NewDifference,
) -> Result<()> {
    taken_back::lock_money(tx, provider, end_to_end_id).await?;
    insert(tx, new).await
}

/// The merchant of what a difference is about.
async fn owner(tx: &Tx, about: &[About]) -> Result<Option<MerchantId>> {
    for about in about {
        let found = match about {
            About::Charge(reference) => owners::of_charge(tx, reference).await?,
            About::Pix(end_to_end_id) => owners::of_pix(tx, end_to_end_id).await?,
            About::Txid(txid) => owners::of_txid(tx, txid).await?,
            About::Order(reference) => match owners::of_order(tx, reference).await? {
                None => withdrawals::owner(tx, reference).await?,
                found => found,
            },
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Closes a difference that explains itself, if it is open; its amount becomes that of `left`, if
/// there is one.
pub async fn close(
    tx: &Tx,
    difference: (ConnectionId, Kind, &str),
    left: Option<Cents>,
    note: &str,
) -> Result<()> {
    store::close(tx, difference, left, note).await
}

/// The difference of a kind and a name, open or not.
pub async fn find_named(
    tx: &Tx,
    difference: (ConnectionId, Kind, &str),
) -> Result<Option<Difference>> {
    store::find_named(tx, difference).await
}

/// The difference of a connection's balance, open or not, locked until the unit ends.
pub async fn lock_balance(tx: &Tx, of: ConnectionId) -> Result<Option<Difference>> {
    store::lock_named(tx, of, Kind::Balance, BALANCE).await
}

/// The differences of all connections' balances, open or not.
pub async fn balances(tx: &Tx) -> Result<Vec<Difference>> {
    store::of_kind(tx, Kind::Balance).await
}

/// Lists differences, newest first.
pub async fn list(tx: &Tx, filter: &Filter) -> Result<Listed<Difference>> {
    let rows = store::list(tx, filter).await?;
    let total = store::count(tx, filter.status).await?;
    Ok(filter.page.listed(rows, total, |difference| difference.id.0))
}

/// Counts those that await an administrator.
pub async fn count_open(tx: &Tx) -> Result<i64> {
    store::count(tx, Some(Status::Open)).await
}

/// Finds a difference.
pub async fn show(tx: &Tx, id: DifferenceId) -> Result<Difference> {
    store::find(tx, id).await?.ok_or_else(missing)
}

/// Closes a difference with a note; repeating it is not an error. No administrator closes one about
/// their own sale, refund or payout, or about a sale that they earn on.
///
/// What was taken back or refunded of money that awaits a decision is booked once, by a repetition,
/// too: an earlier version closed the difference alone.
pub async fn resolve(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    id: DifferenceId,
    note: &str,
) -> Result<Difference> {
    // What it is about is locked first, as where it is stored.
    let sale = sale_of(tx, &show(tx, id).await?).await?;
    let before = store::lock(tx, id).await?.ok_or_else(missing)?;
    let is_closed = before.status == Status::Resolved;
    if is_closed && !matches!(before.kind, Kind::TakenBack | Kind::UnknownRefund) {
        return Ok(before);
    }
    // What its PIX paid may be known only since it was found.
    let pix = before.details.get(END_TO_END_ID).and_then(Value::as_str);
    let about: Vec<_> = pix.map(|pix| About::Pix(pix.to_owned())).into_iter().collect();
    let merchant = before.merchant.or(owner(tx, &about).await?);
    let merchant = merchant.unwrap_or(Scope::platform(Mode::Production).merchant);
    let decided = Decision::about(merchant, by, tx.now())?;
    if let Some((scope, of)) = sale {
        decide_about(tx, scope, of, by).await?;
    }
    let decided = decided.or_else(|| Some(Decision::by_server(tx.now())));
    book_what_left(tx, terms, by, &before).await?;
    if is_closed {
        return Ok(before);
    }
    let resolved =
        Difference { status: Status::Resolved, note: Some(note.to_owned()), decided, ..before };
    store::resolve(tx, &resolved).await?;
    let entry = Entry::about(Action::DifferenceResolved, None).in_mode(Mode::Production).on(id.0);
    audit::record(tx, by, entry).await?;
    Ok(resolved)
}

/// The sale that a difference is about, if that is known; the money of a PIX is locked.
async fn sale_of(tx: &Tx, found: &Difference) -> Result<Option<(Scope, TransactionId)>> {
    if let Some(pix) = found.detail(END_TO_END_ID) {
        return taken_back::lock_money(tx, &found.connection_name, pix).await;
    }
    owners::sale_of(tx, found.detail(REFERENCE).unwrap_or(&found.reference)).await
}

/// Books what was taken back or refunded of money that awaits a decision.
async fn book_what_left(
    tx: &Tx,
    terms: &PaymentTerms,
    by: &ActorContext,
    found: &Difference,
) -> Result<()> {
    let Some((pix, amount)) = found.detail(END_TO_END_ID).zip(found.amount) else {
        return Ok(());
    };
    let provider = &found.connection_name;
    // On the heap, as it is rare.
    match found.kind {
        Kind::TakenBack => {
            let taken = (pix, &*found.reference);
            Box::pin(taken_back::take_found(tx, terms, by, provider, taken, amount)).await
        }
        Kind::UnknownRefund => {
            let rail_id = found.detail(STATE).and_then(|state| state.strip_prefix(DONE));
            let Some(rail_id) = rail_id else { return Ok(()) };
            // Its name is that of its PIX, and then the bank's of the order.
            let order = found.reference.strip_prefix(pix).unwrap_or_default().trim_start();
            let refund = FoundRefund { end_to_end_id: pix, order, rail_id, amount };
            Box::pin(taken_back::refund_found(tx, terms, by, provider, &refund)).await
        }
        _ => Ok(()),
    }
}

/// Blanks entries that were kept as they came long ago; returns how many.
pub async fn blank_entries(tx: &Tx, most: i64) -> Result<u64> {
    store::blank_details(tx, AS_THEY_CAME, tx.now().minus(ENTRIES_KEPT), most).await
}

/// Reports how many await an administrator.
pub async fn measure(tx: &Tx) -> Result<()> {
    telemetry::differences(store::count(tx, Some(Status::Open)).await?);
    Ok(())
}

fn missing() -> Error {
    Error::NotFound("Difference")
}

impl NewDifference {
    pub fn new(connection: ConnectionId, kind: Kind, reference: String) -> Self {
        Self { connection, kind, reference, amount: None, details: Map::new(), about: Vec::new() }
    }

    /// Says which card charge it is about, by our reference.
    #[must_use]
    pub fn about_charge(self, reference: &str) -> Self {
        self.about(Some(About::Charge(reference.to_owned())))
    }

    /// Says which PIX it is about, and of which payment that is: the one that it paid or else, by
    /// the txid of its PIX code, the one that it names, if it names one.
    #[must_use]
    pub fn about_pix(self, end_to_end_id: &str, txid: Option<&str>) -> Self {
        self.about(Some(About::Pix(end_to_end_id.to_owned())))
            .about(txid.map(|txid| About::Txid(txid.to_owned())))
            .with(END_TO_END_ID, end_to_end_id)
    }

    /// Says which withdrawal, refund or return it is about, by its reference at the provider, if
    /// the provider names one.
    #[must_use]
    pub fn about_order(self, reference: Option<&str>) -> Self {
        self.about(reference.map(|reference| About::Order(reference.to_owned())))
    }

    fn about(mut self, about: Option<About>) -> Self {
        self.about.extend(about);
        self
    }

    /// Sets the amount of money that it is about.
    #[must_use]
    pub fn of(self, amount: Cents) -> Self {
        Self { amount: Some(amount), ..self }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}
