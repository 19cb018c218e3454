//! A charge for one buyer without a link: its form, which leads to the payment with its code.

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::form::{Posted, faults};
use crate::dashboard::form_frame::FormFrame;
use crate::dashboard::kept_form;
use crate::dashboard::links::new_pages::NEW as NEW_LINK;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::filter::API;
use crate::dashboard::transactions::list_pages::{LIST, NEW};
use crate::dashboard::transactions::new_form::{ChargeForm, ISSUED, SHOWN};
use crate::dashboard::transactions::new_view::{FormPage, NoBankPage};
use crate::dashboard::visit_pages::{Visit, posted_form, see_and_say};
use crate::platform::error::{Error, ErrorCode, FieldError, Result};
use crate::platform::http::query::Query;
use crate::platform::ids::{Mode, TransactionId};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, TransactionsWrite};
use crate::providers::Service;
use crate::transactions::api::ask;
use crate::transactions::{PaymentMethod, current};

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    transaction: MadePayment,
}

#[derive(Debug, Deserialize)]
struct MadePayment {
    id: TransactionId,
}

/// With what the form begins.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Beginning {
    /// The payment of an amount alone that the charge shall be like.
    copy: String,
}

/// GET /dashboard/{mode}/transactions/new
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    Query(Beginning { copy }): Query<Beginning>,
) -> Result<Response> {
    let mode = seat.scope.mode;
    if methods(&app, mode).is_empty() {
        let page = NoBankPage {
            lang: visit.lang,
            shell: Shell::read(&app, seat.holder(), mode, &visit, Section::Transactions).await?,
            list_url: url(mode, LIST),
            api: vec![call(&app)],
        };
        return visit.page(&page, StatusCode::OK);
    }
    let form = match kept_form::read(&app, seat.who(), &visit) {
        Some(kept) => kept,
        None => Posted::new(begin(&app, &seat, &copy, visit.lang).await?),
    };
    let page = form_page(&app, &seat, &visit, &form, &[]).await?;
    visit.page(&page, StatusCode::OK)
}

/// What the form begins with: the values of another payment, or none.
async fn begin(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    copy: &str,
    lang: Lang,
) -> Result<ChargeForm> {
    let may = |needed| seat.permissions.contains(needed);
    if copy.is_empty() || !may(Permission::TransactionsRead) {
        return Ok(ChargeForm::default());
    }
    let id: TransactionId = copy.parse().map_err(|_| Error::NotFound("Transaction"))?;
    let payment = current(app, seat.scope, id).await?;
    if !payment.is_of_an_amount_alone() {
        return Ok(ChargeForm::default());
    }
    let buyer = may(Permission::CustomersRead).then(|| seat.documents());
    Ok(ChargeForm::copy_of(&payment, buyer, lang))
}

/// POST /dashboard/{mode}/transactions/new
pub async fn create(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    request: Request,
) -> Result<Response> {
    let form: Posted<ChargeForm> = posted_form(request, &SHOWN).await?;
    match make(&app, &seat, &visit, &form).await {
        Ok(id) => {
            let here = url(seat.scope.mode, &format!("{LIST}/{id}"));
            Ok(see_and_say(&app, &here, visit.lang.charge_made()))
        }
        Err(error) => refused(&app, &seat, &visit, &form, error).await,
    }
}

/// Issues the charge as programs do, by the same body.
async fn make(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    form: &Posted<ChargeForm>,
) -> Result<TransactionId> {
    let key = attempt::key(app, seat.scope, NEW, &form.attempt, &form.values()?)?;
    let ticket = Ticket::of_person(seat.scope, key, seat.by());
    let (sees, body) = ((Some(seat.person), seat.documents()), form.typed.body()?);
    let made: Made = ask(app, &visit.context, ticket, sees, body).await?.read()?;
    Ok(made.transaction.id)
}

/// The form again, with its values and what is wrong.
async fn refused(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    form: &Posted<ChargeForm>,
    error: Error,
) -> Result<Response> {
    let lang = visit.lang;
    let (wrong, refused) = match error {
        Error::Refused(ErrorCode::ChargeRefused, _) => {
            (Vec::new(), Some(lang.charge_bank_refused()))
        }
        Error::NotAnswered(_) | Error::OutOfService(_) => {
            (Vec::new(), Some(lang.charge_bank_silent()))
        }
        Error::NotConfigured(_) => (Vec::new(), Some(lang.charge_no_bank())),
        Error::TooMany { .. } => (Vec::new(), Some(lang.charge_too_many())),
        error => faults(error, lang)?,
    };
    let mut page = form_page(app, seat, visit, form, &wrong).await?;
    page.frame.refused = refused;
    visit.refused(&page)
}

async fn form_page(
    app: &App,
    seat: &Seat<TransactionsWrite>,
    visit: &Visit,
    form: &Posted<ChargeForm>,
    wrong: &[FieldError],
) -> Result<FormPage> {
    let (scope, lang) = (seat.scope, visit.lang);
    let fields = form.typed.fields(&methods(app, scope.mode), wrong, lang);
    let names = [lang.charge_new(), lang.payments_title(), lang.charge_make()];
    let mut frame = FormFrame::of_new(app, scope, (LIST, API), names);
    frame.wrong = fields.wrong(lang);
    frame.api = vec![call(app)];
    Ok(FormPage {
        lang,
        shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Transactions).await?,
        frame,
        fields,
        asks_address: app.providers.boleto_needs_address(scope.mode),
        link_url: url(scope.mode, NEW_LINK),
    })
}

/// What a mode has a bank for.
fn methods(app: &App, mode: Mode) -> Vec<PaymentMethod> {
    let has_bank = |rail| app.providers.service(rail, mode) != Service::NotConnected;
    ISSUED.into_iter().filter_map(|(method, rail)| has_bank(rail).then_some(method)).collect()
}

fn call(app: &App) -> ApiCall {
    let body = json!({
        "method": "PIX", "amountCents": 4_990,
        "customer": { "name": "Fulano de Tal", "email": "fulano@example.com" },
    });
    ApiCall::send("POST", &app.settings.base_url(), API, &body)
}
