//! What a test does to the banks, on the plain listener.

mod control;
mod money;
mod notify;

use std::net::SocketAddr;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::call::Call;
use crate::fake::Shared;
use crate::reply::Reply;

/// The answer to what is no operation.
const UNKNOWN: &str = "there is no such operation; there are GET /__log, /__operator, /__state, \
                       /__notices, /__fault; DELETE /__state, /__log, /__fault; POST /__notify, \
                       /__fault, /__clock, /__settings, /__tls, /__pay, /__med, /__chargeback, \
                       /__payout, /__refund, /__balance";

/// An answer of an operation, or why it was not understood.
type Done = Result<Value, String>;

pub async fn answer(shared: &Arc<Shared>, call: &Call) -> Reply {
    let done = match (call.method.as_str(), call.path.as_str()) {
        ("GET", "/__log") => Ok(control::log(&shared.world(), call)),
        ("GET", "/__operator") => Ok(operator(shared)),
        ("GET", "/__state") => Ok(control::state(&shared.world())),
        ("GET", "/__notices") => Ok(shared.world().notices.json()),
        ("GET", "/__fault") => Ok(json!(shared.world().faults.rules)),
        ("DELETE", "/__state") => {
            shared.world().forget(shared.settings.clone());
            shared.settled.notify_waiters();
            Ok(json!({}))
        }
        ("DELETE", "/__log") => {
            shared.world().log.clear();
            Ok(json!({}))
        }
        ("DELETE", "/__fault") => {
            shared.world().faults.rules.clear();
            Ok(json!({}))
        }
        ("POST", "/__notify") => notify::notify(shared, call).await,
        ("POST", path) => post(shared, path, call),
        _ => Err(UNKNOWN.to_owned()),
    };
    match done {
        Ok(value) => Reply::json(200, &value),
        Err(error) => Reply::json(422, &json!({ "error": error })),
    }
}

/// What a bank gives to its client: where its APIs are, and a certificate.
fn operator(shared: &Shared) -> Value {
    let addresses = shared.addresses.get().copied().unwrap_or_default();
    let at = |address: Option<SocketAddr>| {
        address.map(|address| format!("https://localhost:{}", address.port()))
    };
    let authority = &shared.authority;
    let client = &authority.client;
    json!({
        "tls_client": at(addresses.tls_client),
        "tls": at(addresses.tls),
        "authority": authority.certificate,
        "certificate": format!("{}{}", client.certificate, client.key),
    })
}

fn post(shared: &Shared, path: &str, call: &Call) -> Done {
    let world = &mut shared.world();
    match path {
        "/__fault" => control::fault(world, call),
        "/__clock" => control::clock(world, call),
        "/__settings" => control::settings(world, call),
        "/__tls" => {
            world.tls = read(call)?;
            Ok(json!({}))
        }
        "/__pay" => money::pay(world, call),
        "/__med" => money::med(world, call),
        "/__chargeback" => money::chargeback(world, call),
        "/__payout" => money::payout(world, call),
        "/__refund" => money::refund(world, call),
        "/__balance" => money::balance(world, call),
        _ => Err(UNKNOWN.to_owned()),
    }
}

/// The body of an operation; an empty one is an empty object.
fn read<T: DeserializeOwned>(call: &Call) -> Result<T, String> {
    let value =
        if call.body.is_empty() { json!({}) } else { call.json.clone().unwrap_or_default() };
    serde_json::from_value(value).map_err(|error| error.to_string())
}
