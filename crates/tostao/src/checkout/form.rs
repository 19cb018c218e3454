//! The pay form: what a browser posts, checked by the same rules as the API's bodies.

use brazil::document::Document;
use ledger::cents::Cents;
use serde::{Deserialize, Serialize};

use crate::carts::Cart;
use crate::checkout::views::{AddressFields, AddressWanted, Field, PayForm, WantedFields};
use crate::clients::CustomerDetails;
use crate::platform::error::{FieldError, Result};
use crate::platform::http::card_data;
use crate::platform::messages::Lang;
use crate::transactions::validation::{self, AddressRequest, CustomerRequest, RequiredFields};
use crate::transactions::{Address, Method, PaymentMethod, Transaction};

/// The API's names of the fields about the payment itself.
pub const COUPON: &str = "couponCode";
pub const METHOD: &str = "method";
pub const INSTALLMENTS: &str = "installments";

/// The error code of a field that holds a card's number.
const CARD_DATA: &str = "CARD_DATA_NOT_ACCEPTED";
/// The error code of the document of a buyer who subscribes to the plan already.
pub const ALREADY_SUBSCRIBED: &str = "ALREADY_SUBSCRIBED";

/// The fields of the form, all of them text.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FormFields {
    pub name: String,
    pub email: String,
    pub document: String,
    pub phone: String,
    pub postal_code: String,
    pub street: String,
    pub number: String,
    pub complement: String,
    pub district: String,
    pub city: String,
    pub state: String,
    /// The attempt id of this form, so that submitting it twice pays once.
    pub attempt: String,
    /// The method as the API names it; the link's first method if it is empty.
    pub method: String,
    pub installments: String,
    pub coupon: String,
    /// The code of an affiliate, from the payment that this one replaces.
    pub affiliate_code: String,
    /// The affiliate's code in the URL of a plan's page.
    pub aff: String,
    /// The total that the page showed, in cents.
    pub seen: String,
    /// The terms of the plan that the page showed.
    pub terms: String,
    /// The button beside the coupon: it requests the same page again.
    pub apply: String,
    /// The values behind the fields that were shown masked, sealed.
    pub kept: String,
    /// Whether the document comes from another page and was not typed here; a boleto shows it in
    /// full.
    pub has_kept_document: bool,
}

impl FormFields {
    /// The fields beside which `refuse_card_data` reports a card's number.
    pub const SHOWN: [&str; 12] = [
        "name",
        "email",
        "document",
        "phone",
        "postal_code",
        "street",
        "number",
        "complement",
        "district",
        "city",
        "state",
        "coupon",
    ];

    /// The details of an earlier payment, as the form of another attempt.
    pub fn from_payment(made: &Transaction, attempt: String) -> Self {
        let CustomerDetails { name, email, document, phone } = made.customer.clone();
        let address = made.address.clone();
        let part = |of: fn(Address) -> String| address.clone().map(of).unwrap_or_default();
        Self {
            name,
            email,
            document: document.map(|document| document.formatted()).unwrap_or_default(),
            phone: phone.unwrap_or_default(),
            postal_code: part(|address| address.postal_code),
            street: part(|address| address.street),
            number: part(|address| address.number),
            complement: part(|address| address.complement.unwrap_or_default()),
            district: part(|address| address.district),
            city: part(|address| address.city),
            state: part(|address| address.state),
            attempt,
            method: Method::CreditCard.name().to_owned(),
            installments: made.installments.to_string(),
            coupon: made.coupon_code.clone().unwrap_or_default(),
            affiliate_code: made.affiliate_code.clone().unwrap_or_default(),
            has_kept_document: true,
            ..Self::default()
        }
    }

    /// What a buyer had typed before leaving.
    pub fn from_cart(cart: &Cart) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Self {
            name: text(&cart.name),
            email: text(&cart.email),
            document: cart.document.as_ref().map(Document::formatted).unwrap_or_default(),
            phone: text(&cart.phone),
            ..Self::default()
        }
    }

    /// The method; `None` if it is not offered.
    pub fn method(&self, available_methods: &[PaymentMethod]) -> Option<PaymentMethod> {
        let named = |method: &PaymentMethod| Method::from(*method).name() == self.method;
        if self.method.is_empty() {
            available_methods.first().copied()
        } else {
            available_methods.iter().copied().find(named)
        }
    }

    /// Whether it has a document that was typed here.
    pub fn has_typed_document(&self) -> bool {
        !self.document.trim().is_empty() && !self.has_kept_document
    }

    /// The number of installments; 0 if it is invalid.
    pub fn installment_count(&self) -> i64 {
        if self.installments.is_empty() { 1 } else { self.installments.parse().unwrap_or(0) }
    }

    /// The total that the page showed.
    pub fn seen(&self) -> Option<Cents> {
        self.seen.parse().ok().map(Cents::new)
    }

    /// The typed coupon, if any.
    pub fn coupon(&self) -> Option<&str> {
        Some(self.coupon.trim()).filter(|code| !code.is_empty())
    }

    /// Whether an address was typed that a bank registers a boleto with.
    pub fn has_address(&self) -> bool {
        validation::is_address(&self.address())
    }

    /// The same as an API body; with an address only where one is required.
    pub fn customer(&self, required: RequiredFields) -> CustomerRequest {
        CustomerRequest {
            name: self.name.clone(),
            email: self.email.clone(),
            document: Some(self.document.clone()),
            phone: required.phone.then(|| self.phone.clone()),
            address: required.address.then(|| self.address()),
        }
    }

    fn address(&self) -> AddressRequest {
        AddressRequest {
            postal_code: self.postal_code.clone(),
            street: self.street.clone(),
            number: self.number.clone(),
            complement: Some(self.complement.clone()),
            district: self.district.clone(),
            city: self.city.clone(),
            state: self.state.clone(),
        }
    }

    /// Refuses card numbers, before anything else is done with the form.
    pub fn refuse_card_data(&self) -> Result<()> {
        let typed = [
            (COUPON, &self.coupon),
            ("customer.name", &self.name),
            ("customer.email", &self.email),
            ("customer.document", &self.document),
            ("customer.phone", &self.phone),
            ("customer.address.postalCode", &self.postal_code),
            ("customer.address.street", &self.street),
            ("customer.address.number", &self.number),
            ("customer.address.complement", &self.complement),
            ("customer.address.district", &self.district),
            ("customer.address.city", &self.city),
            ("customer.address.state", &self.state),
        ];
        card_data::refuse_typed(typed.map(|(path, text)| (path, text.as_str())))
    }

    /// The form with what was typed, and its errors in the buyer's language.
    pub fn shown(&self, wanted: WantedFields, wrong: &[FieldError], lang: Lang) -> PayForm {
        let field = |name: &str, value: &str| {
            let wrong = wrong.iter().find(|wrong| wrong.field == name);
            // A card's number is not even sent back.
            let shown = wrong.is_none_or(|wrong| wrong.code != CARD_DATA);
            Field {
                value: if shown { value.to_owned() } else { String::new() },
                error: wrong.map(|wrong| explain(wrong, lang)),
            }
        };
        let part = |name: &str, value: &str| field(&format!("customer.address.{name}"), value);
        let asks = wanted.address != AddressWanted::Never;
        let address = asks.then(|| AddressFields {
            wanted: wanted.address,
            postal_code: part("postalCode", &self.postal_code),
            street: part("street", &self.street),
            number: part("number", &self.number),
            complement: part("complement", &self.complement),
            district: part("district", &self.district),
            city: part("city", &self.city),
            state: part("state", &self.state),
        });
        PayForm {
            name: field("customer.name", &self.name),
            email: field("customer.email", &self.email),
            document: field("customer.document", &self.document),
            phone: wanted.phone.then(|| field("customer.phone", &self.phone)),
            address,
            coupon: field(COUPON, &self.coupon),
            method: field(METHOD, &self.method),
            installments: field(INSTALLMENTS, &self.installments),
        }
    }
}

fn explain(wrong: &FieldError, lang: Lang) -> String {
    match wrong.code {
        _ if wrong.field == METHOD => lang.method_unavailable().to_owned(),
        _ if wrong.field == INSTALLMENTS => lang.installments_unavailable().to_owned(),
        _ if wrong.field == COUPON && wrong.code != CARD_DATA => lang.coupon_invalid().to_owned(),
        CARD_DATA => lang.card_number().to_owned(),
        ALREADY_SUBSCRIBED => lang.already_subscribed().to_owned(),
        "INVALID_CHARACTER" => lang.invalid_characters().to_owned(),
        "INVALID_EMAIL" => lang.invalid_email().to_owned(),
        "INVALID_DOCUMENT" => lang.invalid_document().to_owned(),
        "INVALID_PHONE" => lang.invalid_phone().to_owned(),
        "INVALID_POSTAL_CODE" => lang.invalid_postal_code().to_owned(),
        "INVALID_STATE" => lang.invalid_state().to_owned(),
        "INVALID_LENGTH" if wrong.message.contains("at most") => lang.too_long(255),
        _ => lang.required().to_owned(),
    }
}
