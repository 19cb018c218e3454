//! The first steps of an account in a mode, each done as soon as what it makes exists.

use db::tx::Tx;

use crate::app::App;
use crate::dashboard::home::view::{Checklist, Step};
use crate::merchants::credentials;
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::transactions;
use crate::webhooks;

/// What is left to do; `None` once everything is done.
pub async fn read(app: &App, scope: Scope, lang: Lang) -> Result<Option<Checklist>> {
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
    let steps = [
        (lang.home_step_key(), "/docs/api/api-keys"),
        (lang.home_step_link(), "/docs/api/payment-links"),
        (sale, "/docs/api/transactions"),
        (lang.home_step_webhook(), "/docs/api/webhooks"),
    ];
    let steps = steps.into_iter().zip(done);
    let step = |((name, how_url), is_done)| Step { name, is_done, how_url };
    let steps: Vec<_> = steps.map(step).collect();
    let done = steps.iter().filter(|step| step.is_done).count();
    Ok((done < steps.len()).then_some(Checklist { done, steps }))
}
