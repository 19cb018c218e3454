//! What waits for a person, as the features report it.

use db::tx::Tx;

use crate::app::App;
use crate::dashboard::developers::webhooks::list_pages::LIST;
use crate::dashboard::home::view::Attention;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::shell::url;
use crate::dashboard::transactions::unmatched::list_pages::reason;
use crate::dashboard::transactions::unmatched::paths::{UNMATCHED, decide_path};
use crate::platform::error::Result;
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{Mode, Scope, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions};
use crate::transactions::unmatched::{self, UnmatchedPayment};
use crate::webhooks::health::DisabledReason;
use crate::webhooks::{self, WebhookEndpoint};

/// How many unmatched payments are named; the rest is counted.
const UNMATCHED_SHOWN: i64 = 5;

/// What waits in a scope, as far as a role may read it.
pub async fn read(
    app: &App,
    scope: Scope,
    permissions: &Permissions,
    lang: Lang,
) -> Result<Vec<Attention>> {
    let mut waiting = Vec::new();
    if permissions.contains(Permission::WebhooksRead) {
        let page = PageQuery { limit: Some(100), ..PageQuery::default() }.read()?;
        let listed = app.read(async move |tx: &Tx| webhooks::list(tx, scope, page).await).await?;
        let list = url(scope.mode, LIST);
        waiting.extend(listed.rows.iter().filter_map(|webhook| of_webhook(webhook, &list, lang)));
    }
    if permissions.contains(Permission::TransactionsRead) {
        let page = PageQuery { limit: Some(UNMATCHED_SHOWN), ..PageQuery::default() }.read()?;
        let open = app.read(async move |tx: &Tx| unmatched::waiting(tx, scope, page).await).await?;
        waiting.extend(open.rows.iter().map(|(of, money)| of_money(*of, money, scope.mode, lang)));
        let more = open.total - UNMATCHED_SHOWN;
        if more > 0 {
            let state = State { tone: Tone::Wait, word: lang.payment_pending() };
            let heading = lang.home_more_waits(more);
            let url = Some(url(scope.mode, UNMATCHED));
            waiting.push(Attention { state, heading, note: String::new(), url });
        }
    }
    Ok(waiting)
}

/// A webhook that was switched off because its address failed, or that is failing.
fn of_webhook(webhook: &WebhookEndpoint, list: &str, lang: Lang) -> Option<Attention> {
    let host = webhook.url.host().unwrap_or_default();
    let url = Some(format!("{list}/{}", webhook.id));
    let state = State { tone: Tone::Bad, word: lang.payment_failed() };
    if let Some(disabled) = webhook.disabled.filter(|_| !webhook.active) {
        let note = match disabled.reason {
            DisabledReason::Gone => lang.home_webhook_gone(),
            DisabledReason::Failing => lang.home_webhook_hopeless(),
        };
        let heading = lang.home_webhook_disabled(&host);
        return Some(Attention { state, heading, note: note.to_owned(), url });
    }
    let failing = webhook.failing.filter(|_| webhook.active)?;
    let since = lang.date_time(failing.since.micros());
    let note = lang.home_webhook_failing_note(failing.failures, since);
    Some(Attention { state, heading: lang.home_webhook_failing(&host), note, url })
}

fn of_money(of: TransactionId, money: &UnmatchedPayment, mode: Mode, lang: Lang) -> Attention {
    let heading = lang.home_unmatched(lang.money(money.amount.get()));
    let state = State { tone: Tone::Wait, word: lang.payment_pending() };
    let note = reason(money.reason, lang).to_owned();
    Attention { state, heading, note, url: Some(url(mode, &decide_path(of, money.id))) }
}
