//! One search over everything that a merchant has, by any text at hand: an id, a txid, a reference,
//! a name, an email, a document, an amount, a code.
//!
//! Each kind of object is found as its own list finds it, and only for callers who may read it.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use ledger::cents::Cents;
use uuid::Uuid;

use crate::auth::api_key::ApiKey;
use crate::credentials;
use crate::platform::count_cache::CountCache;
use crate::platform::error::{Error, Result};
use crate::platform::http::listing;
use crate::platform::http::page::{Listed, PageQuery};
use crate::platform::ids::{
    ClientId, CouponId, PaymentLinkId, ProductId, Scope, SubscriptionId, WithdrawalId,
};
use crate::platform::masked::Documents;
use crate::platform::permissions::{Permission, Permissions};
use crate::{clients, coupons, payment_links, products, subscriptions, transactions, withdrawals};

pub mod api;

/// How many objects of a kind are found at most.
const SHOWN: i64 = 5;

text_enum! {
    /// A kind of object that the search finds.
    pub enum Kind as "SearchedKind" {
        Transaction = "transaction",
        PaymentLink = "paymentLink",
        Product = "product",
        Coupon = "coupon",
        Client = "client",
        Subscription = "subscription",
        Withdrawal = "withdrawal",
        Credential = "credential",
    }
}

/// What the searcher may read.
#[derive(Debug, Clone)]
pub struct Reader {
    pub permissions: Permissions,
    pub documents: Documents,
    /// Whether the credentials of the account are theirs to read.
    pub reads_credentials: bool,
}

/// The status of an object that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundStatus {
    Payment(transactions::status::Status),
    Link(payment_links::status::Status),
    Subscription(subscriptions::status::Status),
    Withdrawal(withdrawals::status::Status),
}

/// An object that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub id: Uuid,
    /// What people call it.
    pub name: String,
    /// Its status, where it has one.
    pub status: Option<FoundStatus>,
    pub amount: Option<Cents>,
    /// When it was made, of a payment: a buyer's name stands for many.
    pub made_at: Option<Timestamp>,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    pub hits: Vec<Hit>,
    /// The kinds of which there are more than are shown.
    pub more: Vec<Kind>,
    /// The kinds that were looked through.
    pub searched: Vec<Kind>,
}

/// A validated search.
#[derive(Debug, Clone)]
pub struct Search {
    transactions: transactions::list::Filter,
    clients: clients::list::Filter,
    links: listing::Filter<payment_links::status::Status>,
    products: listing::Filter<products::Status>,
    coupons: listing::Filter<coupons::Status>,
    id: Option<Uuid>,
    /// The public part of an API key that was pasted; nothing else is looked for then, because its
    /// secret is no text of an object.
    key: Option<String>,
    reader: Reader,
}

impl Search {
    /// Validates the text; the payments of the last 30 days are searched by their text, and all of
    /// them by their identifiers.
    pub fn new(text: &str, reader: Reader) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::field("q", "REQUIRED", "is required"));
        }
        let (q, page) = (Some(text.to_owned()), first_ones());
        let payments = transactions::list::ListQuery {
            q: q.clone(),
            ..transactions::list::ListQuery::recent()
        };
        let buyers =
            clients::list::ListQuery { q: q.clone(), ..clients::list::ListQuery::default() };
        Ok(Self {
            transactions: payments.read(&page)?.uncounted(),
            clients: buyers.read(&page)?.seeing(reader.documents),
            links: listing::ListQuery::new(None, q.clone()).read(&page)?,
            products: listing::ListQuery::new(None, q.clone()).read(&page)?,
            coupons: listing::ListQuery::new(None, q).read(&page)?,
            id: Uuid::try_parse(text).ok(),
            key: ApiKey::is_meant(text).then(|| public_id(text)),
            reader,
        })
    }

    /// Whether clients are found by a document.
    pub fn names_document(&self) -> bool {
        self.may(Kind::Client) && self.clients.names_document()
    }

    /// Finds the objects.
    pub async fn run(&self, tx: &Tx, scope: Scope, counts: &CountCache) -> Result<Findings> {
        let mut found = Findings::default();
        if let Some(key) = &self.key {
            self.find_credential(tx, scope, key, &mut found).await?;
            return Ok(found);
        }
        if self.looks_through(Kind::Transaction, &mut found) {
            let listed = transactions::list::list(tx, scope, &self.transactions, counts).await?;
            let shows_buyers = self.reader.permissions.contains(Permission::CustomersRead);
            found.add(Kind::Transaction, listed, |payment| payment_hit(payment, shows_buyers));
        }
        if self.looks_through(Kind::Client, &mut found) {
            let listed = clients::page(tx, scope, &self.clients).await?;
            found.add(Kind::Client, listed, |client| {
                hit(Kind::Client, client.id.0, client.customer.name)
            });
        }
        if self.looks_through(Kind::PaymentLink, &mut found) {
            let listed = payment_links::page(tx, scope, &self.links).await?;
            found.add(Kind::PaymentLink, listed, |link| Hit {
                status: Some(FoundStatus::Link(link.status)),
                amount: link.amount,
                ..hit(Kind::PaymentLink, link.id.0, link.title)
            });
        }
        if self.looks_through(Kind::Product, &mut found) {
            let listed = products::page(tx, scope, &self.products).await?;
            found.add(Kind::Product, listed, |product| Hit {
                amount: Some(product.price),
                ..hit(Kind::Product, product.id.0, product.name)
            });
        }
        if self.looks_through(Kind::Coupon, &mut found) {
            let listed = coupons::page(tx, scope, &self.coupons).await?;
            found.add(Kind::Coupon, listed, |coupon| hit(Kind::Coupon, coupon.id.0, coupon.code));
        }
        self.find_by_id(tx, scope, &mut found).await?;
        Ok(found)
    }

    /// Finds what an id names: what has no text of its own, and what is listed by its text.
    async fn find_by_id(&self, tx: &Tx, scope: Scope, found: &mut Findings) -> Result<()> {
        let Some(id) = self.id else { return Ok(()) };
        self.find_listed_by_id(tx, scope, id, found).await?;
        if self.looks_through(Kind::Subscription, found) {
            let one = subscriptions::find(tx, scope, SubscriptionId(id)).await;
            found.hits.extend(present(one)?.map(|subscription| Hit {
                status: Some(FoundStatus::Subscription(subscription.status)),
                amount: Some(subscription.price),
                ..hit(Kind::Subscription, id, subscription.plan_name)
            }));
        }
        if self.looks_through(Kind::Withdrawal, found) {
            let one = withdrawals::find(tx, scope, WithdrawalId(id)).await;
            found.hits.extend(present(one)?.map(|withdrawal| Hit {
                status: Some(FoundStatus::Withdrawal(withdrawal.status)),
                amount: Some(withdrawal.amount),
                ..hit(Kind::Withdrawal, id, withdrawal.key.as_str().to_owned())
            }));
        }
        Ok(())
    }

    async fn find_listed_by_id(
        &self,
        tx: &Tx,
        scope: Scope,
        id: Uuid,
        found: &mut Findings,
    ) -> Result<()> {
        if self.may(Kind::Client) {
            let one = present(clients::find(tx, scope, ClientId(id)).await)?;
            found.name(one.map(|client| hit(Kind::Client, id, client.customer.name)));
        }
        if self.may(Kind::PaymentLink) {
            let one = present(payment_links::find(tx, scope, PaymentLinkId(id)).await)?;
            found.name(one.map(|link| Hit {
                status: Some(FoundStatus::Link(link.status)),
                amount: link.amount,
                ..hit(Kind::PaymentLink, id, link.title)
            }));
        }
        if self.may(Kind::Product) {
            let one = present(products::find(tx, scope, ProductId(id)).await)?;
            found.name(one.map(|product| Hit {
                amount: Some(product.price),
                ..hit(Kind::Product, id, product.name)
            }));
        }
        if self.may(Kind::Coupon) {
            let one = present(coupons::find(tx, scope, CouponId(id)).await)?;
            found.name(one.map(|coupon| hit(Kind::Coupon, id, coupon.code)));
        }
        Ok(())
    }

    async fn find_credential(
        &self,
        tx: &Tx,
        scope: Scope,
        key: &str,
        found: &mut Findings,
    ) -> Result<()> {
        if !self.looks_through(Kind::Credential, found) {
            return Ok(());
        }
        let all = credentials::list(tx, scope.merchant).await?;
        let one = all.into_iter().find(|one| one.mode == scope.mode && one.public_id == key);
        found.hits.extend(one.map(|one| hit(Kind::Credential, one.id.0, one.name)));
        Ok(())
    }

    fn looks_through(&self, kind: Kind, found: &mut Findings) -> bool {
        let may = self.may(kind);
        if may {
            found.searched.push(kind);
        }
        may
    }

    fn may(&self, kind: Kind) -> bool {
        let needed = match kind {
            Kind::Transaction => Permission::TransactionsRead,
            Kind::PaymentLink => Permission::PaymentLinksRead,
            Kind::Product => Permission::ProductsRead,
            Kind::Coupon => Permission::CouponsRead,
            Kind::Client => Permission::CustomersRead,
            Kind::Subscription => Permission::SubscriptionsRead,
            Kind::Withdrawal => Permission::WithdrawalsRead,
            Kind::Credential => return self.reader.reads_credentials,
        };
        self.reader.permissions.contains(needed)
    }
}

impl FoundStatus {
    /// The name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Payment(status) => status.name(),
            Self::Link(status) => status.name(),
            Self::Subscription(status) => status.name(),
            Self::Withdrawal(status) => status.name(),
        }
    }
}

impl Findings {
    /// Adds an object that an id names, unless its text has the id, too.
    fn name(&mut self, one: Option<Hit>) {
        let Some(one) = one else { return };
        if self.hits.iter().all(|hit| (hit.kind, hit.id) != (one.kind, one.id)) {
            self.hits.push(one);
        }
    }

    fn add<T>(&mut self, kind: Kind, listed: Listed<T>, hit: impl Fn(T) -> Hit) {
        if listed.next.is_some() {
            self.more.push(kind);
        }
        self.hits.extend(listed.rows.into_iter().map(hit));
    }
}

fn first_ones() -> PageQuery {
    PageQuery { limit: Some(SHOWN), ..PageQuery::default() }
}

fn hit(kind: Kind, id: Uuid, name: String) -> Hit {
    Hit { kind, id, name, status: None, amount: None, made_at: None }
}

fn payment_hit(payment: transactions::Transaction, shows_buyers: bool) -> Hit {
    let buyer = Some(payment.customer.name).filter(|_| shows_buyers);
    let name = buyer.or(payment.external_id).unwrap_or_else(|| payment.id.to_string());
    Hit {
        status: Some(FoundStatus::Payment(payment.status)),
        amount: Some(payment.amount),
        made_at: Some(payment.created_at),
        ..hit(Kind::Transaction, payment.id.0, name)
    }
}

/// An object, if there is one.
fn present<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The part of a key that names it; empty if the text is no whole key.
fn public_id(text: &str) -> String {
    ApiKey::parse(text).map(|key| key.public_id().to_owned()).unwrap_or_default()
}
