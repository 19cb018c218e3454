//! Banco Inter: PIX charges and refunds by the central bank's API.

use std::sync::Arc;

use db::time::Timestamp;
use http::{HeaderMap, HeaderName};
use rails::connection::{Connection, Health, Notice, Page, Subject, Window};
use rails::error::ProviderError;
use rails::profile::{Connected, Environment, Field, FieldKind, Given, Profile, SetupError};
use rails::provider::{Call, Provider};

use crate::bacen::account::PixAccount;
use crate::bacen::notices;
use crate::bacen::session::{Credentials, CredentialsIn, Mount, Session};
use crate::failures::provider_error;
use crate::{health, setup};

mod errors;

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

const SCOPES: [&str; 6] =
    ["cob.write", "cob.read", "pix.write", "pix.read", "webhook.write", "webhook.read"];

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
        Ok(Connected {
            connection: Arc::new(Contract { pix: pix.clone() }),
            pix: Some(pix),
            boleto: None,
            card: None,
            payout: None,
            certificate: Some(certificate),
        })
    }
}

impl Provider for Contract {
    fn name(&self) -> &str {
        self.pix.name()
    }
}

impl Connection for Contract {
    fn read_notices(&self, _: &HeaderMap, body: &[u8]) -> Result<Vec<Notice>, ProviderError> {
        notices::read(body, notices::received)
    }

    fn look_into<'a>(&'a self, notice: &'a Notice) -> Call<'a, Page> {
        Box::pin(async move {
            match notice.subject {
                Subject::ReceivedPix => self.pix.session.received(&notice.id).await,
                _ => Ok(Page::default()),
            }
        })
    }

    fn windows(&self) -> &[Window] {
        &[Window::ReceivedPix]
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
                Window::ReceivedPix => self.pix.session.received_between(from, to, cursor).await,
                _ => Ok(Page::default()),
            }
        })
    }

    fn check(&self) -> Call<'_, Health> {
        Box::pin(async move {
            let granted = self.pix.session.granted().await.map_err(provider_error)?;
            let notices_to = self.pix.session.webhook(&self.pix.key).await?;
            Ok(health::of(granted, &SCOPES, notices_to, None))
        })
    }

    fn register<'a>(&'a self, door: &'a str) -> Call<'a, ()> {
        Box::pin(self.pix.session.register_webhook(&self.pix.key, door, |call| call))
    }
}
