//! Defines what "paid" means, from top to bottom.

use db::tx::Tx;
use db::value::Row;
use futures_util::future::try_join4;
use ledger::cents::Cents;

use crate::affiliates::commissions::{self, NewCommission};
use crate::books::chart::AccountKind;
use crate::books::movements::Movement;
use crate::books::{self, LockedAccounts};
use crate::carts;
use crate::coupons;
use crate::events::names::Name;
use crate::first_steps::{self, Step};
use crate::mail;
use crate::mail::content::Content;
use crate::payment_links::{self, PaymentLink};
use crate::platform::error::Result;
use crate::platform::ids::{PaymentLinkId, Scope};
use crate::products::{self, Item};
use crate::receivables::{self, NewReceivable};
use crate::referrals;
use crate::transactions::events::{CouponUsed, PaymentLinkPaid, TransactionPaid};
use crate::transactions::incoming_payment::{IncomingPayment, Rail};
use crate::transactions::jobs::Expire;
use crate::transactions::refunds;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::view::TransactionView;
use crate::transactions::{CHANGED, Transaction, store, subscriber};
use crate::webhooks;

/// Refund reason: what the payment is for is no longer available.
const SOLD_OUT: &str = "It was sold out before the payment arrived.";
/// Refund reason: the subscription owes nothing any more.
const OVER: &str = "The subscription owed nothing any more.";

/// The result of counting a sale.
struct Sale {
    link: Option<PaymentLink>,
    /// The payment came late, and what it pays for was no longer available.
    oversold: bool,
}

/// When the merchant's accounts are locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountLocks {
    /// Right behind the link, if the payment itself locks nothing in between: it leads to no sale
    /// of a referral and to no cart, as the unit has read.
    BehindLink,
    /// After everything else.
    Last,
}

/// What a payment that was paid means for its merchant.
pub struct Seller {
    was_invited: bool,
    /// Who opened the account wants a mail about each payment.
    wants_mails: bool,
    /// It is the first one of the account in its mode.
    is_first_step: bool,
}

/// Records that a payment was paid in full.
///
/// The caller has checked that the status allows it; the row count checks it again. Every unit
/// locks rows in the same order, to avoid deadlocks: the payment, its link, products and coupon,
/// the commission, the referral, the cart, the receivables, and the accounts last. The link's row
/// comes this early because what follows depends on its answer, and a trip less is worth more than
/// a row that is free for longer: in a lane the units of a merchant take turns anyway.
pub async fn confirm(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    before: &Transaction,
    incoming: &IncomingPayment,
    locks: AccountLocks,
) -> Result<Transaction> {
    let late = !matches!(before.status, Status::Pending | Status::Processing);
    let fee = terms.fees.of(before.method).on(before.amount)?;
    let paid = Transaction {
        version: before.version + 1,
        status: Status::Paid,
        paid: Some(before.amount),
        fee,
        paid_late: late,
        failure_reason: None,
        paid_at: Some(scope.now(tx)),
        updated_at: scope.now(tx),
        ..before.clone().with_payment_id(incoming)
    };
    // In one trip to a database server.
    let (seller, Sale { link, oversold }, (), locked) = try_join4(
        mark_paid(tx, scope, before, &paid),
        count_sale(tx, scope, &paid),
        webhooks::know_subscribers(tx, scope),
        lock_accounts(tx, scope, &paid, (incoming.rail, locks)),
    )
    .await?;
    let oversold = oversold || !subscriber::extend(tx, scope, terms, &paid).await?;
    if oversold {
        store::mark_oversold(tx, scope, paid.id).await?;
    }
    let paid = Transaction { oversold, paid_late: late || oversold, ..paid };
    let commission = open_commission(tx, scope, terms, &paid).await?;
    if seller.was_invited && !paid.amount.is_zero() {
        let returnable = refunds::window(paid.method);
        referrals::sales::count(tx, scope, paid.id, paid.amount, returnable).await?;
    }
    let bought = link.as_ref().filter(|_| !oversold);
    let recovered = carts::recover_paid(tx, scope, bought, &paid.customer.email, paid.id).await?;
    let share = commission.as_ref().map(NewCommission::share);
    let taken = share.map_or(Cents::ZERO, |share| share.amount);
    let parts = settlement(&paid, incoming.rail, taken)?;
    receivables::open(tx, scope, paid.id, &parts).await?;
    let (of, amount, settled) = (paid.id, paid.amount, parts.is_empty());
    let captured = Movement::payment_captured(of, scope, amount, fee, settled, share);
    let balance = books::record_then_balance(tx, captured, scope, locked).await?;
    if let Some(at) = before.expires_at.filter(|_| !late) {
        queue::job::cancel_with_rows::<Expire>(tx, paid.id.0, scope.due(at).at).await?;
    }
    tx.notify(CHANGED, paid.id.0);
    publish_paid(tx, scope, terms, &paid, link.as_ref()).await?;
    if !amount.is_zero() {
        books::emit_balance(tx, scope, balance, Name::TransactionPaid.text()).await?;
    }
    if let Some(link) = &link {
        let addresses = terms.cart_addresses();
        carts::publish_recovered(tx, scope, &addresses, link, &recovered).await?;
    }
    if let Some(earned) = &commission {
        earned.publish(tx, scope).await?;
    }
    seller.note(tx, scope, &paid).await?;
    if !oversold {
        return Ok(paid);
    }
    let why = if paid.period.is_some() { OVER } else { SOLD_OUT };
    refunds::request::refund_oversold(tx, scope, paid, why).await
}

impl Seller {
    /// Notes the account's first payment, and mails a payment to an owner who wants that.
    async fn note(&self, tx: &Tx, scope: Scope, paid: &Transaction) -> Result<()> {
        if self.is_first_step {
            first_steps::note(tx, scope.merchant, scope.mode, Step::Payment).await?;
        }
        if !self.wants_mails || paid.oversold || paid.amount.is_zero() {
            return Ok(());
        }
        let content = Content::PaymentReceived { amount_cents: paid.amount.get() };
        // On the heap, as few owners want it.
        Box::pin(mail::write_to_owner(tx, scope, paid.id.0, content)).await
    }

    /// Reads the subqueries about the merchant.
    pub fn read(mut row: Row) -> Result<Self> {
        let was_invited = row.take()?;
        let wants_mails = row.take::<Option<bool>>()?.unwrap_or_default();
        // An account from before the steps were kept has no row.
        let is_first_step = row.take::<Option<bool>>()?.unwrap_or_default();
        Ok(Self { was_invited, wants_mails, is_first_step })
    }
}

/// Stores the payment as paid; returns what it means for the seller.
async fn mark_paid(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    paid: &Transaction,
) -> Result<Seller> {
    let marked = store::mark_paid(tx, scope, before, paid).await?;
    let changed = || tx.collision("the payment changed while it was being confirmed");
    Ok(marked.ok_or_else(changed)?)
}

/// Locks the accounts right behind the link, if the payment locks nothing in between: they are the
/// last here, too, and a database server is not asked once more.
///
/// A cart that comes meanwhile is locked after them; at worst one of two units is run again.
async fn lock_accounts(
    tx: &Tx,
    scope: Scope,
    paid: &Transaction,
    (rail, locks): (Rail, AccountLocks),
) -> Result<Option<LockedAccounts>> {
    let is_next = locks == AccountLocks::BehindLink
        && rail == Rail::Pix
        && !paid.paid_late
        && paid.items.is_empty()
        && paid.period.is_none()
        && paid.affiliate_code.is_none();
    if is_next { Ok(Some(books::lock_ahead(tx, scope).await?)) } else { Ok(None) }
}

/// The affiliate's commission on the payment; one that is refunded at once earns nothing.
async fn open_commission(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    paid: &Transaction,
) -> Result<Option<NewCommission>> {
    if paid.affiliate_code.is_none() || paid.oversold {
        return Ok(None);
    }
    let available = books::held(tx, scope, AccountKind::Available).await?;
    let debt = Cents::ZERO.minus(available).unwrap_or(Cents::ZERO).max(Cents::ZERO);
    let sale = commissions::Sale {
        transaction: paid.id,
        amount: paid.amount,
        share: paid.amount.minus(paid.fee).unwrap_or(Cents::ZERO),
        debt,
        method: paid.method.name(),
        available_at: scope.now(tx).plus(terms.hold_periods.of(paid.method)),
    };
    commissions::open(tx, scope, &sale).await
}

/// When each part of a payment settles to the merchant; empty where it settles at once.
fn settlement(paid: &Transaction, rail: Rail, commission: Cents) -> Result<Vec<NewReceivable>> {
    let paid_at = paid.paid_at.unwrap_or(paid.updated_at);
    match rail {
        Rail::Pix | Rail::Free => Ok(Vec::new()),
        Rail::Boleto => {
            let due_at = receivables::after_boleto(paid_at);
            receivables::parts(&[(due_at, paid.amount)], paid.fee, commission)
        }
        Rail::Card => {
            let count = usize::try_from(paid.installments).unwrap_or(1);
            let amounts = paid.amount.split(count).unwrap_or_default();
            let days = (1..).map(|number| receivables::after_card(paid_at, number));
            receivables::parts(&days.zip(amounts).collect::<Vec<_>>(), paid.fee, commission)
        }
    }
}

/// Counts the sale and turns the payment's reservations into sold stock.
///
/// The link is locked before the products, here as everywhere, to avoid deadlocks.
async fn count_sale(tx: &Tx, scope: Scope, paid: &Transaction) -> Result<Sale> {
    let link = paid.link.as_ref().map(|link| link.id);
    if paid.paid_late {
        let oversold = !take_unreserved(tx, scope, link, &paid.items).await?;
        let link = match link {
            Some(id) => Some(payment_links::count_late_sale(tx, scope, id).await?),
            None => None,
        };
        return Ok(Sale { link, oversold });
    }
    let link = match link {
        Some(id) => Some(payment_links::count_sale(tx, scope, id).await?),
        None => None,
    };
    products::take_reserved(tx, scope, &paid.items).await?;
    Ok(Sale { link, oversold: false })
}

/// Takes stock that is no longer reserved for a payment: all of it or, if not all is left, none.
async fn take_unreserved(
    tx: &Tx,
    scope: Scope,
    link: Option<PaymentLinkId>,
    items: &[Item],
) -> Result<bool> {
    if let Some(link) = link
        && !payment_links::take_unreserved(tx, scope, link).await?
    {
        return Ok(false);
    }
    let taken = products::take_unreserved(tx, scope, items).await?;
    if let Some(link) = link.filter(|_| !taken) {
        payment_links::restock(tx, scope, link).await?;
    }
    Ok(taken)
}

async fn publish_paid(
    tx: &Tx,
    scope: Scope,
    terms: &PaymentTerms,
    paid: &Transaction,
    link: Option<&PaymentLink>,
) -> Result<()> {
    let transaction = Box::new(TransactionView::new(terms, scope, paid));
    let customer = transaction.customer.clone();
    let event = TransactionPaid {
        transaction: transaction.clone(),
        customer: customer.clone(),
        payment_link: paid.link.clone(),
    };
    webhooks::publish(tx, scope, paid.version, &event).await?;
    if let Some(link) = link {
        let payment_link = payment_links::payload(tx, scope, &terms.checkout_url, link).await?;
        let transaction = transaction.clone();
        let event = PaymentLinkPaid { payment_link, transaction, customer };
        webhooks::publish(tx, scope, link.version, &event).await?;
    }
    if paid.coupon_code.is_none() {
        return Ok(());
    }
    coupons::uses::record_redemption(tx, scope, paid.id, |coupon, discount_amount| CouponUsed {
        coupon,
        transaction,
        discount_amount,
    })
    .await
}
