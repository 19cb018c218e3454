//! Card tokens, and what the test cards come to.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::account::{Card, Kept, Token, instant, invalid, not_found};
use crate::call::{Answer, Call};
use crate::reply::Reply;
use crate::world::World;

const LIVES_FOR: SignedDuration = SignedDuration::from_secs(60);

/// The document with which the antifraud refuses every buyer.
const FRAUDSTER: &str = "11111111111";

/// What a card comes to at the acquirer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Approved,
    /// With the issuer's return code.
    Declined(String),
    /// The acquirer did not answer; the charge is in process until the test says more.
    Unclear,
    /// The antifraud holds it until the test decides.
    Analyzed,
    Fraud,
}

/// From the buyer's browser: a public key, and no authorization.
pub fn tokenize(world: &mut World, call: &Call) -> Answer {
    public_key(call)?;
    if call.text_at("/type") != Some("card") {
        return Err(invalid("type", "The type field is invalid."));
    }
    let card = read(call, "/card")?;
    let now = world.now();
    let id = format!("token_{}", world.ids.alphanumeric(16));
    let token = Token { card, created_at: now, expires_at: now + LIVES_FOR, is_used: false };
    let value = json(&id, &token);
    world.pagarme.tokens.insert(id, token);
    Ok(Reply::json(200, &value))
}

/// Looking does not use a token up.
pub fn look(world: &mut World, call: &Call) -> Answer {
    public_key(call)?;
    let now = world.now();
    let token = world.pagarme.tokens.get(call.segment(3));
    let token = token.filter(|token| !token.is_used && now < token.expires_at);
    let token = token.ok_or_else(|| not_found("Token"))?;
    Ok(Reply::json(200, &json(call.segment(3), token)))
}

/// Uses a token up.
pub fn redeem(world: &mut World, id: &str) -> Option<Kept> {
    let now = world.now();
    let token = world.pagarme.tokens.get_mut(id)?;
    if token.is_used || now >= token.expires_at {
        return None;
    }
    token.is_used = true;
    let card = token.card.clone();
    Some(fresh(world, card, now))
}

pub fn fresh(world: &mut World, card: Card, now: Timestamp) -> Kept {
    let id = format!("card_{}", world.ids.alphanumeric(16));
    Kept { id, customer: String::new(), card, created_at: now, deleted_at: None }
}

/// The simulators' tables, the gateway's first; any other valid card is approved.
pub fn verdict(world: &World, card: &Card, document: &str) -> Verdict {
    let declined = |code: &str| Verdict::Declined(code.to_owned());
    match card.number.as_str() {
        _ if document == FRAUDSTER => Verdict::Fraud,
        "4000000000000028" => declined(&world.settings.pagarme_decline_code),
        "4000000000000002" => declined("05"),
        "4000000000009995" => declined("51"),
        "4000000000000069" => declined("54"),
        "4000000000000127" => declined("N7"),
        "4000000000000036" | "4000000000000044" => Verdict::Unclear,
        _ if card.cvv.starts_with('6') => declined(&world.settings.pagarme_decline_code),
        _ if world.settings.pagarme_analyzes => Verdict::Analyzed,
        _ => Verdict::Approved,
    }
}

/// A card in full, from a body.
pub fn read(call: &Call, pointer: &str) -> Result<Card, Reply> {
    let card = call.at(pointer).cloned().unwrap_or_default();
    let field =
        |name: &str| format!("{}.{name}", pointer.trim_start_matches('/').replace('/', "."));
    let number = text(&card["number"]).filter(|number| is_card(number));
    let number =
        number.ok_or_else(|| invalid(&field("number"), "The number field is not a valid card."))?;
    let holder = text(&card["holder_name"]).filter(|holder| !holder.is_empty());
    let holder = holder.ok_or_else(|| invalid(&field("holder_name"), "The field is required."))?;
    let count = |value: &Value| text(value).and_then(|text| text.parse::<u32>().ok());
    let month = count(&card["exp_month"]).filter(|month| (1..=12).contains(month));
    let month = month.ok_or_else(|| invalid(&field("exp_month"), "The field is invalid."))?;
    let year = count(&card["exp_year"]).map(|year| if year < 100 { year + 2_000 } else { year });
    let year = year.ok_or_else(|| invalid(&field("exp_year"), "The field is invalid."))?;
    let cvv = text(&card["cvv"]).filter(|cvv| (3..=4).contains(&cvv.len()));
    let cvv = cvv.ok_or_else(|| invalid(&field("cvv"), "The field is required."))?;
    Ok(Card { number, holder, month, year, cvv })
}

/// Digits by Luhn's rule.
fn is_card(number: &str) -> bool {
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    let doubled = |(index, byte): (usize, u8)| {
        let digit = u32::from(byte - b'0');
        match digit * 2 {
            _ if index % 2 == 0 => digit,
            double if double > 9 => double - 9,
            double => double,
        }
    };
    let sum = || number.bytes().rev().enumerate().map(doubled).sum::<u32>();
    (13..=19).contains(&number.len()) && digits && sum() % 10 == 0
}

fn public_key(call: &Call) -> Result<(), Reply> {
    let has_key = call.parameter("appId").is_some_and(|key| key.starts_with("pk_"));
    let denied = || Reply::json(401, &json!({ "message": "Authorization has been denied." }));
    has_key.then_some(()).ok_or_else(denied)
}

fn json(id: &str, token: &Token) -> Value {
    json!({
        "id": id,
        "type": "card",
        "created_at": instant(token.created_at),
        "expires_at": instant(token.expires_at),
        "card": token.card.json(),
    })
}

/// Numbers come as text, too.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.replace(' ', "")).filter(|_| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
