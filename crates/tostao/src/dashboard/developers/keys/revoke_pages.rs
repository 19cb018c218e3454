//! Ending an API key, whose name is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::credentials::Credential;
use crate::credentials::api::ask_to_revoke;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, expect, find};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::CredentialId;
use crate::platform::messages::Lang;
use crate::platform::permissions::CredentialsWrite;

/// GET /dashboard/{mode}/developers/keys/{id}/revoke
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
) -> Result<Response> {
    let key = expect(&app, &seat, id).await?;
    let page = deletion(&key, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/keys/{id}/revoke
pub async fn revoke(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/revoke"), &form.attempt, "")?;
    // One of the other mode is refused here, before what is not found is taken for revoked.
    let found = find(&app, &seat, id).await?.ok_or(Error::NotFound("API key"));
    if let Some(found) = unconfirmed(found, |found| &found.name, &form.typed)? {
        let page = deletion(&found, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_revoke(&app, asker(&seat), Some(key), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.key_revoked()))
}

fn deletion(key: &Credential, lang: Lang) -> Deletion<'_> {
    Deletion {
        section: Section::Keys,
        place: (LIST, API, key.id.to_string()),
        heading: lang.key_revoke_of(&key.name),
        back: lang.keys_title(),
        effects: [lang.key_revoke_effect(), lang.key_revoke_stays()],
        name: &key.name,
        button: lang.key_revoke_now(),
        of: DeletionOf::Key,
    }
}
