//! Pagar.me's API v5: cards.
//!
//! A reference of ours is an order's code there and the key of idempotency. One order charges one
//! card, and captures at once.

use std::future::ready;
use std::sync::Arc;

use db::time::Timestamp;
use http::HeaderMap;
use ledger::cents::Cents;
use rails::card::{
    CardChargeRequest, CardDetails, CardProvider, CardRefundRequest, ChargeResult,
    StoreCardRequest, StoreOutcome, TokenDialect, Tokenizer,
};
use rails::connection::{Balance, Connection, Health, Notice, Page, Subject, Window};
use rails::error::ProviderError;
use rails::profile::{
    Connected, Environment, Field, FieldKind, Given, Profile, RailKind, SetupError,
};
use rails::provider::{Call, Provider};
use rails::refund::RefundState;

use crate::pagarme::cards::Fingerprints;
use crate::pagarme::session::Session;
use crate::pagarme::signature::Keys;
use crate::setup;

mod account;
mod cards;
mod charges;
mod customers;
mod errors;
mod notices;
mod orders;
mod payables;
mod refunds;
mod session;
mod signature;

/// Both environments have one host: the keys decide.
const ADDRESS: &str = "https://api.pagar.me";
/// Where the keys are published that sign notices.
const NOTICE_KEYS: &str = "https://hubapi.pagar.me";

const SECRET_KEY: &str = "secret_key";
const PUBLIC_KEY: &str = "public_key";
const NOTICE_KEYS_ADDRESS: &str = "notice_keys_address";

const FIELDS: &[Field] = &[
    Field {
        name: SECRET_KEY,
        kind: FieldKind::Secret,
        about: "Secret key of the account, from Pagar.me's dashboard: sk_…",
    },
    Field {
        name: PUBLIC_KEY,
        kind: FieldKind::Required,
        about: "Public key of the same account, which buyers' browsers get: pk_…",
    },
    Field {
        name: setup::ADDRESS,
        kind: FieldKind::Optional,
        about: "Address of another system that speaks Pagar.me's API, for tests.",
    },
    Field {
        name: NOTICE_KEYS_ADDRESS,
        kind: FieldKind::Optional,
        about: "Address of the keys that sign its notices, for the same.",
    },
    Field {
        name: setup::AUTHORITY,
        kind: FieldKind::Optional,
        about: "Certificate of the authority that identifies that system, as PEM.",
    },
];

/// The profile.
pub struct Pagarme;

/// A contract with Pagar.me.
struct Contract {
    name: String,
    session: Session,
    keys: Keys,
    fingerprints: Fingerprints,
    tokens_at: String,
}

impl Profile for Pagarme {
    fn name(&self) -> &'static str {
        "pagarme"
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn connect(&self, given: &Given) -> Result<Connected, SetupError> {
        let secret_key = key(given, SECRET_KEY, "sk_")?;
        let public_key = key(given, PUBLIC_KEY, "pk_")?;
        setup::expect_both(given, [setup::ADDRESS, NOTICE_KEYS_ADDRESS])?;
        let client = setup::plain_client(given, ADDRESS, setup::ADDRESS, errors::read)?;
        let keys = setup::plain_client(given, NOTICE_KEYS, NOTICE_KEYS_ADDRESS, errors::read)?;
        let address = given.optional(setup::ADDRESS).unwrap_or(ADDRESS).trim_end_matches('/');
        let contract = Arc::new(Contract {
            name: given.name.clone(),
            session: Session::new(client, secret_key, public_key),
            keys: Keys::new(keys),
            fingerprints: Fingerprints::new(secret_key),
            tokens_at: format!("{address}{}?{}={public_key}", cards::TOKENS, session::PUBLIC_KEY),
        });
        Ok(Connected {
            connection: contract.clone(),
            pix: None,
            boleto: None,
            card: Some(contract),
            payout: None,
            certificate: None,
        })
    }
}

/// A key of the account: a secret one must never be where buyers see the public one, and one for
/// tests would pretend to charge real buyers.
fn key<'a>(given: &'a Given, field: &str, prefix: &str) -> Result<&'a str, SetupError> {
    let key = given.required(field)?;
    let rest = key.strip_prefix(prefix);
    let rest = rest.filter(|rest| rest.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'));
    let Some(rest) = rest else {
        return Err(SetupError::new(field, format!("must be a key that begins with {prefix}")));
    };
    match (given.environment, rest.starts_with("test_")) {
        (Environment::Production, true) => Err(SetupError::new(field, "is a key for tests")),
        (Environment::Sandbox, false) => Err(SetupError::new(field, "is a key for real money")),
        _ => Ok(key),
    }
}

impl Provider for Contract {
    fn name(&self) -> &str {
        &self.name
    }
}

impl CardProvider for Contract {
    fn tokenizer(&self) -> Tokenizer {
        let (api, dialect) = (self.tokens_at.clone(), TokenDialect::Pagarme);
        Tokenizer { api, dialect, form: None, sample: None }
    }

    fn inspect_token<'a>(&'a self, token: &'a str) -> Call<'a, Option<CardDetails>> {
        Box::pin(cards::inspect(&self.session, &self.fingerprints, token))
    }

    fn authorize<'a>(&'a self, order: &'a CardChargeRequest) -> Call<'a, ChargeResult> {
        Box::pin(orders::charge(&self.session, order))
    }

    fn find<'a>(&'a self, reference: &'a str, amount: Cents) -> Call<'a, Option<ChargeResult>> {
        Box::pin(orders::find(&self.session, reference, amount))
    }

    fn store_card<'a>(&'a self, order: &'a StoreCardRequest) -> Call<'a, StoreOutcome> {
        Box::pin(cards::store(&self.session, &self.fingerprints, &self.name, order))
    }

    fn refunded_total<'a>(&'a self, charge_reference: &'a str) -> Call<'a, Option<Cents>> {
        Box::pin(async move { refunds::total(&self.session, charge_reference).await.map(Some) })
    }

    fn refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, RefundState> {
        Box::pin(refunds::refund(&self.session, order))
    }

    fn find_refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, Option<RefundState>> {
        Box::pin(refunds::find(&self.session, order))
    }
}

impl Connection for Contract {
    fn read_notices(&self, headers: &HeaderMap, body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
        self.keys.verify(headers, body)?;
        notices::read(body)
    }

    fn look_into<'a>(&'a self, notice: &'a Notice) -> Call<'a, Page> {
        Box::pin(async move {
            self.keys.fetch_missing().await;
            match notice.subject {
                Subject::CardCharge | Subject::ContestedCharge => {
                    charges::look_into(&self.session, notice).await
                }
                _ => Ok(Page::default()),
            }
        })
    }

    fn windows(&self) -> &[Window] {
        &[Window::Cards, Window::Payables]
    }

    fn read_window<'a>(
        &'a self,
        window: Window,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&'a str>,
    ) -> Call<'a, Page> {
        Box::pin(async move {
            match window {
                Window::Cards => orders::created_between(&self.session, from, to, cursor).await,
                Window::Payables => {
                    payables::changed_between(&self.session, from, to, cursor).await
                }
                _ => Ok(Page::default()),
            }
        })
    }

    fn is_left_alone(&self, _: RailKind) -> bool {
        self.session.is_left_alone()
    }

    fn check(&self) -> Call<'_, Health> {
        Box::pin(async move {
            self.keys.fetch_missing().await;
            account::check(&self.session).await
        })
    }

    /// Its balance is less the acquirer's fees, which no account of ours has; what it owes is
    /// compared part by part instead.
    fn balance(&self) -> Call<'_, Option<Balance>> {
        Box::pin(ready(Ok(None)))
    }

    /// Addresses for notices are set in Pagar.me's dashboard only; `check` says what is missing.
    fn can_register(&self) -> bool {
        false
    }

    fn register<'a>(&'a self, _: &'a str) -> Call<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
