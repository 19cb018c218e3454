//! Ending an API key, whose name is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::credentials::Credential;
use crate::credentials::api::ask_to_revoke;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, Deletion, DeletionOf, is_typed};
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, expect, find};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::CredentialId;
use crate::platform::permissions::CredentialsWrite;

/// GET /dashboard/{mode}/developers/keys/{id}/revoke
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<CredentialsWrite>,
    visit: Visit,
    PathParam(id): PathParam<CredentialId>,
) -> Result<Response> {
    let key = expect(&app, &seat, id).await?;
    visit.page(&page(&app, &seat, &visit, key).await?, StatusCode::OK)
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
    // One of the other mode is refused here. One that is not found was revoked by the same form,
    // which is answered as before, or was never here.
    let found = find(&app, &seat, id).await?.filter(|found| !is_typed(&found.name, &form.typed));
    if let Some(found) = found {
        let page = page(&app, &seat, &visit, found).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_revoke(&app, asker(&seat), Some(key), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.key_revoked()))
}

async fn page(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    key: Credential,
) -> Result<ConfirmPage> {
    let lang = visit.lang;
    let deletion = Deletion {
        section: Section::Keys,
        heading: lang.key_revoke_of(&key.name),
        back: lang.keys_title(),
        effects: [lang.key_revoke_effect(), lang.key_revoke_stays()],
        name: key.name,
        button: lang.key_revoke_now(),
        of: DeletionOf::Key,
    };
    deletion.page(app, seat, visit, (LIST, API, key.id.to_string())).await
}
