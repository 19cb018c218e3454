//! Changing a person's name, and what their account is called and who it is.

use axum::extract::State;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::Matter;
use crate::idempotency::{Execution, Replayable};
use crate::merchants::look::accent::Accent;
use crate::merchants::{self, AccountChange};
use crate::people::api::AccountReply;
use crate::people::{self, Acting, SignedIn};
use crate::platform::error::{Error, ErrorCode, FieldErrors, Result};
use crate::platform::fields;
use crate::platform::http::body::Body;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::permissions::{AccountWrite, NoPermission};

/// What is changed of the person who is signed in.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateProfileRequest")]
pub struct ProfileBody {
    #[schemars(length(min = 1, max = 255))]
    pub name: String,
}

/// What is changed of the account.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdateAccountRequest")]
pub struct AccountBody {
    /// What buyers see on payment pages.
    #[schemars(with = "Option<String>", length(min = 1, max = 255))]
    pub name: Omittable<String>,
    #[schemars(with = "Option<String>")]
    pub phone: Patch<String>,
    /// The CPF or CNPJ, of an account that has none: the one that there is stays.
    #[schemars(with = "Option<String>")]
    pub document: Omittable<String>,
    /// The accent colour of payment pages, such as `#0a6b50`; null for the usual one. It has a
    /// contrast of 4.5:1 with white and with the page; the error names the nearest colour that has.
    #[schemars(with = "Option<String>")]
    pub accent_color: Patch<String>,
}

/// PATCH /api/auth/me
pub async fn update_profile(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Body { value: body, .. }: Body<ProfileBody>,
) -> Result<Replayable<Ok200<AccountReply>>> {
    ask_to_rename(&app, caller.acting(), None.into(), body).await
}

/// Gives a person another name: the way in of programs and of people.
pub async fn ask_to_rename(
    app: &App,
    Acting { who, by, .. }: Acting,
    execution: Execution,
    body: ProfileBody,
) -> Result<Replayable<Ok200<AccountReply>>> {
    let name = fields::name(&body.name, 1, 255).map_err(|fault| fault.of("name"))?;
    app.transact_once(execution, async move |tx: &Tx| {
        people::rename(tx, &by, who, &name).await?;
        Ok(Ok200(AccountReply::new(signed_in(tx, who).await?)))
    })
    .await
}

/// PATCH /api/auth/account
pub async fn update_account(
    State(app): State<App>,
    caller: SignedInCaller<AccountWrite>,
    Body { value: body, .. }: Body<AccountBody>,
) -> Result<Replayable<Ok200<AccountReply>>> {
    let execution = Execution::permitted(None, caller.permit(Matter::Own));
    ask_to_change(&app, caller.acting(), execution, body).await
}

/// Changes an account: the way in of programs and of people.
pub async fn ask_to_change(
    app: &App,
    Acting { who, by, .. }: Acting,
    execution: Execution,
    body: AccountBody,
) -> Result<Replayable<Ok200<AccountReply>>> {
    let mut wrong = FieldErrors::new();
    let AccountBody { name, phone, document, accent_color } = body;
    let name = name.sent().map(|name| fields::name(&name, 1, 255)).transpose();
    let phone = phone.read(|phone| fields::phone(phone).map(Some)).transpose();
    let document = document.sent().map(|document| fields::document(&document)).transpose();
    let accent = accent_color.read(|color| Ok(Some(Accent::parse(color)?)));
    let (name, phone) = (wrong.read("name", name), wrong.read("phone", phone));
    let document = wrong.read("document", document);
    let accent = wrong.read("accentColor", accent.transpose());
    wrong.finish()?;
    let change = AccountChange {
        name: name.flatten(),
        phone: phone.flatten(),
        document: document.flatten(),
        accent: accent.flatten(),
    };
    let pages = app.pages.clone();
    app.transact_once(execution, async move |tx: &Tx| {
        merchants::change(tx, &by, who.0, change.clone()).await?;
        pages.invalidate_once_committed(tx, who.0);
        Ok(Ok200(AccountReply::new(signed_in(tx, who).await?)))
    })
    .await
}

async fn signed_in(tx: &Tx, (merchant, person): (MerchantId, PersonId)) -> Result<SignedIn> {
    let found = people::signed_in(tx, merchant, person).await?;
    found.ok_or(Error::Unauthenticated(ErrorCode::Unauthorized))
}
