//! The form of a coupon, which becomes the body that programs send.

use std::collections::BTreeMap;

use brazil::calendar::sao_paulo_date;
use db::time::Timestamp;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::coupons::Coupon;
use crate::coupons::api::CreateCouponRequest;
use crate::coupons::discount::DiscountType;
use crate::coupons::params::CouponParams;
use crate::dashboard::coupons::coupon_words as words;
use crate::dashboard::form::{
    Field, WrongField, cents, cents_from, day, explain, given, omit, patch, whole, with_rules,
};
use crate::figures::period::{after, start};
use crate::platform::decimal::NumberText;
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::ProductId;
use crate::platform::messages::Lang;

/// The fields whose errors the form shows beside them.
pub const SHOWN: [&str; 10] = [
    "code",
    "discountType",
    "discountValue",
    "description",
    "minPurchaseCents",
    "maxDiscountCents",
    "usageLimit",
    "perUserLimit",
    "validFrom",
    "validUntil",
];
/// The boxes of the products, and
const PRODUCTS: &str = "productIds";
/// what the name of each begins with.
const PRODUCT: &str = "productIds.";

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CouponForm {
    pub code: String,
    pub discount_type: String,
    /// A percentage, or an amount as people type it.
    pub discount_value: String,
    pub description: String,
    pub min_purchase_cents: String,
    pub max_discount_cents: String,
    pub usage_limit: String,
    pub per_user_limit: String,
    /// The first and the last day.
    pub valid_from: String,
    pub valid_until: String,
    /// The boxes of the products, by their names.
    #[serde(flatten)]
    pub boxes: BTreeMap<String, String>,
}

/// The fields as they were typed, with what is wrong with them.
pub struct CouponFields {
    pub code: Field,
    pub is_fixed: bool,
    pub kind: Field,
    pub value: Field,
    pub description: Field,
    pub min_purchase: Field,
    pub max_discount: Field,
    pub usage_limit: Field,
    pub per_user_limit: Field,
    pub valid_from: Field,
    pub valid_until: Field,
    pub products: Vec<ProductBox>,
    /// What is wrong with the products, each with its name.
    pub products_error: Option<String>,
}

/// A product that the coupon may be for.
pub struct ProductBox {
    pub field: String,
    pub name: String,
    pub is_chosen: bool,
}

/// What was typed, read.
struct Typed {
    value: NumberText,
    min_purchase: Option<i64>,
    max_discount: Option<i64>,
    usage_limit: Option<i64>,
    per_user_limit: Option<i64>,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
}

impl CouponForm {
    /// The form of a coupon as it is.
    pub fn of(coupon: &Coupon, lang: Lang) -> Self {
        let money =
            |cents: Option<Cents>| cents.map(|cents| lang.money(cents.get())).unwrap_or_default();
        let number = |number: Option<i64>| number.map(|it| it.to_string()).unwrap_or_default();
        let day = |at: Option<Timestamp>| {
            at.map(|at| sao_paulo_date(at.micros()).to_string()).unwrap_or_default()
        };
        // The last day is the one that ends then.
        let last = coupon.valid_until.map(|until| Timestamp::from_micros(until.micros() - 1));
        let boxed = |id: &ProductId| (format!("{PRODUCT}{id}"), "true".to_owned());
        Self {
            code: coupon.code.clone(),
            discount_type: coupon.reduction.kind().name().to_owned(),
            discount_value: words::number(coupon.reduction, lang),
            description: coupon.description.clone().unwrap_or_default(),
            min_purchase_cents: money(coupon.min_purchase),
            max_discount_cents: money(coupon.max_discount),
            usage_limit: number(coupon.usage_limit),
            per_user_limit: number(coupon.per_user_limit),
            valid_from: day(coupon.valid_from),
            valid_until: day(last),
            boxes: coupon.product_ids.iter().map(boxed).collect(),
        }
    }

    /// The body of a request that creates the coupon.
    pub fn body(&self) -> Result<CreateCouponRequest> {
        let kind = self.kind();
        let typed = self.typed(kind)?;
        Ok(CreateCouponRequest {
            code: self.code.clone(),
            discount_type: kind,
            discount_value: typed.value,
            description: given(&self.description),
            min_purchase_cents: typed.min_purchase,
            max_discount_cents: typed.max_discount,
            usage_limit: typed.usage_limit,
            per_user_limit: typed.per_user_limit,
            valid_from: typed.valid_from,
            valid_until: typed.valid_until,
            product_ids: Some(self.products()),
            status: None,
        })
    }

    /// The body of a request that changes what differs from the form as it was drawn: a day says
    /// less than the instant that a program may have set.
    pub fn changes(&self, drawn: &Self, kind: DiscountType) -> Result<CouponParams> {
        let typed = self.typed(kind)?;
        let Self { min_purchase_cents: least, max_discount_cents: most, .. } = self;
        Ok(CouponParams {
            code: omit(&self.code, &drawn.code, Some(self.code.clone())),
            discount_value: omit(&self.discount_value, &drawn.discount_value, Some(typed.value)),
            description: patch(&self.description, &drawn.description, given(&self.description)),
            min_purchase_cents: patch(least, &drawn.min_purchase_cents, typed.min_purchase),
            max_discount_cents: patch(most, &drawn.max_discount_cents, typed.max_discount),
            usage_limit: patch(&self.usage_limit, &drawn.usage_limit, typed.usage_limit),
            per_user_limit: patch(
                &self.per_user_limit,
                &drawn.per_user_limit,
                typed.per_user_limit,
            ),
            valid_from: patch(&self.valid_from, &drawn.valid_from, typed.valid_from),
            valid_until: patch(&self.valid_until, &drawn.valid_until, typed.valid_until),
            product_ids: match self.products() {
                products if products == drawn.products() => Patch::Keep,
                products => Patch::Set(products),
            },
            status: Omittable::default(),
        })
    }

    /// The fields as they were typed; the products are those on offer, by their names.
    pub fn fields(
        &self,
        products: &[(ProductId, String)],
        wrong: &[FieldError],
        lang: Lang,
    ) -> CouponFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let chosen = self.products();
        let boxed = |(id, name): &(ProductId, String)| ProductBox {
            field: format!("{PRODUCT}{id}"),
            name: name.clone(),
            is_chosen: chosen.contains(id),
        };
        CouponFields {
            code: field("code", &self.code),
            is_fixed: self.kind() == DiscountType::Fixed,
            kind: field("discountType", &self.discount_type),
            value: field("discountValue", &self.discount_value),
            description: field("description", &self.description),
            min_purchase: field("minPurchaseCents", &self.min_purchase_cents),
            max_discount: field("maxDiscountCents", &self.max_discount_cents),
            usage_limit: field("usageLimit", &self.usage_limit),
            per_user_limit: field("perUserLimit", &self.per_user_limit),
            valid_from: field("validFrom", &self.valid_from),
            valid_until: field("validUntil", &self.valid_until),
            products: products.iter().map(boxed).collect(),
            products_error: products_error(&chosen, products, wrong, lang),
        }
    }

    /// The kind of the discount; a percentage unless an amount was chosen.
    fn kind(&self) -> DiscountType {
        DiscountType::parse(&self.discount_type).unwrap_or(DiscountType::Percentage)
    }

    /// The products whose boxes are checked.
    pub fn products(&self) -> Vec<ProductId> {
        let ids = self.boxes.keys().filter_map(|name| name.strip_prefix(PRODUCT));
        ids.filter_map(|id| id.parse().ok()).collect()
    }

    /// Reads what was typed; every error is reported at once, also those of the texts.
    fn typed(&self, kind: DiscountType) -> Result<Typed> {
        card_data::refuse_typed(self.texts())?;
        let value = value(kind, &self.discount_value).ok();
        let texts = CouponParams {
            code: Omittable::from(Some(self.code.clone())),
            discount_value: Omittable::from(value),
            description: given(&self.description).map_or(Patch::Keep, Patch::Set),
            ..CouponParams::default()
        };
        self.read(kind).map_err(|unread| with_rules(unread, texts.check(kind)))
    }

    /// The fields of [`SHOWN`].
    fn texts(&self) -> [(&'static str, &str); 10] {
        let [code, kind, value, description, least, most, uses, per_user, from, until] = SHOWN;
        [
            (code, &self.code),
            (kind, &self.discount_type),
            (value, &self.discount_value),
            (description, &self.description),
            (least, &self.min_purchase_cents),
            (most, &self.max_discount_cents),
            (uses, &self.usage_limit),
            (per_user, &self.per_user_limit),
            (from, &self.valid_from),
            (until, &self.valid_until),
        ]
    }

    fn read(&self, kind: DiscountType) -> Result<Typed> {
        let mut wrong = FieldErrors::new();
        let value = wrong.read("discountValue", value(kind, &self.discount_value));
        let min_purchase = wrong.read("minPurchaseCents", cents_from(0, &self.min_purchase_cents));
        let max_discount = wrong.read("maxDiscountCents", cents(&self.max_discount_cents));
        let usage_limit = wrong.read("usageLimit", whole(&self.usage_limit));
        let per_user_limit = wrong.read("perUserLimit", whole(&self.per_user_limit));
        let valid_from = wrong.read("validFrom", day(&self.valid_from));
        let valid_until = wrong.read("validUntil", day(&self.valid_until));
        let Some(value) = value else { return Err(wrong.into_error()) };
        wrong.finish()?;
        Ok(Typed {
            value,
            min_purchase: min_purchase.flatten(),
            max_discount: max_discount.flatten(),
            usage_limit: usage_limit.flatten(),
            per_user_limit: per_user_limit.flatten(),
            valid_from: valid_from.flatten().map(start),
            valid_until: valid_until.flatten().map(|last| start(after(last))),
        })
    }
}

impl CouponFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let fields = [
            self.code.wrong("code", lang.coupon_code()),
            self.kind.wrong("discountType", lang.coupon_kind()),
            self.value.wrong("discountValue", lang.coupon_value()),
            self.description.wrong("description", lang.coupon_description()),
            self.min_purchase.wrong("minPurchaseCents", lang.coupon_min_purchase()),
            self.max_discount.wrong("maxDiscountCents", lang.coupon_max_discount()),
            self.usage_limit.wrong("usageLimit", lang.coupon_usage_limit()),
            self.per_user_limit.wrong("perUserLimit", lang.coupon_per_user_limit()),
            self.valid_from.wrong("validFrom", lang.coupon_valid_from()),
            self.valid_until.wrong("validUntil", lang.coupon_valid_until()),
            self.products_error.clone().map(|message| WrongField {
                id: PRODUCTS.into(),
                label: lang.coupon_which_products(),
                message,
            }),
        ];
        fields.into_iter().flatten().collect()
    }
}

/// What is wrong with the chosen products; an error of one has the number that it was sent with.
fn products_error(
    chosen: &[ProductId],
    offered: &[(ProductId, String)],
    wrong: &[FieldError],
    lang: Lang,
) -> Option<String> {
    let message = |wrong: &FieldError| {
        let rest = wrong.field.strip_prefix(PRODUCTS)?;
        let message = explain(wrong, lang);
        let number = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let id = number.and_then(|number| chosen.get(number.parse::<usize>().ok()?));
        let named = id.and_then(|id| offered.iter().find(|(offered, _)| offered == id));
        Some(named.map_or(message.clone(), |(_, name)| format!("{name}: {message}")))
    };
    let messages: Vec<_> = wrong.iter().filter_map(message).collect();
    (!messages.is_empty()).then(|| messages.join(" "))
}

/// The discount as the API takes it: a percentage with a point, or cents.
fn value(kind: DiscountType, text: &str) -> Result<NumberText, FieldFault> {
    let missing = || FieldFault::new("REQUIRED", "is required");
    match kind {
        DiscountType::Fixed => {
            let cents = cents(text)?.ok_or_else(missing)?;
            Ok(NumberText(cents.to_string()))
        }
        DiscountType::Percentage => {
            let text = given(text.trim().trim_end_matches('%')).ok_or_else(missing)?;
            Ok(NumberText(text.replace(',', ".")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CouponForm;
    use crate::coupons::discount::DiscountType;
    use crate::platform::error::Error;
    use crate::platform::http::patch::Patch;

    fn form(fields: &str) -> CouponForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn a_discount_is_typed_in_percent_or_in_reais() {
        let of = |fields: &str| form(fields).body().map(|body| body.discount_value.0);
        let typed = "discountType=PERCENTAGE&discountValue=12,5%25";
        assert_eq!(of(typed).ok().as_deref(), Some("12.5"));
        let typed = "discountType=FIXED&discountValue=R$ 5,00";
        assert_eq!(of(typed).ok().as_deref(), Some("500"));
        assert!(of("discountType=FIXED&discountValue=cinco").is_err());
    }

    #[test]
    fn only_what_was_changed_is_sent() {
        let shown = form("code=DEZ&discountValue=10&validUntil=2026-11-30&usageLimit=5");
        let typed = form("code=DEZ&discountValue=10&validUntil=2026-11-30&perUserLimit=1");
        let changes = typed.changes(&shown, DiscountType::Percentage).expect("is right");
        assert!(changes.code.is_none() && changes.discount_value.is_none());
        assert_eq!(changes.valid_until, Patch::Keep);
        assert_eq!((changes.usage_limit, changes.per_user_limit), (Patch::Clear, Patch::Set(1)));
    }

    #[test]
    fn the_products_are_the_boxes_that_are_checked() {
        let id = "01931b2c-0000-7000-8000-000000000000";
        let form = form(&format!("productIds.{id}=true&discountValue=10&other=1"));
        let body = form.body().expect("is right");
        assert_eq!(body.product_ids.map(|ids| ids.len()), Some(1));
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let form = form("discountValue=&usageLimit=x&validFrom=ontem&minPurchaseCents=y");
        let Err(Error::Invalid(wrong)) = form.body() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["discountValue", "minPurchaseCents", "usageLimit", "validFrom", "code"]);
    }
}
