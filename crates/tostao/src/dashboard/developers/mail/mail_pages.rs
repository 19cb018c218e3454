//! A mail: how it stands, and what it says where that may be read here.

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::mail::list_pages::{API, LIST};
use crate::dashboard::developers::mail::view::MailPage;
use crate::dashboard::developers::mail::wording;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::mail::api::readable;
use crate::mail::{self, Mail, jobs};
use crate::platform::error::Result;
use crate::platform::http::path::PathParam;
use crate::platform::ids::MailId;
use crate::platform::messages::Lang;
use crate::platform::permissions::MailsRead;

/// GET /dashboard/{mode}/developers/mail/{id}
pub async fn show(
    State(app): State<App>,
    seat: MemberSeat<MailsRead>,
    visit: Visit,
    PathParam(id): PathParam<MailId>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let mail = app.read(async move |tx: &Tx| mail::find(tx, scope, id).await).await?;
    let letter = readable(&app, &mail);
    let (state, why) = wording::standing(&mail, jobs::waits_for(&app).is_none(), lang);
    let subject = letter.as_ref().map(|letter| letter.subject.clone());
    let path = format!("{API}/{id}");
    let page = MailPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Mail).await?,
        list_url: url(scope.mode, LIST),
        name: subject.unwrap_or_else(|| wording::kind(mail.kind, lang).to_owned()),
        state,
        why,
        facts: facts(&mail, lang),
        text: letter.map(|letter| letter.text()),
        language: mail.lang.tag(),
        api: vec![ApiCall::of_person(&app.settings.base_url(), &path).in_mode(scope.mode)],
    };
    visit.page(&page, StatusCode::OK)
}

fn facts(mail: &Mail, lang: Lang) -> Vec<(&'static str, String)> {
    let date = |at: Timestamp| lang.date_time(at.micros());
    let facts = [
        (lang.mails_to(), Some(mail.to.clone())),
        (lang.mails_kind(), Some(wording::kind(mail.kind, lang).to_owned())),
        (lang.requests_when(), Some(date(mail.created_at))),
        (lang.mails_tried(), mail.attempted_at.map(date)),
        (lang.mails_error(), mail.last_error.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
