//! An advance in two steps, the form and what it would cost, which lead to its page.

use db::tx::Tx;
use ledger::cents::Cents;
use serde::Deserialize;
use serde_json::json;

use crate::advances::api::ask;
use crate::advances::terms::AdvanceTerms;
use crate::advances::{self, AdvanceQuote};
use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::seat::Seat;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::balance::advance_form::{AdvanceForm, SHOWN};
use crate::dashboard::balance::advance_pages::{API, LIST, securities};
use crate::dashboard::balance::advance_view::{AskPage, OfferPage};
use crate::dashboard::review_pages::{Done, ReviewedForm};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::dashboard::words::decimal;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::fields::amount;
use crate::platform::ids::{AdvanceId, Scope};
use crate::platform::messages::Lang;
use crate::platform::permissions::AdvancesWrite;

/// What the API answers, as far as the page needs it.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeAdvance,
}

#[derive(Debug, Deserialize)]
struct MadeAdvance {
    id: AdvanceId,
}

/// GET, POST /dashboard/{mode}/balance/advances/new,
/// POST /dashboard/{mode}/balance/advances/new/confirm
impl ReviewedForm for AdvanceForm {
    type Permission = AdvancesWrite;
    type Page = AskPage;
    type Review = OfferPage;

    const SHOWN: &'static [&'static str] = &SHOWN;

    fn leads_back(&self) -> bool {
        !self.back.is_empty()
    }

    async fn page(&self, app: &App, seat: &Seat<AdvancesWrite>, visit: &Visit) -> Result<AskPage> {
        let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
        let terms = AdvanceTerms::of(app);
        let read = async move |tx: &Tx| {
            Ok((advances::limit(tx, scope, terms).await?, advances::open(tx, scope).await?))
        };
        let (limit, open) = app.scan_for(scope.merchant, read).await?;
        let (list_url, body) = (url(mode, LIST), json!({ "amountCents": 500_000 }));
        let open_url = open.map(|open| format!("{list_url}/{open}"));
        Ok(AskPage {
            lang,
            shell: Shell::read(app, seat.holder(), mode, visit, Section::Balance).await?,
            form_url: format!("{list_url}/new"),
            list_url,
            most: lang.advance_most(lang.money(limit.most.get())),
            fields: self.fields(&[], lang),
            wrong: Vec::new(),
            refused: open_url.is_some().then(|| lang.advance_one_is_open().to_owned()),
            open_url,
            api: vec![ApiCall::send("POST", &app.settings.base_url(), API, &body)],
        })
    }

    async fn refused(
        &self,
        app: &App,
        seat: &Seat<AdvancesWrite>,
        visit: &Visit,
        error: Error,
    ) -> Result<AskPage> {
        let lang = visit.lang;
        let mut page = self.page(app, seat, visit).await?;
        let code = error.code();
        match (error, code) {
            (Error::Invalid(wrong), _) => page.fields = self.fields(&wrong, lang),
            (_, ErrorCode::AdvanceAlreadyOpen) => {
                page.refused = Some(lang.advance_one_is_open().to_owned());
            }
            (_, ErrorCode::InsufficientReceivables) => {
                page.fields.amount.error = Some(lang.advance_too_much(&page.most));
            }
            (error, _) => return Err(error),
        }
        page.wrong = page.fields.wrong(lang);
        Ok(page)
    }

    async fn review(
        &self,
        app: &App,
        seat: &Seat<AdvancesWrite>,
        visit: &Visit,
    ) -> Result<OfferPage> {
        let (scope, lang) = (seat.scope, visit.lang);
        let offer = offer(app, scope, self).await?;
        let form_url = url(scope.mode, &format!("{LIST}/new"));
        let sum = lang.money(offer.amount.get());
        Ok(OfferPage {
            lang,
            shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Balance).await?,
            confirm_url: format!("{form_url}/confirm"),
            form_url,
            heading: lang.advance_review(&sum),
            effects: effects(&offer, lang),
            securities_heading: lang.advance_would_secure(),
            securities: securities(&offer.collateral, scope.mode, lang),
            form: self.clone(),
            button: lang.advance_do(sum),
            attempt: attempt::fresh(app, scope),
        })
    }

    async fn confirm(&self, app: &App, seat: &Seat<AdvancesWrite>, visit: &Visit) -> Result<Done> {
        let scope = seat.scope;
        let key = attempt::key(app, scope, LIST, &self.attempt, &self.values())?;
        let ticket = Ticket::of_person(scope, key, seat.by());
        let Made { data } = ask(app, ticket, &self.body()?).await?.read()?;
        Ok((url(scope.mode, &format!("{LIST}/{}", data.id)), visit.lang.advance_asked()))
    }
}

/// What the advance of a form would cost if it were paid out now; none is offered beside another.
async fn offer(app: &App, scope: Scope, form: &AdvanceForm) -> Result<AdvanceQuote> {
    let (terms, sent) = (AdvanceTerms::of(app), form.body()?.amount_cents);
    let wanted = amount(sent).map_err(|fault| fault.of("amountCents"))?;
    let quote = async move |tx: &Tx| {
        if advances::open(tx, scope).await?.is_some() {
            return Err(advances::already_open());
        }
        advances::quote(tx, scope, terms, wanted).await
    };
    app.scan_for(scope.merchant, quote).await
}

/// What the advance would do, a sentence each.
fn effects(offer: &AdvanceQuote, lang: Lang) -> Vec<String> {
    let net = offer.amount.minus(offer.fee).unwrap_or(Cents::ZERO);
    let rate = lang.advance_monthly(decimal(offer.rate.percent(), lang));
    vec![
        lang.advance_offer(lang.money(net.get()), lang.money(offer.fee.get()), rate),
        lang.advance_after_approval().to_owned(),
        lang.advance_secured().to_owned(),
    ]
}
