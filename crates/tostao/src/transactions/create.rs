//! Issues a payment.
//!
//! `issue` calls the bank first; then one unit stores the payment with all its consequences. A card
//! is charged in two units, because its acquirer is called in between: see `charge`.

use std::time::Duration;

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use db::tx::Tx;
use jiff::civil::Date;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::affiliates::attribution::{self, Attribution, Buyer};
use crate::affiliates::terms::Order;
use crate::app::App;
use crate::clients::{self, Customer};
use crate::coupons;
use crate::coupons::uses::Identity;
use crate::events::names::Name;
use crate::idempotency::{Claim, Replayable, Ticket};
use crate::payment_links;
use crate::payment_links::events::LinkReference;
use crate::platform::error::{Error, Refusal, Result};
use crate::platform::http::reply::Answer;
use crate::platform::ids::{ClientId, Scope, TransactionId};
use crate::products;
use crate::providers::card::StoredCard;
use crate::subscriptions;
use crate::subscriptions::charges::PeriodCharge;
use crate::transactions::arrival::{Arrival, Rail};
use crate::transactions::close::replace;
use crate::transactions::confirm::confirm;
use crate::transactions::intake::SECONDS_TO_PAY;
use crate::transactions::issue::{Issued, issue, slip_expiry};
use crate::transactions::jobs::Expire;
use crate::transactions::quote::{Purpose, Quote, quote};
use crate::transactions::status::Status;
use crate::transactions::terms::Terms;
use crate::transactions::{Address, Method, PaymentMethod, Transaction, announce, charge, store};

/// A price may change between the call to the bank and the unit; then the bank is called again.
const TRIES_MAX: u32 = 3;

/// The payment method with its parameters.
#[derive(Debug, Clone)]
pub enum Means {
    Pix {
        seconds_to_pay: i64,
    },
    Boleto {
        due_on: Date,
    },
    Card {
        /// `None` where a coupon may leave nothing to pay.
        token: Option<String>,
        installments: u8,
    },
    /// A stored card, charged at once.
    Stored(Box<StoredCard>),
}

/// A validated payment request.
#[derive(Debug, Clone)]
pub struct NewTransaction {
    pub purpose: Purpose,
    pub means: Means,
    pub customer: Customer,
    pub address: Option<Address>,
    pub coupon_code: Option<String>,
    /// Candidates for the attribution to an affiliate; without any, nothing is looked up.
    pub attribution: Option<Attribution>,
    pub external_id: Option<String>,
    pub metadata: serde_json::Value,
    /// The payment that this one replaces: the unit that stores this one cancels it, so the buyer
    /// always has one that they can pay.
    pub replaces: Option<TransactionId>,
}

/// Builds the response about a payment.
pub trait Reply<A>: Fn(&Terms, Scope, &Transaction) -> A + Clone + Send + 'static {}

impl<A, F> Reply<A> for F where F: Fn(&Terms, Scope, &Transaction) -> A + Clone + Send + 'static {}

/// Issues a payment and responds with what `reply` makes of it.
pub async fn create<A>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: NewTransaction,
    reply: impl Reply<A>,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
{
    if let Some(answer) = known(app, scope, ticket.as_ref(), reply.clone()).await? {
        return Ok(answer);
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let issued = match issue(app, scope, &new).await {
            Ok(issued) => issued,
            Err(refusal) => {
                // A concurrent request with the same key may have started meanwhile and used the
                // card's token.
                let answer = known(app, scope, ticket.as_ref(), reply).await?;
                return match answer {
                    Some(answer) => Ok(answer),
                    None => app.refuse_once(ticket, refusal).await,
                };
            }
        };
        let outcome = if issued.card.is_some() {
            charge::charge(app, scope, ticket.clone(), &new, issued, reply.clone()).await
        } else {
            write_down(app, scope, ticket.clone(), &new, issued, reply.clone()).await
        };
        match outcome {
            Err(Error::Refused(Refusal::ConcurrentUpdate, _)) if tries < TRIES_MAX => {}
            outcome => return outcome,
        }
    }
}

/// The stored or pending response to the same request.
async fn known<A>(
    app: &App,
    scope: Scope,
    ticket: Option<&Ticket>,
    reply: impl Reply<A>,
) -> Result<Option<Replayable<A>>>
where
    A: Answer + Send + 'static,
{
    match app.claim(ticket.cloned()).await? {
        Claim::Free => Ok(None),
        Claim::Answered(answer) => Ok(Some(answer)),
        Claim::Running(id) => {
            let id = TransactionId(id);
            charge::join(app, scope, ticket.cloned(), id, reply).await.map(Some)
        }
    }
}

async fn write_down<A>(
    app: &App,
    scope: Scope,
    ticket: Option<Ticket>,
    new: &NewTransaction,
    issued: Issued,
    reply: impl Reply<A>,
) -> Result<Replayable<A>>
where
    A: Answer + Send + 'static,
{
    let (terms, new) = (Terms::of(app), new.clone());
    app.transact_once(ticket, async move |tx| {
        let transaction = insert(tx, scope, &terms, &new, &issued).await?;
        Ok(reply(&terms, scope, &transaction))
    })
    .await
}

impl NewTransaction {
    /// The same purchase again, with as much time to pay, for a buyer whose payment ended unpaid;
    /// `today` is the date in São Paulo.
    pub fn again(old: &Transaction, today: Date) -> Self {
        let purpose = match &old.link {
            Some(link) => Purpose::Link(link.id),
            None if old.items.is_empty() => Purpose::Amount(old.amount),
            None => Purpose::Items(old.items.iter().map(|i| (i.product, i.quantity)).collect()),
        };
        Self {
            purpose,
            means: Means::again(old, today),
            customer: old.customer.clone(),
            address: old.address.clone(),
            coupon_code: old.coupon_code.clone(),
            attribution: old.affiliate_code.as_ref().map(|_| Attribution::Again(old.id)),
            external_id: old.external_id.clone(),
            metadata: old.metadata.clone(),
            replaces: None,
        }
    }
}

impl Means {
    /// The same method again; PIX instead of a card, because a card token is valid for one charge.
    fn again(old: &Transaction, today: Date) -> Self {
        match &old.slip {
            Some(slip) => {
                let given = slip.due_on - sao_paulo_date(old.created_at.micros());
                Self::Boleto { due_on: today.checked_add(given).unwrap_or(today) }
            }
            None => Self::Pix { seconds_to_pay: old.seconds_to_pay().unwrap_or(SECONDS_TO_PAY) },
        }
    }

    /// The payment method.
    pub fn method(&self) -> PaymentMethod {
        match self {
            Self::Pix { .. } => PaymentMethod::Pix,
            Self::Boleto { .. } => PaymentMethod::Boleto,
            Self::Card { .. } | Self::Stored(_) => PaymentMethod::CreditCard,
        }
    }

    /// The deadline for paying; a card is charged at once.
    fn expires_at(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Pix { seconds_to_pay } => Some(now.plus(seconds(*seconds_to_pay))),
            Self::Boleto { due_on } => Some(slip_expiry(*due_on)),
            Self::Card { .. } | Self::Stored(_) => None,
        }
    }
}

/// Stores the payment with all its consequences.
pub async fn insert(
    tx: &Tx,
    scope: Scope,
    terms: &Terms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<Transaction> {
    if let Some(old) = new.replaces {
        replace(tx, scope, terms, old).await?;
    }
    let quote = quote(tx, scope, new).await?;
    if quote.amount != issued.amount {
        let message = "The price changed meanwhile. Try again.";
        return Err(Error::refused(Refusal::ConcurrentUpdate, message));
    }
    if let Some(link) = &quote.link {
        payment_links::count_use(tx, scope, link.id).await?;
    }
    products::reserve(tx, scope, &quote.items).await?;
    let discount = quote.discount.clone();
    // A subscription has its client: a renewal does not recreate a deleted one.
    let known = new.purpose.period().and_then(|charge| charge.client);
    let client = match known {
        Some(client) => client,
        None => clients::recognise(tx, scope, &new.customer).await?,
    };
    let id = TransactionId::new(tx);
    if let Purpose::Period(charge) = &new.purpose {
        let begun = subscriptions::charges::begin(tx, scope, charge, client, id);
        Box::pin(begun).await?;
    }
    let promise = match &new.attribution {
        Some(said) => {
            let Customer { document, email, .. } = &new.customer;
            let buyer = Buyer { document: document.as_ref(), email };
            attribution::decide(tx, scope, said, &quote.order(), buyer).await?
        }
        None => None,
    };
    let affiliate_code = promise.as_ref().map(|promise| promise.code.clone());
    let transaction =
        Transaction { client, affiliate_code, ..blank(id, scope.now(tx), new, quote, issued) };
    if let Some(discount) = &discount {
        let Customer { document, email, .. } = &transaction.customer;
        let card = transaction.card.as_ref().map(|card| card.fingerprint.as_str());
        let buyer = Identity::new(document.as_ref(), email, card);
        coupons::uses::reserve(tx, scope, discount, transaction.id, &buyer).await?;
    }
    store::insert(tx, scope, &transaction).await?;
    if let Some(promise) = &promise {
        attribution::record(tx, scope, transaction.id, promise).await?;
    }
    if let Some(at) = transaction.expires_at {
        push_expiry(tx, scope, transaction.id, at).await?;
    }
    match transaction.method {
        Method::CreditCard => Ok(transaction),
        Method::Free => {
            announce(tx, scope, terms, Name::TransactionCreated, &transaction).await?;
            let (name, amount, paid_at) = (String::new(), Cents::ZERO, scope.now(tx));
            let nothing = Arrival { rail: Rail::Free, name, amount, paid_at };
            confirm(tx, scope, terms, &transaction, &nothing).await
        }
        Method::Pix | Method::Boleto => {
            announce(tx, scope, terms, Name::TransactionCreated, &transaction).await?;
            Ok(transaction)
        }
    }
}

fn blank(
    id: TransactionId,
    now: Timestamp,
    new: &NewTransaction,
    quote: Quote,
    issued: &Issued,
) -> Transaction {
    let free = quote.amount.is_zero();
    let method = if free { Method::Free } else { new.means.method().into() };
    let processing = method == Method::CreditCard;
    Transaction {
        id,
        version: 1,
        status: if processing { Status::Processing } else { Status::Pending },
        method,
        external_id: new.external_id.clone(),
        link: quote.link.map(|link| LinkReference { id: link.id, slug: link.slug }),
        period: new.purpose.period().map(PeriodCharge::reference),
        description: new.purpose.period().map(|charge| charge.description.clone()),
        items: quote.items,
        client: ClientId(Uuid::nil()),
        customer: new.customer.clone(),
        address: new.address.clone(),
        amount: quote.amount,
        paid: None,
        refunding: Cents::ZERO,
        refunded: Cents::ZERO,
        discount: quote.discount.as_ref().map_or(Cents::ZERO, |discount| discount.amount),
        interest: quote.interest,
        fee: Cents::ZERO,
        installments: i64::try_from(quote.parts.len()).unwrap_or(1),
        coupon_code: quote.discount.map(|discount| discount.coupon.code),
        affiliate_code: None,
        provider: issued.provider.to_owned(),
        pix: issued.pix.clone(),
        slip: issued.slip.clone(),
        card: issued.card.clone(),
        paid_late: false,
        oversold: false,
        unmatched: Cents::ZERO,
        decline_code: None,
        failure_reason: None,
        metadata: new.metadata.clone(),
        created_at: now,
        updated_at: now,
        expires_at: new.means.expires_at(now).filter(|_| !free),
        paid_at: None,
        cancelled_at: None,
        expired_at: None,
        failed_at: None,
        refunded_at: None,
    }
}

impl Quote {
    /// The parts of the payment that may count towards a commission.
    fn order(&self) -> Order<'_> {
        let discount = self.discount.as_ref();
        Order {
            items: &self.items,
            product: None,
            price: self.price,
            discount: discount.map_or(Cents::ZERO, |discount| discount.amount),
            discounted: discount.map_or(&[], |discount| &discount.coupon.product_ids),
        }
    }
}

async fn push_expiry(tx: &Tx, scope: Scope, id: TransactionId, at: Timestamp) -> Result<()> {
    let job = Expire { merchant: scope.merchant, mode: scope.mode, id };
    Ok(queue::job::push(tx, id.0, scope.due(at), &job).await?)
}

fn seconds(count: i64) -> Duration {
    Duration::from_secs(u64::try_from(count).unwrap_or(0))
}
