//! The first steps of an account in a mode: each with its date, and the way to what is left.

use std::time::Duration;

use db::time::Timestamp;
use db::tx::Tx;

use crate::app::App;
use crate::credentials;
use crate::dashboard::developers::keys::list_pages::LIST as KEYS;
use crate::dashboard::developers::webhooks::list_pages::LIST as WEBHOOKS;
use crate::dashboard::home::no_sale::way_to_link;
use crate::dashboard::home::view::{Checklist, ListedStep};
use crate::dashboard::links::list_pages::LIST as LINKS;
use crate::dashboard::shell::url;
use crate::dashboard::words;
use crate::first_steps::{self, Step};
use crate::merchants;
use crate::payment_links;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{Mode, Scope};
use crate::platform::member_role::MemberRole;
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, PersonalPermission};
use crate::transactions;
use crate::webhooks::{self, WebhookEndpoint};

/// For how long the list stays after the last step.
const STAYS_FOR: Duration = Duration::from_hours(7 * 24);

/// The steps as they are shown: first the one that takes no code, then the developers' way.
const SHOWN: [Step; 4] = [Step::Link, Step::Key, Step::Payment, Step::Webhook];

/// Whether a step was taken, and when, if that was kept.
struct Taken {
    is_done: bool,
    at: Option<Timestamp>,
}

/// What is done and left; `None` some days after everything was done.
pub async fn read(
    app: &App,
    scope: Scope,
    role: MemberRole,
    lang: Lang,
) -> Result<Option<Checklist>> {
    let read = async move |tx: &Tx| {
        let account = merchants::find(tx, scope.merchant).await?;
        Ok::<_, Error>((account.created_at, taken(tx, scope).await?))
    };
    let (opened_at, taken) = app.read(read).await?;
    let done = taken.iter().filter(|step| step.is_done).count();
    let last = taken.iter().filter_map(|step| step.at).max();
    let is_recent = last.is_some_and(|last| app.now().since(last) < STAYS_FOR);
    if done == taken.len() && !is_recent {
        return Ok(None);
    }
    let listed = |(step, taken): (&Step, &Taken)| {
        let (name, way) = described(*step, scope.mode, role, lang);
        let when = taken.at.map(|at| lang.date_time(at.micros()));
        ListedStep { name, is_done: taken.is_done, when, way }
    };
    let steps: Vec<_> = SHOWN.iter().zip(&taken).map(listed).collect();
    let received = SHOWN.iter().zip(&taken).find(|(step, _)| **step == Step::Webhook);
    let took = received.and_then(|(_, webhook)| webhook.at).map(|at| at.since(opened_at));
    Ok(Some(Checklist { done, steps, webhook_took: took.map(words::span) }))
}

/// What was taken of [`SHOWN`]. Of an account from before the steps were kept, what exists says
/// it, without a date.
async fn taken(tx: &Tx, scope: Scope) -> Result<Vec<Taken>> {
    if let Some(steps) = first_steps::of(tx, scope.merchant, scope.mode).await? {
        let taken = |step: &Step| Taken { is_done: steps.at(*step).is_some(), at: steps.at(*step) };
        return Ok(SHOWN.iter().map(taken).collect());
    }
    let all = PageQuery { limit: Some(100), ..PageQuery::default() }.read()?;
    let keys = credentials::list(tx, scope.merchant).await?;
    let received = |webhook: &WebhookEndpoint| {
        webhook.last_triggered_at.is_some() && webhook.failing.is_none()
    };
    let exist = [
        payment_links::any(tx, scope).await?,
        keys.iter().any(|key| key.mode == scope.mode),
        transactions::list::any_paid(tx, scope).await?,
        webhooks::list(tx, scope, all).await?.rows.iter().any(received),
    ];
    Ok(exist.into_iter().map(|is_done| Taken { is_done, at: None }).collect())
}

/// What a step asks for, and the way there.
fn described(
    step: Step,
    mode: Mode,
    role: MemberRole,
    lang: Lang,
) -> (&'static str, (String, &'static str)) {
    let permissions = role.permissions(mode);
    let reference = |page: &str| (format!("/docs/api/{page}"), lang.home_how());
    let form = |may: bool, list: &str, button: &'static str, page: &str| {
        if may { (url(mode, &format!("{list}/new")), button) } else { reference(page) }
    };
    let sale = match mode {
        Mode::Development => lang.home_step_sale_test(),
        Mode::Production => lang.home_step_sale(),
    };
    match step {
        Step::Key => {
            let may = role.may(PersonalPermission::CredentialsWrite);
            (lang.home_step_key(), form(may, KEYS, lang.key_new(), "api-keys"))
        }
        Step::Link => (lang.home_step_link(), way_to_link(mode, &permissions, lang)),
        Step::Payment if permissions.contains(Permission::PaymentLinksRead) => {
            (sale, (url(mode, LINKS), lang.home_open_link()))
        }
        Step::Payment => (sale, reference("transactions")),
        Step::Webhook => {
            let may = permissions.contains(Permission::WebhooksWrite);
            (lang.home_step_webhook(), form(may, WEBHOOKS, lang.webhook_new(), "webhooks"))
        }
    }
}
