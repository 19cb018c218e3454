//! The connections with banks and acquirers: how each stands, testing it, and taking it out of use.
//! They carry real money alone, so their pages are in production.

use axum::extract::State as AppState;
use axum::response::Response;
use http::StatusCode;

use crate::app::App;
use crate::audit::ticket::DecisionTicket;
use crate::auth::seat::AdminSeat;
use crate::connections::admin_api::{ask_to_disable, ask_to_enable, ask_to_test};
use crate::connections::{self, RoutedConnection};
use crate::dashboard::admin::connection_words as words;
use crate::dashboard::admin::decide::{DecideForm, unknown_action};
use crate::dashboard::admin::decision_pages::Decidable;
use crate::dashboard::admin::real_pages::to_production;
use crate::dashboard::admin::view::{
    DecidedObject, DecisionForm, QueuePage, QueueRow, QueueWords, Typed,
};
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::parts::Text;
use crate::dashboard::shell::{Section, admin_url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, Result};
use crate::platform::ids::{ConnectionId, Mode};
use crate::platform::messages::Lang;

/// The path of the list in its mode.
pub const LIST: &str = "/connections";
/// The same list in the API.
pub const API: &str = "/api/admin/connections";
/// What is done with a connection.
const TEST: &str = "test";
const DISABLE: &str = "disable";
const ENABLE: &str = "enable";

/// GET /admin/{mode}/connections
pub async fn list(AppState(app): AppState<App>, seat: AdminSeat, visit: Visit) -> Result<Response> {
    let (mode, lang) = (seat.mode, visit.lang);
    if let Some(there) = to_production(&seat, LIST) {
        return Ok(there);
    }
    let listed = app.read(async |tx| connections::list(tx).await).await?;
    let here = admin_url(mode, LIST);
    let row = |routed: &RoutedConnection| QueueRow {
        name: routed.connection.name.clone(),
        url: Some(format!("{here}/{}", routed.connection.id)),
        state: Some(words::state(&routed.connection, lang)),
        lines: vec![words::why(&routed.connection, lang)],
        figure: words::rails(routed, lang),
    };
    let names = QueueWords {
        heading: lang.admin_connections(),
        caption: lang.admin_by_name(),
        empty: lang.admin_no_connection(),
        note: lang.admin_no_connection_note(),
    };
    let page = QueuePage {
        columns: (lang.admin_connection(), lang.admin_rails()),
        rows: listed.iter().map(row).collect(),
        api: vec![ApiCall::of_person(&app.settings.base_url(), API)],
        ..QueuePage::of(&app, &seat, &visit, Section::AdminConnections, names).await?
    };
    visit.page(&page, StatusCode::OK)
}

impl Decidable for RoutedConnection {
    type Id = ConnectionId;

    const SECTION: Section = Section::AdminConnections;
    const LIST: &'static str = LIST;
    const LIST_TITLE: Text = Lang::admin_connections;

    async fn read(
        app: &App,
        _mode: Mode,
        id: ConnectionId,
        Typed { lang, .. }: Typed<'_>,
    ) -> Result<DecidedObject> {
        let listed = app.read(async |tx| connections::list(tx).await).await?;
        let found = listed.into_iter().find(|routed| routed.connection.id == id);
        let routed = found.ok_or(Error::NotFound("Connection"))?;
        Ok(DecidedObject {
            heading: routed.connection.name.clone(),
            state: words::state(&routed.connection, lang),
            why: words::why(&routed.connection, lang),
            risks: Vec::new(),
            facts: words::facts(&routed, lang),
            decisions: decisions(&routed, lang),
            api_path: format!("{API}/{id}"),
        })
    }

    async fn decide(
        app: &App,
        ticket: DecisionTicket,
        id: ConnectionId,
        form: &DecideForm,
        lang: Lang,
    ) -> Result<&'static str> {
        match &*form.action {
            TEST => {
                let DecisionTicket { execution, by, .. } = ticket;
                ask_to_test(app, execution, Some(by), id).await?;
                Ok(lang.admin_connection_was_tested())
            }
            DISABLE => {
                ask_to_disable(app, ticket, id).await?;
                Ok(lang.admin_connection_was_disabled())
            }
            ENABLE => {
                ask_to_enable(app, ticket, id).await?;
                Ok(lang.admin_connection_was_enabled())
            }
            _ => Err(unknown_action()),
        }
    }
}

fn decisions(routed: &RoutedConnection, lang: Lang) -> Vec<DecisionForm> {
    let test = [lang.admin_test(), lang.admin_test_note(), lang.admin_test()];
    let switch = if routed.connection.disabled_at.is_some() {
        let words = [lang.admin_enable(), lang.admin_enable_note(), lang.admin_enable()];
        DecisionForm::new(ENABLE, words, "")
    } else {
        let words = [lang.admin_disable(), lang.admin_disable_note(), lang.admin_disable()];
        DecisionForm::new(DISABLE, words, "danger")
    };
    vec![DecisionForm::new(TEST, test, "main"), switch]
}
