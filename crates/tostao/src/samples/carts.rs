//! Sample payloads about abandoned carts.

use crate::carts::events::CartChanged;
use crate::carts::view::CartView;
use crate::carts::{Status, UtmParameters};
use crate::events::Sample;
use crate::events::names::Name;
use crate::platform::ids::{CartId, TransactionId};
use crate::samples::payment_links::{SLUG, active, link_id};
use crate::samples::{CREATED_AT, EXPIRES_AT, UPDATED_AT, id};

pub fn of(name: Name, status: Status) -> Sample {
    let recovered = status == Status::Recovered;
    let cart = CartView {
        id: CartId(id(5)),
        payment_link_id: link_id(),
        client_email: Some("ana@example.com".into()),
        client_name: Some("Fulano de Tal".into()),
        client_document: Some("123.***.***-**".into()),
        client_phone: None,
        items: Vec::new(),
        utm: UtmParameters::default(),
        status,
        transaction_id: recovered.then_some(TransactionId(id(1))),
        recovery_url: Some(format!("https://example.com/pay/{SLUG}?rc=sample")),
        recovery_expires_at: EXPIRES_AT,
        created_at: CREATED_AT,
        updated_at: CREATED_AT,
        recovered_at: recovered.then_some(UPDATED_AT),
        erased_at: None,
    };
    let payment_link = active();
    Sample::of(&CartChanged { name, cart_abandonment: Box::new(cart), payment_link })
}
