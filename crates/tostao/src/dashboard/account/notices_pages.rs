//! Which mails are written, and to whom.

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::frame;
use crate::dashboard::account::view::NoticesPage;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::shell::Section;
use crate::dashboard::visit_pages::Visit;
use crate::mail::Kind;
use crate::people;
use crate::platform::error::Result;
use crate::platform::messages::Lang;
use crate::platform::permissions::NoPermission;

const API: &str = "/api/mails";

/// GET /account/notifications
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<NoPermission>,
    visit: Visit,
) -> Result<Response> {
    let (lang, (merchant, person)) = (visit.lang, seat.who());
    let email = app.read(async move |tx: &Tx| people::find(tx, person).await).await?.email;
    let opened = people::opened(person, merchant);
    let row = |kind: &Kind| {
        let (what, who) = described(*kind, lang);
        let is_own = who == lang.notices_owner() && opened;
        (what, if is_own { lang.notices_you() } else { who })
    };
    let page = NoticesPage {
        lang,
        shell: frame::shell(&app, &seat, &visit, Section::Notifications).await?,
        to: lang.notices_to(email),
        sends_none: app.mail.is_none(),
        rows: Kind::ALL.iter().map(row).collect(),
        api: vec![ApiCall::of_person(&app.settings.base_url(), API)],
    };
    visit.page(&page, StatusCode::OK)
}

/// What a kind of mail is about, and who gets it. A new kind does not compile without its words.
fn described(kind: Kind, lang: Lang) -> (&'static str, &'static str) {
    let (you, owner) = (lang.notices_you(), lang.notices_owner());
    match kind {
        Kind::PasswordReset => (lang.notice_password_reset(), you),
        Kind::PasswordChanged => (lang.notice_password_changed(), you),
        Kind::NewDevice => (lang.notice_new_device(), you),
        Kind::TwoFactorEnabled => (lang.notice_two_factor_enabled(), you),
        Kind::TwoFactorDisabled => (lang.notice_two_factor_disabled(), you),
        Kind::BackupCodesReplaced => (lang.notice_backup_codes(), you),
        Kind::TwoFactorRefused => (lang.notice_two_factor_refused(), you),
        Kind::Invitation => (lang.notice_invitation(), lang.notices_invited()),
        Kind::WithdrawalCompleted => (lang.notice_withdrawal_completed(), owner),
        Kind::WithdrawalFailed => (lang.notice_withdrawal_failed(), owner),
        Kind::WebhookDisabled => (lang.notice_webhook_disabled(), owner),
    }
}
