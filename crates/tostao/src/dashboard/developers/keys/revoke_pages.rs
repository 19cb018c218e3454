//! Ending an API key, whose name is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::confirm::{ConfirmForm, ConfirmPage, is_typed};
use crate::dashboard::developers::keys::list_pages::{API, LIST, asker, expect, find};
use crate::dashboard::form::Field;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::merchants::credentials::Credential;
use crate::merchants::credentials::api::ask_to_revoke;
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
    visit.page(&page(&app, &seat, &visit, &key).await?, StatusCode::OK)
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
    // If there is none, the same form may have revoked it: then it is answered again.
    if let Some(found) = find(&app, &seat, id).await?
        && !is_typed(&found.name, &form.typed)
    {
        let page = page(&app, &seat, &visit, &found).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_revoke(&app, asker(&seat), Some(key), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.key_revoked()))
}

async fn page(
    app: &App,
    seat: &MemberSeat<CredentialsWrite>,
    visit: &Visit,
    key: &Credential,
) -> Result<ConfirmPage> {
    let (mode, lang) = (seat.scope.mode, visit.lang);
    let list = url(mode, LIST);
    let api = ApiCall::of_person(&app.settings.base_url(), &format!("{API}/{}", key.id));
    Ok(ConfirmPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Keys).await?,
        heading: lang.key_revoke_of(&key.name),
        step: None,
        form_url: format!("{list}/{}/revoke", key.id),
        back: (list, lang.keys_title()),
        effects: vec![lang.key_revoke_effect().to_owned(), lang.key_revoke_stays().to_owned()],
        name: key.name.clone(),
        field: Field::default(),
        wrong: Vec::new(),
        button: lang.key_revoke_now(),
        attempt: attempt::fresh(app, seat.scope),
        api: vec![api.deleting()],
    })
}
