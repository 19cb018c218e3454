//! Calls the banks, before the unit that stores the payment.
//!
//! The charge belongs to a payment that is not visible yet. If the unit fails, its PIX code was
//! never shown to a buyer, and expires by itself. A boleto may show up in its payer's bank all the
//! same, so its order is stored before the call, and closed if no payment takes it; see `boletos`.
//! So no unit waits for the network.

use brazil::document::Document;
use db::hex::hex;
use db::tx::Tx;
use futures_util::future::join;
use jiff::civil::Date;
use ledger::cents::Cents;
use rails::boleto::{BoletoRequest, Payer, Registration};
use rails::card::CardDetails;
use rails::error::ProviderError;
use rails::pix::PixChargeRequest;

use crate::app::App;
use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{Mode, Scope};
use crate::providers::names::ProviderNames;
use crate::transactions::boletos::{self, StoredOrder, making};
use crate::transactions::quote::{Quote, quote};
use crate::transactions::request::{NewTransaction, PaymentInstrument};
use crate::transactions::terms::PaymentTerms;
use crate::transactions::{Address, Boleto, Card, Pix, validation};

const SHORT_REFERENCE_LENGTH: usize = 15;
/// How much of a bank's code for a refusal is shown.
const SHOWN_CODE_LENGTH_MAX: usize = 100;

/// The banks' replies for a payment.
#[derive(Debug, Clone)]
pub struct Issued {
    pub provider: String,
    /// The amount requested from the bank; a unit that computes another one has it requested again.
    pub amount: Cents,
    pub pix: Option<Pix>,
    pub boleto: Option<Boleto>,
    /// The order of a boleto of real money, which the payment takes.
    pub boleto_order: Option<StoredOrder>,
    pub card: Option<Card>,
}

/// The price of a payment, and the name of its seller.
#[derive(Debug)]
pub struct Priced {
    quote: Quote,
    seller: String,
}

/// What a payment is made by where no provider is asked.
pub struct Unasked {
    pub terms: PaymentTerms,
    pub providers: ProviderNames,
}

impl From<&App> for Unasked {
    fn from(app: &App) -> Self {
        Self { terms: PaymentTerms::of(app), providers: ProviderNames::of(app) }
    }
}

/// Prices a payment and obtains what the buyer needs to pay it.
pub async fn issue(app: &App, scope: Scope, new: &NewTransaction) -> Result<Issued> {
    let request = new.clone();
    // The unit that stores the payment prices it again.
    let known = app.glance(async move |tx| priced(tx, scope, &request).await).await?;
    issue_priced(app, scope, new, known).await
}

/// Obtains what the buyer needs to pay a payment.
pub async fn issue_priced(
    app: &App,
    scope: Scope,
    new: &NewTransaction,
    Priced { quote, seller }: Priced,
) -> Result<Issued> {
    if quote.amount.is_zero() {
        return Ok(Issued::free());
    }
    match &new.instrument {
        PaymentInstrument::Pix { seconds_to_pay } => {
            pix(app, scope, &quote, seller, *seconds_to_pay).await
        }
        PaymentInstrument::Boleto { due_on } => {
            boleto(app, scope, new, &quote, seller, *due_on).await
        }
        PaymentInstrument::Card { token, .. } => card(app, scope, &quote, token.as_deref()).await,
        PaymentInstrument::Stored(card) => {
            let acquirer = app.providers.card_keeper(&card.provider)?;
            Ok(card_issued(acquirer.name().to_owned(), quote.amount, card.details.clone()))
        }
    }
}

/// What is known of a payment before its provider is asked, which is not done here; refuses what
/// [`issue`] refuses by then.
pub async fn issue_unasked(
    tx: &Tx,
    scope: Scope,
    new: &NewTransaction,
    providers: &ProviderNames,
) -> Result<Issued> {
    let Priced { quote, .. } = priced(tx, scope, new).await?;
    if quote.amount.is_zero() {
        return Ok(Issued::free());
    }
    let provider = match &new.instrument {
        PaymentInstrument::Pix { .. } => providers.pix(scope.mode)?,
        PaymentInstrument::Boleto { .. } => {
            let (bank, needs_address) = providers.boleto(scope.mode)?;
            payer_of_boleto(new, needs_address)?;
            bank
        }
        PaymentInstrument::Card { token, .. } => {
            card_token(token.as_deref())?;
            providers.card(scope.mode)?
        }
        PaymentInstrument::Stored(card) => {
            let acquirer = providers.card_keeper(&card.provider)?;
            return Ok(card_issued(acquirer, quote.amount, card.details.clone()));
        }
    };
    Ok(Issued::by(provider, quote.amount))
}

/// Prices a payment before its provider is asked.
pub async fn priced(tx: &Tx, scope: Scope, new: &NewTransaction) -> Result<Priced> {
    // Asked for together: a database server answers both in one trip.
    let (seller, quote) = join(merchants::find(tx, scope.merchant), quote(tx, scope, new)).await;
    let seller = seller?;
    if seller.closed_at.is_some() {
        return Err(account_closed());
    }
    let quote = quote?;
    // The unit that stores the payment requires this very amount.
    if new.at_most.is_some_and(|most| quote.amount > most) {
        return Err(price_changed());
    }
    Ok(Priced { quote, seller: seller.name })
}

impl Issued {
    /// A payment of nothing, for which no provider is asked.
    fn free() -> Self {
        Self::by("none".to_owned(), Cents::ZERO)
    }

    /// A payment of which its provider has said nothing.
    fn by(provider: String, amount: Cents) -> Self {
        Self { provider, amount, pix: None, boleto: None, boleto_order: None, card: None }
    }
}

async fn pix(
    app: &App,
    scope: Scope,
    quote: &Quote,
    merchant_name: String,
    seconds_to_pay: i64,
) -> Result<Issued> {
    let provider = app.providers.pix(scope.mode)?;
    let order = PixChargeRequest {
        txid: new_reference(app),
        amount: quote.amount,
        merchant_name,
        seconds_to_pay,
    };
    let issued = provider.issue(&order).await;
    let issued = issued.map_err(|error| provider_error(scope, provider.name(), &error))?;
    if app.database.has_lanes() {
        app.recent_charges.note(order.txid.clone(), scope.merchant);
    }
    let pix = Some(Pix { txid: order.txid, code: issued.code, end_to_end_id: None });
    Ok(Issued { pix, ..Issued::by(provider.name().to_owned(), quote.amount) })
}

async fn boleto(
    app: &App,
    scope: Scope,
    new: &NewTransaction,
    quote: &Quote,
    merchant_name: String,
    due_on: Date,
) -> Result<Issued> {
    let provider = app.providers.boleto(scope.mode)?;
    let document = payer_of_boleto(new, provider.needs_address())?;
    let reference = new_reference(app);
    let order = BoletoRequest {
        reference: reference.clone(),
        short_reference: short_reference(&reference),
        amount: quote.amount,
        due_on,
        issued_on: scope.today(app.now()),
        payer: Payer {
            name: new.customer.name.clone(),
            document,
            address: new.address.as_ref().map(Address::for_rails),
        },
        merchant_name,
        txid: reference.clone(),
    };
    // The sandbox loses no answer.
    let stored = match scope.mode {
        Mode::Development => None,
        Mode::Production => Some(boletos::store_order(app, provider.name(), &order).await?),
    };
    let (bank_code, made, pix) = match provider.issue(&order).await {
        Ok(Registration::Issued(issued)) => {
            let (made, pix) = making::parts(&issued, &reference);
            (issued.bank_code, Some(made), pix)
        }
        Ok(Registration::Later { bank_code }) => (bank_code, None, None),
        Err(error) => {
            let is_refused = matches!(error, ProviderError::Refused { .. });
            if let Some(stored) = stored.filter(|_| is_refused || error.is_certainly_not_sent()) {
                boletos::forget(app, stored).await?;
            }
            return Err(provider_error(scope, provider.name(), &error));
        }
    };
    let reference = Some(reference);
    let boleto = Some(Boleto { bank_code, reference, due_on, made, payment_id: None });
    let issued = Issued::by(provider.name().to_owned(), quote.amount);
    Ok(Issued { pix, boleto, boleto_order: stored, ..issued })
}

/// The payer's document, without which no boleto is registered.
fn payer_of_boleto(new: &NewTransaction, needs_address: bool) -> Result<Document> {
    let document = new.customer.document.clone().ok_or_else(|| {
        Error::field("customer.document", "REQUIRED", "is required to pay by boleto")
    })?;
    if needs_address && new.address.is_none() {
        let message = "is required to pay by boleto at the bank of this server";
        return Err(Error::field("customer.address", "REQUIRED", message));
    }
    Ok(document)
}

async fn card(app: &App, scope: Scope, quote: &Quote, token: Option<&str>) -> Result<Issued> {
    let token = card_token(token)?;
    let provider = app.providers.card(scope.mode)?;
    let details = provider.inspect_token(&token).await;
    let details = details.map_err(|error| provider_error(scope, provider.name(), &error))?;
    let details = details.ok_or_else(unusable_token)?;
    Ok(card_issued(provider.name().to_owned(), quote.amount, details))
}

fn card_token(sent: Option<&str>) -> Result<String> {
    validation::card_token(sent).map_err(|fault| fault.of("cardToken"))
}

/// What is known of a card before it is charged.
fn card_issued(provider: String, amount: Cents, details: CardDetails) -> Issued {
    let card = Some(Card {
        brand: details.brand,
        last4: details.last4,
        fingerprint: details.fingerprint,
        authorization_code: None,
    });
    Issued { card, ..Issued::by(provider, amount) }
}

/// The error for a token that can no longer be charged, or never could.
pub fn unusable_token() -> Error {
    let message = "is unknown, used or expired; make another one";
    Error::field("cardToken", "INVALID_CARD_TOKEN", message)
}

/// The error for a price that has changed since it was shown or issued.
pub fn price_changed() -> Error {
    Error::refused(ErrorCode::ConcurrentUpdate, "The price has changed. Check it again.")
}

/// The error for a payment to a merchant who has closed their account.
pub fn account_closed() -> Error {
    let message = "This seller takes no payments any more.";
    Error::refused(ErrorCode::PaymentLinkInactive, message)
}

/// A reference that no charge has had.
fn new_reference(app: &App) -> String {
    hex(app.database.sources().new_id(app.now()).as_bytes())
}

/// The random end of a reference, as long as every bank has room for.
pub fn short_reference(reference: &str) -> String {
    let start = reference.len().saturating_sub(SHORT_REFERENCE_LENGTH);
    reference.chars().skip(start).collect::<String>().to_ascii_uppercase()
}

/// A refusal by the bank is final; if the bank did not answer, a retry may succeed.
fn provider_error(scope: Scope, provider: &str, error: &ProviderError) -> Error {
    // The bank's text may name the buyer, and its code never does.
    if let ProviderError::Refused { code, .. } = error {
        tracing::warn!(merchant = %scope.merchant, provider, code, "a bank refused a charge");
        let code = shown_code(code).map(|code| format!(" ({code})")).unwrap_or_default();
        let message = format!("The bank refused this charge{code}. Nothing was changed.");
        return Error::refused(ErrorCode::ChargeRefused, message);
    }
    Error::NotAnswered(format!("the provider gave no charge: {error}"))
}

/// A bank's code as it is shown to the merchant; `None` for a text in place of a code.
fn shown_code(code: &str) -> Option<&str> {
    let is_code = code.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    let end = code.len().min(SHOWN_CODE_LENGTH_MAX);
    code.get(..end).filter(|shown| is_code && !shown.is_empty())
}

#[cfg(test)]
mod tests {
    use super::shown_code;

    #[test]
    fn a_code_is_shown_and_a_text_in_its_place_is_not() {
        for code in ["3500034 /items/value", "valorNominal pagador.cep", "chave_invalida"] {
            assert_eq!(shown_code(code), Some(code));
        }
        for text in ["", "Requisição inválida", "a\nb"] {
            assert_eq!(shown_code(text), None, "{text}");
        }
        assert_eq!(shown_code(&"a".repeat(200)).map(str::len), Some(100));
    }
}
