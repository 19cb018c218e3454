//! Which mails are written, and switching optional ones on or off.

use axum::extract::State;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::audit::ActorContext;
use crate::auth::caller::SignedInCaller;
use crate::auth::elevation::Matter;
use crate::idempotency::{Execution, Replayable};
use crate::mail::Kind;
use crate::mail::preferences::{self, Choice, Preference, Reason, Recipient, Switch};
use crate::platform::error::{FieldErrors, FieldFault, Result};
use crate::platform::http::body::Body;
use crate::platform::http::reply::Ok200;
use crate::platform::ids::{MerchantId, PersonId};
use crate::platform::permissions::NoPermission;

/// How many kinds a request may name.
const CHANGES_MAX: usize = 50;

/// The kinds to switch.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateMailPreferencesRequest")]
#[schemars(extend("examples" = [
    { "preferences": [{ "kind": "withdrawal_completed", "active": false }] }
]))]
pub struct PreferencesBody {
    /// Kinds that are not named stay as they are.
    #[schemars(length(min = 1, max = 50))]
    pub preferences: Vec<PreferenceBody>,
}

/// A kind to switch.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateMailPreference")]
pub struct PreferenceBody {
    /// A kind that is optional.
    pub kind: Kind,
    /// Whether mails of the kind are written.
    pub active: bool,
}

/// A kind of mail, and whether it is written.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MailPreference")]
pub struct PreferenceView {
    /// What mails of the kind are about.
    kind: Kind,
    /// Who gets mails of the kind.
    recipient: Recipient,
    /// Whether the person can switch it: mails about the account are chosen by the person who
    /// opened it.
    optional: bool,
    /// Whether mails of the kind are written.
    active: bool,
    /// Why mails of the kind are always written; null if they can be switched off.
    reason: Option<Reason>,
}

/// Every kind of mail.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MailPreferenceList")]
pub struct PreferencesReply {
    message: &'static str,
    data: Vec<PreferenceView>,
}

/// GET /api/mail-preferences
///
/// Lists every kind of mail, and whether it is written about the account.
pub async fn show(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
) -> Result<Ok200<PreferencesReply>> {
    let who = caller.who();
    let owner = PersonId(who.0.0);
    let read = async move |tx: &Tx| preferences::all(tx, (who.0, owner)).await;
    let all = app.read(read).await?;
    Ok(Ok200(PreferencesReply::new("Mail preferences.", &all, who)))
}

/// PATCH /api/mail-preferences
pub async fn update(
    State(app): State<App>,
    caller: SignedInCaller<NoPermission>,
    Body { value: body, .. }: Body<PreferencesBody>,
) -> Result<Replayable<Ok200<PreferencesReply>>> {
    let execution = Execution::permitted(None, caller.permit(Matter::Own));
    ask_to_change(&app, (caller.who(), caller.by()), execution, body).await
}

/// Switches kinds on or off: the way in of programs and of people.
pub async fn ask_to_change(
    app: &App,
    (who, by): ((MerchantId, PersonId), ActorContext),
    execution: Execution,
    body: PreferencesBody,
) -> Result<Replayable<Ok200<PreferencesReply>>> {
    let changes = check(&body)?;
    app.transact_once(execution, async move |tx: &Tx| {
        let all = preferences::change(tx, &by, who, &changes).await?;
        Ok(Ok200(PreferencesReply::new("Mail preferences saved.", &all, who)))
    })
    .await
}

/// The switches of a body; a kind that is always written has none.
fn check(body: &PreferencesBody) -> Result<Vec<(Kind, Switch)>> {
    let mut wrong = FieldErrors::new();
    if !(1..=CHANGES_MAX).contains(&body.preferences.len()) {
        let message = format!("must have 1 to {CHANGES_MAX} entries");
        wrong.add("preferences", FieldFault::new("INVALID_LENGTH", message));
    }
    let mut changes: Vec<(Kind, Switch)> = Vec::new();
    for (index, PreferenceBody { kind, active }) in body.preferences.iter().enumerate() {
        if let Choice::Always(reason) = kind.choice() {
            let message = format!("must be optional; this kind is always written: {reason}");
            let field = format!("preferences[{index}].kind");
            wrong.add(field, FieldFault::new("INVALID_VALUE", message));
        }
        if changes.iter().any(|(named, _)| named == kind) {
            let field = format!("preferences[{index}].kind");
            wrong.add(field, FieldFault::new("INVALID_VALUE", "is named twice"));
        }
        changes.push((*kind, if *active { Switch::On } else { Switch::Off }));
    }
    wrong.finish()?;
    Ok(changes)
}

impl PreferencesReply {
    fn new(message: &'static str, all: &[Preference], who: (MerchantId, PersonId)) -> Self {
        Self { message, data: all.iter().map(|one| PreferenceView::new(*one, who)).collect() }
    }
}

impl PreferenceView {
    fn new(of: Preference, (merchant, person): (MerchantId, PersonId)) -> Self {
        let (optional, reason) = match of.choice {
            Choice::Always(reason) => (false, Some(reason)),
            Choice::Optional(_) => (person.0 == merchant.0, None),
        };
        Self {
            kind: of.kind,
            recipient: of.kind.recipient(),
            optional,
            active: of.switch == Switch::On,
            reason,
        }
    }
}
