//! Questions about received Pix.

use serde_json::Value;

use super::book::{Bank, Received, Shape};
use super::page::Window;
use super::refusal::{PIX_IS_UNKNOWN, malformed};
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::settings::ReceivedPix;
use crate::world::World;

pub fn get(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let unknown = PIX_IS_UNKNOWN.at(world.settings.efi_not_found);
    let is_known = world.settings.received_pix == ReceivedPix::Known;
    let received = world.book(bank).find(bank.part(call, 2)).filter(|_| is_known);
    let received = received.ok_or_else(|| unknown.reply(call))?;
    Ok(Reply::json(200, &received.json(Shape::Whole)))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let window = Window::read(call)?;
    let flag = |name: &str| match call.parameter(name) {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(malformed(call, ".query", name)),
    };
    let (has_txid, has_refund) = (flag("txIdPresente")?, flag("devolucaoPresente")?);
    let wanted = |received: &&Received| {
        let txid = call.parameter("txid").is_none_or(|it| received.txid.as_deref() == Some(it));
        let named = has_txid.is_none_or(|it| it == received.txid.is_some());
        let refunded = has_refund.is_none_or(|it| it != received.refunds.is_empty());
        window.holds(received.at) && txid && named && refunded
    };
    let is_reversed = world.settings.newest_first;
    let received = world.book(bank).received.iter().filter(wanted);
    let mut items: Vec<Value> = received.map(|received| received.json(Shape::Whole)).collect();
    if is_reversed {
        items.reverse();
    }
    Ok(Reply::json(200, &window.answer("pix", items)))
}
