//! Where notices about a key go.

use serde_json::{Value, json};
use url::Url;

use super::book::{Bank, Webhook};
use super::page::Window;
use super::refusal::{
    KEY_IS_NOT_OURS, URL_IS_INVALID, URL_IS_NOT_HTTPS, WEBHOOK_IS_UNKNOWN, malformed,
};
use crate::call::{Answer, Call, Probe};
use crate::clock::instant;
use crate::net::loopback;
use crate::reply::Reply;
use crate::world::World;

/// The account's own document, which the central bank's schema wants beside each address.
const CNPJ: &str = "09089356000118";

pub fn put(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let key = bank.part(call, 2).to_owned();
    let url = call.text_at("/webhookUrl");
    let url = url.ok_or_else(|| malformed(call, ".body.webhookUrl", "é obrigatório"))?;
    let parsed = Url::parse(url).map_err(|_| URL_IS_INVALID.reply(call))?;
    // A fake bank on loopback sends notices there without TLS, which no real one does.
    if parsed.scheme() != "https" && !loopback::is_loopback(&parsed) {
        return Err(URL_IS_NOT_HTTPS.reply(call));
    }
    if !world.owns(&key) {
        return Err(KEY_IS_NOT_OURS.reply(call));
    }
    if let Some(Probe::Refused(text)) = &call.probe {
        if bank.speaks_standard(call) {
            let (kind, title) = ("WebhookOperacaoInvalida", "Webhook inválido");
            return Err(Reply::problem(400, kind, title, text));
        }
        return Err(Reply::named(400, "webhook_invalido", text));
    }
    let hook = Webhook { url: url.to_owned(), created_at: world.now() };
    let reply = Reply::json(200, &json!({ "webhookUrl": hook.url }));
    world.book(bank).webhooks.insert(key, hook);
    Ok(reply)
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let key = bank.part(call, 2);
    let unknown = WEBHOOK_IS_UNKNOWN.at(world.settings.efi_not_found);
    let hook = world.book(bank).webhooks.get(key).ok_or_else(|| unknown.reply(call))?;
    Ok(Reply::json(200, &json(key, hook)))
}

pub fn delete(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let unknown = WEBHOOK_IS_UNKNOWN.at(world.settings.efi_not_found);
    let removed = world.book(bank).webhooks.remove(bank.part(call, 2));
    removed.map(|_| Reply::empty(204)).ok_or_else(|| unknown.reply(call))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let bank = Bank::of(call);
    let book = world.book(bank);
    if call.parameter("inicio").is_none() && call.parameter("fim").is_none() {
        let all: Vec<Value> = book.webhooks.iter().map(|(key, hook)| json(key, hook)).collect();
        return Ok(Reply::json(200, &json!({ "webhooks": all })));
    }
    let window = Window::read(call)?;
    let inside = book.webhooks.iter().filter(|(_, hook)| window.holds(hook.created_at));
    let items: Vec<Value> = inside.map(|(key, hook)| json(key, hook)).collect();
    Ok(Reply::json(200, &window.answer("webhooks", items)))
}

fn json(key: &str, hook: &Webhook) -> Value {
    let criacao = instant(hook.created_at);
    json!({ "webhookUrl": hook.url, "chave": key, "cnpj": CNPJ, "criacao": criacao })
}
