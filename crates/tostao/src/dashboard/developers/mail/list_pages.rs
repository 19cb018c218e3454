//! The list of mails.

use axum::extract::State as Shared;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::MemberSeat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::developers::mail::view::{ListPage, Row};
use crate::dashboard::developers::mail::wording;
use crate::dashboard::listing::ListForm;
use crate::dashboard::parts::NothingYet;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::mail::api::readable;
use crate::mail::list::ListQuery;
use crate::mail::{self, Mail, jobs};
use crate::platform::error::Result;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::platform::permissions::MailsRead;

/// The path of the list in its mode.
pub const LIST: &str = "/developers/mail";
/// The same list in the API.
pub const API: &str = "/api/mails";

/// GET /dashboard/{mode}/developers/mail
pub async fn show(
    Shared(app): Shared<App>,
    seat: MemberSeat<MailsRead>,
    visit: Visit,
    Query(form): Query<ListForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    // The list has no filter: what else the address has is left out.
    let form = ListForm { cursor: form.cursor, ..ListForm::default() };
    let (filter, here) = (ListQuery::default().read(&form.page())?, url(scope.mode, LIST));
    let page = filter.page;
    let read = async move |tx: &Tx| mail::list(tx, scope, &filter).await;
    let listed = app.scan_for(scope.merchant, read).await?;
    let is_test = scope.mode.is_development();
    let nothing = NothingYet {
        heading: lang.mails_none(),
        note: if is_test { lang.mails_none_note_test() } else { lang.mails_none_note() },
        step: None,
    };
    let row = |mail: &Mail| row(&app, mail, &here, lang);
    let no_server = !is_test && jobs::waits_for(&app).is_some();
    let page = ListPage {
        lang,
        shell: Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Mail).await?,
        note: if is_test { lang.mails_note_test() } else { lang.mails_note() },
        no_server: no_server.then(|| lang.mails_no_server()),
        found: form.found(&listed, page, &here, row, ("", nothing)),
        api: vec![
            ApiCall::of_person(&app.settings.base_url(), &form.api_path(API)).in_mode(scope.mode),
        ],
    };
    visit.page(&page, StatusCode::OK)
}

fn row(app: &App, mail: &Mail, here: &str, lang: Lang) -> Row {
    let (state, why) = wording::standing(mail, jobs::waits_for(app).is_none(), lang);
    let subject = readable(app, mail).map(|letter| letter.subject);
    Row {
        when: lang.date_time(mail.created_at.micros()),
        name: subject.unwrap_or_else(|| wording::kind(mail.kind, lang).to_owned()),
        to: mail.to.clone(),
        url: format!("{here}/{}", mail.id),
        state,
        why,
    }
}
