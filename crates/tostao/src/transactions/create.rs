//! Issuing a payment.
//!
//! The bank is asked before the unit, for a charge that nobody has seen yet: if the unit is not
//! kept, a code exists that no buyer was ever shown, and it expires by itself. So one unit holds
//! everything that matters, and no network is waited for inside it.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::app::{App, hex};
use crate::clients::{self, Customer};
use crate::error::{Error, Refusal, Result};
use crate::events::names::Name;
use crate::events::payloads::LinkReference;
use crate::http::idempotency::{Replayable, Ticket};
use crate::http::reply::Answer;
use crate::ids::{PaymentLinkId, ProductId, Scope, TransactionId};
use crate::merchants;
use crate::payment_links::{self, PaymentLink};
use crate::products::{self, Item, items};
use crate::providers::ProviderError;
use crate::providers::pix::PixOrder;
use crate::transactions::intake::SECONDS_TO_PAY;
use crate::transactions::jobs::Expire;
use crate::transactions::status::Status;
use crate::transactions::terms::Terms;
use crate::transactions::{Address, Method, Pix, Transaction, announce, store};

/// A price may change between asking the bank and the unit; then the bank is asked again.
const TRIES_MAX: u32 = 3;

/// What is being paid for.
#[derive(Debug, Clone)]
pub enum Purpose {
    Amount(Cents),
    Items(Vec<(ProductId, i64)>),
    Link(PaymentLinkId),
}

/// A payment to be issued, checked.
#[derive(Debug, Clone)]
pub struct NewTransaction {
    pub purpose: Purpose,
    pub method: Method,
    pub customer: Customer,
    pub address: Option<Address>,
    pub seconds_to_pay: i64,
    pub external_id: Option<String>,
    pub metadata: serde_json::Value,
}

/// What a payment comes to.
#[derive(Debug, Clone)]
struct Quote {
    amount: Cents,
    items: Vec<Item>,
    link: Option<PaymentLink>,
}

/// What the bank issued.
#[derive(Debug, Clone)]
struct Issued {
    provider: &'static str,
    amount: Cents,
    pix: Pix,
}

/// Issues a payment and answers with what `reply` makes of it.
///
/// `prepare` makes of the code what the reply needs and a unit must not wait for, such as a
/// drawing.
pub async fn create<A, P>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
    prepare: impl Fn(&str) -> Result<P>,
    reply: impl Fn(&Terms, Scope, &Transaction, &P) -> Result<A> + Clone + Send + 'static,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
    P: Send + 'static,
{
    if let Some(answer) = app.replay(ticket.clone()).await? {
        return Ok(answer);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let issued = match issue(app, scope, &new).await {
            Ok(issued) => issued,
            Err(refusal) => return app.refuse_once(ticket, refusal).await,
        };
        let prepared = prepare(&issued.pix.code)?;
        let (terms, new, reply) = (app.terms.clone(), new.clone(), reply.clone());
        let outcome = app.transact_once(ticket.clone(), async move |tx| {
            let transaction = insert(tx, scope, &terms, &new, &issued).await?;
            reply(&terms, scope, &transaction, &prepared)
        });
        match outcome.await {
            Err(Error::Refused(Refusal::ConcurrentUpdate, _)) if tries < TRIES_MAX => {}
            outcome => return outcome,
        }
    }
}

/// Prices the payment and asks the bank for its code.
async fn issue(app: &App, scope: Scope, new: &NewTransaction) -> Result<Issued> {
    let purpose = new.purpose.clone();
    let (quote, merchant_name) = app
        .read(async move |tx| {
            let quote = quote(tx, scope, &purpose).await?;
            Ok((quote, merchants::find(tx, scope.merchant).await?.name))
        })
        .await?;
    quote.expect_method(new.method)?;
    let provider = app.providers.pix(scope.mode)?;
    let order = PixOrder {
        txid: hex(app.database.sources().new_id(app.now()).as_bytes()),
        amount: quote.amount,
        merchant_name,
        seconds_to_pay: new.seconds_to_pay,
    };
    let code = provider.issue(&order).await.map_err(|error| refused(&error))?;
    let pix = Pix { txid: order.txid, code, end_to_end_id: None };
    Ok(Issued { provider: provider.name(), amount: quote.amount, pix })
}

/// A bank that said no says it again; one that did not answer may yet.
fn refused(error: &ProviderError) -> Error {
    if let ProviderError::Refused(_) = error {
        tracing::warn!("{error}");
        let message = "The bank refused this charge. Nothing was changed.";
        return Error::refused(Refusal::ChargeRefused, message);
    }
    Error::Unavailable(format!("the PIX provider issued no code: {error}"))
}

async fn quote(tx: &Tx, scope: Scope, purpose: &Purpose) -> Result<Quote> {
    match purpose {
        Purpose::Amount(amount) => Ok(Quote { amount: *amount, items: Vec::new(), link: None }),
        Purpose::Items(wanted) => {
            let items = products::for_sale(tx, scope, wanted).await?;
            Ok(Quote { amount: items::total("items", &items)?, items, link: None })
        }
        Purpose::Link(id) => {
            let link = payment_links::find(tx, scope, *id).await?;
            link.expect_usable()?;
            let (amount, items) = payment_links::price(tx, scope, &link).await?;
            Ok(Quote { amount, items, link: Some(link) })
        }
    }
}

impl NewTransaction {
    /// The same purchase once more, with as much time, for a buyer whose code expired.
    pub fn again(old: &Transaction) -> Self {
        let purpose = match &old.link {
            Some(link) => Purpose::Link(link.id),
            None if old.items.is_empty() => Purpose::Amount(old.amount),
            None => Purpose::Items(old.items.iter().map(|i| (i.product, i.quantity)).collect()),
        };
        Self {
            purpose,
            method: old.method,
            customer: old.customer.clone(),
            address: old.address.clone(),
            seconds_to_pay: old.seconds_to_pay().unwrap_or(SECONDS_TO_PAY),
            external_id: old.external_id.clone(),
            metadata: old.metadata.clone(),
        }
    }
}

impl Quote {
    fn expect_method(&self, method: Method) -> Result<()> {
        let enabled = match (&self.link, method) {
            (None, _) => true,
            (Some(link), Method::Pix) => link.settings.pix_enabled,
        };
        if enabled {
            return Ok(());
        }
        let message = format!("This link does not take {}.", method.name());
        Err(Error::refused(Refusal::PaymentMethodDisabled, message))
    }
}

/// Writes the payment down with everything that follows from it.
async fn insert(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<Transaction> {
    let quote = quote(tx, scope, &new.purpose).await?;
    quote.expect_method(new.method)?;
    if quote.amount != issued.amount {
        let message = "The price changed meanwhile. Try again.";
        return Err(Error::refused(Refusal::ConcurrentUpdate, message));
    }
    if let Some(link) = &quote.link {
        payment_links::count_use(tx, scope, link.id).await?;
    }
    products::reserve(tx, scope, &quote.items).await?;
    let client = clients::recognise(tx, scope, &new.customer).await?;
    let id = TransactionId::new(tx);
    let expires_at = scope.now(tx).plus(seconds(new.seconds_to_pay));
    let transaction = Transaction {
        id,
        version: 1,
        status: Status::Pending,
        method: new.method,
        external_id: new.external_id.clone(),
        link: quote.link.map(|link| LinkReference { id: link.id, slug: link.slug }),
        items: quote.items,
        client,
        customer: new.customer.clone(),
        address: new.address.clone(),
        amount: quote.amount,
        paid: None,
        refunded: Cents::ZERO,
        discount: Cents::ZERO,
        interest: Cents::ZERO,
        fee: Cents::ZERO,
        installments: 1,
        provider: issued.provider.to_owned(),
        pix: Some(issued.pix.clone()),
        paid_late: false,
        oversold: false,
        unmatched: Cents::ZERO,
        failure_reason: None,
        metadata: new.metadata.clone(),
        created_at: scope.now(tx),
        updated_at: scope.now(tx),
        expires_at: Some(expires_at),
        paid_at: None,
        cancelled_at: None,
        expired_at: None,
    };
    store::insert(tx, scope, &transaction).await?;
    push_expiry(tx, scope, id, expires_at).await?;
    announce(tx, scope, terms, Name::TransactionCreated, &transaction).await?;
    Ok(transaction)
}

async fn push_expiry(tx: &Tx, scope: Scope, id: TransactionId, at: Timestamp) -> Result<()> {
    let job = Expire { merchant: scope.merchant, mode: scope.mode, id };
    Ok(queue::job::push(tx, id.0, scope.due(at), &job).await?)
}

fn seconds(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0))
}
