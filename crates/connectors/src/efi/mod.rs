//! Efí: PIX charges, refunds and payouts, and boletos.
//!
//! PIX charges and refunds are the central bank's API; payouts and balances are Efí's own
//! (`/v2/gn`, `/v3/gn`), and boletos have a host of their own (API Cobranças).

use std::sync::Arc;

use http::HeaderMap;
use ledger::cents::Cents;
use rails::boleto::{BoletoConfirmation, BoletoOrder, BoletoProvider, BoletoRequest, Registration};
use rails::connection::{Balance, Connection, Health, Notice, Page, Window};
use rails::error::ProviderError;
use rails::payout::{PayoutProvider, PayoutRequest, SentPayout};
use rails::profile::{
    Connected, Environment, Field, FieldKind, Given, Profile, RailKind, SetupError,
};
use rails::provider::{Call, Provider};

use crate::bacen::account::PixAccount;
use crate::bacen::session::{Credentials, CredentialsIn, Mount, Session};
use crate::setup;

mod account;
mod boleto_status;
mod boletos;
mod errors;
mod infractions;
mod notices;
mod payouts;

const PRODUCTION: &str = "https://pix.api.efipay.com.br";
const SANDBOX: &str = "https://pix-h.api.efipay.com.br";
const MOUNT: Mount =
    Mount { prefix: "/v2", token_path: "/oauth/token", credentials_in: CredentialsIn::Header };

/// Where boletos are registered.
const CHARGES_PRODUCTION: &str = "https://cobrancas.api.efipay.com.br";
const CHARGES_SANDBOX: &str = "https://cobrancas-h.api.efipay.com.br";
const CHARGES_MOUNT: Mount =
    Mount { prefix: "/v1", token_path: "/v1/authorize", credentials_in: CredentialsIn::Header };

const CHARGES_ADDRESS: &str = "charges_address";
const CLIENT_ID: &str = "client_id";
const CLIENT_SECRET: &str = "client_secret";
const PIX_KEY: &str = "pix_key";
const PAYING_KEY: &str = "paying_key";

/// What the rails of this profile need, and the permission that allows it.
const SCOPES: [&str; 10] = [
    "cob.write",
    "cob.read",
    "pix.write",
    "pix.read",
    "pix.send",
    "gn.pix.send.read",
    "gn.balance.read",
    "gn.infractions.read",
    "webhook.write",
    "webhook.read",
];

const FIELDS: &[Field] = &[
    Field {
        name: CLIENT_ID,
        kind: FieldKind::Required,
        about: "Client_Id of the application in Efí's portal.",
    },
    Field {
        name: CLIENT_SECRET,
        kind: FieldKind::Secret,
        about: "Client_Secret of the same application.",
    },
    Field {
        name: setup::CERTIFICATE,
        kind: FieldKind::Secret,
        about: "Certificate of the application with its private key, as PEM.",
    },
    Field {
        name: PIX_KEY,
        kind: FieldKind::Required,
        about: "PIX key of the Efí account that charges are paid to.",
    },
    Field {
        name: PAYING_KEY,
        kind: FieldKind::Optional,
        about: "PIX key of the account that payouts are paid from, if it is another one.",
    },
    Field {
        name: setup::ADDRESS,
        kind: FieldKind::Optional,
        about: "Address of another system that speaks Efí's API, for tests.",
    },
    Field {
        name: CHARGES_ADDRESS,
        kind: FieldKind::Optional,
        about: "Address of its API Cobranças, for the same.",
    },
    Field {
        name: setup::AUTHORITY,
        kind: FieldKind::Optional,
        about: "Certificate of the authority that identifies that system, as PEM.",
    },
];

/// The profile.
pub struct Efi;

/// A contract with Efí.
struct Contract {
    pix: Arc<PixAccount>,
    door: String,
    /// For boletos.
    charges: Session,
    paying_key: String,
}

impl Profile for Efi {
    fn name(&self) -> &'static str {
        "efi"
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn connect(&self, given: &Given) -> Result<Connected, SetupError> {
        let (address, charges) = match given.environment {
            Environment::Production => (PRODUCTION, CHARGES_PRODUCTION),
            Environment::Sandbox => (SANDBOX, CHARGES_SANDBOX),
        };
        setup::expect_both(given, [setup::ADDRESS, CHARGES_ADDRESS])?;
        let (client, certificate) = setup::client(given, address, errors::read)?;
        let charges = setup::plain_client(given, charges, CHARGES_ADDRESS, boletos::read_error)?;
        let credentials =
            Credentials::new(given.required(CLIENT_ID)?, given.required(CLIENT_SECRET)?);
        let key = given.required(PIX_KEY)?.to_owned();
        let paying_key = given.optional(PAYING_KEY).unwrap_or(&key).to_owned();
        let session = Session::new(client, credentials.clone(), MOUNT);
        let pix = Arc::new(PixAccount { name: given.name.clone(), session, key });
        let efi = Arc::new(Contract {
            pix: pix.clone(),
            door: given.door.clone(),
            charges: Session::new(charges, credentials, CHARGES_MOUNT),
            paying_key,
        });
        Ok(Connected {
            connection: efi.clone(),
            pix: Some(pix),
            boleto: Some(efi.clone()),
            card: None,
            payout: Some(efi),
            certificate: Some(certificate),
        })
    }
}

impl Provider for Contract {
    fn name(&self) -> &str {
        self.pix.name()
    }
}

impl PayoutProvider for Contract {
    fn send<'a>(&'a self, order: &'a PayoutRequest) -> Call<'a, SentPayout> {
        Box::pin(payouts::send(&self.pix.session, &self.paying_key, order))
    }

    fn takes_once(&self) -> bool {
        true
    }

    fn find<'a>(
        &'a self,
        order: &'a PayoutRequest,
        _: Option<&'a str>,
    ) -> Call<'a, Option<SentPayout>> {
        Box::pin(payouts::find(&self.pix.session, order))
    }

    fn available(&self) -> Call<'_, Option<Cents>> {
        Box::pin(async {
            let balance = account::balance(&self.pix.session).await?;
            Ok(balance.map(|balance| balance.available))
        })
    }
}

impl BoletoProvider for Contract {
    fn issue<'a>(&'a self, order: &'a BoletoRequest) -> Call<'a, Registration> {
        Box::pin(boletos::issue(&self.charges, &self.door, order))
    }

    fn find<'a>(
        &'a self,
        order: &'a BoletoOrder,
        _: Option<&'a str>,
    ) -> Call<'a, Option<Registration>> {
        Box::pin(boletos::find(&self.charges, order))
    }

    fn find_payments<'a>(
        &'a self,
        order: &'a BoletoOrder,
        bank_code: &'a str,
    ) -> Call<'a, Vec<BoletoConfirmation>> {
        Box::pin(boletos::find_payments(&self.charges, order, bank_code))
    }

    fn cancel<'a>(&'a self, bank_code: &'a str) -> Call<'a, ()> {
        Box::pin(boletos::cancel(&self.charges, bank_code))
    }
}

impl Connection for Contract {
    fn read_notices(&self, _: &HeaderMap, body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
        notices::read(body)
    }

    fn look_into<'a>(&'a self, notice: &'a Notice) -> Call<'a, Page> {
        Box::pin(notices::look_into(&self.pix.session, &self.charges, notice))
    }

    fn windows(&self) -> &[Window] {
        &[Window::ReceivedPix, Window::SentPix, Window::Infractions, Window::Boletos]
    }

    fn read_window<'a>(
        &'a self,
        window: Window,
        from: db::time::Timestamp,
        to: db::time::Timestamp,
        cursor: Option<&'a str>,
    ) -> Call<'a, Page> {
        Box::pin(async move {
            match window {
                Window::ReceivedPix => self.pix.session.received_between(from, to, cursor).await,
                Window::SentPix => payouts::sent_between(&self.pix.session, from, to, cursor).await,
                Window::Infractions => {
                    infractions::opened_between(&self.pix.session, from, to, cursor).await
                }
                Window::Boletos => boletos::paid_between(&self.charges, from, to, cursor).await,
                Window::Cards | Window::Payables => Ok(Page::default()),
            }
        })
    }

    fn is_left_alone(&self, rail: RailKind) -> bool {
        match rail {
            RailKind::Boleto => self.charges.is_left_alone(),
            _ => self.pix.session.is_left_alone(),
        }
    }

    fn check(&self) -> Call<'_, Health> {
        Box::pin(account::check(&self.pix.session, [&*self.pix.key, &*self.paying_key]))
    }

    fn balance(&self) -> Call<'_, Option<Balance>> {
        Box::pin(account::balance(&self.pix.session))
    }

    fn register<'a>(&'a self, door: &'a str) -> Call<'a, ()> {
        Box::pin(account::register(&self.pix.session, [&*self.pix.key, &*self.paying_key], door))
    }
}
