//! What a person does with a payment by a button of its page: simulate an outcome, mail a receipt.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::attempt::{self, AttemptForm};
use crate::dashboard::shell::url;
use crate::dashboard::transactions::list_pages::LIST;
use crate::dashboard::transactions::payment_pages::{Again, draw};
use crate::dashboard::transactions::simulate_form::{SHOWN, SimulateForm};
use crate::dashboard::visit_pages::{Visit, see_and_say};
use crate::platform::error::{Error, Result};
use crate::platform::http::html::{posted, posted_to_correct};
use crate::platform::http::path::PathParam;
use crate::platform::ids::TransactionId;
use crate::platform::permissions::TransactionsWrite;
use crate::transactions::api::ask_to_simulate;
use crate::transactions::receipts::api::ask as ask_for_receipt;

/// POST /dashboard/{mode}/transactions/{id}/simulate
pub async fn simulate(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let form: SimulateForm = posted_to_correct(request, &SHOWN).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let route = format!("{LIST}/{id}/simulate");
    let key = attempt::key(&app, scope, &route, &form.attempt, &form.values())?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let simulated = match form.body() {
        Ok(body) => ask_to_simulate(&app, ticket, id, &body).await,
        Err(error) => Err(error),
    };
    let again = match simulated {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            return Ok(see_and_say(&app, &here, lang.simulate_done()));
        }
        Err(Error::Invalid(wrong)) => Again { simulation: form, wrong, refused: None },
        Err(Error::State { .. }) => {
            let refused = Some(lang.simulate_refused());
            Again { simulation: form, refused, ..Again::default() }
        }
        Err(Error::KeyReused { .. }) => {
            let refused = Some(lang.links_form_used());
            Again { simulation: form, refused, ..Again::default() }
        }
        Err(error) => return Err(error),
    };
    visit.refused(&draw(&app, &seat, &visit, id, &again).await?)
}

/// POST /dashboard/{mode}/transactions/{id}/receipt
pub async fn send_receipt(
    State(app): State<App>,
    seat: Seat<TransactionsWrite>,
    visit: Visit,
    PathParam(id): PathParam<TransactionId>,
    request: Request,
) -> Result<Response> {
    let AttemptForm { attempt } = posted(request).await?;
    let (scope, lang) = (seat.scope, visit.lang);
    let key = attempt::key(&app, scope, &format!("{LIST}/{id}/receipt"), &attempt, "")?;
    let ticket = Ticket::of_person(scope, key, seat.by());
    let refused = match ask_for_receipt(&app, &visit.context, ticket, id).await {
        Ok(_) => {
            let here = url(scope.mode, &format!("{LIST}/{id}"));
            return Ok(see_and_say(&app, &here, lang.receipt_sent()));
        }
        Err(Error::TooMany { .. }) => lang.receipt_too_many(),
        Err(Error::State { .. }) => lang.receipt_not_possible(),
        Err(error) => return Err(error),
    };
    let again = Again { refused: Some(refused), ..Again::default() };
    visit.refused(&draw(&app, &seat, &visit, id, &again).await?)
}
