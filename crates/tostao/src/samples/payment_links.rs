//! Sample payloads about payment links.

use crate::events::Sample;
use crate::events::names::Name;
use crate::payment_links::events::{PaymentLinkChanged, PaymentLinkPayload, PaymentLinkReference};
use crate::payment_links::settings::PaymentLinkSettings;
use crate::payment_links::status::Status;
use crate::payment_links::view::LinkView;
use crate::platform::ids::PaymentLinkId;
use crate::products::CURRENCY;
use crate::samples::{AMOUNT, CREATED_AT, EXPIRES_AT, UPDATED_AT, id, transactions};
use crate::transactions::events::PaymentLinkPaid;

pub const SLUG: &str = "sampleSLUG12";

/// A payload with only a link.
pub fn of(name: Name, payment_link: PaymentLinkPayload) -> Sample {
    Sample::of(&PaymentLinkChanged { name, payment_link })
}

pub fn of_paid() -> Sample {
    Sample::of(&PaymentLinkPaid {
        payment_link: active(),
        transaction: Box::new(transactions::paid()),
        customer: transactions::customer(),
    })
}

pub fn active() -> PaymentLinkPayload {
    payment_link(Status::Active)
}

pub fn expired() -> PaymentLinkPayload {
    PaymentLinkPayload { expired_at: Some(EXPIRES_AT), ..payment_link(Status::Expired) }
}

pub fn reference() -> PaymentLinkReference {
    PaymentLinkReference { id: link_id(), slug: SLUG.into() }
}

pub fn link_id() -> PaymentLinkId {
    PaymentLinkId(id(3))
}

fn payment_link(status: Status) -> PaymentLinkPayload {
    let link = LinkView {
        id: link_id(),
        slug: SLUG.into(),
        url: format!("https://example.com/pay/{SLUG}"),
        title: "Sample".into(),
        description: None,
        product_description: None,
        amount: Some(AMOUNT),
        total_cents: Some(AMOUNT),
        currency: CURRENCY,
        status,
        products: Vec::new(),
        expires_at: Some(EXPIRES_AT),
        redirect_url: None,
        settings: PaymentLinkSettings::default(),
        stock_quantity: None,
        stock_enabled: false,
        sales_count: 1,
        times_used: 1,
        meta_pixel_code: None,
        created_at: CREATED_AT,
        updated_at: UPDATED_AT,
    };
    PaymentLinkPayload { name: link.title.clone(), link, expired_at: None }
}
