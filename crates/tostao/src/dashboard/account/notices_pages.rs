//! Which mails are written, to whom, and which ones a person wants.

use std::collections::BTreeMap;

use axum::extract::{Request, State};
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::auth::elevation::Matter;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::view::{NoticeChoice, NoticeRow, NoticesPage};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::faults;
use crate::dashboard::kept_form;
use crate::dashboard::parts::{State as Shown, Tone};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::mail::Kind;
use crate::mail::preferences::api::{PreferenceBody, PreferencesBody, ask_to_change};
use crate::mail::preferences::{self, Choice, Preference, Reason, Recipient, Switch};
use crate::people;
use crate::platform::error::Result;
use crate::platform::http::html::posted;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

const PATH: &str = "/notifications";
const API: &str = "/api/mail-preferences";
/// What a box that is ticked sends.
const TICKED: &str = "true";

/// What is posted: the boxes that are ticked, by the names of their kinds.
#[derive(Debug, Deserialize)]
struct NoticesForm {
    #[serde(default)]
    attempt: String,
    #[serde(flatten)]
    boxes: BTreeMap<String, String>,
}

impl NoticesForm {
    fn is_ticked(&self, kind: Kind) -> bool {
        self.boxes.get(kind.name()).is_some_and(|value| value == TICKED)
    }
}

/// GET /account/notifications
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let kept = kept_form::read::<NoticesForm>(&app, seat.who(), &visit);
    let page = page(&app, &seat, &visit, (kept.as_ref(), None)).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /account/notifications
pub async fn save(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: NoticesForm = posted(request).await?;
    let optional = Kind::ALL.iter().filter(|kind| matches!(kind.choice(), Choice::Optional(_)));
    let switched = |kind: &Kind| PreferenceBody { kind: *kind, active: form.is_ticked(*kind) };
    let body = PreferencesBody { preferences: optional.map(switched).collect() };
    let ticked = body.preferences.iter().filter(|one| one.active).map(|one| one.kind.name());
    let what = ticked.collect::<Vec<_>>().join(" ");
    let execution =
        frame::execution(&app, &seat, PATH, (&form.attempt, &what), seat.permit(Matter::Own))?;
    match ask_to_change(&app, (seat.who(), seat.by()), execution, body).await {
        Ok(_) => Ok(see_and_say(&app, &account_url(PATH), visit.lang.account_saved())),
        Err(error) => {
            let (_, refused) = faults(error, visit.lang)?;
            visit.refused(&page(&app, &seat, &visit, (Some(&form), refused)).await?)
        }
    }
}

/// The page, with the boxes as they were ticked if they come back.
async fn page(
    app: &App,
    seat: &PersonalSeat<NoPermission>,
    visit: &Visit,
    (form, refused): (Option<&NoticesForm>, Option<&'static str>),
) -> Result<NoticesPage> {
    let (lang, (merchant, person)) = (visit.lang, seat.who());
    let read = async move |tx: &Tx| {
        let owner = people::owner_of(merchant);
        let all = preferences::all(tx, (merchant, owner)).await?;
        people::find(tx, person).await.map(|person| (person.email, all))
    };
    let (email, all) = app.read(read).await?;
    let opened = people::opened(person, merchant);
    let chosen = all.iter().filter(|one| opened && matches!(one.choice, Choice::Optional(_)));
    let choices = chosen.map(|one| NoticeChoice {
        name: one.kind.name(),
        label: described(one.kind, lang),
        is_ticked: form.map_or(one.switch == Switch::On, |form| form.is_ticked(one.kind)),
    });
    let (base_url, example) = (app.settings.base_url(), Kind::WithdrawalCompleted.name());
    let body = json!({ "preferences": [{ "kind": example, "active": false }] });
    Ok(NoticesPage {
        lang,
        shell: frame::shell(app, seat, visit, Section::Notifications).await?,
        to: lang.notices_to(email),
        sends_none: app.mail.is_none(),
        rows: all.iter().map(|one| row(*one, opened, lang)).collect(),
        choices: choices.collect(),
        refused,
        form_url: account_url(PATH),
        attempt: attempt::fresh(app, seat.scope()),
        api: vec![
            ApiCall::of_person(&base_url, API),
            ApiCall::send("PATCH", &base_url, API, &body).as_person(),
        ],
    })
}

fn row(of: Preference, opened: bool, lang: Lang) -> NoticeRow {
    let who = match of.kind.recipient() {
        Recipient::Person => lang.notices_you(),
        Recipient::Owner if opened => lang.notices_you(),
        Recipient::Owner => lang.notices_owner(),
        Recipient::Invited => lang.notices_invited(),
        Recipient::NewAddress => lang.notices_new_address(),
        Recipient::Buyer => lang.payment_buyer(),
    };
    let (tone, word) = match of.switch {
        Switch::On => (Tone::Good, lang.notices_on()),
        Switch::Off => (Tone::Off, lang.notices_off()),
    };
    let why = match of.choice {
        Choice::Always(Reason::SignIn) => lang.notices_always_sign_in(),
        Choice::Always(Reason::AskedFor) => lang.notices_always_asked(),
        Choice::Always(Reason::Money) if leads_to_money(of.kind) => lang.notices_always_access(),
        Choice::Always(Reason::Money) => lang.notices_always_money(),
        Choice::Always(Reason::Stopped) => lang.notices_always_stopped(),
        Choice::Optional(_) if opened => lang.notices_yours(),
        Choice::Optional(_) => lang.notices_theirs(),
    };
    NoticeRow { what: described(of.kind, lang), who, state: Shown { tone, word }, why }
}

/// Whether a mail is about a way to the money, and not about money that went astray.
fn leads_to_money(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ApiKeyCreated | Kind::ApiKeyRotated | Kind::PayoutKeyAdded | Kind::PayeeNamed
    )
}

/// What a kind of mail is about. A new kind does not compile without its words.
fn described(kind: Kind, lang: Lang) -> &'static str {
    match kind {
        Kind::PasswordReset => lang.notice_password_reset(),
        Kind::PasswordChanged => lang.notice_password_changed(),
        Kind::NewDevice => lang.notice_new_device(),
        Kind::TwoFactorEnabled => lang.notice_two_factor_enabled(),
        Kind::TwoFactorDisabled => lang.notice_two_factor_disabled(),
        Kind::BackupCodesReplaced => lang.notice_backup_codes(),
        Kind::TwoFactorRefused => lang.notice_two_factor_refused(),
        Kind::Invitation => lang.notice_invitation(),
        Kind::WithdrawalCompleted => lang.notice_withdrawal_completed(),
        Kind::WithdrawalFailed => lang.notice_withdrawal_failed(),
        Kind::PayoutKeyAdded => lang.notice_payout_key(),
        Kind::PayeeNamed => lang.notice_payee(),
        Kind::ApiKeyCreated => lang.notice_api_key_created(),
        Kind::ApiKeyRotated => lang.notice_api_key_rotated(),
        Kind::EmailChange => lang.notice_email_change(),
        Kind::EmailChangeAsked => lang.notice_email_change_asked(),
        Kind::EmailChanged => lang.notice_email_changed(),
        Kind::Receipt => lang.notice_receipt(),
        Kind::WebhookDisabled => lang.notice_webhook_disabled(),
        Kind::WebhookFailing => lang.notice_webhook_failing(),
        Kind::WebhookRecovered => lang.notice_webhook_recovered(),
        Kind::LateMoney => lang.notice_late_money(),
        Kind::PaymentReceived => lang.notice_payment_received(),
    }
}
