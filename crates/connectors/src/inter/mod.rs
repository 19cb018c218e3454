//! Banco Inter: PIX charges, refunds and payouts, and boletos.
//!
//! PIX charges and refunds are the central bank's API (`/pix/v2`); payouts and balances
//! (`/banking/v2`) and boletos (`/cobranca/v3`) are Inter's own, on the same host.

use std::sync::Arc;

use db::time::Timestamp;
use http::{HeaderMap, HeaderName};
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
mod amounts;
mod boleto_payments;
mod boletos;
mod errors;
mod notices;
mod payouts;

const PRODUCTION: &str = "https://cdpj.partners.bancointer.com.br";
const SANDBOX: &str = "https://cdpj-sandbox.partners.uatinter.co";
const MOUNT: Mount = Mount {
    prefix: "/pix/v2",
    token_path: "/oauth/v2/token",
    // One token has them all: the bank answers few token requests a minute.
    credentials_in: CredentialsIn::Form { scopes: &SCOPES },
};

const CLIENT_ID: &str = "client_id";
const CLIENT_SECRET: &str = "client_secret";
const PIX_KEY: &str = "pix_key";
const ACCOUNT: &str = "account";
/// Which of the operator's accounts a call is about, where the application has several.
const ACCOUNT_HEADER: HeaderName = HeaderName::from_static("x-conta-corrente");

/// What the rails of this profile need, and the permission that allows it.
const SCOPES: [&str; 13] = [
    "cob.write",
    "cob.read",
    "pix.write",
    "pix.read",
    "webhook.write",
    "webhook.read",
    "pagamento-pix.write",
    "pagamento-pix.read",
    "boleto-cobranca.write",
    "boleto-cobranca.read",
    "extrato.read",
    "webhook-banking.write",
    "webhook-banking.read",
];

const FIELDS: &[Field] = &[
    Field {
        name: CLIENT_ID,
        kind: FieldKind::Required,
        about: "ClientId of the application in Inter's portal.",
    },
    Field {
        name: CLIENT_SECRET,
        kind: FieldKind::Secret,
        about: "ClientSecret of the same application.",
    },
    Field {
        name: setup::CERTIFICATE,
        kind: FieldKind::Secret,
        about: "Certificate and private key of the application, as one PEM text.",
    },
    Field {
        name: PIX_KEY,
        kind: FieldKind::Required,
        about: "PIX key of the Inter account that charges are paid to.",
    },
    Field {
        name: ACCOUNT,
        kind: FieldKind::Optional,
        about: "Number of that account, where the application has several.",
    },
    Field {
        name: setup::ADDRESS,
        kind: FieldKind::Optional,
        about: "Address of another system that speaks Inter's API, for tests.",
    },
    Field {
        name: setup::AUTHORITY,
        kind: FieldKind::Optional,
        about: "Certificate of the authority that identifies that system, as PEM.",
    },
];

/// The profile.
pub struct Inter;

/// A contract with Inter.
struct Contract {
    pix: Arc<PixAccount>,
}

impl Profile for Inter {
    fn name(&self) -> &'static str {
        "inter"
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn connect(&self, given: &Given) -> Result<Connected, SetupError> {
        let address = match given.environment {
            Environment::Production => PRODUCTION,
            Environment::Sandbox => SANDBOX,
        };
        let (client, certificate) = setup::client(given, address, errors::read)?;
        let credentials =
            Credentials::new(given.required(CLIENT_ID)?, given.required(CLIENT_SECRET)?);
        let session = Session::new(client, credentials, MOUNT);
        let session = match given.optional(ACCOUNT) {
            Some(account) => session.with_account(ACCOUNT_HEADER, account),
            None => session,
        };
        let key = given.required(PIX_KEY)?.to_owned();
        let pix = Arc::new(PixAccount { name: given.name.clone(), session, key });
        let inter = Arc::new(Contract { pix: pix.clone() });
        Ok(Connected {
            connection: inter.clone(),
            pix: Some(pix),
            boleto: Some(inter.clone()),
            card: None,
            payout: Some(inter),
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
        Box::pin(payouts::send(&self.pix.session, order))
    }

    /// How long an idempotency key lives is unknown; for an hour it does.
    fn takes_once(&self) -> bool {
        true
    }

    fn finds_by_reference(&self) -> bool {
        false
    }

    fn find<'a>(
        &'a self,
        order: &'a PayoutRequest,
        bank_code: Option<&'a str>,
    ) -> Call<'a, Option<SentPayout>> {
        Box::pin(payouts::find(&self.pix.session, order, bank_code))
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
        Box::pin(boletos::issue(&self.pix.session, order))
    }

    fn needs_address(&self) -> bool {
        true
    }

    fn find<'a>(
        &'a self,
        order: &'a BoletoOrder,
        bank_code: Option<&'a str>,
    ) -> Call<'a, Option<Registration>> {
        Box::pin(boletos::find(&self.pix.session, order, bank_code))
    }

    fn find_payments<'a>(
        &'a self,
        order: &'a BoletoOrder,
        bank_code: &'a str,
    ) -> Call<'a, Vec<BoletoConfirmation>> {
        Box::pin(boleto_payments::of_boleto(&self.pix.session, order, bank_code))
    }

    fn cancel<'a>(&'a self, bank_code: &'a str) -> Call<'a, ()> {
        Box::pin(boletos::cancel(&self.pix.session, bank_code))
    }
}

impl Connection for Contract {
    fn read_notices(&self, _: &HeaderMap, body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
        notices::read(body)
    }

    fn look_into<'a>(&'a self, notice: &'a Notice) -> Call<'a, Page> {
        Box::pin(notices::look_into(&self.pix.session, notice))
    }

    fn windows(&self) -> &[Window] {
        // Payouts have no list: each one that is open is asked about by its code.
        &[Window::ReceivedPix, Window::Boletos]
    }

    fn read_window<'a>(
        &'a self,
        window: Window,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<&'a str>,
    ) -> Call<'a, Page> {
        let session = &self.pix.session;
        Box::pin(async move {
            match window {
                Window::ReceivedPix => session.received_between(from, to, cursor).await,
                Window::Boletos => boleto_payments::paid_between(session, from, to, cursor).await,
                Window::SentPix | Window::Infractions | Window::Cards | Window::Payables => {
                    Ok(Page::default())
                }
            }
        })
    }

    fn is_left_alone(&self, _: RailKind) -> bool {
        self.pix.session.is_left_alone()
    }

    fn check(&self) -> Call<'_, Health> {
        Box::pin(account::check(&self.pix.session, &self.pix.key))
    }

    fn balance(&self) -> Call<'_, Option<Balance>> {
        Box::pin(account::balance(&self.pix.session))
    }

    fn register<'a>(&'a self, door: &'a str) -> Call<'a, ()> {
        Box::pin(account::register(&self.pix.session, &self.pix.key, door))
    }
}
