//! The tables of payments.

use brazil::boleto::Barcode;
use brazil::card_brand::CardBrand;
use brazil::document::Document;
use db::args;
use db::tx::Tx;
use db::value::{Row, searchable};
use rails::card::DeclineCode;

use crate::clients::CustomerDetails;
use crate::merchants;
use crate::payment_links::events::PaymentLinkReference;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, PaymentLinkId, Scope, TransactionId};
use crate::store::{Sums, add_up, document, json, owners, summing};
use crate::subscriptions::charges::PeriodReference;
use crate::transactions::changes::{change, changed, count};
use crate::transactions::confirm::{AccountLocks, Seller};
use crate::transactions::{Boleto, Card, MadeBoleto, Pix, Transaction};

/// The columns of a payment, in the order in which `read` takes them.
macro_rules! payment_columns {
    () => {
        "id, version, status, method, external_id, payment_link_id, link_slug, items, client_id,
         customer_name, customer_email, customer_document, customer_phone, customer_address,
         amount_cents, paid_cents, refunding_cents, refunded_cents, discount_cents, interest_cents,
         fee_cents, installments, coupon_code, affiliate_code, provider, pix_txid, pix_code,
         end_to_end_id, slip_number, slip_barcode, slip_due_on, slip_payment_id, slip_bank_code,
         slip_reference, card_brand, card_last4, card_fingerprint, authorization_code, paid_late,
         oversold, unmatched_cents, decline_code, failure_reason, metadata, created_at, updated_at,
         expires_at, paid_at, cancelled_at, expired_at, failed_at, refunded_at, subscription_id,
         subscription_period_at, description"
    };
}

/// The end of a compare-and-set update: the payment as it was read, not changed meanwhile.
///
/// `$1` to `$7` are the parameters of [`changed`], the new version and status last.
macro_rules! if_unchanged {
    () => {
        " where merchant_id = $1 and mode = $2 and id = $3 and version = $4 and status = $5"
    };
}

pub(super) use {if_unchanged, payment_columns};

pub async fn insert(tx: &Tx, scope: Scope, new: &Transaction) -> Result<()> {
    let items = if new.items.is_empty() { None } else { Some(serde_json::to_string(&new.items)?) };
    tx.insert_row(
        "insert into transactions
                (merchant_id, mode, id, version, status, method, external_id, payment_link_id,
                 link_slug, items, client_id, customer_name, customer_email, customer_document,
                 customer_phone, customer_address, amount_cents, refunded_cents, discount_cents,
                 interest_cents, fee_cents, installments, coupon_code, provider, pix_txid,
                 pix_code, slip_number, slip_barcode, slip_due_on, card_brand, card_last4,
                 card_fingerprint, paid_late, metadata, created_at, updated_at, expires_at,
                 search_text, subscription_id, subscription_period_at, description, affiliate_code,
                 slip_bank_code, slip_reference)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34,
                 $35, $35, $36, $37, $38, $39, $40, $41, $42, $43)",
        args![
            scope.merchant,
            scope.mode,
            new.id,
            new.version,
            new.status.name(),
            new.method.name(),
            new.external_id,
            new.link.as_ref().map(|link| link.id),
            new.link.as_ref().map(|link| link.slug.as_str()),
            items,
            new.client,
            new.customer.name,
            new.customer.email,
            new.customer.document.as_ref().map(Document::as_str),
            new.customer.phone,
            new.address.as_ref().map(serde_json::to_string).transpose()?,
            new.amount,
            new.refunded,
            new.discount,
            new.interest,
            new.fee,
            new.installments,
            new.coupon_code,
            new.provider,
            new.pix.as_ref().map(|pix| pix.txid.as_str()),
            new.pix.as_ref().map(|pix| pix.code.as_str()),
            new.made_boleto().map(|made| made.number.as_str()),
            new.made_boleto().map(|made| made.barcode.as_str()),
            new.boleto.as_ref().map(|boleto| boleto.due_on.to_string()),
            new.card.as_ref().map(|card| card.brand.name()),
            new.card.as_ref().map(|card| card.last4.as_str()),
            new.card.as_ref().map(|card| card.fingerprint.as_str()),
            new.paid_late,
            new.metadata.to_string(),
            new.created_at,
            new.expires_at,
            search_text(new),
            new.period.map(|period| period.subscription),
            new.period.map(|period| period.starts_at),
            new.description,
            new.affiliate_code,
            new.boleto.as_ref().map(|boleto| boleto.bank_code.as_str()),
            new.boleto.as_ref().and_then(|boleto| boleto.reference.as_deref()),
        ],
    )
    .await?;
    count(tx, new);
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, id: TransactionId) -> Result<Option<Transaction>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                payment_columns!(),
                " from transactions
                 where merchant_id = $1 and mode = $2 and id = $3"
            ),
            args![scope.merchant, scope.mode, id],
        )
        .await?;
    row.map(|mut row| read(&mut row)).transpose()
}

/// The scope that owns a payment; tries each merchant, because its key starts with the merchant.
pub async fn scope_of(tx: &Tx, mode: Mode, id: TransactionId) -> Result<Option<Scope>> {
    let row = tx
        .opt(
            "select merchants.id, dev_ahead_micros
               from merchants
              where exists (select 1
                              from transactions
                             where merchant_id = merchants.id and mode = $1
                               and transactions.id = $2)",
            args![mode, id],
        )
        .await?;
    row.map(|mut row| merchants::scope_of(&mut row, mode)).transpose()
}

/// The merchant and the provider of the payment whose PIX code has a txid.
pub async fn merchant_of_txid(tx: &Tx, txid: &str) -> Result<Option<(MerchantId, String)>> {
    let sql = "select merchant_id, provider from transactions where pix_txid = $1";
    let row = tx.opt(sql, args![txid]).await?;
    row.map(|mut row| Ok((row.take()?, row.take()?))).transpose()
}

/// The merchant of the payment whose boleto a bank names so.
pub async fn merchant_of_boleto(tx: &Tx, provider: &str, code: &str) -> Result<Option<MerchantId>> {
    let sql = "select merchant_id from transactions where slip_bank_code = $1 and provider = $2";
    Ok(tx.opt(sql, args![code, provider]).await?.map(|mut row| row.take()).transpose()?)
}

/// The merchant of the payment that a PIX paid.
pub async fn merchant_of_pix(tx: &Tx, end_to_end_id: &str) -> Result<Option<MerchantId>> {
    let sql = "select merchant_id from transactions where end_to_end_id = $1 limit 1";
    Ok(tx.opt(sql, args![end_to_end_id]).await?.map(|mut row| row.take()).transpose()?)
}

/// Locks a payment until the unit ends, so that concurrent reports about it are applied one by one.
pub async fn lock(tx: &Tx, scope: Scope, id: TransactionId) -> Result<()> {
    tx.opt(
        "select id
           from transactions
          where merchant_id = $1 and mode = $2 and id = $3 /*+ lock transactions */",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// A payment found by a bank's identifier.
pub struct LockedCharge {
    pub scope: Scope,
    pub transaction: Transaction,
    /// Whether its merchant has closed their account; if not, they cannot until the unit ends.
    pub is_closed: bool,
    /// What depends on whether no one invited its merchant, and its link never had a cart.
    pub locks: AccountLocks,
}

/// The statement that finds and locks a payment by a bank's identifier.
macro_rules! charge_named_by {
    ($column:literal) => {
        concat!(
            "select mode, owner_id, dev_ahead_micros, closed_at is not null,
                    not was_invited
                    and not exists (
                        select 1
                          from payment_links
                         where payment_links.merchant_id = transactions.merchant_id
                           and payment_links.mode = transactions.mode
                           and payment_links.id = payment_link_id and carts_until is not null), ",
            payment_columns!(),
            " from transactions",
            owners!(),
            " where ",
            $column,
            " = $1 and provider = $2 /*+ lock transactions */ /*+ share owners */"
        )
    };
}

/// Finds and locks a payment by the txid of its PIX code.
pub async fn lock_by_txid(tx: &Tx, provider: &str, txid: &str) -> Result<Option<LockedCharge>> {
    let row = tx.opt(charge_named_by!("pix_txid"), args![txid, provider]).await?;
    row.map(|mut row| read_named_charge(&mut row)).transpose()
}

/// Finds and locks the payment that a PIX paid, whatever charge the PIX names.
pub async fn lock_by_pix(tx: &Tx, provider: &str, id: &str) -> Result<Option<LockedCharge>> {
    let row = tx.opt(charge_named_by!("end_to_end_id"), args![id, provider]).await?;
    row.map(|mut row| read_named_charge(&mut row)).transpose()
}

/// Finds and locks a payment by what the bank names its boleto by.
pub async fn lock_by_boleto(tx: &Tx, provider: &str, code: &str) -> Result<Option<LockedCharge>> {
    let row = tx.opt(charge_named_by!("slip_bank_code"), args![code, provider]).await?;
    row.map(|mut row| read_named_charge(&mut row)).transpose()
}

/// Stores that a bank reported a receipt; false if it did before, under any reference.
pub async fn receive_once(tx: &Tx, provider: &str, payment_id: &str) -> Result<bool> {
    let sql = "insert into received_payments (provider, payment_id) values ($1, $2)
                   on conflict (provider, payment_id) do nothing";
    Ok(tx.exec(sql, args![provider, payment_id]).await? == 1)
}

pub async fn is_received(tx: &Tx, provider: &str, payment_id: &str) -> Result<bool> {
    let sql = "select payment_id from received_payments where provider = $1 and payment_id = $2";
    Ok(tx.opt(sql, args![provider, payment_id]).await?.is_some())
}

/// Stores a payment as paid; `None` if it was changed meanwhile.
pub async fn mark_paid(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    paid: &Transaction,
) -> Result<Option<Seller>> {
    let row = tx
        .opt(
            concat!(
                "update transactions
                    set version = $6, status = $7, paid_cents = $8, fee_cents = $9, paid_late = $10,
                        paid_at = $11, updated_at = $11, end_to_end_id = $12,
                        slip_payment_id = $13, authorization_code = $14, failure_reason = null",
                if_unchanged!(),
                " returning (select invited from merchants where merchants.id = $1),
                            (select payment_mails from merchants where merchants.id = $1),
                            (select payment_at is null from first_steps
                              where first_steps.merchant_id = $1 and first_steps.mode = $2)"
            ),
            &changed(
                &scope,
                before,
                paid,
                args![
                    paid.paid,
                    paid.fee,
                    paid.paid_late,
                    paid.paid_at,
                    paid.paid_by(),
                    paid.boleto.as_ref().and_then(|boleto| boleto.payment_id.as_deref()),
                    paid.card.as_ref().and_then(|card| card.authorization_code.as_deref()),
                ],
            ),
        )
        .await?;
    if row.is_some() {
        count(tx, paid);
    }
    row.map(Seller::read).transpose()
}

/// Stores the boleto that a bank has made for a payment, if nothing changed that meanwhile.
pub async fn make_boleto(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    made: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions
            set version = $6, status = $7, slip_number = $8, slip_barcode = $9, pix_txid = $10,
                pix_code = $11, updated_at = $12",
        if_unchanged!()
    );
    let number = made.made_boleto().map(|boleto| boleto.number.as_str());
    let barcode = made.made_boleto().map(|boleto| boleto.barcode.as_str());
    let txid = made.pix.as_ref().map(|pix| pix.txid.as_str());
    let code = made.pix.as_ref().map(|pix| pix.code.as_str());
    let more = args![number, barcode, txid, code, made.updated_at];
    change(tx, sql, scope, before, made, more).await
}

/// Stores a payment as failed, if nothing changed it meanwhile.
pub async fn fail(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    failed: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions
            set version = $6, status = $7, decline_code = $8, failure_reason = $9,
                failed_at = $10, updated_at = $10",
        if_unchanged!()
    );
    let decline = failed.decline_code.map(DeclineCode::name);
    let more = args![decline, failed.failure_reason, failed.failed_at];
    change(tx, sql, scope, before, failed, more).await
}

/// Stores a payment as cancelled or expired, if nothing changed it meanwhile.
pub async fn close(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    closed: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions
            set version = $6, status = $7, failure_reason = $8, cancelled_at = $9,
                expired_at = $10, updated_at = $11",
        if_unchanged!()
    );
    let Transaction { failure_reason, cancelled_at, expired_at, updated_at, .. } = closed;
    let more = args![failure_reason, cancelled_at, expired_at, updated_at];
    change(tx, sql, scope, before, closed, more).await
}

/// Marks a payment as oversold: it came too late, and nothing is left. The unit has just stored it
/// as paid.
pub async fn mark_oversold(tx: &Tx, scope: Scope, id: TransactionId) -> Result<()> {
    tx.defer(
        "update transactions
            set oversold = true, paid_late = true
          where merchant_id = $1 and mode = $2 and id = $3",
        args![scope.merchant, scope.mode, id],
    )
    .await?;
    Ok(())
}

/// Stores how much is set aside beside a payment, if nothing changed it meanwhile.
pub async fn change_unmatched(
    tx: &Tx,
    scope: Scope,
    before: &Transaction,
    after: &Transaction,
) -> Result<bool> {
    let sql = concat!(
        "update transactions
            set version = $6, status = $7, unmatched_cents = $8, updated_at = $9",
        if_unchanged!()
    );
    change(tx, sql, scope, before, after, args![after.unmatched, after.updated_at]).await
}

/// Sums of payments: what was paid, is being refunded, was refunded and is set aside, and the fees
/// of what was paid; how many contradict themselves, are disputed and are charged back; and how
/// much of the paid amounts and the fees settles later.
pub async fn sums(tx: &Tx, of: Option<Scope>) -> Result<Sums<10>> {
    let sums = summing!(
        "merchant_id",
        "cast(coalesce(sum(paid_cents), 0) as bigint),
         cast(coalesce(sum(refunding_cents), 0) as bigint),
         cast(coalesce(sum(refunded_cents), 0) as bigint),
         cast(coalesce(sum(unmatched_cents), 0) as bigint),
         cast(coalesce(sum(fee_cents) filter (where paid_cents > 0), 0) as bigint),
         count(case when (status in ('PAID', 'REFUNDED', 'DISPUTED', 'CHARGED_BACK'))
                         <> (paid_cents is not null)
                      or paid_cents <> amount_cents
                      or (status = 'REFUNDED')
                         <> (paid_cents > 0 and refunded_cents = paid_cents)
                    then 1 end),
         count(*) filter (where status = 'DISPUTED'),
         count(*) filter (where status = 'CHARGED_BACK'),
         cast(coalesce(sum(paid_cents)
                           filter (where method = 'CREDIT_CARD'
                                      or slip_payment_id is not null), 0) as bigint),
         cast(coalesce(sum(fee_cents)
                           filter (where paid_cents > 0
                                     and (method = 'CREDIT_CARD'
                                          or slip_payment_id is not null)), 0)
              as bigint)",
        "transactions",
        "true"
    );
    add_up(tx, of, sums).await
}

fn search_text(transaction: &Transaction) -> String {
    let CustomerDetails { name, email, .. } = &transaction.customer;
    let texts = [Some(name), Some(email), transaction.external_id.as_ref()];
    searchable(texts.into_iter().flatten().map(String::as_str))
}

/// Reads the columns of `payment_columns`.
pub fn read(row: &mut Row) -> Result<Transaction> {
    Ok(Transaction {
        id: row.take()?,
        version: row.take()?,
        status: row.take()?,
        method: row.take()?,
        external_id: row.take()?,
        link: read_link(row)?,
        items: json(row)?.unwrap_or_default(),
        client: row.take()?,
        customer: CustomerDetails {
            name: row.take()?,
            email: row.take()?,
            document: document(row)?,
            phone: row.take()?,
        },
        address: json(row)?,
        amount: row.take()?,
        paid: row.take()?,
        refunding: row.take()?,
        refunded: row.take()?,
        discount: row.take()?,
        interest: row.take()?,
        fee: row.take()?,
        installments: row.take()?,
        coupon_code: row.take()?,
        affiliate_code: row.take()?,
        provider: row.take()?,
        pix: read_pix(row)?,
        boleto: read_boleto(row)?,
        card: read_card(row)?,
        paid_late: row.take()?,
        oversold: row.take()?,
        unmatched: row.take()?,
        decline_code: row.take::<Option<String>>()?.and_then(|text| DeclineCode::parse(&text)),
        failure_reason: row.take()?,
        metadata: json(row)?.unwrap_or_default(),
        created_at: row.take()?,
        updated_at: row.take()?,
        expires_at: row.take()?,
        paid_at: row.take()?,
        cancelled_at: row.take()?,
        expired_at: row.take()?,
        failed_at: row.take()?,
        refunded_at: row.take()?,
        period: read_period(row)?,
        description: row.take()?,
    })
}

fn read_period(row: &mut Row) -> Result<Option<PeriodReference>> {
    let (subscription, starts_at): (Option<_>, Option<_>) = (row.take()?, row.take()?);
    let named = subscription.zip(starts_at);
    Ok(named.map(|(subscription, starts_at)| PeriodReference { subscription, starts_at }))
}

fn read_named_charge(row: &mut Row) -> Result<LockedCharge> {
    let (scope, is_closed, is_plain) = (merchants::owner(row)?, row.take()?, row.take()?);
    let locks = if is_plain { AccountLocks::BehindLink } else { AccountLocks::Last };
    Ok(LockedCharge { scope, is_closed, locks, transaction: read(row)? })
}

fn read_link(row: &mut Row) -> Result<Option<PaymentLinkReference>> {
    let id: Option<PaymentLinkId> = row.take()?;
    let slug: Option<String> = row.take()?;
    Ok(id.zip(slug).map(|(id, slug)| PaymentLinkReference { id, slug }))
}

fn read_pix(row: &mut Row) -> Result<Option<Pix>> {
    let txid: Option<String> = row.take()?;
    let code: Option<String> = row.take()?;
    let end_to_end_id = row.take()?;
    Ok(txid.zip(code).map(|(txid, code)| Pix { txid, code, end_to_end_id }))
}

fn read_boleto(row: &mut Row) -> Result<Option<Boleto>> {
    let number: Option<String> = row.take()?;
    let barcode = row.take::<Option<String>>()?.and_then(|text| Barcode::parse(&text).ok());
    let due_on = row.take::<Option<String>>()?.and_then(|text| text.parse().ok());
    let (payment_id, bank_code): (_, Option<String>) = (row.take()?, row.take()?);
    let reference = row.take()?;
    let (Some(bank_code), Some(due_on)) = (bank_code, due_on) else { return Ok(None) };
    let made = number.zip(barcode).map(|(number, barcode)| MadeBoleto { number, barcode });
    Ok(Some(Boleto { bank_code, reference, due_on, made, payment_id }))
}

fn read_card(row: &mut Row) -> Result<Option<Card>> {
    let brand = row.take::<Option<String>>()?.and_then(|text| CardBrand::parse(&text));
    let last4: Option<String> = row.take()?;
    let fingerprint: Option<String> = row.take()?;
    let authorization_code = row.take()?;
    let (Some(brand), Some(last4), Some(fingerprint)) = (brand, last4, fingerprint) else {
        return Ok(None);
    };
    Ok(Some(Card { brand, last4, fingerprint, authorization_code }))
}
