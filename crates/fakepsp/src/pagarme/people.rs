//! Customers and the cards that are kept for them.

use serde_json::{Value, json};

use super::account::{Customer, Kept, invalid, not_found};
use super::{cards, idempotency};
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::world::World;

pub fn create(world: &mut World, call: &Call) -> Answer {
    idempotency::once(world, call, |world, call| {
        let fields = call.at("").cloned().unwrap_or_default();
        let customer = take(world, &fields, "customer")?;
        Ok(Reply::json(200, &customer.json()))
    })
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let customer = find(world, call.segment(3))?;
    Ok(Reply::json(200, &customer.json()))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let equal = |customer: &Customer, name: &str| {
        call.parameter(name).is_none_or(|wanted| customer.fields[name] == wanted)
    };
    let wanted =
        |customer: &&Customer| ["email", "document", "code"].iter().all(|it| equal(customer, it));
    let all: Vec<Value> =
        world.pagarme.customers.iter().filter(wanted).map(Customer::json).collect();
    let total = all.len();
    Ok(Reply::json(200, &json!({ "data": all, "paging": { "total": total } })))
}

pub fn keep(world: &mut World, call: &Call) -> Answer {
    idempotency::once(world, call, |world, call| {
        let customer = find(world, call.segment(3))?.id.clone();
        let mut kept = if let Some(token) = call.text_at("/token") {
            let used = || invalid("card.token", "The token is expired or was used.");
            cards::redeem(world, token).ok_or_else(used)?
        } else {
            let (card, now) = (cards::read(call, "")?, world.now());
            cards::fresh(world, card, now)
        };
        kept.customer = customer;
        let reply = Reply::json(200, &kept.json());
        world.pagarme.cards.push(kept);
        Ok(reply)
    })
}

pub fn cards(world: &mut World, call: &Call) -> Answer {
    let customer = find(world, call.segment(3))?.id.clone();
    let of_them = |kept: &&Kept| kept.customer == customer && kept.deleted_at.is_none();
    let all: Vec<Value> = world.pagarme.cards.iter().filter(of_them).map(Kept::json).collect();
    let total = all.len();
    Ok(Reply::json(200, &json!({ "data": all, "paging": { "total": total } })))
}

pub fn card(world: &mut World, call: &Call) -> Answer {
    Ok(Reply::json(200, &kept(world, call)?.json()))
}

pub fn forget(world: &mut World, call: &Call) -> Answer {
    let now = world.now();
    let kept = kept(world, call)?;
    kept.deleted_at = Some(now);
    Ok(Reply::json(200, &kept.json()))
}

/// Takes a customer as an order or a call of its own describes them. One of the same e-mail is the
/// same customer, whose other fields the newer description replaces.
pub fn take(world: &mut World, fields: &Value, path: &str) -> Result<Customer, Reply> {
    for field in ["name", "email"] {
        if fields[field].as_str().is_none_or(str::is_empty) {
            let text = format!("The {field} field is required.");
            return Err(invalid(&format!("{path}.{field}"), &text));
        }
    }
    let now = world.now();
    let same = |it: &&mut Customer| it.fields["email"] == fields["email"];
    if let Some(customer) = world.pagarme.customers.iter_mut().find(same) {
        customer.fields = fields.clone();
        return Ok(customer.clone());
    }
    let id = format!("cus_{}", world.ids.alphanumeric(16));
    let customer = Customer { id, fields: fields.clone(), created_at: now };
    world.pagarme.customers.push(customer.clone());
    Ok(customer)
}

pub fn find<'world>(world: &'world World, id: &str) -> Result<&'world Customer, Reply> {
    let customer = world.pagarme.customers.iter().find(|customer| customer.id == id);
    customer.ok_or_else(|| not_found("Customer"))
}

fn kept<'world>(world: &'world mut World, call: &Call) -> Result<&'world mut Kept, Reply> {
    let (customer, id) = (call.segment(3), call.segment(5));
    let is_it =
        |kept: &&mut Kept| kept.customer == customer && kept.id == id && kept.deleted_at.is_none();
    world.pagarme.cards.iter_mut().find(is_it).ok_or_else(|| not_found("Card"))
}
