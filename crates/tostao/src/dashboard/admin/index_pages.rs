//! What waits for administrators, queue by queue.

use axum::extract::State as AppState;
use axum::response::Response;
use db::tx::Tx;
use http::StatusCode;

use crate::advances;
use crate::app::App;
use crate::auth::seat::AdminSeat;
use crate::connections::differences;
use crate::dashboard::admin::view::{QueuePage, QueueRow, QueueWords};
use crate::dashboard::admin::{
    advances_pages, health_pages, mail_pages, reconciliation_pages, unknown_pages,
    withdrawals_pages,
};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::{State, Tone};
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::mail::{self, list::UnsentStatus};
use crate::platform::error::Result;
use crate::platform::ids::Mode;
use crate::platform::messages::Lang;
use crate::server_health;
use crate::transactions::unknown;
use crate::withdrawals;

/// More than these are not counted.
const MOST: i64 = 1_000;

/// GET /admin/{mode}
pub async fn show(AppState(app): AppState<App>, seat: AdminSeat, visit: Visit) -> Result<Response> {
    let (mode, lang) = (seat.mode, visit.lang);
    let health = server_health::read(&app).await?;
    let mut rows = app.scan(async move |tx: &Tx| queues(tx, mode, lang).await).await?;
    rows.push(QueueRow {
        name: lang.admin_health().to_owned(),
        url: Some(admin_url(mode, "/health")),
        state: Some(health_pages::word(health.status(), lang)),
        ..QueueRow::default()
    });
    let calls = [
        withdrawals_pages::API.to_owned(),
        advances_pages::API.to_owned(),
        format!("{}?status=OPEN", unknown_pages::API),
        format!("{}?status=OPEN", reconciliation_pages::API),
        format!("{}?status=WAITING", mail_pages::API),
        health_pages::API.to_owned(),
    ];
    let base_url = app.settings.base_url();
    let call = |path: &String| ApiCall::of_person(&base_url, path).in_mode(mode);
    let names = QueueWords {
        heading: lang.admin_title(),
        caption: lang.admin_queues(),
        empty: lang.admin_queue_empty(),
        note: "",
    };
    let page = QueuePage {
        columns: (lang.admin_queue(), lang.admin_waiting()),
        rows,
        api: calls.iter().map(call).collect(),
        ..QueuePage::of(&app, &seat, &visit, Section::Admin, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

/// The queues of a mode with how many wait; those of real money are in production.
async fn queues(tx: &Tx, mode: Mode, lang: Lang) -> Result<Vec<QueueRow>> {
    let waits = |name: &str, path: &str, count: i64| QueueRow {
        name: name.to_owned(),
        url: Some(admin_url(mode, path)),
        state: Some(standing(count, lang)),
        lines: Vec::new(),
        figure: counted(count, lang),
    };
    let mut rows = vec![
        waits(
            lang.admin_withdrawals(),
            withdrawals_pages::LIST,
            withdrawals::list::count_waiting(tx, mode).await?,
        ),
        waits(
            lang.admin_advances(),
            advances_pages::LIST,
            advances::list::count_waiting(tx, mode).await?,
        ),
        waits(lang.admin_unknown(), unknown_pages::LIST, unknown::count_open(tx, mode).await?),
    ];
    if !mode.is_development() {
        let open = differences::count_open(tx).await?;
        rows.push(waits(lang.admin_reconciliation(), reconciliation_pages::LIST, open));
        let unsent = mail::count_unsent(tx, Some(UnsentStatus::Waiting)).await?;
        rows.push(waits(lang.admin_mail(), mail_pages::LIST, unsent));
    }
    Ok(rows)
}

fn standing(count: i64, lang: Lang) -> State {
    if count == 0 {
        State { tone: Tone::Good, word: lang.admin_nothing_waits() }
    } else {
        State { tone: Tone::Wait, word: lang.admin_something_waits() }
    }
}

/// How many wait, as far as they are counted.
fn counted(count: i64, lang: Lang) -> String {
    if count > MOST { lang.admin_more_than_a_thousand().to_owned() } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::counted;
    use crate::platform::messages::Lang;

    #[test]
    fn a_long_queue_is_not_counted_to_its_end() {
        assert_eq!(counted(1_000, Lang::PtBr), "1000");
        assert_eq!(counted(1_001, Lang::PtBr), "mais de 1.000");
        assert_eq!(counted(1_001, Lang::En), "more than 1,000");
    }
}
