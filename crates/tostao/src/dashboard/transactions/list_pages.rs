//! The list of payments: has this buyer paid?

use axum::extract::State;
use axum::response::Response;
use db::time::Timestamp;
use db::tx::Tx;
use http::StatusCode;

use crate::app::App;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::form::{Field, WrongField};
use crate::dashboard::home::no_sale::no_sale;
use crate::dashboard::listing::by_cursor;
use crate::dashboard::parts::{Action, Choice, Exports, NothingMatches};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::transactions::export_words::InWords;
use crate::dashboard::transactions::filter::FilterForm;
use crate::dashboard::transactions::list_view::{FilterFields, Found, ListPage, Row};
use crate::dashboard::transactions::sold::Sold;
use crate::dashboard::transactions::unmatched::paths::UNMATCHED;
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::{why, words};
use crate::platform::error::{Error, FieldError, Result};
use crate::platform::http::page::Listed;
use crate::platform::http::query::Query;
use crate::platform::http::rate_limit::HEAVY;
use crate::platform::ids::{Mode, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::{Permission, Permissions, TransactionsRead};
use crate::platform::spreadsheet::{SpreadsheetQuery, SpreadsheetReply};
use crate::transactions::export::export as write;
use crate::transactions::list::{COUNTED_MAX, Filter, list};
use crate::transactions::status::Status;
use crate::transactions::{Method, Transaction};

/// The path of the list in its mode.
pub const LIST: &str = "/transactions";
/// The path of the form of a charge in its mode.
pub const NEW: &str = "/transactions/new";

/// What a row needs to be shown.
struct Eyes<'a> {
    mode: Mode,
    base_url: String,
    permissions: &'a Permissions,
    sees_buyers: bool,
    now: Timestamp,
    lang: Lang,
}

/// GET /dashboard/{mode}/transactions
pub async fn show(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    Query(form): Query<FilterForm>,
) -> Result<Response> {
    let (scope, lang) = (seat.scope, visit.lang);
    let shell = Shell::read(&app, seat.holder(), scope.mode, &visit, Section::Transactions).await?;
    let (found, wrong) = match form.read() {
        Ok(filter) => {
            let eyes = Eyes {
                mode: scope.mode,
                base_url: app.settings.base_url(),
                permissions: &seat.permissions,
                sees_buyers: seat.permissions.contains(Permission::CustomersRead),
                now: scope.at(app.now()),
                lang,
            };
            (found(&app, scope, &form, filter, &eyes).await?, Vec::new())
        }
        Err(Error::Invalid(wrong)) => (Found::Nothing, wrong),
        Err(error) => return Err(error),
    };
    let is_wrong = !wrong.is_empty();
    let page = ListPage {
        lang,
        shell,
        new: Action::needing(
            Permission::TransactionsWrite,
            &seat.permissions,
            url(scope.mode, NEW),
            lang,
        ),
        unmatched: Action::Possible(url(scope.mode, UNMATCHED)),
        list_url: url(scope.mode, LIST),
        fields: fields(&form, &wrong, scope.mode, lang),
        wrong: summary(&wrong, lang),
        found,
        api: vec![ApiCall::get(&app.settings.base_url(), &form.api_path())],
    };
    visit.page(&page, if is_wrong { StatusCode::BAD_REQUEST } else { StatusCode::OK })
}

/// GET /dashboard/{mode}/transactions/export
pub async fn export(
    State(app): State<App>,
    seat: Seat<TransactionsRead>,
    visit: Visit,
    Query(SpreadsheetQuery { format }): Query<SpreadsheetQuery>,
    Query(form): Query<FilterForm>,
) -> Result<SpreadsheetReply> {
    app.check_rate_limit(&visit.context, &HEAVY, seat.scope)?;
    let shows_buyers = seat.permissions.contains(Permission::CustomersRead);
    let wording = InWords { lang: visit.lang, shows_buyers };
    write(&app, seat.scope, form.read()?, format, wording).await
}

async fn found(
    app: &App,
    scope: Scope,
    form: &FilterForm,
    filter: Filter,
    eyes: &Eyes<'_>,
) -> Result<Found> {
    let (lang, here, page) = (eyes.lang, url(eyes.mode, LIST), filter.page);
    let filter = Filter { counted_max: COUNTED_MAX, ..filter };
    let counting = app.clone();
    let unit = async move |tx: &Tx| {
        let listed = list(tx, scope, &filter, &counting.payment_counts).await?;
        Ok((Sold::read(tx, scope, &listed.rows).await?, listed))
    };
    let (sold, listed) = app.scan_for(scope.merchant, unit).await?;
    let over_all = form.is_recent().then(|| form.over_all().url(&here));
    if listed.rows.is_empty() && form.cursor.is_empty() {
        return Ok(nothing(form, over_all, here, eyes));
    }
    let at = |cursor: &str| form.from_cursor(cursor).url(&here);
    let pager = by_cursor(&form.cursor, &listed, page, at);
    let count = count(&listed, lang);
    let exports = Exports::of(&form.from_cursor("").url(&format!("{here}/export")));
    let rows = listed.rows.iter().map(|payment| row(payment, &sold, eyes)).collect();
    Ok(Found::Rows { rows, count, over_all, exports, pager })
}

fn nothing(form: &FilterForm, over_all: Option<String>, here: String, eyes: &Eyes<'_>) -> Found {
    let lang = eyes.lang;
    if form.is_set() {
        let heading = lang.payments_none_match().to_owned();
        return Found::NothingMatches {
            empty: NothingMatches { heading, all_url: here },
            over_all,
        };
    }
    Found::NothingYet(no_sale(eyes.mode, eyes.permissions, lang))
}

fn count(listed: &Listed<Transaction>, lang: Lang) -> String {
    match listed.total {
        1 => lang.payments_one().to_owned(),
        total if total >= COUNTED_MAX => lang.payments_many().to_owned(),
        total => lang.payments_count(total),
    }
}

fn row(payment: &Transaction, sold: &Sold, eyes: &Eyes<'_>) -> Row {
    let lang = eyes.lang;
    let what = [sold.name(payment), payment.external_id.clone()];
    let what: Vec<_> = what.into_iter().flatten().collect();
    let explains = payment.status == Status::Failed || !payment.unmatched.is_zero();
    let id = payment.id.to_string();
    Row {
        when: lang.date_time(payment.created_at.micros()),
        who: eyes.sees_buyers.then(|| payment.customer.name.clone()),
        what: what.join(" · "),
        method: words::method(payment, lang),
        state: words::payment(payment.status, lang),
        why: explains.then(|| why::of(payment, eyes.now, lang).causes.pop()).flatten(),
        amount: lang.money(payment.amount.get()),
        url: url(eyes.mode, &format!("{LIST}/{id}")),
        api: ApiCall::get(&eyes.base_url, &format!("/api/v1/transactions/{id}")),
        id,
    }
}

fn fields(form: &FilterForm, wrong: &[FieldError], mode: Mode, lang: Lang) -> FilterFields {
    let statuses = Status::ALL.iter().map(|status| Choice {
        value: status.name(),
        name: words::payment(*status, lang).word,
        is_chosen: form.status == status.name(),
    });
    let methods = Method::ALL.iter().map(|method| Choice {
        value: method.name(),
        name: method_name(*method, lang),
        is_chosen: form.method == method.name(),
    });
    let kept = [
        ("customerId", &form.customer_id),
        ("paymentLinkId", &form.payment_link_id),
        ("paid", &form.paid),
    ];
    let kept = kept.into_iter().filter(|(_, value)| !value.is_empty());
    FilterFields {
        q: Field::judged("q", &form.q, wrong, lang),
        from: Field::judged("from", &form.from, wrong, lang),
        to: Field::judged("to", &form.to, wrong, lang),
        statuses: statuses.collect(),
        methods: methods.collect(),
        kept: kept.map(|(name, value)| (name, value.clone())).collect(),
        is_open: form.has_details() || !wrong.is_empty(),
        all_url: form.is_set().then(|| url(mode, LIST)),
    }
}

/// Names what is wrong, also of filters that only an address sets.
fn summary(wrong: &[FieldError], lang: Lang) -> Vec<WrongField> {
    let label = |name: &str| match name {
        "q" => ("q", lang.payments_search()),
        "from" => ("from", lang.payments_from()),
        "to" => ("to", lang.payments_to()),
        "status" => ("status", lang.payments_state()),
        "method" => ("method", lang.payments_method()),
        _ => ("q", lang.payments_filter()),
    };
    let shown = |wrong: &FieldError| {
        let (id, label) = label(&wrong.field);
        WrongField::of(id, label, wrong, lang)
    };
    wrong.iter().map(shown).collect()
}

/// The name of a payment method.
pub fn method_name(method: Method, lang: Lang) -> &'static str {
    match method {
        Method::Pix => lang.by_pix(),
        Method::Boleto => lang.by_boleto(),
        Method::CreditCard => lang.by_card(),
        Method::Free => lang.by_coupon(),
    }
}
