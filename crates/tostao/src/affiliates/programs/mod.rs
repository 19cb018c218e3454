//! Programs: the commission that a merchant promises to affiliates for sales of a product.
//!
//! A product has at most one, even if two are created concurrently: a constraint of the row ensures
//! it. Ending a program ends its future promises; earlier promises are kept.

use std::collections::BTreeMap;

use db::time::Timestamp;
use db::tx::Tx;
use db::value::Row;
use ledger::cents::Cents;

use crate::affiliates::programs::params::ProgramParams;
use crate::affiliates::terms::{CommissionType, ProgramTerms};
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::http::page::{Listed, Page};
use crate::platform::ids::{AffiliateLinkId, AffiliateProgramId, MerchantId, ProductId, Scope};
use crate::products::{self, Product};

pub mod api;
pub mod params;
mod store;
pub mod view;

const COOKIE_DAYS: i64 = 30;

/// A merchant's promise for a product.
#[derive(Debug, Clone)]
pub struct Program {
    pub id: AffiliateProgramId,
    pub product: ProductId,
    pub terms: ProgramTerms,
    /// How long a click counts.
    pub cookie_days: i64,
    pub active: bool,
    pub description: Option<String>,
    pub rules: Option<String>,
    pub affiliate_page: Option<String>,
    pub sales_page: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A program with the data shown beside it.
#[derive(Debug, Clone)]
pub struct ListedProgram {
    pub program: Program,
    pub owner: MerchantId,
    pub owner_name: String,
    /// How many affiliates have joined.
    pub links: i64,
    /// What came of it, for its owner alone.
    pub stats: Option<ProgramStats>,
    /// The link of the merchant who reads what can be joined; `None` if they have not joined.
    pub link: Option<AffiliateLinkId>,
    /// The product; `None` once it was deleted.
    pub product: Option<Product>,
}

/// What came of a program: its links' counters together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProgramStats {
    pub clicks: i64,
    /// Paid sales.
    pub conversions: i64,
    /// Pending commission.
    pub pending: Cents,
    /// Released commission, less clawbacks.
    pub earned: Cents,
}

/// Creates a program; a product has at most one.
pub async fn create(
    tx: &Tx,
    scope: Scope,
    product: ProductId,
    params: &ProgramParams,
) -> Result<ListedProgram> {
    let known = products::find_many(tx, scope, &[product]).await?.remove(&product);
    let mut program = Program::blank(AffiliateProgramId::new(tx), product, scope.now(tx));
    let mut wrong = FieldErrors::new();
    if known.is_none() {
        wrong.add("productId", FieldFault::new("UNKNOWN_PRODUCT", "must be a product of yours"));
    }
    params.apply(wrong, &mut program, known.as_ref())?;
    if !store::insert(tx, scope, &program).await? {
        let message = "This product already has a program.";
        return Err(Error::refused(ErrorCode::ProgramAlreadyExists, message));
    }
    find(tx, scope, program.id).await
}

/// Finds a merchant's own program.
pub async fn find(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<ListedProgram> {
    let found = store::find(tx, scope, id).await?.ok_or_else(missing)?;
    let mut shown = with_products(tx, vec![found]).await?;
    shown.pop().ok_or_else(missing)
}

/// Lists a merchant's programs, newest first.
pub async fn list(tx: &Tx, scope: Scope, page: &Page) -> Result<Listed<ListedProgram>> {
    let rows = with_products(tx, store::list(tx, scope, page).await?).await?;
    let total = store::count(tx, scope).await?;
    Ok(page.listed(rows, total, |shown| shown.program.id.0))
}

/// Lists every merchant's programs that can be joined, newest first.
pub async fn list_open(tx: &Tx, scope: Scope, page: &Page) -> Result<Listed<ListedProgram>> {
    let rows = with_products(tx, store::list_open(tx, scope, page).await?).await?;
    let total = store::count_open(tx, scope.mode).await?;
    Ok(page.listed(rows, total, |shown| shown.program.id.0))
}

/// Finds a program that can be joined, of any merchant.
pub async fn find_open(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<ListedProgram> {
    let found = store::find_open(tx, scope, id).await?.ok_or_else(missing)?;
    let mut shown = with_products(tx, vec![found]).await?;
    shown.pop().ok_or_else(missing)
}

/// Changes a program; earlier promises stay unchanged.
pub async fn update(
    tx: &Tx,
    scope: Scope,
    id: AffiliateProgramId,
    params: &ProgramParams,
) -> Result<ListedProgram> {
    let mut program = store::open(tx, scope, id).await?.ok_or_else(missing)?;
    let product = program.product;
    let known = products::find_many(tx, scope, &[product]).await?.remove(&product);
    params.apply(FieldErrors::new(), &mut program, known.as_ref())?;
    store::update(tx, scope, &program).await?;
    find(tx, scope, id).await
}

/// Ends a program; its product can have another one.
pub async fn delete(tx: &Tx, scope: Scope, id: AffiliateProgramId) -> Result<()> {
    if store::delete(tx, scope, id).await? { Ok(()) } else { Err(missing()) }
}

/// Reads a program from a row of a statement that joins it, in the order of [`Program`]'s fields.
pub fn read(row: &mut Row) -> Result<Program> {
    store::read(row)
}

impl Program {
    fn blank(id: AffiliateProgramId, product: ProductId, now: Timestamp) -> Self {
        Self {
            id,
            product,
            terms: ProgramTerms { kind: CommissionType::Percentage, value: 1, extended: false },
            cookie_days: COOKIE_DAYS,
            active: true,
            description: None,
            rules: None,
            affiliate_page: None,
            sales_page: None,
            created_at: now,
            updated_at: now,
        }
    }
}

/// A fixed commission of more than its product costs would never be paid in full.
fn exceeds(terms: ProgramTerms, price: Cents) -> bool {
    terms.kind == CommissionType::Fixed && terms.value > price.get()
}

async fn with_products(tx: &Tx, mut rows: Vec<ListedProgram>) -> Result<Vec<ListedProgram>> {
    let ids: Vec<ProductId> = rows.iter().map(|row| row.program.product).collect();
    let known: BTreeMap<ProductId, Product> = products::find_anywhere(tx, &ids).await?;
    for row in &mut rows {
        row.product = known.get(&row.program.product).cloned();
    }
    Ok(rows)
}

fn missing() -> Error {
    Error::NotFound("Affiliate program")
}
