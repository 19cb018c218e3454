//! A withdrawal in two steps, the form and what would happen, which lead to its page.

use db::tx::Tx;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::app::App;
use crate::audit::ticket::Ticket;
use crate::auth::elevation::Matter;
use crate::auth::seat::Seat;
use crate::books;
use crate::dashboard::api_call::ApiCall;
use crate::dashboard::attempt;
use crate::dashboard::balance::balance_pages::BALANCE;
use crate::dashboard::balance::keys::list_pages as keys;
use crate::dashboard::balance::list_pages::{API, LIST};
use crate::dashboard::balance::view::WithdrawPage;
use crate::dashboard::balance::withdraw_form::{Typing, WithdrawForm};
use crate::dashboard::parts::NothingYet;
use crate::dashboard::review::{Changes, ReviewPage, rehearsal};
use crate::dashboard::review_pages::{Done, ReviewedForm};
use crate::dashboard::shell::{Section, Shell, url};
use crate::dashboard::visit_pages::Visit;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::http::page::PageQuery;
use crate::platform::ids::{Mode, Scope, WithdrawalId};
use crate::platform::messages::Lang;
use crate::platform::permissions::WithdrawalsWrite;
use crate::withdrawals::api::{Requester, ask};
use crate::withdrawals::limits::{self, LimitsLeft};
use crate::withdrawals::list::{Filter, ListQuery, list};
use crate::withdrawals::payout_keys::PayoutKey;
use crate::withdrawals::status::Status;
use crate::withdrawals::terms::{ApprovalPolicy, WithdrawalTerms};

/// The path of the form in its mode.
const FORM: &str = "/balance/withdraw";

/// What a dry run answers, as far as the review shows it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rehearsed {
    data: Asked,
    would_change: Changes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    amount_cents: i64,
    fee_cents: i64,
    net_amount: i64,
    pix_key: String,
}

/// What the API answers to the withdrawal itself.
#[derive(Debug, Deserialize)]
struct Made {
    data: MadeWithdrawal,
}

#[derive(Debug, Deserialize)]
struct MadeWithdrawal {
    id: WithdrawalId,
}

/// GET, POST /dashboard/{mode}/balance/withdraw,
/// POST /dashboard/{mode}/balance/withdraw/confirm
impl ReviewedForm for WithdrawForm {
    type Permission = WithdrawalsWrite;
    type Page = WithdrawPage;
    type Review = ReviewPage;

    const SHOWN: &'static [&'static str] = &["amountCents", "pixKeyType", "pixKey", "description"];

    /// With the key of the last withdrawal that was paid: most merchants have one account, and what
    /// was cancelled or refused may have been somebody else's idea.
    async fn opened(app: &App, scope: Scope) -> Result<Self> {
        let page = PageQuery { limit: Some(1), ..PageQuery::default() };
        let paid = Some(Status::Completed);
        let filter = Filter { status: paid, ..ListQuery::default().read(&page)? };
        let read = async move |tx: &Tx| list(tx, scope, &filter).await;
        let last = app.scan_for(scope.merchant, read).await?.rows;
        Ok(last.first().map(Self::again).unwrap_or_default())
    }

    fn leads_back(&self) -> bool {
        !self.back.is_empty()
    }

    /// The saved key that was chosen.
    async fn fill_in(&mut self, app: &App, scope: Scope) -> Result<()> {
        let saved = keys::read(app, scope).await?;
        *self = self.resolved(&saved, typing(scope.mode))?;
        Ok(())
    }

    async fn page(
        &self,
        app: &App,
        seat: &Seat<WithdrawalsWrite>,
        visit: &Visit,
    ) -> Result<WithdrawPage> {
        let (scope, mode, lang) = (seat.scope, seat.scope.mode, visit.lang);
        let terms = WithdrawalTerms::of(app);
        let read = async move |tx: &Tx| {
            let left = limits::left(tx, scope, &terms).await?;
            Ok::<_, Error>((books::holdings(tx, scope).await?, left))
        };
        let (held, left) = app.read(read).await?;
        let (saved, now) = (keys::read(app, scope).await?, scope.at(app.now()));
        let body = json!({ "amountCents": 500_000, "pixKeyType": "email", "pixKey": "…" });
        Ok(WithdrawPage {
            lang,
            shell: Shell::read(app, seat.holder(), mode, visit, Section::Balance).await?,
            balance_url: url(mode, BALANCE),
            form_url: url(mode, FORM),
            keys_url: url(mode, keys::LIST),
            may_type: typing(mode) == Typing::Allowed,
            nothing: nothing_usable(&saved, mode, lang),
            available: lang.money(held.available.get()),
            left: left.map(|left| limit_left(left, lang)),
            fields: self.fields((&saved, typing(mode)), now, &[], lang),
            wrong: Vec::new(),
            refused: None,
            api: vec![ApiCall::send("POST", &app.settings.base_url(), API, &body)],
        })
    }

    async fn refused(
        &self,
        app: &App,
        seat: &Seat<WithdrawalsWrite>,
        visit: &Visit,
        error: Error,
    ) -> Result<WithdrawPage> {
        let (lang, mode) = (visit.lang, seat.scope.mode);
        let saved = keys::read(app, seat.scope).await?;
        let mut page = self.page(app, seat, visit).await?;
        let code = error.code();
        let of_amount = &mut page.fields.amount.error;
        match (error, code) {
            (Error::Invalid(wrong), _) => {
                let now = seat.scope.at(app.now());
                page.fields = self.fields((&saved, typing(mode)), now, &wrong, lang);
            }
            (_, ErrorCode::InsufficientBalance) => {
                *of_amount = Some(lang.withdraw_too_much(&page.available));
            }
            (_, ErrorCode::DailyLimitExceeded) => {
                *of_amount = Some(lang.withdraw_day_limit().to_owned());
            }
            (_, ErrorCode::NightLimitExceeded) => {
                *of_amount = Some(lang.withdraw_night_limit().to_owned());
            }
            (_, ErrorCode::PayoutKeyNotUsable) => {
                page.refused = Some(unusable(self, &saved, lang));
            }
            (Error::NotConfigured(_), _) => {
                page.refused = Some(lang.withdraw_no_bank().to_owned());
            }
            (error, _) => return Err(error),
        }
        page.wrong = page.fields.wrong(lang);
        Ok(page)
    }

    async fn review(
        &self,
        app: &App,
        seat: &Seat<WithdrawalsWrite>,
        visit: &Visit,
    ) -> Result<ReviewPage> {
        let (scope, lang) = (seat.scope, visit.lang);
        let rehearsed: Rehearsed = answer(app, seat, visit, rehearsal(seat, visit), self).await?;
        let form_url = url(scope.mode, FORM);
        let amount = lang.money(rehearsed.data.amount_cents);
        Ok(ReviewPage {
            lang,
            shell: Shell::read(app, seat.holder(), scope.mode, visit, Section::Balance).await?,
            title: Some(lang.withdraw_title()),
            heading: lang.withdraw_review(&amount, &rehearsed.data.pix_key),
            step: Some(lang.refund_step(2)),
            back: None,
            effects: effects(app, &rehearsed, lang),
            filled: self.filled(),
            confirm_url: format!("{form_url}/confirm"),
            form_url: Some(form_url),
            button: lang.withdraw_do(amount),
            is_final: false,
            attempt: attempt::fresh(app, scope),
            api: Vec::new(),
        })
    }

    async fn confirm(
        &self,
        app: &App,
        seat: &Seat<WithdrawalsWrite>,
        visit: &Visit,
    ) -> Result<Done> {
        let scope = seat.scope;
        let key = attempt::key(app, scope, FORM, &self.attempt, &self.values())?;
        let ticket = Ticket::of_person(scope, key, seat.by());
        let Made { data } = answer(app, seat, visit, ticket, self).await?;
        Ok((url(scope.mode, &format!("{LIST}/{}", data.id)), visit.lang.withdraw_asked()))
    }
}

/// Asks as programs do, by the same body.
async fn answer<T: DeserializeOwned>(
    app: &App,
    seat: &Seat<WithdrawalsWrite>,
    visit: &Visit,
    ticket: Ticket,
    form: &WithdrawForm,
) -> Result<T> {
    let (permit, payees) = (seat.permit(Matter::Withdrawal), seat.elevation.payees());
    let (requester, body) = (Requester { permit, payees }, form.body()?);
    ask(app, &visit.context, ticket, requester, (None, &body)).await?.read()
}

/// Why a withdrawal to the key of the form was refused.
fn unusable(form: &WithdrawForm, saved: &[PayoutKey], lang: Lang) -> String {
    let known = saved.iter().find(|saved| form.names(saved));
    known.map_or_else(
        || lang.withdraw_key_unsaved().to_owned(),
        |known| lang.withdraw_key_waits(lang.date_time(known.usable_from.micros())),
    )
}

/// Whether people may type a key in a mode.
fn typing(mode: Mode) -> Typing {
    if mode.is_development() { Typing::Allowed } else { Typing::SavedAlone }
}

/// What stands in the place of the form while no key is usable.
fn nothing_usable(saved: &[PayoutKey], mode: Mode, lang: Lang) -> NothingYet {
    let list = url(mode, keys::LIST);
    let (heading, step) = if saved.is_empty() {
        (lang.withdraw_key_needed(), (format!("{list}/new"), lang.payout_key_new()))
    } else {
        (lang.withdraw_keys_wait(), (list, lang.payout_keys_title()))
    };
    NothingYet { heading, note: lang.withdraw_key_needed_note(), step: Some(step) }
}

fn limit_left(left: LimitsLeft, lang: Lang) -> String {
    match left.of_night {
        Some(night) if night < left.of_day => lang.withdraw_night_left(lang.money(night.get())),
        _ => lang.withdraw_day_left(lang.money(left.of_day.get())),
    }
}

/// What would happen, as the dry run found it.
fn effects(app: &App, rehearsed: &Rehearsed, lang: Lang) -> Vec<String> {
    let Rehearsed { data, would_change } = rehearsed;
    let moved = would_change.available();
    let available = moved.and_then(|change| change.moves(lang.balance_available(), lang));
    let fee = lang.withdraw_fee(lang.money(data.fee_cents), lang.money(data.net_amount));
    let next = match WithdrawalTerms::of(app).approval {
        ApprovalPolicy::Automatic => lang.withdraw_at_once(),
        ApprovalPolicy::ByAdministrator => lang.withdraw_after_approval(),
    };
    available.into_iter().chain([fee, next.to_owned()]).collect()
}
