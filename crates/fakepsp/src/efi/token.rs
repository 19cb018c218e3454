//! Efí's token door: HTTP Basic and a JSON body.

use jiff::SignedDuration;
use serde_json::json;

use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::route::Dialect;
use crate::tokens;
use crate::world::World;

const LIVES_FOR_SECONDS: i64 = 3_600;

pub fn issue(world: &mut World, call: &Call) -> Answer {
    let scopes = world.settings.efi_scopes.clone();
    grant(world, call, Dialect::Efi, LIVES_FOR_SECONDS, &scopes)
}

/// What both of Efí's token doors do.
pub fn grant(
    world: &mut World,
    call: &Call,
    dialect: Dialect,
    seconds: i64,
    scopes: &str,
) -> Answer {
    let known = call.basic().is_some_and(|(client, secret)| tokens::knows(&client, &secret));
    if !known {
        let error = json!({
            "error": "invalid_client",
            "error_description": "Invalid or inactive credentials",
        });
        return Err(Reply::json(401, &error));
    }
    if !call.is_json() || call.text_at("/grant_type") != Some("client_credentials") {
        let error = json!({
            "error": "invalid_request",
            "error_description": "Missing or invalid grant_type parameter",
        });
        return Err(Reply::json(400, &error));
    }
    let expires_at = world.now() + SignedDuration::from_secs(seconds);
    let token = world.tokens.issue(&mut world.ids, dialect, scopes, expires_at);
    let mut value = json!({
        "access_token": token,
        "token_type": "Bearer",
        "expires_in": seconds,
    });
    if !scopes.is_empty() {
        value["scope"] = json!(scopes);
    }
    Ok(Reply::json(200, &value))
}
