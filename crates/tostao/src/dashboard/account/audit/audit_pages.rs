//! The history of an account.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::audit::{self, Action, StoredEntry, export};
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::audit::export_words::{InWords, details, in_mode, what};
use crate::dashboard::account::audit::filter::FilterForm;
use crate::dashboard::account::audit::names::Names;
use crate::dashboard::account::audit::view::{AuditPage, AuditRow};
use crate::dashboard::account::audit::words;
use crate::dashboard::account::frame;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField, day};
use crate::dashboard::listing::{Found, by_cursor};
use crate::dashboard::parts::{Exports, NothingYet};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::MerchantId;
use crate::platform::messages::Lang;
use crate::platform::permissions::AuditRead;
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};

const PATH: &str = "/audit";
const EXPORT: &str = "/audit/export";

/// GET /account/audit
pub async fn show(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    visit: Visit,
    Query(form): Query<FilterForm>,
) -> Result<Response> {
    let (lang, (merchant, _)) = (visit.lang, seat.who());
    let names = Names::read(&app, merchant).await?;
    let (found, wrong) = Found::or_wrong(found(&app, merchant, &form, &names, lang).await)?;
    let status = if wrong.is_empty() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let mut actions: Vec<_> =
        Action::ALL.iter().map(|action| (action.name(), words::action(*action)(lang))).collect();
    actions.sort_unstable_by_key(|(_, name)| *name);
    let page = AuditPage {
        lang,
        shell: frame::shell(&app, &seat, &visit, Section::Audit).await?,
        list_url: account_url(PATH),
        actors: names.choices(lang),
        actions,
        period: period(&form, lang),
        exports: Exports::of(&form.at_cursor("").url(&account_url(EXPORT))),
        wrong: summary(&wrong, lang),
        found,
        api: vec![ApiCall::of_person(&app.settings.base_url(), &form.api_path())],
        form,
    };
    visit.page(&page, status)
}

/// GET /account/audit/export
pub async fn export(
    State(app): State<App>,
    seat: PersonalSeat<AuditRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<FilterForm>,
) -> Result<SpreadsheetReply> {
    let (merchant, filter) = (seat.holder.merchant, form.at_cursor("").read()?);
    app.check_account_rate_limit(&visit.context, &HEAVY, merchant)?;
    let names = Arc::new(Names::read(&app, merchant).await?);
    export::export(&app, merchant, filter, format, InWords { lang: visit.lang, names }).await
}

async fn found(
    app: &App,
    merchant: MerchantId,
    form: &FilterForm,
    names: &Names,
    lang: Lang,
) -> Result<Found<AuditRow>> {
    let (filter, here) = (form.read()?, account_url(PATH));
    let page = filter.page;
    let read = async move |tx: &Tx| audit::page(tx, merchant, &filter).await;
    let listed = app.scan_for(merchant, read).await?;
    if listed.rows.is_empty() && form.cursor.is_empty() {
        let (heading, note) = (lang.audit_none(), lang.audit_none_note());
        let empty = (lang.audit_none_match(), NothingYet { heading, note, step: None });
        return Ok(Found::none(form.is_set().then_some(here), empty));
    }
    let at = |cursor: &str| form.at_cursor(cursor).url(&here);
    let pager = by_cursor(&form.cursor, &listed, page, at);
    Ok(Found::Rows { rows: listed.rows.iter().map(|one| row(one, names, lang)).collect(), pager })
}

fn row(entry: &StoredEntry, names: &Names, lang: Lang) -> AuditRow {
    let subject = entry.subject.map(|subject| names.subject(subject));
    AuditRow {
        when: lang.date_time(entry.created_at.micros()),
        who: names.actor(entry, lang),
        what: what(entry, lang).to_owned(),
        mode: entry.mode.map(|mode| in_mode(mode, lang)),
        times: (entry.count > 1).then(|| lang.audit_times(entry.count)),
        details: details(entry, lang).chain(subject).collect(),
        place: entry.client_address.clone().unwrap_or_else(|| "–".to_owned()),
    }
}

/// The period in words; `None` if none is set.
fn period(form: &FilterForm, lang: Lang) -> Option<String> {
    let (from, to) = (day(&form.from).ok()?, day(&form.to).ok()?);
    if from.is_none() && to.is_none() {
        return None;
    }
    let from = from.map_or_else(|| lang.audit_beginning().to_owned(), |day| lang.date(day));
    let to = to.map_or_else(|| lang.audit_today().to_owned(), |day| lang.date(day));
    Some(lang.audit_period(from, to))
}

fn summary(wrong: &[FieldError], lang: Lang) -> Vec<WrongField> {
    let labels = [
        ("actorId", lang.audit_who()),
        ("action", lang.audit_what()),
        ("from", lang.audit_from()),
        ("to", lang.audit_to()),
    ];
    let field = |(id, label)| Field::judged(id, "", wrong, lang).wrong(id, label);
    labels.into_iter().filter_map(field).collect()
}
