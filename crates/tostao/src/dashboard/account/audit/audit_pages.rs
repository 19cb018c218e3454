//! The history of an account.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;
use serde_json::Value;
use uuid::Uuid;

use crate::app::App;
use crate::audit::{self, Action, ActorKind, StoredEntry};
use crate::auth::seat::PersonalSeat;
use crate::dashboard::account::audit::filter::FilterForm;
use crate::dashboard::account::audit::view::{AuditPage, AuditRow};
use crate::dashboard::account::audit::words;
use crate::dashboard::account::frame;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField, day};
use crate::dashboard::listing::Found;
use crate::dashboard::parts::{NothingMatches, NothingYet, Pager};
use crate::dashboard::shell::{Section, account_url};
use crate::dashboard::visit_pages::Visit;
use crate::merchants::credentials;
use crate::people;
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{MerchantId, Mode};
use crate::platform::messages::Lang;
use crate::platform::permissions::AuditRead;

const PATH: &str = "/audit";

/// The names of the people and keys of an account.
struct Names {
    people: BTreeMap<Uuid, String>,
    keys: BTreeMap<Uuid, String>,
}

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
        wrong: summary(&wrong, lang),
        found,
        api: vec![ApiCall::of_person(&app.settings.base_url(), &form.api_path())],
        form,
    };
    visit.page(&page, status)
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
        return Ok(if form.is_set() {
            let heading = lang.audit_none_match().to_owned();
            Found::NothingMatches(NothingMatches { heading, all_url: here })
        } else {
            let (heading, note) = (lang.audit_none(), lang.audit_none_note());
            Found::NothingYet(NothingYet { heading, note, step: None })
        });
    }
    let next = page.pagination(&listed).next_cursor;
    let pager = Pager {
        first_url: (!form.cursor.is_empty()).then(|| form.at_cursor("").url(&here)),
        next_url: next.map(|cursor| form.at_cursor(&cursor).url(&here)),
    };
    Ok(Found::Rows { rows: listed.rows.iter().map(|one| row(one, names, lang)).collect(), pager })
}

fn row(entry: &StoredEntry, names: &Names, lang: Lang) -> AuditRow {
    // A version after this one may have written an action that this one does not know.
    let what = Action::parse(&entry.action)
        .map_or_else(|| lang.audit_other(), |action| words::action(action)(lang));
    let detail = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        value => format!("{name}: {value}"),
    };
    let subject = entry.subject.map(|subject| names.subject(subject));
    // Members see neither which administrator acted nor from where.
    let is_operator = entry.actor_kind == ActorKind::Administrator;
    let place = entry.client_address.clone().filter(|_| !is_operator);
    AuditRow {
        when: lang.date_time(entry.created_at.micros()),
        who: names.actor(entry, lang),
        what: what.to_owned(),
        mode: entry.mode.map(|mode| match mode {
            Mode::Development => lang.audit_test(),
            Mode::Production => lang.audit_production(),
        }),
        times: (entry.count > 1).then(|| lang.audit_times(entry.count)),
        details: entry.details.iter().map(detail).chain(subject).collect(),
        place: place.unwrap_or_else(|| "–".to_owned()),
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

impl Names {
    async fn read(app: &App, merchant: MerchantId) -> Result<Self> {
        let read = async move |tx: &Tx| {
            let members = people::members(tx, merchant).await?;
            Ok::<_, Error>((members, credentials::list(tx, merchant).await?))
        };
        let (members, keys) = app.read(read).await?;
        Ok(Self {
            people: members.into_iter().map(|member| (member.person.0, member.name)).collect(),
            keys: keys.into_iter().map(|key| (key.id.0, key.name)).collect(),
        })
    }

    /// Who can be chosen: people and keys, by their names.
    fn choices(&self, lang: Lang) -> Vec<(String, String)> {
        let people = self.people.iter().map(|(id, name)| (id.to_string(), name.clone()));
        let keys = self.keys.iter().map(|(id, name)| (id.to_string(), lang.audit_key(name)));
        people.chain(keys).collect()
    }

    /// Who did it.
    fn actor(&self, entry: &StoredEntry, lang: Lang) -> String {
        let of =
            |table: &BTreeMap<Uuid, String>| entry.actor_id.and_then(|id| table.get(&id)).cloned();
        match entry.actor_kind {
            ActorKind::Owner | ActorKind::Member => {
                of(&self.people).unwrap_or_else(|| lang.audit_somebody().to_owned())
            }
            ActorKind::Key => of(&self.keys)
                .map_or_else(|| lang.audit_old_key().to_owned(), |name| lang.audit_key(name)),
            ActorKind::Administrator | ActorKind::CommandLine => lang.audit_operator().to_owned(),
            ActorKind::System => lang.audit_system().to_owned(),
            ActorKind::Anonymous => lang.audit_stranger().to_owned(),
        }
    }

    /// The name of an object, if it is a person or a key; its id otherwise.
    fn subject(&self, id: Uuid) -> String {
        let known = self.people.get(&id).or_else(|| self.keys.get(&id));
        known.cloned().unwrap_or_else(|| id.to_string())
    }
}
