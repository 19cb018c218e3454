//! The form of a program, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::affiliates::programs::Program;
use crate::affiliates::programs::api::CreateAffiliateProgramRequest;
use crate::affiliates::programs::params::ProgramParams;
use crate::affiliates::terms::CommissionType;
use crate::dashboard::affiliates::words;
use crate::dashboard::form::{Field, WrongField, cents, given, omit, patch, whole, with_rules};
use crate::dashboard::links::form_view::ProductChoice;
use crate::platform::decimal;
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::ProductId;
use crate::platform::messages::Lang;

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 8] = [
    "productId",
    "commissionType",
    "commissionValue",
    "cookieDays",
    "description",
    "rules",
    "affiliatePage",
    "salesPage",
];
/// For how many days a click counts in a form that is not filled in.
const COOKIE_DAYS: &str = "30";

/// The fields by the names of the body's.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ProgramForm {
    pub product_id: String,
    pub commission_type: String,
    /// A percentage, or an amount as people type it.
    pub commission_value: String,
    pub cookie_days: String,
    pub description: String,
    pub rules: String,
    pub affiliate_page: String,
    pub sales_page: String,
    pub extended_commission: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct ProgramFields {
    pub product: Field,
    pub products: Vec<ProductChoice>,
    pub is_fixed: bool,
    pub kind: Field,
    pub value: Field,
    pub cookie_days: Field,
    pub description: Field,
    pub rules: Field,
    pub affiliate_page: Field,
    pub sales_page: Field,
    pub is_extended: bool,
}

impl Default for ProgramForm {
    fn default() -> Self {
        Self {
            product_id: String::new(),
            commission_type: String::new(),
            commission_value: String::new(),
            cookie_days: COOKIE_DAYS.to_owned(),
            description: String::new(),
            rules: String::new(),
            affiliate_page: String::new(),
            sales_page: String::new(),
            extended_commission: String::new(),
        }
    }
}

impl ProgramForm {
    /// The form of a program as it is.
    pub fn of(program: &Program, lang: Lang) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let is_extended = program.terms.extended;
        Self {
            product_id: String::new(),
            commission_type: program.terms.kind.name().to_owned(),
            commission_value: words::number(program.terms, lang),
            cookie_days: program.cookie_days.to_string(),
            description: text(&program.description),
            rules: text(&program.rules),
            affiliate_page: text(&program.affiliate_page),
            sales_page: text(&program.sales_page),
            extended_commission: if is_extended { "true".to_owned() } else { String::new() },
        }
    }

    /// The body of a request that creates the program.
    pub fn body(&self) -> Result<CreateAffiliateProgramRequest> {
        card_data::refuse_typed(self.texts())?;
        let mut wrong = FieldErrors::new();
        let product_id = wrong.read("productId", self.product());
        let read = self.numbers(wrong).map_err(|unread| with_rules(unread, self.check()));
        let ((commission_value, cookie_days), Some(product_id)) = (read?, product_id) else {
            return Err(FieldFault::new("REQUIRED", "is required").of("productId"));
        };
        Ok(CreateAffiliateProgramRequest {
            product_id,
            commission_type: self.kind(),
            commission_value,
            cookie_days: Some(cookie_days),
            is_active: None,
            description: given(&self.description),
            rules: given(&self.rules),
            affiliate_page: given(&self.affiliate_page),
            sales_page: given(&self.sales_page),
            extended_commission: Some(!self.extended_commission.is_empty()),
        })
    }

    /// The body of a request that changes what differs from the form as it was drawn.
    pub fn changes(&self, drawn: &Self) -> Result<ProgramParams> {
        card_data::refuse_typed(self.texts())?;
        let read = self.numbers(FieldErrors::new());
        let (value, days) = read.map_err(|unread| with_rules(unread, self.check()))?;
        // The same digits are another commission of the other kind.
        let pays = |form: &Self| format!("{} {}", form.commission_type, form.commission_value);
        let (typed, drawn_pay) = (pays(self), pays(drawn));
        let (is, was) = (&self.extended_commission, &drawn.extended_commission);
        let page = |typed: &str, drawn: &str| patch(typed, drawn, given(typed));
        Ok(ProgramParams {
            commission_type: omit(&typed, &drawn_pay, Some(self.kind())),
            commission_value: omit(&typed, &drawn_pay, Some(value)),
            cookie_days: omit(&self.cookie_days, &drawn.cookie_days, Some(days)),
            is_active: Omittable::default(),
            description: page(&self.description, &drawn.description),
            rules: page(&self.rules, &drawn.rules),
            affiliate_page: page(&self.affiliate_page, &drawn.affiliate_page),
            sales_page: page(&self.sales_page, &drawn.sales_page),
            extended_commission: omit(is, was, Some(!is.is_empty())),
        })
    }

    /// The fields as they were typed; the products are those on offer.
    pub fn fields(
        &self,
        offered: Vec<(ProductId, String)>,
        wrong: &[FieldError],
        lang: Lang,
    ) -> ProgramFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let choice = |(id, name): (ProductId, String)| ProductChoice {
            is_chosen: id.to_string() == self.product_id,
            id: id.to_string(),
            name,
            is_deleted: false,
        };
        ProgramFields {
            product: field("productId", &self.product_id),
            products: offered.into_iter().map(choice).collect(),
            is_fixed: self.kind() == CommissionType::Fixed,
            kind: field("commissionType", &self.commission_type),
            value: field("commissionValue", &self.commission_value),
            cookie_days: field("cookieDays", &self.cookie_days),
            description: field("description", &self.description),
            rules: field("rules", &self.rules),
            affiliate_page: field("affiliatePage", &self.affiliate_page),
            sales_page: field("salesPage", &self.sales_page),
            is_extended: !self.extended_commission.is_empty(),
        }
    }

    /// The chosen product, if it is an id.
    pub fn product(&self) -> Result<ProductId, FieldFault> {
        let missing = || FieldFault::new("REQUIRED", "is required");
        let id = given(&self.product_id).ok_or_else(missing)?;
        id.parse().map_err(|_| FieldFault::new("INVALID_UUID", "must be an id"))
    }

    /// The kind of the commission; a percentage unless an amount was chosen.
    fn kind(&self) -> CommissionType {
        CommissionType::parse(&self.commission_type).unwrap_or(CommissionType::Percentage)
    }

    /// The commission's value and the days; every error is reported, beside those known already.
    fn numbers(&self, mut wrong: FieldErrors) -> Result<(i64, i64)> {
        let missing = || FieldFault::new("REQUIRED", "is required");
        let days = whole(&self.cookie_days).and_then(|days| days.ok_or_else(missing));
        let value = wrong.read("commissionValue", value(self.kind(), &self.commission_value));
        let days = wrong.read("cookieDays", days);
        let (Some(value), Some(days)) = (value, days) else { return Err(wrong.into_error()) };
        wrong.finish()?;
        Ok((value, days))
    }

    /// Checks what needs no product by the rules of the API.
    fn check(&self) -> Result<()> {
        let text = |text: &str| given(text).map_or(Patch::Keep, Patch::Set);
        let days = whole(&self.cookie_days).ok().flatten();
        let params = ProgramParams {
            cookie_days: Omittable::from(days),
            description: text(&self.description),
            rules: text(&self.rules),
            affiliate_page: text(&self.affiliate_page),
            sales_page: text(&self.sales_page),
            ..ProgramParams::default()
        };
        params.check()
    }

    /// The fields of [`SHOWN`].
    fn texts(&self) -> [(&'static str, &str); 8] {
        let [product, kind, value, days, description, rules, affiliates, sales] = SHOWN;
        [
            (product, &self.product_id),
            (kind, &self.commission_type),
            (value, &self.commission_value),
            (days, &self.cookie_days),
            (description, &self.description),
            (rules, &self.rules),
            (affiliates, &self.affiliate_page),
            (sales, &self.sales_page),
        ]
    }
}

impl ProgramFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.product.wrong("productId", lang.program_product()),
            self.kind.wrong("commissionType", lang.program_kind()),
            self.value.wrong("commissionValue", lang.program_commission()),
            self.cookie_days.wrong("cookieDays", lang.program_cookie()),
            self.description.wrong("description", lang.coupon_description()),
            self.rules.wrong("rules", lang.program_rules()),
            self.affiliate_page.wrong("affiliatePage", lang.program_affiliate_page()),
            self.sales_page.wrong("salesPage", lang.program_sales_page()),
        ];
        fields.into_iter().flatten().collect()
    }
}

/// The commission as the API takes it: basis points, or cents.
fn value(kind: CommissionType, text: &str) -> Result<i64, FieldFault> {
    let missing = || FieldFault::new("REQUIRED", "is required");
    match kind {
        CommissionType::Fixed => cents(text)?.ok_or_else(missing),
        CommissionType::Percentage => {
            let text = given(text.trim().trim_end_matches('%')).ok_or_else(missing)?;
            let points = decimal::parse(&text.replace(',', "."), 2);
            let points = points.and_then(|points| i64::try_from(points).ok());
            points.ok_or_else(|| FieldFault::new("INVALID_TYPE", "must be a percentage, like 10"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProgramForm;
    use crate::affiliates::terms::CommissionType;
    use crate::platform::error::Error;
    use crate::platform::http::patch::Patch;

    const ID: &str = "01931b2c-0000-7000-8000-000000000000";

    fn form(fields: &str) -> ProgramForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn a_commission_is_typed_in_percent_or_in_reais() {
        let of = |fields: &str| {
            form(&format!("productId={ID}&{fields}")).body().map(|body| body.commission_value)
        };
        let table = [
            ("commissionValue=12,5%25", Some(1_250)),
            ("commissionValue=0.01", Some(1)),
            ("commissionValue=12,555", None),
            ("commissionValue=", None),
            ("commissionType=FIXED&commissionValue=R$ 5,00", Some(500)),
            ("commissionType=FIXED&commissionValue=cinco", None),
        ];
        for (fields, value) in table {
            assert_eq!(of(fields).ok(), value, "{fields}");
        }
    }

    #[test]
    fn only_what_was_changed_is_sent() {
        let drawn = form("commissionType=PERCENTAGE&commissionValue=10&rules=a&cookieDays=30");
        let typed = form("commissionType=FIXED&commissionValue=10&cookieDays=30&salesPage=b");
        let changes = typed.changes(&drawn).expect("is right");
        assert_eq!(*changes.commission_type, Some(CommissionType::Fixed));
        assert_eq!(*changes.commission_value, Some(1_000));
        assert!(changes.cookie_days.is_none() && changes.extended_commission.is_none());
        assert_eq!((changes.rules, changes.description), (Patch::Clear, Patch::Keep));
        assert_eq!(changes.sales_page, Patch::Set("b".to_owned()));
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let form = form("commissionValue=muito&cookieDays=x&salesPage=nada");
        let Err(Error::Invalid(wrong)) = form.body() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["productId", "commissionValue", "cookieDays", "salesPage"]);
    }
}
