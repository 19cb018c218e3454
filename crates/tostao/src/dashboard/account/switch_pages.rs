//! Going on in another account.

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use serde::Deserialize;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::shell;
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::merchants;
use crate::people::sessions::browser;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::permissions::NoPermission;

/// The account to go on in.
#[derive(Debug, Deserialize)]
struct SwitchForm {
    account: MerchantId,
}

/// POST /account/switch
///
/// The session moves to the other account, in test mode: it is another shop's money from here on.
pub async fn switch(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let to = posted::<SwitchForm>(request).await?.account;
    let (session, who, context) = (seat.session, seat.who(), seat.request());
    let unit = async move |tx: &Tx| {
        browser::switch_account(tx, &context, session, who, to).await?;
        merchants::find(tx, to).await
    };
    let account = app.transact(unit).await?.name;
    let home = shell::url(Mode::Development, "");
    Ok(see_and_say(&app, &home, visit.lang.shell_switched(account)))
}
