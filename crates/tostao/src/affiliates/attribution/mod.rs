//! Attribution: which affiliate referred the buyer of a payment, decided when the payment is
//! issued.
//!
//! A code that the buyer gives takes precedence over their clicks, a later click over an earlier
//! one; what counts is the first of them that names an active link whose program covers the
//! purchase. An affiliate is not paid for referring themselves or the merchant. The promised
//! commission is stored with the payment, so later changes of the program do not affect it; the
//! attribution of a subscriber is decided when they subscribe, before anything is paid.

use std::time::Duration;

use brazil::document::Document;
use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;

use crate::affiliates::clicks::Click;
use crate::affiliates::clicks::cookie::CLICKS_MAX;
use crate::affiliates::links::code;
use crate::affiliates::terms::{Order, ProgramTerms};
use crate::platform::error::Result;
use crate::platform::fields::reach_the_same;
use crate::platform::ids::{
    AffiliateLinkId, AffiliateProgramId, MerchantId, ProductId, Scope, SubscriptionId,
    TransactionId,
};

mod store;

const DAY: Duration = Duration::from_hours(24);

/// The basis of an attribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributionBasis {
    /// A purchase: by the buyer's code and clicks.
    Sale(AttributionCandidates),
    /// A purchase that follows an unpaid one, whose attribution it copies.
    SameAs(TransactionId),
    /// A subscriber's payment: the affiliate from the time of subscription, on the terms of that
    /// day; a renewal counts only if those terms promised it. Later clicks change nothing.
    Subscriber(SubscriptionId, Kind),
}

/// The candidate codes that a buyer brings along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributionCandidates {
    given: Option<String>,
    /// The last one first.
    clicks: Vec<Click>,
}

/// The buyer.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    pub document: Option<&'a Document>,
    pub email: &'a str,
}

/// The commission that a payment will earn, and its affiliate.
#[derive(Debug, Clone)]
pub struct CommissionTerms {
    pub kind: Kind,
    pub program: AffiliateProgramId,
    pub link: AffiliateLinkId,
    pub affiliate: MerchantId,
    pub product: ProductId,
    pub code: String,
    /// When the buyer clicked; `None` if they gave the code.
    pub clicked_at: Option<Timestamp>,
    pub decided_at: Timestamp,
    pub terms: ProgramTerms,
    pub base: Cents,
    pub amount: Cents,
}

text_enum! {
    /// Whether a payment is a sale or a renewal.
    pub enum Kind {
        Sale = "SALE",
        Renewal = "RENEWAL",
    }
}

/// A link that a code names, with all data needed to decide on it.
#[derive(Debug, Clone)]
struct Candidate {
    program: AffiliateProgramId,
    link: AffiliateLinkId,
    code: String,
    product: ProductId,
    terms: ProgramTerms,
    cookie_days: i64,
    affiliate: Party,
    owner: Party,
}

#[derive(Debug, Clone)]
struct Party {
    id: MerchantId,
    email: String,
    document: Option<Document>,
}

impl AttributionCandidates {
    /// Collects a buyer's candidates; `None` if there are none.
    pub fn new(given: Option<&str>, clicks: Vec<Click>) -> Option<Self> {
        let given = given.and_then(code::parse);
        (given.is_some() || !clicks.is_empty()).then_some(Self { given, clicks })
    }

    /// Every code with the time of its click, in order of precedence.
    fn in_order(&self) -> impl Iterator<Item = (&str, Option<Timestamp>)> {
        let given = self.given.iter().map(|code| (code.as_str(), None));
        let clicks = self.clicks.iter().take(CLICKS_MAX);
        given.chain(clicks.map(|click| (click.code.as_str(), Some(click.at))))
    }
}

impl AttributionBasis {
    /// The attribution that a merchant's server names for its buyer.
    pub fn given(code: Option<&str>) -> Option<Self> {
        AttributionCandidates::new(code, Vec::new()).map(Self::Sale)
    }
}

/// Decides what commission a payment that is being issued will earn, and for whom.
pub async fn decide(
    tx: &Tx,
    scope: Scope,
    basis: &AttributionBasis,
    order: &Order<'_>,
    buyer: Buyer<'_>,
) -> Result<Option<CommissionTerms>> {
    match basis {
        AttributionBasis::Sale(claims) => from_candidates(tx, scope, claims, order, buyer).await,
        AttributionBasis::SameAs(of) => {
            let before = store::find(tx, scope, of.0).await?;
            Ok(before.and_then(|before| before.renewed(order, scope.now(tx))))
        }
        AttributionBasis::Subscriber(of, kind) => {
            let kept = store::find(tx, scope, of.0).await?;
            Ok(kept.and_then(|kept| kept.charged(*kind, order, scope.now(tx))))
        }
    }
}

/// Stores the promised commission of a payment.
pub async fn record(
    tx: &Tx,
    scope: Scope,
    of: TransactionId,
    terms: &CommissionTerms,
) -> Result<()> {
    store::insert(tx, scope, of.0, terms).await
}

/// Decides the attribution of a subscriber, for all their payments; returns the code.
pub async fn attribute_subscriber(
    tx: &Tx,
    scope: Scope,
    of: SubscriptionId,
    claims: &AttributionCandidates,
    order: &Order<'_>,
    buyer: Buyer<'_>,
) -> Result<Option<String>> {
    let terms = from_candidates(tx, scope, claims, order, buyer).await?;
    let Some(terms) = terms else { return Ok(None) };
    store::insert(tx, scope, of.0, &terms).await?;
    Ok(Some(terms.code))
}

/// Finds the promised commission of a payment.
pub async fn find(tx: &Tx, scope: Scope, of: TransactionId) -> Result<Option<CommissionTerms>> {
    store::find(tx, scope, of.0).await
}

async fn from_candidates(
    tx: &Tx,
    scope: Scope,
    claims: &AttributionCandidates,
    order: &Order<'_>,
    buyer: Buyer<'_>,
) -> Result<Option<CommissionTerms>> {
    let codes: Vec<&str> = claims.in_order().map(|(code, _)| code).collect();
    let candidates = store::candidates(tx, scope, &codes).await?;
    let now = scope.now(tx);
    let promised = claims.in_order().find_map(|(code, clicked_at)| {
        let candidate = candidates.iter().find(|candidate| candidate.code == code)?;
        let counts = clicked_at.is_none_or(|at| candidate.remembers(at, now));
        let terms = candidate.terms_for(order, clicked_at, now).filter(|_| counts)?;
        Some((candidate, terms))
    });
    Ok(promised.filter(|(candidate, _)| !candidate.is_self(buyer)).map(|(_, terms)| terms))
}

impl CommissionTerms {
    /// The commission on a payment of the subscriber, for the affiliate from the time of
    /// subscription.
    fn charged(self, kind: Kind, order: &Order<'_>, decided_at: Timestamp) -> Option<Self> {
        if kind == Kind::Renewal && !self.terms.extended {
            return None;
        }
        let order = Order { product: Some(self.product), ..*order };
        Self { kind, ..self }.renewed(&order, decided_at)
    }

    /// The same terms for another order; `None` if nothing of it counts.
    fn renewed(self, order: &Order<'_>, decided_at: Timestamp) -> Option<Self> {
        let base = order.base(self.product, self.terms.extended)?;
        Some(Self { decided_at, base: base.amount, amount: self.terms.of(base), ..self })
    }
}

impl Candidate {
    /// Whether a click is neither too old nor in the future after the clock was set back.
    fn remembers(&self, clicked_at: Timestamp, now: Timestamp) -> bool {
        let days = u32::try_from(self.cookie_days).unwrap_or(0);
        clicked_at <= now && now < clicked_at.plus(DAY * days)
    }

    fn terms_for(
        &self,
        order: &Order<'_>,
        clicked_at: Option<Timestamp>,
        decided_at: Timestamp,
    ) -> Option<CommissionTerms> {
        let base = order.base(self.product, self.terms.extended)?;
        Some(CommissionTerms {
            kind: Kind::Sale,
            program: self.program,
            link: self.link,
            affiliate: self.affiliate.id,
            product: self.product,
            code: self.code.clone(),
            clicked_at,
            decided_at,
            terms: self.terms,
            base: base.amount,
            amount: self.terms.of(base),
        })
    }

    /// Whether the affiliate is the buyer, or the merchant under another name.
    fn is_self(&self, buyer: Buyer<'_>) -> bool {
        let Party { id, email, document } = &self.affiliate;
        let owner = &self.owner;
        let same_document =
            |other: Option<&Document>| document.is_some() && document.as_ref() == other;
        *id == owner.id
            || reach_the_same(email, buyer.email)
            || reach_the_same(email, &owner.email)
            || same_document(buyer.document)
            || same_document(owner.document.as_ref())
    }
}
