//! The first steps of an account in a mode, each done as soon as what it makes exists.

use db::tx::Tx;

use crate::app::App;
use crate::dashboard::home::no_sale::way_to_link;
use crate::dashboard::home::view::{Checklist, Step};
use crate::merchants::credentials;
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::Permissions;
use crate::transactions;
use crate::webhooks;

/// What is left to do; `None` once everything is done.
pub async fn read(
    app: &App,
    scope: Scope,
    permissions: &Permissions,
    lang: Lang,
) -> Result<Option<Checklist>> {
    let first = PageQuery { limit: Some(1), ..PageQuery::default() }.read()?;
    let read = async move |tx: &Tx| {
        let keys = credentials::list(tx, scope.merchant).await?;
        Ok::<_, Error>([
            keys.iter().any(|key| key.mode == scope.mode),
            payment_links::any(tx, scope).await?,
            transactions::list::any_paid(tx, scope).await?,
            !webhooks::list(tx, scope, first).await?.rows.is_empty(),
        ])
    };
    let done = app.read(read).await?;
    let sale = match scope.mode {
        Mode::Development => lang.home_step_sale_test(),
        Mode::Production => lang.home_step_sale(),
    };
    let described = |page: &str| (format!("/docs/api/{page}"), lang.home_how());
    let steps = [
        (lang.home_step_key(), described("api-keys")),
        (lang.home_step_link(), way_to_link(scope.mode, permissions, lang)),
        (sale, described("transactions")),
        (lang.home_step_webhook(), described("webhooks")),
    ];
    let steps = steps.into_iter().zip(done);
    let step = |((name, way), is_done)| Step { name, is_done, way };
    let steps: Vec<_> = steps.map(step).collect();
    let done = steps.iter().filter(|step| step.is_done).count();
    Ok((done < steps.len()).then_some(Checklist { done, steps }))
}
