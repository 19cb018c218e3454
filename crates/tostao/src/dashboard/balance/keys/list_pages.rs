//! The list of payout keys.

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::keys::view::{ListPage, Row};
use crate::dashboard::balance::pix_key;
use crate::dashboard::parts::{self, Action, NothingYet, Tone};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::Result;
use crate::platform::ids::Scope;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, WithdrawalsRead, WithdrawalsWrite};
use crate::withdrawals::payout_keys::api::Asker;
use crate::withdrawals::payout_keys::{self, PayoutKey};

/// The path of the list in its mode.
pub const LIST: &str = "/balance/keys";
/// The same list in the API.
pub const API: &str = "/api/payout-keys";

/// GET /dashboard/{mode}/balance/keys
pub async fn show(
    State(app): State<App>,
    seat: Seat<WithdrawalsRead>,
    visit: Visit,
) -> Result<Response> {
    let (scope, lang, mode) = (seat.scope, visit.lang, seat.scope.mode);
    let listed = read(&app, scope).await?;
    let (here, now) = (url(mode, LIST), scope.at(app.now()));
    let action =
        |path: String| Action::needing(Permission::WithdrawalsWrite, &seat.permissions, path, lang);
    let row = |key: &PayoutKey| Row {
        label: key.label.clone(),
        state: state(key, now, lang),
        why: lang.payout_key_from(lang.date_time(key.usable_from.micros())),
        facts: facts(key, lang),
        delete: (format!("delete-{}", key.id), action(format!("{here}/{}/delete", key.id))),
    };
    let may_add = seat.permissions.contains(Permission::WithdrawalsWrite);
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Balance).await?,
        balance_url: url(mode, BALANCE),
        new: action(format!("{here}/new")),
        rows: listed.iter().map(row).collect(),
        nothing: NothingYet {
            heading: lang.payout_keys_none(),
            note: lang.payout_keys_none_note(),
            step: may_add.then(|| (format!("{here}/new"), lang.payout_key_new())),
        },
        api: vec![ApiCall::get(&app.settings.base_url(), API)],
    };
    visit.page(&page, StatusCode::OK)
}

/// The keys of an account in a mode.
pub async fn read(app: &App, scope: Scope) -> Result<Vec<PayoutKey>> {
    app.read(async move |tx: &Tx| payout_keys::list(tx, scope).await).await
}

/// The person at a page, as the API takes them.
pub fn asker(seat: &Seat<WithdrawalsWrite>) -> Asker {
    let Seat { scope, person, role, elevation, .. } = *seat;
    Asker { scope, person, role, by: seat.by(), elevation }
}

fn state(key: &PayoutKey, now: Timestamp, lang: Lang) -> parts::State {
    let (tone, word) = if key.usable_from <= now {
        (Tone::Good, lang.payout_key_usable())
    } else {
        (Tone::Wait, lang.payout_key_waits())
    };
    parts::State { tone, word }
}

fn facts(key: &PayoutKey, lang: Lang) -> Vec<(&'static str, String)> {
    vec![
        (lang.withdraw_key(), key.key.as_str().to_owned()),
        (lang.withdraw_key_type(), pix_key::name(key.key.key_type(), lang).to_owned()),
        (lang.payout_key_added_at(), lang.date_time(key.created_at.micros())),
    ]
}
