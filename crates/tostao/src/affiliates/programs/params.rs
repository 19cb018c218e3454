//! A merchant's input about a program, and its validation.

use db::time::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use crate::affiliates::programs::{Program, exceeds};
use crate::affiliates::terms::CommissionType;
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::{AffiliateProgramId, ProductId};
use crate::products::Product;

/// The greatest length of a description, and
pub const DESCRIPTION_MAX: usize = 2000;
/// of the rules.
pub const RULES_MAX: usize = 5000;
const PERCENTAGE_MAX: i64 = 10_000;
const COOKIE_DAYS: std::ops::RangeInclusive<i64> = 1..=365;

/// The fields to update; omitted fields keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdateAffiliateProgramRequest")]
pub struct ProgramParams {
    pub commission_type: Omittable<CommissionType>,
    /// The commission: with `PERCENTAGE`, basis points up to 10000; with `FIXED`, cents per item up
    /// to the product's price.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub commission_value: Omittable<i64>,
    /// The number of days that a click is attributed.
    #[schemars(range(min = 1, max = 365))]
    pub cookie_days: Omittable<i64>,
    /// Whether affiliates can join and sales earn commission.
    pub is_active: Omittable<bool>,
    #[schemars(length(max = 2000))]
    pub description: Patch<String>,
    #[schemars(length(max = 5000))]
    pub rules: Patch<String>,
    /// The http or https URL of a page for affiliates.
    pub affiliate_page: Patch<String>,
    /// The http or https URL that affiliates promote; `aff` is added to its query.
    pub sales_page: Patch<String>,
    /// Whether commission is earned on the whole order and on every subscription renewal.
    pub extended_commission: Omittable<bool>,
}

impl ProgramParams {
    /// Checks the fields by themselves, without those of a stored program and its product.
    pub fn check(&self) -> Result<()> {
        let (id, product) = (AffiliateProgramId(Uuid::nil()), ProductId(Uuid::nil()));
        let mut blank = Program::blank(id, product, Timestamp::from_micros(0));
        self.apply(FieldErrors::new(), &mut blank, None)
    }

    /// Sets a program's fields; reports every fault at once, together with those in `wrong`.
    ///
    /// An old program may have lost its product.
    pub fn apply(
        &self,
        mut wrong: FieldErrors,
        program: &mut Program,
        product: Option<&Product>,
    ) -> Result<()> {
        program.terms.kind = self.commission_type.unwrap_or(program.terms.kind);
        program.terms.value = self.commission_value.unwrap_or(program.terms.value);
        program.terms.extended = self.extended_commission.unwrap_or(program.terms.extended);
        if self.commission_type.is_some() || self.commission_value.is_some() {
            wrong.read("commissionValue", value(program, product));
        }
        wrong.assign("cookieDays", &mut program.cookie_days, self.cookie_days.map(cookie_days));
        program.active = self.is_active.unwrap_or(program.active);
        let description =
            self.description.read(|text| fields::optional_text(Some(text), DESCRIPTION_MAX));
        wrong.assign("description", &mut program.description, description);
        let rules = self.rules.read(|text| fields::optional_text(Some(text), RULES_MAX));
        wrong.assign("rules", &mut program.rules, rules);
        let affiliate_page = self.affiliate_page.read(|page| address(page));
        wrong.assign("affiliatePage", &mut program.affiliate_page, affiliate_page);
        let sales_page = self.sales_page.read(|page| address(page));
        wrong.assign("salesPage", &mut program.sales_page, sales_page);
        wrong.finish()
    }
}

fn value(program: &Program, product: Option<&Product>) -> Result<(), FieldFault> {
    let terms = program.terms;
    if terms.value < 1 {
        return Err(FieldFault::new("OUT_OF_RANGE", "must be at least 1"));
    }
    if terms.kind == CommissionType::Percentage && terms.value > PERCENTAGE_MAX {
        return Err(FieldFault::new("OUT_OF_RANGE", "must be at most 10000, which is 100 %"));
    }
    if product.is_some_and(|product| exceeds(terms, product.price)) {
        return Err(FieldFault::new("OUT_OF_RANGE", "must be at most the product's price"));
    }
    Ok(())
}

fn cookie_days(days: i64) -> Result<i64, FieldFault> {
    if COOKIE_DAYS.contains(&days) {
        return Ok(days);
    }
    Err(FieldFault::new("OUT_OF_RANGE", "must be from 1 to 365"))
}

/// A blank page counts as none.
fn address(page: &str) -> Result<Option<String>, FieldFault> {
    if page.trim().is_empty() {
        return Ok(None);
    }
    fields::web_address(page).map(Some)
}
