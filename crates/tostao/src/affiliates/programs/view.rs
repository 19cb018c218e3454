//! A program as its owner and potential affiliates see it.

use db::time::Timestamp;
use ledger::cents::Cents;
use schemars::JsonSchema;
use serde::Serialize;

use crate::affiliates::programs::ListedProgram;
use crate::affiliates::terms::CommissionType;
use crate::platform::ids::{AffiliateProgramId, ProductId};
use crate::products::Product;

/// An affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateProgram")]
pub struct ProgramView {
    id: AffiliateProgramId,
    product_id: ProductId,
    commission_type: CommissionType,
    /// Basis points or cents per item, depending on `commissionType`.
    commission_value: i64,
    /// The number of days that a click is attributed.
    cookie_days: i64,
    is_active: bool,
    description: Option<String>,
    rules: Option<String>,
    affiliate_page: Option<String>,
    sales_page: Option<String>,
    /// Whether commission is earned on the whole order and on every subscription renewal.
    extended_commission: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The product; null once deleted.
    product: Option<ProgramProduct>,
    user: ProgramOwner,
    #[serde(rename = "_count")]
    count: ProgramCount,
}

/// The product of an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AffiliateProgramProduct")]
pub struct ProgramProduct {
    id: ProductId,
    name: String,
    /// Amount in cents.
    price: Cents,
    image_url: Option<String>,
    description: Option<String>,
}

/// The merchant who runs an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AffiliateProgramOwner")]
pub struct ProgramOwner {
    name: String,
}

/// The counts of an affiliate program.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AffiliateProgramCounts")]
pub struct ProgramCount {
    /// The number of affiliates.
    links: i64,
}

impl From<ListedProgram> for ProgramView {
    fn from(shown: ListedProgram) -> Self {
        let program = shown.program;
        Self {
            id: program.id,
            product_id: program.product,
            commission_type: program.terms.kind,
            commission_value: program.terms.value,
            cookie_days: program.cookie_days,
            is_active: program.active,
            description: program.description,
            rules: program.rules,
            affiliate_page: program.affiliate_page,
            sales_page: program.sales_page,
            extended_commission: program.terms.extended,
            created_at: program.created_at,
            updated_at: program.updated_at,
            product: shown.product.map(ProgramProduct::from),
            user: ProgramOwner { name: shown.owner_name },
            count: ProgramCount { links: shown.links },
        }
    }
}

impl From<Product> for ProgramProduct {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            price: product.price,
            image_url: product.image_url,
            description: product.description,
        }
    }
}
