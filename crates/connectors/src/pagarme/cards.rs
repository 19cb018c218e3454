//! Tokens and stored cards. A stored card belongs to a customer, and both ids name it:
//! `cus_…/card_…`.

use aws_lc_rs::hmac;
use brazil::ascii::fold;
use brazil::card_brand::CardBrand;
use db::hex::hex;
use rails::card::{CardDetails, DeclineCode, StoreCardRequest, StoreOutcome, StoredCard};
use rails::entries::is_name;
use rails::error::ProviderError;
use rails::trouble::Trouble;
use serde::{Deserialize, Serialize};
use upstream::call::Call;
use upstream::failure::Failure;

use crate::failures::{contradiction, provider_error};
use crate::pagarme::customers::Customer;
use crate::pagarme::errors::{IMPOSSIBLE, is_about_the_token, is_unverified};
use crate::pagarme::session::{IDEMPOTENCY_KEY, Session};

pub const TOKENS: &str = "/core/v5/tokens";
const CUSTOMERS: &str = "/core/v5/customers";
/// What a fingerprint's key is derived for.
const PURPOSE: &[u8] = b"card fingerprint";
const CARDS_PER_PAGE: &str = "30";

/// Makes the fingerprints of cards, of which Pagar.me gives none.
///
/// A card's brand, last digits, expiry and holder are few enough to be guessed from a plain hash,
/// so it is keyed, by what only this connection has; with another secret key, the fingerprints are
/// others, too.
pub struct Fingerprints(hmac::Key);

/// A card as Pagar.me shows it.
#[derive(Deserialize)]
struct Shown {
    brand: String,
    last_four_digits: String,
    exp_month: i64,
    exp_year: i64,
    holder_name: Option<String>,
}

#[derive(Deserialize)]
struct Token {
    card: Shown,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Kept {
    id: String,
    #[serde(flatten)]
    card: Shown,
}

#[derive(Deserialize)]
struct Listed {
    data: Vec<Kept>,
}

#[derive(Serialize)]
struct NewCard<'a> {
    token: &'a str,
    options: Options,
}

#[derive(Serialize)]
struct Options {
    verify_card: bool,
}

impl Fingerprints {
    pub fn new(secret_key: &str) -> Self {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, secret_key.as_bytes());
        Self(hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&secret, PURPOSE).as_ref()))
    }

    fn of(&self, brand: CardBrand, year: i64, card: &Shown) -> String {
        let holder = fold(card.holder_name.as_deref().unwrap_or_default()).to_ascii_uppercase();
        let holder: Vec<_> = holder.split_whitespace().collect();
        let Shown { last_four_digits, exp_month, .. } = card;
        let identity =
            [brand.name(), last_four_digits, &format!("{year}-{exp_month}"), &holder.join(" ")];
        hex(hmac::sign(&self.0, identity.join("\n").as_bytes()).as_ref())
    }

    /// The details of a card, if they are sound and its brand is one of ours.
    fn details(&self, card: &Shown) -> Option<CardDetails> {
        let brand = brand(&card.brand)?;
        let is_last4 =
            |text: &&String| text.len() == 4 && text.bytes().all(|it| it.is_ascii_digit());
        let exp_year = if card.exp_year < 100 { card.exp_year + 2_000 } else { card.exp_year };
        Some(CardDetails {
            brand,
            last4: Some(&card.last_four_digits).filter(is_last4)?.clone(),
            fingerprint: self.of(brand, exp_year, card),
            exp_month: Some(card.exp_month).filter(|month| (1..=12).contains(month))?,
            exp_year,
        })
    }
}

/// The card of a token, which looking at does not use up; `None` if it is unknown, used or expired.
pub async fn inspect(
    session: &Session,
    fingerprints: &Fingerprints,
    token: &str,
) -> Result<Option<CardDetails>, ProviderError> {
    if !is_token(token) {
        return Ok(None);
    }
    let call = Call::get("inspect_token", TOKENS).segment(token);
    match session.ask_in_public::<Token>(call).await {
        Ok(Token { card }) => match fingerprints.details(&card) {
            Some(details) => Ok(Some(details)),
            None => Err(ProviderError::refused("the card's brand is not supported")),
        },
        Err(Failure::NotFound { .. }) => Ok(None),
        Err(failure) => Err(provider_error(failure)),
    }
}

/// Stores a card for its buyer; a lost answer is looked for among that customer's cards.
pub async fn store(
    session: &Session,
    fingerprints: &Fingerprints,
    name: &str,
    order: &StoreCardRequest,
) -> Result<StoreOutcome, ProviderError> {
    if !is_token(&order.token) {
        return Err(ProviderError::UnusableToken);
    }
    // Before the token is used, after which Pagar.me no longer shows its card.
    let typed = inspect(session, fingerprints, &order.token).await?;
    let customer = customer(session, order).await?;
    let body = NewCard { token: &order.token, options: Options { verify_card: true } };
    let call = of_customer(Call::post, "store_card", &customer)
        .header(IDEMPOTENCY_KEY, &order.reference)
        .json(&body);
    match session.ask::<Kept>(call).await {
        Ok(kept) => stored(fingerprints, (name, &customer), &kept)
            .map(StoreOutcome::Stored)
            .ok_or_else(|| contradiction("the stored card cannot be read")),
        Err(failure @ (Failure::Unknown { .. } | Failure::Duplicate { .. })) => {
            match (typed, cards(session, fingerprints, (name, &customer)).await) {
                (Some(typed), Ok(cards)) => cards
                    .into_iter()
                    .find(|card| card.details == typed)
                    .map(StoreOutcome::Stored)
                    .ok_or_else(|| provider_error(failure)),
                _ => Err(provider_error(failure)),
            }
        }
        Err(Failure::Refused { code, text, .. }) if is_about_the_token(&code, &text) => {
            Err(ProviderError::UnusableToken)
        }
        Err(Failure::Refused { status: IMPOSSIBLE, text, .. }) if is_unverified(&text) => {
            Ok(StoreOutcome::Declined(DeclineCode::CardDeclined))
        }
        Err(Failure::Refused { status: IMPOSSIBLE, code, .. }) => {
            Err(ProviderError::misconfigured(format!("a card is not accepted: {code}")))
        }
        Err(failure) => Err(provider_error(failure)),
    }
}

/// Whether a text can be a token: it is a part of an address, in which dots alone are no name.
fn is_token(text: &str) -> bool {
    is_name(text) && text.bytes().any(|byte| byte != b'.')
}

/// The ids of the customer and of the card that name a stored card.
pub fn stored_parts(id: &str) -> Option<(&str, &str)> {
    let (customer, card) = id.split_once('/')?;
    let is_id = |text: &str, prefix: &str| text.starts_with(prefix) && is_name(text);
    (is_id(customer, "cus_") && is_id(card, "card_")).then_some((customer, card))
}

/// The buyer's id at Pagar.me. Until it is known, nothing was stored and no token used, however the
/// call ended.
async fn customer(session: &Session, order: &StoreCardRequest) -> Result<String, ProviderError> {
    let call = Call::post("save_customer", CUSTOMERS).json(&Customer::new(&order.buyer));
    match session.ask::<Named>(call).await {
        Ok(Named { id }) if id.starts_with("cus_") && is_name(&id) => Ok(id),
        Ok(_) => Err(contradiction("the customer has no id")),
        Err(failure @ (Failure::Unknown { .. } | Failure::Duplicate { .. })) => {
            Err(ProviderError::NotSent {
                trouble: Trouble::Unanswered,
                cause: failure.to_string(),
                retry_after: None,
            })
        }
        Err(failure) => Err(provider_error(failure)),
    }
}

async fn cards(
    session: &Session,
    fingerprints: &Fingerprints,
    (name, customer): (&str, &str),
) -> Result<Vec<StoredCard>, ProviderError> {
    let call = of_customer(Call::get, "list_cards", customer).query("size", CARDS_PER_PAGE);
    let listed: Listed = session.ask(call).await.map_err(provider_error)?;
    let kept = listed.data.iter();
    Ok(kept.filter_map(|kept| stored(fingerprints, (name, customer), kept)).collect())
}

fn of_customer(
    method: fn(&'static str, &str) -> Call,
    operation: &'static str,
    customer: &str,
) -> Call {
    method(operation, CUSTOMERS).segment(customer).segment("cards")
}

fn stored(
    fingerprints: &Fingerprints,
    (name, customer): (&str, &str),
    kept: &Kept,
) -> Option<StoredCard> {
    let id = format!("{customer}/{}", kept.id);
    stored_parts(&id)?;
    let details = fingerprints.details(&kept.card)?;
    Some(StoredCard { provider: name.to_owned(), id, details })
}

/// Our brand by Pagar.me's name for it.
fn brand(name: &str) -> Option<CardBrand> {
    match name.to_ascii_lowercase().as_str() {
        "american express" => Some(CardBrand::Amex),
        "diners club" => Some(CardBrand::Diners),
        name => CardBrand::parse(name),
    }
}

#[cfg(test)]
mod tests {
    use brazil::card_brand::CardBrand;

    use super::{Fingerprints, Shown, brand, is_token, stored_parts};

    fn shown(holder: &str) -> Shown {
        Shown {
            brand: "Visa".to_owned(),
            last_four_digits: "0010".to_owned(),
            exp_month: 12,
            exp_year: 30,
            holder_name: Some(holder.to_owned()),
        }
    }

    #[test]
    fn a_card_has_one_fingerprint_however_its_holder_is_written_and_another_for_each_key() {
        let print = |key: &str, card: &Shown| {
            Fingerprints::new(key).details(card).map(|details| details.fingerprint)
        };
        let first = print("sk_1", &shown("Ana  Simões"));
        assert!(first.is_some());
        assert_eq!(print("sk_1", &shown("ANA SIMOES")), first);
        assert_eq!(print("sk_1", &Shown { exp_year: 2030, ..shown("ana simões") }), first);
        assert_ne!(print("sk_2", &shown("Ana Simões")), first);
        assert_ne!(print("sk_1", &shown("Ana Souza")), first);
        assert_ne!(print("sk_1", &Shown { exp_month: 11, ..shown("Ana Simões") }), first);
    }

    #[test]
    fn a_stored_card_is_named_by_its_customer_and_itself() {
        assert_eq!(stored_parts("cus_1/card_2"), Some(("cus_1", "card_2")));
        for text in ["", "card_2", "cus_1/", "cus_1/2", "1/card_2", "cus_1/card 2"] {
            assert_eq!(stored_parts(text), None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_a_part_of_an_address_is_no_token() {
        assert!(is_token("token_abc") && is_token("a.b"));
        for text in ["", ".", "..", "...", "token abc", "tóken"] {
            assert!(!is_token(text), "{text}");
        }
    }

    #[test]
    fn every_brand_is_known_by_the_name_that_the_brand_gives_itself() {
        for known in CardBrand::ALL {
            assert_eq!(brand(known.shown()), Some(*known));
        }
        assert_eq!(brand("Aura"), None);
    }
}
