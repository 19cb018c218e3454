//! Issues a payment.
//!
//! `issue` calls the bank first; then one unit stores the payment with all its consequences. A card
//! is charged in two units, because its acquirer is called in between: see `charge`.

use db::time::Timestamp;
use db::tx::Tx;
use futures_util::future::try_join3;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::affiliates::attribution::{self, Buyer};
use crate::affiliates::terms::Order;
use crate::app::App;
use crate::audit::ticket::note;
use crate::audit::{Action, ActorContext};
use crate::clients::{self, CustomerDetails};
use crate::coupons::uses::BuyerIdentity;
use crate::coupons::{self, Discount};
use crate::events::names::Name;
use crate::idempotency::dry_run::{Rehearsable, Rehearsal};
use crate::idempotency::{BeginOutcome, IdempotentOperation, Outcome};
use crate::payment_links;
use crate::payment_links::events::PaymentLinkReference;
use crate::platform::error::Result;
use crate::platform::ids::{ClientId, MerchantId, Scope, TransactionId};
use crate::products;
use crate::subscriptions;
use crate::subscriptions::charges::PeriodCharge;
use crate::transactions::boletos::making;
use crate::transactions::charge::PendingCharge;
use crate::transactions::close::replace;
use crate::transactions::confirm::{AccountLocks, confirm};
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::issue::{
    Issued, Priced, Unasked, issue_priced, issue_unasked, price_changed, priced,
};
use crate::transactions::jobs::Expire;
use crate::transactions::quote::{Quote, quote};
use crate::transactions::request::{ChargeFor, NewTransaction, PaymentInstrument};
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Method, Transaction, boletos, charge, publish_change, store};
use crate::webhooks;

/// Creates a payment, and charges the card that pays it.
#[derive(Debug, Clone)]
pub struct CreateTransaction {
    pub scope: Scope,
    pub new: NewTransaction,
    /// The person at a page, for the audit log.
    pub by: Option<ActorContext>,
}

impl IdempotentOperation for CreateTransaction {
    type Read = Priced;
    type Prepared = (PaymentTerms, Issued);
    type Started = PendingCharge;
    type Output = Transaction;

    fn merchant(&self) -> MerchantId {
        self.scope.merchant
    }

    async fn read(&self, tx: &Tx) -> Result<Priced> {
        priced(tx, self.scope, &self.new).await
    }

    async fn prepare(&self, app: &App, priced: Priced) -> Result<(PaymentTerms, Issued)> {
        let issued = issue_priced(app, self.scope, &self.new, priced).await?;
        Ok((PaymentTerms::of(app), issued))
    }

    async fn begin(
        &self,
        tx: &Tx,
        (terms, issued): &(PaymentTerms, Issued),
    ) -> Result<BeginOutcome<PendingCharge, Transaction>> {
        if issued.card.is_none() {
            let created = insert(tx, self.scope, terms, &self.new, issued).await?;
            self.note(tx, created.id).await?;
            return Ok(BeginOutcome::Ended(created));
        }
        let order = charge::begin(tx, self.scope, terms, &self.new, issued).await?;
        self.note(tx, order.transaction.id).await?;
        Ok(BeginOutcome::Started(order.transaction.id.0, order))
    }

    async fn finish(&self, app: &App, order: PendingCharge) -> Result<Outcome<Transaction>> {
        Ok(charged(charge::submit(app, self.scope, order).await?))
    }

    async fn resume(&self, app: &App, created: Uuid) -> Result<Option<Outcome<Transaction>>> {
        Ok(charge::decided(app, self.scope, TransactionId(created)).await?.map(charged))
    }
}

impl Rehearsable for CreateTransaction {
    type Known = Unasked;

    async fn rehearse(&self, tx: &Tx, known: &Unasked) -> Result<Rehearsal<Transaction>> {
        let Unasked { terms, providers } = known;
        let (scope, new) = (self.scope, &self.new);
        let issued = issue_unasked(tx, scope, new, providers).await?;
        let asks_provider = !issued.amount.is_zero();
        let is_card = matches!(new.instrument, PaymentInstrument::Card { .. });
        let output = if asks_provider && is_card {
            charge::begin(tx, scope, terms, new, &issued).await?.transaction
        } else {
            insert(tx, scope, terms, new, &issued).await?
        };
        Ok(Rehearsal { output, asks_provider })
    }
}

impl CreateTransaction {
    /// Notes who issued it.
    async fn note(&self, tx: &Tx, created: TransactionId) -> Result<()> {
        let action = Action::TransactionCreated;
        note(tx, self.scope, self.by.as_ref(), action, created.0).await
    }
}

/// The result of a card's charge.
fn charged(transaction: Transaction) -> Outcome<Transaction> {
    match transaction.status {
        Status::Failed => Outcome::Refused(transaction.declined()),
        Status::Processing => Outcome::Pending(transaction),
        _ => Outcome::Done(transaction),
    }
}

/// Stores the payment with all its consequences.
pub async fn insert(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<Transaction> {
    if let Some(old) = new.replaces {
        replace(tx, scope, terms, old).await?;
    }
    let (quote, client) = quote_and_client(tx, scope, new, issued).await?;
    if let Some(link) = &quote.link {
        payment_links::reserve_use(tx, scope, link).await?;
    }
    products::reserve(tx, scope, &quote.items).await?;
    let discount = quote.discount.clone();
    let id = TransactionId::new(tx);
    if let ChargeFor::Period(charge) = &new.charge_for {
        let begun = subscriptions::charges::begin(tx, scope, charge, client, id);
        Box::pin(begun).await?;
    }
    let commission_terms = match &new.attribution {
        Some(candidates) => {
            let CustomerDetails { document, email, .. } = &new.customer;
            let buyer = Buyer { document: document.as_ref(), email };
            attribution::decide(tx, scope, candidates, &quote.order(), buyer).await?
        }
        None => None,
    };
    let affiliate_code = commission_terms.as_ref().map(|terms| terms.code.clone());
    let transaction = Transaction {
        client,
        affiliate_code,
        ..new_transaction(id, scope.now(tx), new, quote, issued)
    };
    if let Some(discount) = &discount {
        reserve_coupon(tx, scope, discount, &transaction).await?;
    }
    boletos::take(tx, issued.boleto_order.as_ref()).await?;
    store::insert(tx, scope, &transaction).await?;
    if transaction.boleto.as_ref().is_some_and(|boleto| boleto.made.is_none()) {
        making::push(tx, scope, &transaction).await?;
    }
    if let Some(commission_terms) = &commission_terms {
        attribution::record(tx, scope, transaction.id, commission_terms).await?;
    }
    if let Some(at) = transaction.expires_at {
        push_expiry(tx, scope, transaction.id, at).await?;
    }
    if transaction.method == Method::CreditCard {
        return Ok(transaction);
    }
    publish_change(tx, scope, terms, Name::TransactionCreated, &transaction).await?;
    if transaction.method != Method::Free {
        return Ok(transaction);
    }
    let (payment_id, amount, paid_at) = (String::new(), Cents::ZERO, scope.now(tx));
    let nothing = IncomingPayment { rail: Rail::Free, payment_id, amount, paid_at };
    confirm(tx, scope, terms, &transaction, &nothing, AccountLocks::Last).await
}

/// Prices the payment and recognizes the buyer, in one trip to a database server.
async fn quote_and_client(
    tx: &Tx,
    scope: Scope,
    new: &NewTransaction,
    issued: &Issued,
) -> Result<(Quote, ClientId)> {
    let priced = async {
        let quote = quote(tx, scope, new).await?;
        if quote.amount == issued.amount { Ok(quote) } else { Err(price_changed()) }
    };
    // A subscription has its client: a renewal does not recreate a deleted one.
    let client = async {
        match new.charge_for.period().and_then(|charge| charge.client) {
            Some(client) => Ok(client),
            None => clients::recognize(tx, scope, &new.customer).await,
        }
    };
    // A card's charge publishes in its second unit.
    let publishes = issued.card.is_none();
    let known =
        async { if publishes { webhooks::know_subscribers(tx, scope).await } else { Ok(()) } };
    let (quote, client, ()) = try_join3(priced, client, known).await?;
    Ok((quote, client))
}

/// Reserves a use of the coupon for this buyer.
async fn reserve_coupon(
    tx: &Tx,
    scope: Scope,
    discount: &Discount,
    of: &Transaction,
) -> Result<()> {
    let CustomerDetails { document, email, .. } = &of.customer;
    let card = of.card.as_ref().map(|card| card.fingerprint.as_str());
    let buyer = BuyerIdentity::new(document.as_ref(), email, card);
    coupons::uses::reserve(tx, scope, discount, of.id, &buyer).await
}

fn new_transaction(
    id: TransactionId,
    now: Timestamp,
    new: &NewTransaction,
    quote: Quote,
    issued: &Issued,
) -> Transaction {
    let free = quote.amount.is_zero();
    let method = if free { Method::Free } else { new.instrument.method().into() };
    let processing = method == Method::CreditCard;
    Transaction {
        id,
        version: 1,
        status: if processing { Status::Processing } else { Status::Pending },
        method,
        external_id: new.external_id.clone(),
        link: quote.link.map(|link| PaymentLinkReference { id: link.id, slug: link.slug }),
        period: new.charge_for.period().map(PeriodCharge::reference),
        description: new.description(),
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
        provider: issued.provider.clone(),
        pix: issued.pix.clone(),
        boleto: issued.boleto.clone(),
        card: issued.card.clone(),
        paid_late: false,
        oversold: false,
        unmatched: Cents::ZERO,
        decline_code: None,
        failure_reason: None,
        metadata: new.metadata.clone(),
        created_at: now,
        updated_at: now,
        expires_at: new.instrument.expires_at(now).filter(|_| !free),
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
