//! The deletion of a payout key, whose label is typed to confirm it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::attempt;
use crate::dashboard::balance::keys::list_pages::{API, LIST, asker};
use crate::dashboard::confirm::{ConfirmForm, Deletion, DeletionOf, unconfirmed};
use crate::dashboard::shell::{Section, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{PayoutKeyId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsWrite;
use crate::withdrawals::payout_keys::api::ask_to_delete;
use crate::withdrawals::payout_keys::{self, PayoutKey};

/// GET /dashboard/{mode}/balance/keys/{id}/delete
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsWrite>,
    visit: Visit,
    PathParam(id): PathParam<PayoutKeyId>,
) -> Result<Response> {
    let key = find(&app, seat.scope, id).await?;
    let page = deletion(&key, visit.lang).page(&app, &seat, &visit).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/balance/keys/{id}/delete
pub async fn delete(
    State(app): State<App>,
    seat: Seat<WithdrawalsWrite>,
    visit: Visit,
    PathParam(id): PathParam<PayoutKeyId>,
    request: Request,
) -> Result<Response> {
    let form: ConfirmForm = posted(request).await?;
    let scope = seat.scope;
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/delete"), &form.attempt, "")?;
    let found = find(&app, scope, id).await;
    if let Some(found) = unconfirmed(found, |found| &found.label, &form.typed)? {
        let page = deletion(&found, visit.lang).page(&app, &seat, &visit).await?;
        return visit.refused(&page.mistyped(&form.typed));
    }
    ask_to_delete(&app, &visit.context, asker(&seat), Some(key), id).await?;
    Ok(see_and_say(&app, &url(scope.mode, LIST), visit.lang.payout_key_was_deleted()))
}

async fn find(app: &App, scope: Scope, id: PayoutKeyId) -> Result<PayoutKey> {
    app.read(async move |tx: &Tx| payout_keys::find(tx, scope, id).await).await
}

fn deletion(key: &PayoutKey, lang: Lang) -> Deletion<'_> {
    Deletion {
        section: Section::Balance,
        place: (LIST, API, key.id.to_string()),
        heading: lang.payout_key_delete_of(&key.label),
        back: lang.payout_keys_title(),
        effects: [lang.payout_key_delete_effect(), lang.payout_key_delete_stays()],
        name: &key.label,
        button: lang.payout_key_delete_now(),
        of: DeletionOf::Saved,
    }
}
