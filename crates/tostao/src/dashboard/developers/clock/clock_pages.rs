//! The test clock: the time, what would happen, and advancing it.

use axum::extract::{Request, State};
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::developers::clock::view::{ClockPage, Face, Preview, Step};
use crate::dashboard::developers::clock::wording;
use crate::dashboard::form::{Field, day, faults};
use crate::dashboard::parts::{Action, Part, Text};
use crate::dashboard::review::rehearsal;
use crate::dashboard::shell::{Section, Shell, ahead, url};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::development::clock_api::{AdvanceBody, ask_to_advance};
use crate::development::{DueWork, ResetPermissions};
use crate::figures::period::start;
use crate::merchants::clock;
use crate::platform::error::{Error, FieldError, FieldFault, Result};
use crate::platform::http::html::posted;
use crate::platform::http::query::Query;
use crate::platform::messages::Lang;
use crate::platform::permissions::{RequiredPermissions, TransactionsWrite};

/// The path of the page in its mode.
pub const PAGE: &str = "/developers/clock";
const API: &str = "/api/dev/clock";
/// The steps to choose from, in seconds.
const STEPS: [(i64, Text); 3] =
    [(3_600, Lang::clock_hour), (86_400, Lang::clock_day), (MONTH, Lang::clock_month)];
const MONTH: i64 = 30 * 86_400;

/// The fields by the names of the body's; one of them is empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct AdvanceForm {
    seconds: String,
    /// The day, at whose beginning the clock stands then.
    to: String,
    attempt: String,
}

/// What the dry run answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    data: RehearsedClock,
    would_run: Vec<DueWork>,
}

#[derive(Debug, Deserialize)]
struct RehearsedClock {
    now: Timestamp,
}

/// GET /dashboard/{mode}/developers/clock
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    Query(form): Query<AdvanceForm>,
) -> Result<Response> {
    let page = page(&app, &seat, &visit, (&form, &[])).await?;
    visit.page(&page, StatusCode::OK)
}

/// POST /dashboard/{mode}/developers/clock/advance
pub async fn advance(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: AdvanceForm = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    // The buttons of one page share its attempt.
    let AdvanceForm { seconds, to, attempt } = &form;
    let what = format!("{seconds} {to}");
    let key = attempt::key(&app, scope, &format!("{PAGE}/advance {what}"), attempt, &what)?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let advanced = match form.body() {
        Ok(body) => ask_to_advance(&app, ticket, &body).await,
        Err(error) => Err(error),
    };
    match advanced {
        Ok(_) => Ok(see_and_say(&app, &url(scope.mode, PAGE), lang.clock_advanced())),
        Err(error) => {
            let (wrong, refused) = faults(error, lang)?;
            let mut page = page(&app, &seat, &visit, (&form, &wrong)).await?;
            if let Some(face) = &mut page.face {
                let too_far = wrong.iter().any(|one| one.field == "seconds");
                face.refused = refused.or_else(|| too_far.then(|| lang.clock_too_far()));
            }
            visit.refused(&page)
        }
    }
}

impl AdvanceForm {
    /// The body of a request that advances the clock.
    fn body(&self) -> Result<AdvanceBody> {
        if !self.seconds.is_empty() {
            let wrong = |_| Error::field("seconds", "INVALID_TYPE", "must be a whole number");
            let seconds = self.seconds.parse().map_err(wrong)?;
            return Ok(AdvanceBody { seconds: Some(seconds), to: None });
        }
        let missing = || FieldFault::new("REQUIRED", "must be a day");
        let day = day(&self.to).and_then(|day| day.ok_or_else(missing));
        let day = day.map_err(|fault| fault.of("to"))?;
        Ok(AdvanceBody { seconds: None, to: Some(start(day)) })
    }

    /// The same for what the page shows before: a month where nothing was chosen.
    fn preview(&self) -> Result<AdvanceBody> {
        if self.seconds.is_empty() && self.to.is_empty() {
            return Ok(AdvanceBody { seconds: Some(MONTH), to: None });
        }
        self.body()
    }
}

async fn page(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    (form, wrong): (&AdvanceForm, &[FieldError]),
) -> Result<ClockPage> {
    let (mode, lang, base_url) = (seat.scope.mode, visit.lang, app.settings.base_url());
    let is_here = mode.is_development();
    let body: Value = json!({ "seconds": MONTH });
    let rehearsal = format!("{API}/advance?dryRun=true");
    let face = if is_here { Some(face(app, seat, visit, (form, wrong)).await?) } else { None };
    let wrong = face.as_ref().and_then(|face| face.to.wrong("to", lang.clock_to()));
    Ok(ClockPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Clock).await?,
        url: url(mode, PAGE),
        face,
        wrong: wrong.into_iter().collect(),
        api: vec![
            ApiCall::get(&base_url, API),
            ApiCall::send("POST", &base_url, &rehearsal, &body),
        ],
    })
}

async fn face(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    (form, wrong): (&AdvanceForm, &[FieldError]),
) -> Result<Face> {
    let (scope, lang, here) = (seat.scope, visit.lang, url(seat.scope.mode, PAGE));
    // A step that was refused has nothing to show before it.
    let asked = if wrong.is_empty() { form.clone() } else { AdvanceForm::default() };
    let (previewed, found) = match preview(app, seat, visit, &asked).await {
        Err(Error::Invalid(found)) => {
            let month = AdvanceForm::default();
            (preview(app, seat, visit, &month).await, found)
        }
        previewed => (previewed, wrong.to_vec()),
    };
    let to = Field::judged("to", &form.to, &found, lang);
    let chosen = if asked.to.is_empty() { asked.seconds.parse().unwrap_or(MONTH) } else { 0 };
    let step = |(seconds, name): (i64, Text)| Step {
        seconds,
        name: name(lang),
        preview_url: format!("{here}?seconds={seconds}"),
        is_previewed: seconds == chosen,
    };
    let read = async move |tx: &Tx| Ok::<_, Error>(clock::face(tx, scope));
    let reading = app.read(read).await?;
    Ok(Face {
        now: lang.date_time(reading.now.micros()),
        ahead: (!reading.ahead.is_zero()).then(|| ahead(reading.ahead, lang)),
        attempt: attempt::fresh(app, scope),
        steps: STEPS.map(step).into(),
        to,
        refused: None,
        preview: Part::of(previewed, &visit.context),
        reset: if ResetPermissions::PERMISSIONS.iter().all(|one| seat.permissions.contains(*one)) {
            Action::Possible(format!("{here}/reset"))
        } else {
            Action::Refused(lang.payment_role_may_not())
        },
    })
}

async fn preview(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    form: &AdvanceForm,
) -> Result<Preview> {
    let (lang, body, ticket) = (visit.lang, form.preview()?, rehearsal(seat, visit));
    let Rehearsed { data, would_run } = ask_to_advance(app, ticket, &body).await?.read()?;
    Ok(Preview {
        then: lang.date_time(data.now.micros()),
        work: would_run.iter().map(|work| wording::due(work, lang)).collect(),
    })
}
