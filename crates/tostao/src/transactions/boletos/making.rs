//! Boletos that a bank makes after it took their order.
//!
//! Their payment is stored with the bank's code alone. The bank is asked by it until it answers
//! what the boleto is paid by, or that it did not make it. A payment that the bank reports before
//! that is booked by the code.

use std::time::Duration;

use db::tx::Tx;
use queue::job::{Claimed, Due, Job, finish, push_in};
use rails::boleto::{IssuedBoleto, Registration};
use rails::error::ProviderError;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::events::names::Name;
use crate::jobs::{RunJob, Try, end, end_or_retry};
use crate::merchants;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, Scope, TransactionId};
use crate::platform::lanes::{CONNECTIONS, of_connection};
use crate::transactions::boletos::order_of;
use crate::transactions::close::fail;
use crate::transactions::failure::FailureReason;
use crate::transactions::status::Status;
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{
    Boleto, MadeBoleto, Pix, Transaction, find, publish_change, store as payments, unknown,
};

/// Failure reason of a charge whose bank did not make its boleto.
pub const NOT_MADE: &str = FailureReason::BoletoNotMade.name();
/// No bank makes a boleto sooner.
const FIRST_ASKED_AFTER: Duration = Duration::from_secs(1);
/// A bank that takes longer is an alarm.
const MADE_WITHIN: Duration = Duration::from_hours(1);
/// How long the boleto of a payment that was paid before it was known is asked for.
const ASKED_WHEN_PAID_FOR: Duration = Duration::from_hours(24);

/// Asks a bank for the boleto that it makes for a payment.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AwaitBoleto {
    merchant: MerchantId,
    id: TransactionId,
}

/// What a bank answered.
enum Answer {
    Made(IssuedBoleto),
    NotMade,
    NotYet,
    /// Nothing.
    Silence,
}

impl Job for AwaitBoleto {
    const KIND: &'static str = "await_boleto";
    const LANE: &'static str = CONNECTIONS;
}

impl RunJob for AwaitBoleto {
    const ABOUT: &'static [&'static str] = &["Transaction"];

    /// Stores what the bank has made; asks again while it makes it, until the payment has ended.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, id } = self;
        let found = app.read(async move |tx| {
            let scope = merchants::scope(tx, merchant, Mode::Production).await?;
            Ok((scope, find(tx, scope, id).await?))
        });
        let (scope, transaction) = found.await?;
        if !is_wanted(app, scope, &transaction) {
            return end(app, job).await;
        }
        match ask(app, scope, &transaction).await {
            Answer::Made(issued) => keep(app, job, scope, id, issued).await,
            Answer::NotMade => give_up(app, job, scope, id).await,
            answer @ (Answer::NotYet | Answer::Silence) => {
                if app.now().since(transaction.created_at) >= MADE_WITHIN {
                    let provider = transaction.provider;
                    tracing::error!(transaction = %id, provider, "a boleto is not made yet");
                }
                let has_answered = matches!(answer, Answer::NotYet);
                let tried = if has_answered { Try::NotYet } else { Try::Failed };
                end_or_retry(app, job, tried).await
            }
        }
    }
}

/// Has a bank asked for a boleto that it makes later, from the unit on that stores its payment.
pub async fn push(tx: &Tx, scope: Scope, of: &Transaction) -> Result<()> {
    let job = AwaitBoleto { merchant: scope.merchant, id: of.id };
    let due = Due { at: tx.now().plus(FIRST_ASKED_AFTER), clock: None };
    Ok(push_in(tx, &of_connection(&of.provider), tx.new_id(), due, &job).await?)
}

/// Whether what the boleto is paid by is still to be known.
fn is_wanted(app: &App, scope: Scope, of: &Transaction) -> bool {
    let is_unknown = of.boleto.as_ref().is_some_and(|boleto| boleto.made.is_none());
    let is_recent = |at| scope.at(app.now()).since(at) < ASKED_WHEN_PAID_FOR;
    is_unknown && (of.status == Status::Pending || of.paid_at.is_some_and(is_recent))
}

async fn ask(app: &App, scope: Scope, of: &Transaction) -> Answer {
    let (Some(order), Some(boleto)) = (order_of(scope, of), &of.boleto) else {
        return Answer::NotYet;
    };
    let Some(bank) = app.providers.boleto_named(&of.provider) else { return Answer::Silence };
    match bank.find(&order, Some(&boleto.bank_code)).await {
        Ok(Some(Registration::Issued(issued))) => Answer::Made(issued),
        Ok(Some(Registration::Later { .. }) | None) => Answer::NotYet,
        Err(ProviderError::Refused { code, .. }) => {
            tracing::error!(transaction = %of.id, code, "a bank did not make a boleto");
            Answer::NotMade
        }
        Err(error) => {
            tracing::warn!(transaction = %of.id, %error, "a boleto cannot be asked about");
            Answer::Silence
        }
    }
}

/// Gives a payment the boleto that was made for it.
async fn keep(
    app: &App,
    job: Claimed,
    scope: Scope,
    id: TransactionId,
    issued: IssuedBoleto,
) -> Result<()> {
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| {
        let before = find(tx, scope, id).await?;
        if let Some(boleto) = before.boleto.clone().filter(|boleto| boleto.made.is_none()) {
            let (made, pix) = parts(&issued, boleto.reference.as_deref().unwrap_or_default());
            let after = Transaction {
                version: before.version + 1,
                boleto: Some(Boleto { made: Some(made), ..boleto }),
                pix,
                updated_at: scope.now(tx),
                ..before.clone()
            };
            if !payments::make_boleto(tx, scope, &before, &after).await? {
                return Err(tx.collision("the payment changed while its boleto was made").into());
            }
            publish_change(tx, scope, &terms, Name::TransactionUpdated, &after).await?;
            if let Some(pix) = &after.pix {
                unknown::resolve::adopt(tx, &terms, scope, &after, &pix.txid).await?;
            }
        }
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}

/// Ends a payment that can no longer be paid by its boleto.
async fn give_up(app: &App, job: Claimed, scope: Scope, id: TransactionId) -> Result<()> {
    let terms = PaymentTerms::of(app);
    app.transact(async move |tx| {
        let before = find(tx, scope, id).await?;
        if before.status == Status::Pending {
            fail(tx, scope, &terms, before, None, NOT_MADE).await?;
        }
        finish(tx, &job).await?;
        Ok(())
    })
    .await
}

/// What a made boleto is paid by; its PIX code is paid under the bank's txid or, without one, ours.
pub fn parts(issued: &IssuedBoleto, reference: &str) -> (MadeBoleto, Option<Pix>) {
    let IssuedBoleto { our_number, barcode, pix_code, pix_txid, .. } = issued.clone();
    let txid = pix_txid.unwrap_or_else(|| reference.to_owned());
    let pix = pix_code.map(|code| Pix { txid, code, end_to_end_id: None });
    (MadeBoleto { number: our_number, barcode }, pix)
}
