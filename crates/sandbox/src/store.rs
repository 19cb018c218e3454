//! The sandbox bank's own tables; no row belongs to a merchant of ours.

use brazil::card_brand::CardBrand;
use db::args;
use db::error::{Error, Result};
use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;
use rails::card::{CardChargeRequest, CardDetails, DeclineCode};
use rails::refund::RefundFailureCode;
use uuid::Uuid;

use crate::boleto::RegisteredBoleto;
use crate::cards::{Card, Charge};
use crate::refunds::{NewRefund, Outcome, Rail, Refund};
use crate::test_cards::Scenario;

/// The columns of a card, in the order in which `read_card` takes them.
macro_rules! card_columns {
    () => {
        "brand, last4, fingerprint, scenario, exp_month, exp_year"
    };
}

pub async fn insert_token(
    tx: &Tx,
    hash: &[u8; 32],
    card: &Card,
    expires_at: Timestamp,
) -> Result<()> {
    tx.exec(
        "insert into card_tokens
                (token_hash, brand, last4, fingerprint, scenario, exp_month, exp_year,
                 created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            hash,
            card.details.brand.name(),
            card.details.last4,
            card.details.fingerprint,
            card.scenario.name(),
            card.details.exp_month,
            card.details.exp_year,
            tx.now(),
            expires_at,
        ],
    )
    .await?;
    Ok(())
}

/// The card of a token that is still valid.
pub async fn find_token(tx: &Tx, hash: &[u8; 32]) -> Result<Option<Card>> {
    let row = tx
        .opt(
            concat!(
                "select ",
                card_columns!(),
                " from card_tokens
                 where token_hash = $1 and used_by is null and expires_at > $2"
            ),
            args![hash, tx.now()],
        )
        .await?;
    row.map(|mut row| read_card(&mut row)).transpose()
}

/// Marks a token as used; `None` for a token that is unknown, used or expired.
pub async fn use_token(tx: &Tx, hash: &[u8; 32], used_by: &str) -> Result<Option<Card>> {
    let row = tx
        .opt(
            concat!(
                "update card_tokens
                    set used_by = $1
                  where token_hash = $2 and used_by is null and expires_at > $3
                 returning ",
                card_columns!()
            ),
            args![used_by, hash, tx.now()],
        )
        .await?;
    row.map(|mut row| read_card(&mut row)).transpose()
}

pub async fn delete_expired_tokens(tx: &Tx, before: Timestamp, limit: i64) -> Result<u64> {
    let deleted = tx
        .exec(
            "delete from card_tokens
              where token_hash in (
                    select token_hash
                      from card_tokens
                     where expires_at <= $1
                     order by expires_at
                     limit $2)",
            args![before, limit],
        )
        .await?;
    Ok(deleted)
}

pub async fn insert_card(tx: &Tx, id: Uuid, token_hash: &[u8; 32], card: &Card) -> Result<()> {
    tx.exec(
        "insert into sandbox_cards
                (id, token_hash, brand, last4, fingerprint, scenario, exp_month, exp_year,
                 created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            id,
            token_hash,
            card.details.brand.name(),
            card.details.last4,
            card.details.fingerprint,
            card.scenario.name(),
            card.details.exp_month,
            card.details.exp_year,
            tx.now(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn find_card(tx: &Tx, id: Uuid) -> Result<Option<Card>> {
    let row = tx
        .opt(concat!("select ", card_columns!(), " from sandbox_cards where id = $1"), args![id])
        .await?;
    row.map(|mut row| read_card(&mut row)).transpose()
}

/// The card that was stored with a token.
pub async fn find_kept(tx: &Tx, token_hash: &[u8; 32]) -> Result<Option<(Uuid, Card)>> {
    let row = tx
        .opt(
            concat!("select id, ", card_columns!(), " from sandbox_cards where token_hash = $1"),
            args![token_hash],
        )
        .await?;
    row.map(|mut row| Ok((row.take()?, read_card(&mut row)?))).transpose()
}

/// Returns false if the reference already names a charge.
pub async fn insert_charge(
    tx: &Tx,
    order: &CardChargeRequest,
    details: &CardDetails,
    charge: &Charge,
) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into sandbox_charges
                    (reference, brand, last4, fingerprint, scenario, amount_cents, refunded_cents,
                     installments, statement, decline_code, authorization_code, decides_at,
                     created_at)
             values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $10, $11, $12)
             on conflict (reference) do nothing",
            args![
                order.reference,
                details.brand.name(),
                details.last4,
                details.fingerprint,
                charge.scenario.name(),
                charge.amount,
                order.installments,
                order.statement,
                charge.decline.map(DeclineCode::name),
                charge.authorization_code,
                charge.decides_at,
                tx.now(),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find_charge(tx: &Tx, reference: &str) -> Result<Option<Charge>> {
    let row = tx
        .opt(
            "select amount_cents, scenario, decline_code, authorization_code, decides_at
               from sandbox_charges
              where reference = $1",
            args![reference],
        )
        .await?;
    row.map(read_charge).transpose()
}

/// Returns false if the refunds of a charge would exceed the charge.
pub async fn count_refund(tx: &Tx, charge: &str, amount: Cents) -> Result<bool> {
    let counted = tx
        .exec(
            "update sandbox_charges
                set refunded_cents = refunded_cents + $1
              where reference = $2 and refunded_cents + $1 <= amount_cents",
            args![amount, charge],
        )
        .await?;
    Ok(counted == 1)
}

/// Subtracts a refund that was refused after all from the refunded amount of a card charge.
pub async fn undo_refund(tx: &Tx, charge: &str, amount: Cents) -> Result<()> {
    tx.defer(
        "update sandbox_charges
            set refunded_cents = refunded_cents - $1
          where reference = $2",
        args![amount, charge],
    )
    .await?;
    Ok(())
}

/// Refuses the pending refunds of a charge; returns the amount of each.
pub async fn refuse_refunds_under_way(
    tx: &Tx,
    charge: &str,
    why: RefundFailureCode,
) -> Result<Vec<Cents>> {
    let rows = tx
        .all(
            "update sandbox_refunds
                set refused_reason = $1
              where charge = $2 and refused_reason is null and settles_at > $3
             returning amount_cents",
            args![why, charge, tx.now()],
        )
        .await?;
    rows.into_iter().map(|mut row| row.take()).collect()
}

/// Returns false if the reference already names a refund.
pub async fn insert_refund(tx: &Tx, new: &NewRefund, refund: &Refund) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into sandbox_refunds
                    (rail, reference, charge, amount_cents, rail_id, refused_reason, settles_at,
                     created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (rail, reference) do nothing",
            args![
                new.rail.name(),
                new.reference,
                refund.charge,
                refund.amount,
                refund.rail_id,
                refund.refused_reason,
                refund.settles_at,
                tx.now(),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find_refund(tx: &Tx, rail: Rail, reference: &str) -> Result<Option<Refund>> {
    let row = tx
        .opt(
            "select charge, amount_cents, rail_id, refused_reason, settles_at
               from sandbox_refunds
              where rail = $1 and reference = $2",
            args![rail.name(), reference],
        )
        .await?;
    row.map(read_refund).transpose()
}

pub async fn arm_refund(tx: &Tx, charge: &str, outcome: Outcome) -> Result<()> {
    tx.exec(
        "insert into sandbox_armed_refunds (charge, outcome)
         values ($1, $2)
         on conflict (charge) do update set outcome = excluded.outcome",
        args![charge, outcome.name()],
    )
    .await?;
    Ok(())
}

/// The result set for the next refund of a charge; it applies once.
pub async fn take_armed_refund(tx: &Tx, charge: &str) -> Result<Option<Outcome>> {
    let row = tx
        .opt("delete from sandbox_armed_refunds where charge = $1 returning outcome", args![charge])
        .await?;
    let read = |mut row: Row| known(Outcome::parse(&row.take::<String>()?), "outcome");
    row.map(read).transpose()
}

/// Returns false if the reference or the number already names a boleto.
pub async fn insert_boleto(tx: &Tx, boleto: &RegisteredBoleto) -> Result<bool> {
    let inserted = tx
        .exec(
            "insert into sandbox_slips
                    (reference, our_number, amount_cents, due_on, barcode, pix_code, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict do nothing",
            args![
                boleto.reference,
                boleto.our_number,
                boleto.amount_cents,
                boleto.due_on,
                boleto.barcode,
                boleto.pix_code,
                tx.now(),
            ],
        )
        .await?;
    Ok(inserted == 1)
}

pub async fn find_boleto(tx: &Tx, reference: &str) -> Result<Option<RegisteredBoleto>> {
    let row = tx
        .opt(
            "select reference, our_number, amount_cents, due_on, barcode, pix_code
               from sandbox_slips
              where reference = $1",
            args![reference],
        )
        .await?;
    let read = |mut row: Row| {
        Ok(RegisteredBoleto {
            reference: row.take()?,
            our_number: row.take()?,
            amount_cents: row.take()?,
            due_on: row.take()?,
            barcode: row.take()?,
            pix_code: row.take()?,
        })
    };
    row.map(read).transpose()
}

fn read_card(row: &mut Row) -> Result<Card> {
    let brand = known(CardBrand::parse(&row.take::<String>()?), "brand")?;
    let (last4, fingerprint) = (row.take()?, row.take()?);
    let scenario = known(Scenario::parse(&row.take::<String>()?), "scenario")?;
    let (exp_month, exp_year) = (row.take()?, row.take()?);
    Ok(Card { details: CardDetails { brand, last4, fingerprint, exp_month, exp_year }, scenario })
}

fn read_charge(mut row: Row) -> Result<Charge> {
    let amount = row.take()?;
    let scenario = known(Scenario::parse(&row.take::<String>()?), "scenario")?;
    let decline: Option<String> = row.take()?;
    let decline = decline.map(|code| known(DeclineCode::parse(&code), "decline code"));
    Ok(Charge {
        amount,
        scenario,
        decline: decline.transpose()?,
        authorization_code: row.take()?,
        decides_at: row.take()?,
    })
}

fn read_refund(mut row: Row) -> Result<Refund> {
    Ok(Refund {
        charge: row.take()?,
        amount: row.take()?,
        rail_id: row.take()?,
        refused_reason: row.take()?,
        settles_at: row.take()?,
    })
}

fn known<T>(value: Option<T>, what: &str) -> Result<T> {
    value.ok_or_else(|| Error::Row(format!("the sandbox holds an unknown {what}")))
}
