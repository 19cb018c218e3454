//! Accepting an invitation, through the API as on the page.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::passwords;
use crate::people::invitations::{self, Invitation};
use crate::people::link_token::LinkToken;
use crate::people::sign_in::{prove_password, sign_in_source};
use crate::people::{Person, actor};
use crate::platform::error::{Error, ErrorCode, FieldErrors, FieldFault, Result};
use crate::platform::fields;
use crate::platform::http::client_ip::network;
use crate::platform::http::context::RequestContext;
use crate::platform::http::device::Device;
use crate::platform::http::rate_limit::REGISTER;
use crate::platform::ids::{MerchantId, PersonId};

/// The acceptance of an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AcceptInvitationRequest")]
pub struct AcceptBody {
    /// The token of the invitation.
    pub token: String,
    /// The person's name; required of a person who has no password yet.
    #[schemars(length(min = 1, max = 255))]
    pub name: Option<String>,
    /// The password of the person who was invited; one who has none yet sets it here. A wrong
    /// password counts as a failed sign-in attempt.
    #[schemars(length(min = 8, max = 128))]
    pub password: String,
}

/// Finds the open invitation of a token, and the person whose address it names, if there is one;
/// looks at invitations are limited as registrations are.
pub async fn find(
    app: &App,
    context: &RequestContext,
    token: &str,
) -> Result<(Invitation, Option<Person>)> {
    let limits = app.limits.check_address(&REGISTER, context.client_ip, "", app.now())?;
    context.note_rate(limits);
    let token = LinkToken::parse(token).ok_or_else(|| {
        let message = "The token is not one of an invitation.";
        Error::refused(ErrorCode::InvitationInvalid, message)
    })?;
    app.read(async move |tx| invitations::find(tx, &token).await).await
}

/// Makes the person of an invitation a member; returns the account, and who they are.
pub async fn accept(
    app: &App,
    context: &RequestContext,
    device: &Device,
    body: AcceptBody,
) -> Result<(MerchantId, PersonId)> {
    let (invitation, known) = find(app, context, &body.token).await?;
    let is_new = known.is_none();
    let person = if let Some(person) = known {
        let from = sign_in_source(context, device);
        let typed = (person.email.as_str(), None);
        prove_password(app, context, &from, typed, body.password).await?.person
    } else {
        newcomer(app, context, &invitation, body).await?
    };
    let by = ActorContext::request(actor(invitation.merchant, person.id), context);
    let joined = (invitation.merchant, person.id);
    app.transact(async move |tx| invitations::accept(tx, &by, &invitation, &person, is_new).await)
        .await?;
    Ok(joined)
}

/// The person of an invitation whose address is new, with the password that they set.
async fn newcomer(
    app: &App,
    context: &RequestContext,
    invitation: &Invitation,
    body: AcceptBody,
) -> Result<Person> {
    let mut wrong = FieldErrors::new();
    let missing = || FieldFault::new("REQUIRED", "is required: the person has no password yet");
    let name = body.name.ok_or_else(missing).and_then(|name| fields::name(&name, 1, 255));
    let name = wrong.read("name", name);
    wrong.read("password", passwords::check(&body.password));
    wrong.finish()?;
    let sources = app.database.sources();
    let (salt, address) = (sources.random(), network(context.client_ip));
    Ok(Person {
        id: PersonId(sources.new_id(app.now())),
        name: name.unwrap_or_default(),
        email: invitation.email.clone(),
        password_hash: app.passwords.hash(address, body.password, salt).await?,
    })
}
