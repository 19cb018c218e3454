//! The parameters of a new account, and their validation.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::auth::passwords;
use crate::merchants::NewMerchant;
use crate::platform::error::{FieldErrors, Result};
use crate::platform::fields;
use crate::platform::role::Role;
use crate::platform::secrets::sha256;

/// The parameters of a new account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateAccountRequest")]
pub struct RegisterBody {
    #[schemars(length(min = 1, max = 255))]
    pub name: String,
    #[schemars(email)]
    pub email: String,
    /// A password of 8 to 128 characters that is not blank and not among the most common passwords.
    #[schemars(length(min = 8, max = 128))]
    pub password: String,
    /// The CPF or CNPJ.
    pub document: Option<String>,
    pub phone: Option<String>,
    /// The referral code of another merchant; an unknown code is ignored with a warning.
    pub invite_code: Option<String>,
}

impl RegisterBody {
    /// An account with nothing but what it needs.
    pub fn of(name: String, email: String, password: String) -> Self {
        Self { name, email, password, document: None, phone: None, invite_code: None }
    }
}

/// Validates the opening of an account.
pub async fn check(
    app: &App,
    body: RegisterBody,
    role: Role,
    address: IpAddr,
    device: Option<&str>,
) -> Result<NewMerchant> {
    let mut wrong = FieldErrors::new();
    let name = wrong.read("name", fields::name(&body.name, 1, 255));
    let email = wrong.read("email", fields::email(&body.email));
    let document = body.document.as_deref().map(fields::document).transpose();
    let document = wrong.read("document", document);
    let phone = wrong.read("phone", body.phone.as_deref().map(fields::phone).transpose());
    wrong.read("password", passwords::check(&body.password));
    let (Some(name), Some(email), Some(document), Some(phone)) = (name, email, document, phone)
    else {
        return Err(wrong.into_error());
    };
    wrong.finish()?;
    let salt = app.database.sources().random();
    let password_hash = app.passwords.hash(address, body.password, salt).await?;
    let device_hash = device.map(|name| sha256(name.as_bytes()).to_vec());
    Ok(NewMerchant { name, email, password_hash, document, phone, role, device_hash })
}
