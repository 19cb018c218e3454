//! Inter's token door: a form, and few calls a minute.

use jiff::SignedDuration;
use serde_json::json;

use super::problem;
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::route::Dialect;
use crate::tokens;
use crate::world::World;

const LIVES_FOR_SECONDS: i64 = 3_600;

pub fn issue(world: &mut World, call: &Call) -> Answer {
    let now = world.now();
    let limit = world.settings.inter_token_limit;
    if !world.tokens.may_ask(now, limit) {
        return Err(problem::reply(429, "Muitas requisições", "Limite de chamadas excedido."));
    }
    let form = if call.is_form() { call.form() } else { Vec::new() };
    let field = |name: &str| {
        let found = form.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    if field("grant_type") != "client_credentials" {
        return Err(problem::reply(400, "Requisição inválida", "grant_type é obrigatório."));
    }
    if !tokens::knows(field("client_id"), field("client_secret")) {
        return Err(problem::reply(401, "Não autorizado", "Credenciais inválidas."));
    }
    let known: Vec<&str> = world.settings.inter_scopes.split_whitespace().collect();
    let asked: Vec<&str> = field("scope").split_whitespace().collect();
    if asked.is_empty() || asked.iter().any(|scope| !known.contains(scope)) {
        return Err(problem::reply(400, "Requisição inválida", "No registered scope value."));
    }
    let scopes = asked.join(" ");
    let expires_at = now + SignedDuration::from_secs(LIVES_FOR_SECONDS);
    let token = world.tokens.issue(&mut world.ids, Dialect::Inter, &scopes, expires_at);
    let value = json!({
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": LIVES_FOR_SECONDS,
        "scope": scopes,
    });
    Ok(Reply::json(200, &value))
}
