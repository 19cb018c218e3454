//! What each hosted page shows: plain values, already formatted, and the template they fill.
//!
//! Handlers decide; a view only knows which of its own parts to show. The URLs that a page posts to
//! are built here, so that no template repeats them.

use std::borrow::Cow;

use askama::Template;

use crate::merchants::look::SellerProfile;
use crate::platform::assets;
use crate::platform::messages::Lang;

pub mod card;
pub mod charge;

#[cfg(test)]
mod tests;

/// The federative units, as the state field offers them.
pub const STATES: [(&str, &str); 27] = [
    ("AC", "Acre"),
    ("AL", "Alagoas"),
    ("AP", "Amapá"),
    ("AM", "Amazonas"),
    ("BA", "Bahia"),
    ("CE", "Ceará"),
    ("DF", "Distrito Federal"),
    ("ES", "Espírito Santo"),
    ("GO", "Goiás"),
    ("MA", "Maranhão"),
    ("MT", "Mato Grosso"),
    ("MS", "Mato Grosso do Sul"),
    ("MG", "Minas Gerais"),
    ("PA", "Pará"),
    ("PB", "Paraíba"),
    ("PR", "Paraná"),
    ("PE", "Pernambuco"),
    ("PI", "Piauí"),
    ("RJ", "Rio de Janeiro"),
    ("RN", "Rio Grande do Norte"),
    ("RS", "Rio Grande do Sul"),
    ("RO", "Rondônia"),
    ("RR", "Roraima"),
    ("SC", "Santa Catarina"),
    ("SP", "São Paulo"),
    ("SE", "Sergipe"),
    ("TO", "Tocantins"),
];

/// Something that the buyer must know before continuing.
pub struct Notice {
    pub heading: Cow<'static, str>,
    pub text: Cow<'static, str>,
}

impl Notice {
    pub fn new(heading: impl Into<Cow<'static, str>>, text: impl Into<Cow<'static, str>>) -> Self {
        Self { heading: heading.into(), text: text.into() }
    }
}

/// The form that starts a payment, or a subscription.
#[derive(Template)]
#[template(path = "checkout/pay.html")]
pub struct PayPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: SellerProfile,
    /// This page in the other language.
    pub language_url: String,
    /// Where the form is posted.
    pub place: String,
    pub order: OrderView,
    pub form: PayForm,
    /// The attempt id of this form, so that submitting it twice pays once.
    pub attempt: String,
    /// The values behind masked fields, sealed; empty where no field is masked.
    pub kept: String,
    /// What the buyer must know before they go on.
    pub notice: Option<Notice>,
}

impl PayPage {
    fn seller_label(&self) -> &'static str {
        if self.order.plan.is_some() {
            self.lang.you_subscribe_to()
        } else {
            self.lang.you_buy_from()
        }
    }

    fn total_label(&self) -> &'static str {
        if self.order.plan.is_some() { self.lang.due_today() } else { self.lang.total() }
    }

    /// Only a link's form is captured as a cart.
    fn email_hint(&self) -> &'static str {
        if self.order.cart.is_some() { self.lang.email_hint() } else { "" }
    }
}

/// What the form is about, in words.
pub struct OrderView {
    pub title: String,
    pub description: Option<String>,
    /// Empty when a plain amount is asked for.
    pub items: Vec<Item>,
    pub product_description: Option<String>,
    /// The slug of the link, as which the form is captured while it is filled in.
    pub cart: Option<String>,
    /// The price that recurs, if it is a plan's.
    pub plan: Option<RecurringPrice>,
    /// The coupon's discount on what is paid first.
    pub discount: Option<Discount>,
    /// What is charged at once.
    pub total: String,
    /// The same in cents, to be posted with the form.
    pub seen: i64,
    /// The ways to pay; empty where nothing is left to pay.
    pub ways: Vec<PaymentChoice>,
    /// Which ways are not offered for the moment; empty if all are.
    pub out_of_service: String,
    /// The card installments offered.
    pub parts: Vec<InstallmentChoice>,
    /// The fields that the form asks for besides name, email and document.
    pub wanted: WantedFields,
    pub document_hint: &'static str,
    /// Why the total may differ from the one shown before.
    pub changed: &'static str,
}

/// What a form asks for besides name, email and document.
#[derive(Debug, Clone, Copy)]
pub struct WantedFields {
    pub phone: bool,
    pub address: AddressWanted,
}

/// A plan's price, and when it is charged.
pub struct RecurringPrice {
    /// The length of the trial, if the buyer gets one.
    pub trial: Option<String>,
    /// The price of each period, with its interval.
    pub price: String,
    /// What is charged when, by card and by PIX.
    pub terms: String,
    pub pix_terms: String,
    /// The plan's terms, to be posted with the form.
    pub seen: String,
    /// The affiliate's code.
    pub aff: String,
}

/// A coupon's discount.
pub struct Discount {
    pub code: String,
    /// The price without it.
    pub price: String,
    pub off: String,
}

/// A way to pay, and what choosing it leads to.
pub struct PaymentChoice {
    pub id: &'static str,
    /// The value in the API.
    pub value: &'static str,
    pub name: &'static str,
    pub note: String,
    /// The label of the button.
    pub go: &'static str,
    /// What the next page asks for.
    pub next: &'static str,
    pub is_chosen: bool,
}

/// A number of installments.
pub struct InstallmentChoice {
    pub count: u8,
    pub text: String,
    pub is_chosen: bool,
}

/// A product in the order.
pub struct Item {
    pub name: String,
    pub quantity: u32,
    /// Price of one.
    pub price: String,
    /// Price times quantity.
    pub total: String,
}

/// The fields of the pay form; `None` where the link does not ask.
#[derive(Clone, Default)]
pub struct PayForm {
    pub name: Field,
    pub email: Field,
    pub document: Field,
    pub phone: Option<Field>,
    pub address: Option<AddressFields>,
    pub coupon: Field,
    pub method: Field,
    pub installments: Field,
}

/// For what a form asks for the buyer's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressWanted {
    Never,
    /// The bank registers no boleto without it.
    ForBoleto,
    Always,
}

/// The buyer's address.
#[derive(Clone)]
pub struct AddressFields {
    pub wanted: AddressWanted,
    pub postal_code: Field,
    pub street: Field,
    pub number: Field,
    pub complement: Field,
    pub district: Field,
    pub city: Field,
    pub state: Field,
}

/// What was typed, and its error.
#[derive(Clone, Default)]
pub struct Field {
    pub value: String,
    pub error: Option<String>,
}

/// A refused field in the summary above the form.
pub struct FieldError<'a> {
    /// Both the `id` and the `name` of the input.
    pub id: &'static str,
    pub label: &'static str,
    pub message: &'a str,
}

impl WantedFields {
    /// A plan asks for nothing else.
    pub const NONE: Self = Self { phone: false, address: AddressWanted::Never };
}

impl PayForm {
    /// The refused fields in the order of the page.
    pub fn errors(&self, lang: Lang) -> Vec<FieldError<'_>> {
        let mut fields = vec![
            ("name", lang.full_name(), &self.name),
            ("email", lang.email(), &self.email),
            ("document", lang.document(), &self.document),
        ];
        if let Some(phone) = &self.phone {
            fields.push(("phone", lang.phone(), phone));
        }
        if let Some(address) = &self.address {
            fields.extend(address.fields(lang));
        }
        fields.push(("methods", lang.payment(), &self.method));
        fields.push(("installments", lang.installments(), &self.installments));
        fields.push(("coupon", lang.coupon(), &self.coupon));
        let refused = fields.into_iter().filter_map(|(id, label, field)| {
            let message = field.error.as_deref()?;
            Some(FieldError { id, label, message })
        });
        refused.collect()
    }
}

impl AddressFields {
    fn is_for_boleto(&self) -> bool {
        self.wanted == AddressWanted::ForBoleto
    }

    fn fields(&self, lang: Lang) -> [(&'static str, &'static str, &Field); 7] {
        [
            ("postal_code", lang.postal_code(), &self.postal_code),
            ("street", lang.street(), &self.street),
            ("number", lang.street_number(), &self.number),
            ("complement", lang.complement(), &self.complement),
            ("district", lang.district(), &self.district),
            ("city", lang.city(), &self.city),
            ("state", lang.state(), &self.state),
        ]
    }
}

/// The receipt.
#[derive(Template)]
#[template(path = "checkout/receipt.html")]
pub struct ReceiptPage {
    pub lang: Lang,
    pub test_mode: bool,
    pub merchant: SellerProfile,
    /// This page in the other language, token included.
    pub language_url: String,
    pub title: String,
    pub amount: String,
    /// The coupon's discount, and its code.
    pub discount: Option<String>,
    pub coupon: Option<String>,
    /// The refunded amount, if any.
    pub refunded: Option<String>,
    pub paid_at: String,
    pub method: String,
    /// The number of installments, if more than one.
    pub parts: Option<String>,
    pub payer: String,
    pub masked_document: Option<String>,
    pub transaction: String,
    pub end_to_end_id: Option<String>,
    /// The shop's page, with `transaction_id` among its parameters.
    pub return_url: Option<String>,
    /// The portal of the subscription that was paid, if this browser has opened it before.
    pub subscription_url: Option<String>,
    pub pixel: Option<PixelId>,
}

/// The id of an advertiser's pixel, safe to put in a URL.
pub struct PixelId(String);

impl PixelId {
    /// Accepts 10 to 20 digits and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let valid = (10..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        valid.then(|| Self(text.to_owned()))
    }
}

/// A page that takes no payment now, or never did.
#[derive(Template)]
#[template(path = "checkout/closed.html")]
pub struct UnavailablePage {
    pub lang: Lang,
    pub test_mode: bool,
    /// Unknown when nothing was found at the URL.
    pub merchant: Option<SellerProfile>,
    /// This page in the other language, or the one that a refused form leads back to.
    pub language_url: String,
    pub reason: UnavailableReason,
    /// Only where an error is shown, and not what became of a link.
    pub reference: Option<ErrorReference>,
}

/// What finds an error in the server's log, and explains its code.
pub struct ErrorReference {
    pub request_id: String,
    pub code: &'static str,
    pub doc_url: String,
}

/// Why no payment can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    LinkExpired,
    LinkInactive,
    PlanInactive,
    PlanFull,
    SoldOut,
    ChargeCancelled,
    ChargeRefused,
    /// No bank takes payments for the merchant yet.
    NotConfigured,
    /// No bank answers at the moment.
    OutOfService,
    NotFound,
}

impl UnavailablePage {
    fn heading(&self) -> &'static str {
        match self.reason {
            UnavailableReason::LinkExpired => self.lang.link_expired(),
            UnavailableReason::LinkInactive => self.lang.link_inactive(),
            UnavailableReason::PlanInactive => self.lang.plan_inactive(),
            UnavailableReason::PlanFull => self.lang.plan_full(),
            UnavailableReason::SoldOut => self.lang.sold_out(),
            UnavailableReason::ChargeCancelled => self.lang.charge_cancelled(),
            UnavailableReason::ChargeRefused => self.lang.charge_refused(),
            UnavailableReason::NotConfigured => self.lang.not_configured(),
            UnavailableReason::OutOfService => self.lang.all_out_of_service(),
            UnavailableReason::NotFound => self.lang.not_found(),
        }
    }

    fn note(&self) -> &'static str {
        match self.reason {
            UnavailableReason::LinkExpired => self.lang.link_expired_note(),
            UnavailableReason::LinkInactive => self.lang.link_inactive_note(),
            UnavailableReason::PlanInactive => self.lang.plan_inactive_note(),
            UnavailableReason::PlanFull => self.lang.plan_full_note(),
            UnavailableReason::SoldOut => self.lang.sold_out_note(),
            UnavailableReason::ChargeCancelled => self.lang.charge_cancelled_note(),
            UnavailableReason::ChargeRefused => self.lang.charge_refused_note(),
            UnavailableReason::NotConfigured => self.lang.not_configured_note(),
            UnavailableReason::OutOfService => self.lang.all_out_of_service_note(),
            UnavailableReason::NotFound => self.lang.not_found_note(),
        }
    }
}

/// An internal error.
#[derive(Template)]
#[template(path = "checkout/error.html")]
pub struct ErrorPage {
    pub lang: Lang,
    pub reference: ErrorReference,
}

/// A refused request, with a link to try again.
#[derive(Template)]
#[template(path = "checkout/retry.html")]
pub struct RetryPage {
    pub lang: Lang,
    pub heading: &'static str,
    pub note: String,
    /// The label of the link.
    pub action: &'static str,
    /// The page that the buyer wanted.
    pub retry_url: String,
    pub reference: ErrorReference,
}
