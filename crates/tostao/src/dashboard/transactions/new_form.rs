//! The form of a charge without a link, which becomes the body that programs send.

use rails::profile::RailKind;
use serde::{Deserialize, Serialize};

use crate::dashboard::form::{Field, WrongField, cents, explain, given};
use crate::dashboard::parts::{NamedChoice, NamedSelect, Text};
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::masked::Documents;
use crate::platform::messages::Lang;
use crate::platform::typed_amount::typed;
use crate::transactions::api::CreateTransactionRequest;
use crate::transactions::request::SECONDS_TO_PAY;
use crate::transactions::validation::{AddressRequest, CustomerRequest};
use crate::transactions::{Method, PaymentMethod, Transaction};

/// What people issue charges by, and on which rail: a card is entered by its buyer alone.
pub const ISSUED: [(PaymentMethod, RailKind); 2] =
    [(PaymentMethod::Pix, RailKind::Pix), (PaymentMethod::Boleto, RailKind::Boleto)];
/// The fields whose errors the form shows.
pub const SHOWN: [&str; 17] = [
    "method",
    "amountCents",
    "description",
    "expiresIn",
    "dueDate",
    "externalId",
    "customer.name",
    "customer.email",
    "customer.document",
    "customer.phone",
    "customer.address.postalCode",
    "customer.address.street",
    "customer.address.number",
    "customer.address.complement",
    "customer.address.district",
    "customer.address.city",
    "customer.address.state",
];
/// How long a PIX code can be paid, in seconds.
const SPANS: [(&str, Text); 5] = [
    ("3600", Lang::charge_an_hour),
    ("86400", Lang::charge_a_day),
    ("259200", Lang::charge_three_days),
    ("604800", Lang::charge_a_week),
    ("2592000", Lang::charge_a_month),
];

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ChargeForm {
    pub method: String,
    /// As people type an amount.
    pub amount_cents: String,
    pub description: String,
    /// Of a PIX.
    pub expires_in: String,
    /// Of a boleto.
    pub due_date: String,
    pub external_id: String,
    #[serde(rename = "customer.name")]
    pub name: String,
    #[serde(rename = "customer.email")]
    pub email: String,
    #[serde(rename = "customer.document")]
    pub document: String,
    #[serde(rename = "customer.phone")]
    pub phone: String,
    #[serde(rename = "customer.address.postalCode")]
    pub postal_code: String,
    #[serde(rename = "customer.address.street")]
    pub street: String,
    #[serde(rename = "customer.address.number")]
    pub number: String,
    #[serde(rename = "customer.address.complement")]
    pub complement: String,
    #[serde(rename = "customer.address.district")]
    pub district: String,
    #[serde(rename = "customer.address.city")]
    pub city: String,
    #[serde(rename = "customer.address.state")]
    pub state: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct ChargeFields {
    pub method: NamedSelect,
    pub amount: Field,
    pub description: Field,
    pub span: NamedSelect,
    pub due_date: Field,
    pub external_id: Field,
    pub name: Field,
    pub email: Field,
    pub document: Field,
    pub phone: Field,
    pub postal_code: Field,
    pub street: Field,
    pub number: Field,
    pub complement: Field,
    pub district: Field,
    pub city: Field,
    pub state: Field,
}

impl ChargeForm {
    /// Another charge like a payment, without the reference, which stands for one. The buyer is
    /// left out for a role that may not read customers, and a document that it may not see whole.
    pub fn copy_of(payment: &Transaction, buyer: Option<Documents>, lang: Lang) -> Self {
        let method = Some(payment.method).filter(|method| is_issued(*method));
        let form = Self {
            method: method.map(|method| method.name().to_owned()).unwrap_or_default(),
            amount_cents: typed(payment.amount.get(), lang),
            description: payment.description.clone().unwrap_or_default(),
            ..Self::default()
        };
        let Some(documents) = buyer else { return form };
        let customer = &payment.customer;
        let document = customer.document.as_ref().filter(|_| documents == Documents::Whole);
        let form = Self {
            name: customer.name.clone(),
            email: customer.email.clone(),
            document: document.map(|document| document.as_str().to_owned()).unwrap_or_default(),
            phone: customer.phone.clone().unwrap_or_default(),
            ..form
        };
        let Some(address) = payment.address.clone() else { return form };
        Self {
            postal_code: address.postal_code,
            street: address.street,
            number: address.number,
            complement: address.complement.unwrap_or_default(),
            district: address.district,
            city: address.city,
            state: address.state,
            ..form
        }
    }

    /// The body of the request.
    pub fn body(&self) -> Result<CreateTransactionRequest> {
        card_data::refuse_typed(SHOWN.into_iter().zip(self.texts()))?;
        let mut wrong = FieldErrors::new();
        let missing = || FieldFault::new("REQUIRED", "is required");
        let amount = cents(&self.amount_cents).and_then(|amount| amount.ok_or_else(missing));
        let amount = wrong.read("amountCents", amount);
        let method = wrong.read("method", self.method());
        let is_pix = method == Some(PaymentMethod::Pix);
        let span = given(&self.expires_in).filter(|_| is_pix).map(|text| seconds(&text));
        let span = wrong.read("expiresIn", span.transpose());
        let (Some(amount), Some(method), Some(expires_in)) = (amount, method, span) else {
            return Err(wrong.into_error());
        };
        Ok(CreateTransactionRequest {
            amount_cents: Some(amount),
            description: given(&self.description),
            payment_link_id: None,
            items: None,
            method,
            customer: Some(self.customer()),
            customer_id: None,
            expires_in,
            due_date: given(&self.due_date).filter(|_| !is_pix),
            installments: None,
            card_token: None,
            coupon_code: None,
            affiliate_code: None,
            external_id: given(&self.external_id),
            metadata: None,
        })
    }

    /// The fields as they were typed, for a mode in which these methods have a bank.
    pub fn fields(
        &self,
        methods: &[PaymentMethod],
        wrong: &[FieldError],
        lang: Lang,
    ) -> ChargeFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let error = |name: &str| {
            let wrong = wrong.iter().find(|wrong| wrong.field == name);
            wrong.map(|wrong| explain(wrong, lang))
        };
        let mut postal_code = field("customer.address.postalCode", &self.postal_code);
        // The bank asks for the address as a whole.
        postal_code.error = postal_code.error.or_else(|| error("customer.address"));
        ChargeFields {
            method: NamedSelect {
                choices: methods.iter().map(|one| self.choice(*one, lang)).collect(),
                error: error("method"),
            },
            amount: field("amountCents", &self.amount_cents),
            description: field("description", &self.description),
            span: NamedSelect {
                choices: SPANS.iter().map(|span| self.span(*span, lang)).collect(),
                error: error("expiresIn"),
            },
            due_date: field("dueDate", &self.due_date),
            external_id: field("externalId", &self.external_id),
            name: field("customer.name", &self.name),
            email: field("customer.email", &self.email),
            document: field("customer.document", &self.document),
            phone: field("customer.phone", &self.phone),
            postal_code,
            street: field("customer.address.street", &self.street),
            number: field("customer.address.number", &self.number),
            complement: field("customer.address.complement", &self.complement),
            district: field("customer.address.district", &self.district),
            city: field("customer.address.city", &self.city),
            state: field("customer.address.state", &self.state),
        }
    }

    /// The values in the order of [`SHOWN`].
    fn texts(&self) -> [&str; 17] {
        [
            &self.method,
            &self.amount_cents,
            &self.description,
            &self.expires_in,
            &self.due_date,
            &self.external_id,
            &self.name,
            &self.email,
            &self.document,
            &self.phone,
            &self.postal_code,
            &self.street,
            &self.number,
            &self.complement,
            &self.district,
            &self.city,
            &self.state,
        ]
    }

    fn method(&self) -> Result<PaymentMethod, FieldFault> {
        let mut issued = ISSUED.into_iter().map(|(method, _)| method);
        let named = issued.find(|method| Method::from(*method).name() == self.method);
        named.ok_or_else(|| FieldFault::new("INVALID_VALUE", "must be PIX or BOLETO"))
    }

    fn customer(&self) -> CustomerRequest {
        CustomerRequest {
            name: self.name.trim().to_owned(),
            email: self.email.trim().to_owned(),
            document: given(&self.document),
            phone: given(&self.phone),
            address: self.address(),
        }
    }

    /// The address, if any of it was typed.
    fn address(&self) -> Option<AddressRequest> {
        let any = self.texts()[10..].iter().any(|text| !text.trim().is_empty());
        any.then(|| AddressRequest {
            postal_code: self.postal_code.clone(),
            street: self.street.clone(),
            number: self.number.clone(),
            complement: given(&self.complement),
            district: self.district.clone(),
            city: self.city.clone(),
            state: self.state.clone(),
        })
    }

    fn choice(&self, method: PaymentMethod, lang: Lang) -> NamedChoice {
        let name = match method {
            PaymentMethod::Pix => lang.by_pix(),
            PaymentMethod::Boleto => lang.by_boleto(),
            PaymentMethod::CreditCard => lang.by_card(),
        };
        let value = Method::from(method).name();
        NamedChoice {
            value: value.to_owned(),
            name: name.to_owned(),
            is_chosen: self.method == value,
        }
    }

    fn span(&self, (value, name): (&str, Text), lang: Lang) -> NamedChoice {
        NamedChoice {
            value: value.to_owned(),
            name: name(lang).to_owned(),
            is_chosen: match &*self.expires_in {
                "" => SECONDS_TO_PAY.to_string() == value,
                chosen => chosen == value,
            },
        }
    }
}

impl ChargeFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let of_select = |select: &NamedSelect, id: &'static str, label| {
            let error = select.error.clone();
            Field { value: String::new(), error }.wrong(id, label)
        };
        let fields = [
            of_select(&self.method, "method", lang.payments_method()),
            self.amount.wrong("amountCents", lang.payment_amount()),
            self.description.wrong("description", lang.charge_description()),
            of_select(&self.span, "expiresIn", lang.charge_span()),
            self.due_date.wrong("dueDate", lang.charge_due()),
            self.external_id.wrong("externalId", lang.payment_reference()),
            self.name.wrong("customer.name", lang.payment_buyer_name()),
            self.email.wrong("customer.email", lang.payment_buyer_email()),
            self.document.wrong("customer.document", lang.document()),
            self.phone.wrong("customer.phone", lang.payment_buyer_phone()),
            self.postal_code.wrong("customer.address.postalCode", lang.postal_code()),
            self.street.wrong("customer.address.street", lang.street()),
            self.number.wrong("customer.address.number", lang.street_number()),
            self.complement.wrong("customer.address.complement", lang.complement()),
            self.district.wrong("customer.address.district", lang.district()),
            self.city.wrong("customer.address.city", lang.city()),
            self.state.wrong("customer.address.state", lang.state()),
        ];
        fields.into_iter().flatten().collect()
    }
}

/// Whether people issue charges by a method.
pub fn is_issued(method: Method) -> bool {
    ISSUED.iter().any(|(issued, _)| Method::from(*issued) == method)
}

fn seconds(text: &str) -> Result<i64, FieldFault> {
    text.parse().map_err(|_| FieldFault::new("INVALID_VALUE", "must be a number of seconds"))
}

#[cfg(test)]
mod tests {
    use super::ChargeForm;
    use crate::platform::error::Error;

    fn form(fields: &str) -> ChargeForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn only_what_the_method_uses_is_sent() {
        let more = "amountCents=49,90&expiresIn=86400&dueDate=2026-12-24&customer.name=Ana";
        let pix = form(&format!("method=PIX&{more}")).body().expect("is right");
        assert_eq!(
            (pix.amount_cents, pix.expires_in, pix.due_date),
            (Some(4_990), Some(86_400), None)
        );
        assert!(pix.customer.is_some_and(|customer| customer.address.is_none()));
        let slip = form(&format!("method=BOLETO&{more}&customer.address.city=Recife"));
        let slip = slip.body().expect("is right");
        assert_eq!((slip.expires_in, slip.due_date.as_deref()), (None, Some("2026-12-24")));
        assert!(slip.customer.is_some_and(|customer| customer.address.is_some()));
    }

    #[test]
    fn every_field_that_cannot_be_read_is_named_at_once() {
        let Err(Error::Invalid(wrong)) = form("method=CREDIT_CARD&amountCents=").body() else {
            panic!("it is wrong")
        };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["amountCents", "method"]);
    }
}
