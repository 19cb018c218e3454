//! A client: who they are, what they bought, what they owe, and what they subscribe to.

use axum::extract::State;
use axum::response::Response;
use brazil::document::Document;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::clients::{self, Client};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::clients::client_view::{
    ClientPage, PaymentRow, Payments, ShownDocument, SubscriptionRow,
};
use crate::dashboard::clients::list_pages::{API, LIST};
use crate::dashboard::parts::Action;
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::subscriptions::paths::LIST as SUBSCRIPTIONS;
use crate::dashboard::transactions::filter::FilterForm;
use crate::dashboard::transactions::list_pages::LIST as PAYMENTS;
use crate::dashboard::transactions::sold::Sold;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words;
use crate::platform::error::{Error, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::http::path::PathParam;
use crate::platform::ids::{ClientId, Mode, Scope};
use crate::platform::masked::Documents;
use crate::platform::messages::Lang;
use crate::platform::permissions::{CustomersRead, Permission, PersonalPermission};
use crate::subscriptions::{self, Subscription};
use crate::transactions::Transaction;
use crate::transactions::list::{ListQuery, list};
use crate::transactions::status::Status;

/// How many payments, and how many subscriptions, the page shows.
const SHOWN: i64 = 10;

/// What is read of a client's business.
struct Business {
    bought: Vec<Transaction>,
    owed: Vec<Transaction>,
    sold: Sold,
    subscriptions: Vec<Subscription>,
}

/// GET /dashboard/{mode}/clients/{id}
pub async fn show(
    State(app): State<App>,
    seat: Seat<CustomersRead>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    let scope = seat.scope;
    let client = app.read(async move |tx: &Tx| clients::find(tx, scope, id).await).await?;
    let document = match (&client.customer.document, seat.documents()) {
        (None, _) => ShownDocument::Absent,
        (Some(document), Documents::Whole) => {
            let show = url(scope.mode, &format!("{LIST}/{id}/document"));
            ShownDocument::Masked { masked: document.masked(), show: Action::Possible(show) }
        }
        (Some(document), Documents::Masked) => {
            let show = Action::Refused(visit.lang.client_document_masked());
            ShownDocument::Masked { masked: document.masked(), show }
        }
    };
    page(&app, &seat, &visit, client, document).await
}

/// POST /dashboard/{mode}/clients/{id}/document
///
/// Each look is noted, also a second one: the form changes nothing else.
pub async fn show_document(
    State(app): State<App>,
    seat: Seat<CustomersRead>,
    visit: Visit,
    PathParam(id): PathParam<ClientId>,
) -> Result<Response> {
    if seat.documents() == Documents::Masked {
        return Err(Error::RoleForbidden(PersonalPermission::DocumentsRead.name()));
    }
    let (scope, by) = (seat.scope, seat.by());
    let look = async move |tx: &Tx| clients::disclose(tx, scope, &by, id).await;
    let client = app.transact_for(scope.merchant, look).await?;
    let whole = client.customer.document.as_ref().map(Document::formatted);
    let document = whole.map_or(ShownDocument::Absent, ShownDocument::Whole);
    page(&app, &seat, &visit, client, document).await
}

async fn page(
    app: &App,
    seat: &Seat<CustomersRead>,
    visit: &Visit,
    client: Client,
    document: ShownDocument,
) -> Result<Response> {
    let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
    let Business { bought, owed, sold, subscriptions } = business(app, scope, client.id).await?;
    let pending = Status::Pending.name();
    let here = url(mode, &format!("{LIST}/{}", client.id));
    let changing = |page| {
        let address = format!("{here}/{page}");
        Action::needing(Permission::CustomersWrite, &seat.permissions, address, lang)
    };
    let page = ClientPage {
        lang,
        shell: Shell::read(app, seat.holder(), mode, visit, Section::Clients).await?,
        list_url: url(mode, LIST),
        edit: changing("edit"),
        erase: changing("erase"),
        document,
        since: lang.day(client.created_at.micros()),
        bought: payments(&bought, &sold, &of_client(client.id, ""), (mode, lang)),
        owed: payments(&owed, &sold, &of_client(client.id, pending), (mode, lang)),
        subscriptions: subscriptions.iter().map(|one| subscription(one, mode, lang)).collect(),
        subscriptions_url: url(mode, &format!("{SUBSCRIPTIONS}?clientId={}", client.id)),
        api: calls(client.id)
            .iter()
            .map(|path| ApiCall::get(&app.settings.base_url(), path))
            .collect(),
        name: client.customer.name,
        email: client.customer.email,
        phone: client.customer.phone,
    };
    visit.page(&page, StatusCode::OK)
}

async fn business(app: &App, scope: Scope, client: ClientId) -> Result<Business> {
    let page = PageQuery { limit: Some(SHOWN), page: None, cursor: None };
    let query = ListQuery { customer_id: Some(client), ..ListQuery::default() };
    let mut bought = query.clone().read(&page)?;
    let mut owed = ListQuery { status: Some(Status::Pending), ..query }.read(&page)?;
    // Neither is counted.
    (bought.counted_max, owed.counted_max) = (0, 0);
    let subscribed = subscriptions::list::Filter::of_client(client, page.read()?);
    let counting = app.clone();
    let unit = async move |tx: &Tx| {
        let counts = &counting.payment_counts;
        let bought = list(tx, scope, &bought, counts).await?.rows;
        let owed = list(tx, scope, &owed, counts).await?.rows;
        Ok(Business {
            sold: Sold::read(tx, scope, bought.iter().chain(&owed)).await?,
            bought,
            owed,
            subscriptions: subscriptions::list(tx, scope, &subscribed).await?.rows,
        })
    };
    app.scan_for(scope.merchant, unit).await
}

/// The list of a client's payments in one state, or in any.
fn of_client(client: ClientId, status: &str) -> FilterForm {
    let (customer_id, status) = (client.to_string(), status.to_owned());
    FilterForm { status, customer_id, ..FilterForm::default() }
}

fn payments(
    rows: &[Transaction],
    sold: &Sold,
    all: &FilterForm,
    (mode, lang): (Mode, Lang),
) -> Payments {
    let row = |payment: &Transaction| PaymentRow {
        when: lang.date_time(payment.created_at.micros()),
        what: sold.name(payment).unwrap_or_else(|| words::method(payment, lang)),
        state: words::payment(payment.status, lang),
        amount: lang.money(payment.amount.get()),
        url: url(mode, &format!("{PAYMENTS}/{}", payment.id)),
    };
    Payments { rows: rows.iter().map(row).collect(), all_url: all.url(&url(mode, PAYMENTS)) }
}

fn subscription(subscription: &Subscription, mode: Mode, lang: Lang) -> SubscriptionRow {
    let next = subscription.next_billing_at.micros();
    SubscriptionRow {
        plan: subscription.plan_name.clone(),
        url: url(mode, &format!("{SUBSCRIPTIONS}/{}", subscription.id)),
        state: words::subscription(subscription.status, lang),
        price: lang.money(subscription.price.get()),
        next: (!subscription.status.has_ended()).then(|| lang.client_next_charge(lang.day(next))),
    }
}

/// What gives the same in the API.
fn calls(client: ClientId) -> [String; 3] {
    [
        format!("{API}/{client}"),
        format!("/api/v1/transactions?customerId={client}&limit={SHOWN}"),
        format!("/api/subscriptions?clientId={client}&limit={SHOWN}"),
    ]
}
