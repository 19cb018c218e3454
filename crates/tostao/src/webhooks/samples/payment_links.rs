//! Samples of what is told of payment links.

use crate::events::names::Name;
use crate::events::payloads::{LinkReference, PaymentLinkPayload};
use crate::events::{Event, EventName};
use crate::ids::PaymentLinkId;
use crate::payment_links::settings::LinkSettings;
use crate::payment_links::status::Status;
use crate::payment_links::view::LinkView;
use crate::products::CURRENCY;
use crate::webhooks::samples::{AMOUNT, CREATED_AT, EXPIRES_AT, UPDATED_AT, id, transactions};

pub const SLUG: &str = "sampleSLUG12";

/// An event that tells a link and nothing else.
pub fn of(name: Name, payment_link: PaymentLinkPayload) -> Event {
    Event::PaymentLink { name: EventName(name), payment_link }
}

pub fn of_paid() -> Event {
    Event::PaymentLinkPaid {
        payment_link: active(),
        transaction: Box::new(transactions::paid()),
        customer: transactions::customer(),
    }
}

pub fn active() -> PaymentLinkPayload {
    payment_link(Status::Active)
}

pub fn expired() -> PaymentLinkPayload {
    PaymentLinkPayload { expired_at: Some(EXPIRES_AT), ..payment_link(Status::Expired) }
}

pub fn reference() -> LinkReference {
    LinkReference { id: link_id(), slug: SLUG.into() }
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
        settings: LinkSettings::default(),
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
