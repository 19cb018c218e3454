//! Where notices about slips and payouts go: one address each.

use serde_json::json;

use super::problem;
use crate::bacen::book::Webhook;
use crate::call::{Answer, Call};
use crate::clock::instant;
use crate::reply::Reply;
use crate::world::World;

type Place = fn(&mut World) -> &mut Option<Webhook>;

pub fn put_slips(world: &mut World, call: &Call) -> Answer {
    put(world, call, slips)
}

pub fn get_slips(world: &mut World, _: &Call) -> Answer {
    get(world, slips)
}

pub fn delete_slips(world: &mut World, _: &Call) -> Answer {
    Ok(delete(world, slips))
}

pub fn put_payouts(world: &mut World, call: &Call) -> Answer {
    put(world, call, payouts)
}

pub fn get_payouts(world: &mut World, _: &Call) -> Answer {
    get(world, payouts)
}

pub fn delete_payouts(world: &mut World, _: &Call) -> Answer {
    Ok(delete(world, payouts))
}

fn slips(world: &mut World) -> &mut Option<Webhook> {
    &mut world.titles.webhook
}

fn payouts(world: &mut World) -> &mut Option<Webhook> {
    &mut world.transfers.webhook
}

fn put(world: &mut World, call: &Call, place: Place) -> Answer {
    let url = call.text_at("/webhookUrl");
    let url = url.ok_or_else(|| problem::invalid("webhookUrl", "é obrigatório"))?.to_owned();
    let created_at = world.now();
    *place(world) = Some(Webhook { url, created_at });
    Ok(Reply::empty(204))
}

fn get(world: &mut World, place: Place) -> Answer {
    let hook = place(world).as_ref();
    let hook = hook.ok_or_else(|| problem::reply(404, "Não encontrado", "Sem webhook."))?;
    let value = json!({ "webhookUrl": hook.url, "criacao": instant(hook.created_at) });
    Ok(Reply::json(200, &value))
}

fn delete(world: &mut World, place: Place) -> Reply {
    *place(world) = None;
    Reply::empty(204)
}
