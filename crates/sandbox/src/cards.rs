//! The sandbox as an acquirer: it decides by the card's number, once for each reference.

use std::time::Duration;

use db::error::Result;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use rails::card::{
    CardChargeRequest, CardDetails, CardProvider, CardRefundRequest, CardSource, ChargeResult,
    DeclineCode, StoreCardRequest, StoreOutcome, StoredCard, TokenDialect, Tokenizer,
};
use rails::error::ProviderError;
use rails::provider::Call;
use rails::refund::RefundState;
use uuid::Uuid;

use crate::bank::{SandboxBank, letters};
use crate::fault_injection::Operation;
use crate::keys::token_hash;
use crate::refunds::{self, NewRefund, Rail};
use crate::store;
use crate::test_cards::{Scenario, TEST_CARDS};
use crate::{CARD_FORM, CARD_TOKENS, SANDBOX};

/// How long a charge of a slow card stays undecided, by the server's clock.
pub const UNDECIDED: Duration = Duration::from_secs(30);

/// A card as the acquirer stores it.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub details: CardDetails,
    pub scenario: Scenario,
}

/// A charge as the acquirer stores it.
#[derive(Debug, Clone)]
pub(crate) struct Charge {
    pub amount: Cents,
    pub scenario: Scenario,
    pub decline: Option<DeclineCode>,
    pub authorization_code: String,
    pub decides_at: Timestamp,
}

/// The result, and whether it is returned to the caller.
struct ChargeReply {
    verdict: ChargeResult,
    is_reported: bool,
}

/// The acquirer's reply inside a unit; a refusal is a reply, not a failure of the unit.
type BankReply<T> = Result<T, ProviderError>;

impl Charge {
    fn verdict(&self, now: Timestamp) -> ChargeResult {
        match self.decline {
            _ if now < self.decides_at => ChargeResult::Processing,
            Some(code) => ChargeResult::Declined { code },
            None => ChargeResult::Approved { authorization_code: self.authorization_code.clone() },
        }
    }
}

impl CardProvider for SandboxBank {
    fn tokenizer(&self) -> Tokenizer {
        Tokenizer {
            api: CARD_TOKENS.to_owned(),
            dialect: TokenDialect::Sandbox,
            form: Some(CARD_FORM.to_owned()),
            sample: TEST_CARDS.first().map(|card| card.number),
        }
    }

    fn inspect_token<'a>(&'a self, token: &'a str) -> Call<'a, Option<CardDetails>> {
        let hash = token_hash(token);
        Box::pin(
            self.read(async move |tx| {
                Ok(store::find_token(tx, &hash).await?.map(|card| card.details))
            }),
        )
    }

    fn authorize<'a>(&'a self, order: &'a CardChargeRequest) -> Call<'a, ChargeResult> {
        let owned = order.clone();
        let work = self.transact(async move |tx| charge(tx, &owned).await);
        let answer = async move {
            let ChargeReply { verdict, is_reported } = work.await??;
            let lost = || ProviderError::Unknown("the test card loses the response".into());
            if is_reported { Ok(verdict) } else { Err(lost()) }
        };
        Box::pin(self.faults.around(Operation::Authorize, answer))
    }

    fn find<'a>(&'a self, reference: &'a str, amount: Cents) -> Call<'a, Option<ChargeResult>> {
        let reference = reference.to_owned();
        let work = self.read(async move |tx| {
            let found = store::find_charge(tx, &reference).await?;
            Ok(match found {
                Some(charge) if charge.amount != amount => {
                    Err(ProviderError::refused("the reference names another charge"))
                }
                found => Ok(found.map(|charge| charge.verdict(tx.now()))),
            })
        });
        Box::pin(self.faults.around(Operation::Find, async move { work.await? }))
    }

    fn store_card<'a>(&'a self, order: &'a StoreCardRequest) -> Call<'a, StoreOutcome> {
        let hash = token_hash(&order.token);
        let work = self.transact(async move |tx| keep(tx, hash).await);
        Box::pin(self.faults.around(Operation::Keep, async move { work.await? }))
    }

    fn refunded_total<'a>(&'a self, _: &'a str) -> Call<'a, Option<Cents>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, RefundState> {
        let new = NewRefund {
            rail: Rail::Card,
            reference: order.reference.clone(),
            charge: order.charge_reference.clone(),
            amount: order.amount,
        };
        let work = self.transact(async move |tx| {
            let rail_id = format!("REFUND{}", letters(&tx.random::<12>()));
            refunds::give_back(tx, &new, rail_id).await
        });
        Box::pin(self.faults.around(Operation::Refund, async move { work.await? }))
    }

    fn find_refund<'a>(&'a self, order: &'a CardRefundRequest) -> Call<'a, Option<RefundState>> {
        Box::pin(self.find_refund_on(Rail::Card, &order.reference))
    }
}

/// Decides a charge once; the same reference again returns the same result.
async fn charge(tx: &Tx, order: &CardChargeRequest) -> Result<BankReply<ChargeReply>> {
    if let Some(known) = store::find_charge(tx, &order.reference).await? {
        if known.amount != order.amount {
            return Ok(Err(ProviderError::refused("the reference names another charge")));
        }
        return Ok(Ok(ChargeReply { verdict: known.verdict(tx.now()), is_reported: true }));
    }
    let card = match &order.source {
        CardSource::Token(token) => {
            store::use_token(tx, &token_hash(token), &order.reference).await?
        }
        CardSource::Stored(id) => match Uuid::parse_str(id) {
            Ok(id) => store::find_card(tx, id).await?,
            Err(_) => None,
        },
    };
    let Some(Card { details, scenario }) = card else {
        return Ok(Err(match order.source {
            CardSource::Token(_) => ProviderError::UnusableToken,
            CardSource::Stored(_) => ProviderError::refused("the card is unknown"),
        }));
    };
    let wait = if scenario.is_late() { UNDECIDED } else { Duration::ZERO };
    let charge = Charge {
        amount: order.amount,
        scenario,
        decline: scenario.decline(),
        authorization_code: six_digits(tx),
        decides_at: tx.now().plus(wait),
    };
    if !store::insert_charge(tx, order, &details, &charge).await? {
        return Err(tx.collision("the charge was asked for twice at once"));
    }
    let is_reported = !scenario.loses_the_answer();
    Ok(Ok(ChargeReply { verdict: charge.verdict(tx.now()), is_reported }))
}

/// Stores a card once for each token.
async fn keep(tx: &Tx, token_hash: [u8; 32]) -> Result<BankReply<StoreOutcome>> {
    if let Some((id, card)) = store::find_kept(tx, &token_hash).await? {
        return Ok(Ok(stored(id, card)));
    }
    let id = tx.new_id();
    let Some(card) = store::use_token(tx, &token_hash, &id.to_string()).await? else {
        // A concurrent request may have stored it between the two statements.
        let kept = store::find_kept(tx, &token_hash).await?;
        let unusable = ProviderError::UnusableToken;
        return Ok(kept.map(|(id, card)| stored(id, card)).ok_or(unusable));
    };
    if let Some(code) = card.scenario.refusal_to_keep() {
        return Ok(Ok(StoreOutcome::Declined(code)));
    }
    store::insert_card(tx, id, &token_hash, &card).await?;
    Ok(Ok(stored(id, card)))
}

fn stored(id: Uuid, card: Card) -> StoreOutcome {
    StoreOutcome::Stored(StoredCard {
        provider: SANDBOX.to_owned(),
        id: id.to_string(),
        details: card.details,
    })
}

fn six_digits(tx: &Tx) -> String {
    format!("{:06}", u32::from_le_bytes(tx.random()) % 1_000_000)
}
