//! The table of attributions of payments and subscribers.

use std::iter::repeat_n;

use db::args;
use db::tx::Tx;
use db::value::{Arg, Row, ToArg};
use uuid::Uuid;

use crate::affiliates::attribution::{Candidate, CommissionTerms, Party};
use crate::affiliates::clicks::cookie::CLICKS_MAX;
use crate::affiliates::terms::ProgramTerms;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::store::document;

/// A given code and all clicks.
const CODES: usize = CLICKS_MAX + 1;

/// Finds the active links of up to [`CODES`] codes; the last code fills unused parameters.
pub async fn candidates(tx: &Tx, scope: Scope, codes: &[&str]) -> Result<Vec<Candidate>> {
    let Some(last) = codes.last() else { return Ok(Vec::new()) };
    let padding = repeat_n(last, CODES.saturating_sub(codes.len()));
    let own: [Arg<'_>; 2] = [scope.merchant.to_arg(), scope.mode.to_arg()];
    let codes = codes.iter().chain(padding).take(CODES).map(|code| Arg::Text(code));
    let args: Vec<Arg<'_>> = own.into_iter().chain(codes).collect();
    let rows = tx
        .all(
            "select programs.id, links.id, links.code, programs.product_id,
                    programs.commission_type, programs.commission_value, programs.extended,
                    programs.cookie_days, affiliates.id, affiliates.email, affiliates.document,
                    owners.id, owners.email, owners.document
               from affiliate_links as links
               join affiliate_programs as programs
                 on programs.merchant_id = links.merchant_id and programs.mode = links.mode
                and programs.id = links.program_id
               join merchants as affiliates on affiliates.id = links.affiliate_id
               join merchants as owners on owners.id = links.merchant_id
              where links.merchant_id = $1 and links.mode = $2
                and links.code in ($3, $4, $5, $6, $7, $8, $9, $10, $11)
                and links.active and programs.active and programs.deleted_at is null
                and affiliates.closed_at is null and owners.closed_at is null",
            &args,
        )
        .await?;
    rows.into_iter().map(read_candidate).collect()
}

pub async fn insert(tx: &Tx, scope: Scope, of: Uuid, new: &CommissionTerms) -> Result<()> {
    tx.defer(
        "insert into affiliate_attributions
                (merchant_id, mode, of_id, kind, program_id, link_id, affiliate_id,
                 product_id, code, source, clicked_at, commission_type, commission_value,
                 extended, base_cents, amount_cents, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        args![
            scope.merchant,
            scope.mode,
            of,
            new.kind.name(),
            new.program,
            new.link,
            new.affiliate,
            new.product,
            new.code,
            if new.clicked_at.is_some() { "CLICK" } else { "CODE" },
            new.clicked_at,
            new.terms.kind.name(),
            new.terms.value,
            new.terms.extended,
            new.base,
            new.amount,
            new.decided_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn find(tx: &Tx, scope: Scope, of: Uuid) -> Result<Option<CommissionTerms>> {
    let row = tx
        .opt(
            "select kind, program_id, link_id, affiliate_id, product_id, code, clicked_at,
                    created_at, commission_type, commission_value, extended, base_cents,
                    amount_cents
               from affiliate_attributions
              where merchant_id = $1 and mode = $2 and of_id = $3",
            args![scope.merchant, scope.mode, of],
        )
        .await?;
    row.map(read).transpose()
}

fn read(mut row: Row) -> Result<CommissionTerms> {
    Ok(CommissionTerms {
        kind: row.take()?,
        program: row.take()?,
        link: row.take()?,
        affiliate: row.take()?,
        product: row.take()?,
        code: row.take()?,
        clicked_at: row.take()?,
        decided_at: row.take()?,
        terms: ProgramTerms::read(&mut row)?,
        base: row.take()?,
        amount: row.take()?,
    })
}

fn read_candidate(mut row: Row) -> Result<Candidate> {
    Ok(Candidate {
        program: row.take()?,
        link: row.take()?,
        code: row.take()?,
        product: row.take()?,
        terms: ProgramTerms::read(&mut row)?,
        cookie_days: row.take()?,
        affiliate: read_person(&mut row)?,
        owner: read_person(&mut row)?,
    })
}

fn read_person(row: &mut Row) -> Result<Party> {
    Ok(Party { id: row.take()?, email: row.take()?, document: document(row)? })
}
