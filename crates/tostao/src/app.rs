//! What is built once at start and shared by every request and job.

use std::sync::Arc;

use db::database::Database;
use db::hex::hex;
use db::migrations::{Migration, apply};
use db::source::Sources;
use db::time::Timestamp;
use db::tx::Tx;

use crate::audit::refused::Refusals;
use crate::auth::passwords::Passwords;
use crate::checkout::page_cache::PageCache;
use crate::config::{Settings, Switch};
use crate::error::Result;
use crate::health::Readiness;
use crate::http::client_ip::{Proxies, Unbelieved};
use crate::http::rate_limit::Limits;
use crate::ids::MerchantId;
use crate::providers::Providers;
use crate::secrets::Secrets;
use crate::shares::Shares;
use crate::transactions::list::totals::Totals;
use crate::transactions::terms::Terms;
use crate::webhooks::flights::Flights;
use crate::{advances, referrals, webhooks, withdrawals};

/// Every migration, in order.
pub const MIGRATIONS: &[Migration] = &[
    migration("0001_ledger", include_str!("../../../migrations/0001_ledger.sql")),
    migration("0002_jobs", include_str!("../../../migrations/0002_jobs.sql")),
    migration("0003_merchants", include_str!("../../../migrations/0003_merchants.sql")),
    migration("0004_idempotency", include_str!("../../../migrations/0004_idempotency.sql")),
    migration("0005_products", include_str!("../../../migrations/0005_products.sql")),
    migration("0006_payment_links", include_str!("../../../migrations/0006_payment_links.sql")),
    migration("0007_transactions", include_str!("../../../migrations/0007_transactions.sql")),
    migration("0008_webhooks", include_str!("../../../migrations/0008_webhooks.sql")),
    migration("0009_coupons", include_str!("../../../migrations/0009_coupons.sql")),
    migration("0010_withdrawals", include_str!("../../../migrations/0010_withdrawals.sql")),
    migration("0011_sandbox", include_str!("../../../migrations/0011_sandbox.sql")),
    migration("0012_receivables", include_str!("../../../migrations/0012_receivables.sql")),
    migration("0013_refunds", include_str!("../../../migrations/0013_refunds.sql")),
    migration("0015_subscriptions", include_str!("../../../migrations/0015_subscriptions.sql")),
    migration("0016_advances", include_str!("../../../migrations/0016_advances.sql")),
    migration("0017_referrals", include_str!("../../../migrations/0017_referrals.sql")),
    migration("0018_carts", include_str!("../../../migrations/0018_carts.sql")),
    migration(
        "0019_refund_providers",
        include_str!("../../../migrations/0019_refund_providers.sql"),
    ),
    migration("0020_affiliates", include_str!("../../../migrations/0020_affiliates.sql")),
    migration(
        "0021_commission_debts",
        include_str!("../../../migrations/0021_commission_debts.sql"),
    ),
    migration("0022_ledger_chain", include_str!("../../../migrations/0022_ledger_chain.sql")),
    migration("0023_sign_in", include_str!("../../../migrations/0023_sign_in.sql")),
    migration("0024_audit", include_str!("../../../migrations/0024_audit.sql")),
    migration(
        "0025_webhooks_in_order",
        include_str!("../../../migrations/0025_webhooks_in_order.sql"),
    ),
    migration(
        "0026_money_without_a_charge",
        include_str!("../../../migrations/0026_money_without_a_charge.sql"),
    ),
    migration("0028_people", include_str!("../../../migrations/0028_people.sql")),
    migration(
        "0029_received_payments",
        include_str!("../../../migrations/0029_received_payments.sql"),
    ),
    migration("0030_session_devices", include_str!("../../../migrations/0030_session_devices.sql")),
    migration(
        "0031_waiting_commissions",
        include_str!("../../../migrations/0031_waiting_commissions.sql"),
    ),
    migration("0032_closed_accounts", include_str!("../../../migrations/0032_closed_accounts.sql")),
    migration(
        "0033_money_for_closed_accounts",
        include_str!("../../../migrations/0033_money_for_closed_accounts.sql"),
    ),
    migration("0034_less_per_charge", include_str!("../../../migrations/0034_less_per_charge.sql")),
];

/// How many of the scans that run at once may be one merchant's.
const SCANS_PER_MERCHANT: usize = 2;

/// The running product. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What the product is made of.
pub struct Parts {
    pub database: Database,
    pub settings: Settings,
    pub secrets: Arc<Secrets>,
    pub terms: Arc<Terms>,
    pub withdrawal_terms: Arc<withdrawals::terms::Terms>,
    pub advance_terms: advances::terms::Terms,
    pub referral_terms: Arc<referrals::terms::Terms>,
    pub flights: Flights,
    pub pages: PageCache,
    pub totals: Totals,
    pub limits: Limits,
    pub passwords: Passwords,
    pub refusals: Refusals,
    pub scans: Shares,
    pub readiness: Readiness,
    pub proxies: Proxies,
    pub unbelieved: Unbelieved,
    pub providers: Providers,
    pub webhooks: outbound::client::Client,
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    /// Opens the database and builds the rest; does not migrate.
    pub fn open(settings: Settings, sources: Sources) -> anyhow::Result<Self> {
        settings.check()?;
        let fresh = || hex(&sources.random::<32>());
        let secrets = Arc::new(settings.secrets(fresh)?);
        let database = Database::open(&settings.storage.database_url, sources)?;
        let policy = webhooks::policy(&settings);
        Ok(Self(Arc::new(Parts {
            limits: Limits::new(
                settings.rate_limits == Switch::On,
                settings.rate_limit_overrides.clone(),
            ),
            passwords: Passwords::default(),
            refusals: Refusals::default(),
            scans: Shares::new(SCANS_PER_MERCHANT),
            readiness: Readiness::default(),
            proxies: Proxies::parse(&settings.trusted_proxies)?,
            unbelieved: Unbelieved::default(),
            providers: Providers::new(database.clone(), secrets.clone(), settings.sandbox),
            webhooks: outbound::client::Client::new(policy, outbound::client::Limits::default()),
            terms: Arc::new(Terms::new(&settings, secrets.clone())),
            withdrawal_terms: Arc::new(withdrawals::terms::Terms::new(&settings, secrets.clone())),
            advance_terms: advances::terms::Terms::new(&settings),
            referral_terms: Arc::new(referrals::terms::Terms::new(&settings)),
            flights: Flights::default(),
            pages: PageCache::default(),
            totals: Totals::default(),
            database,
            secrets,
            settings,
        })))
    }

    /// Brings the database to this version; answers what was applied.
    pub async fn migrate(&self) -> anyhow::Result<Vec<&'static str>> {
        Ok(apply(&self.database, MIGRATIONS).await?)
    }

    /// The machine's present instant.
    pub fn now(&self) -> Timestamp {
        self.database.sources().now()
    }

    /// Runs a unit that writes: kept whole, or not at all.
    pub async fn transact<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.database.transact(unit).await
    }

    /// Reads a few rows.
    pub async fn read<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.database.read(unit).await
    }

    /// Reads many rows for one merchant, who never holds everybody else's up.
    pub async fn scan_for<T: Send + 'static>(
        &self,
        merchant: MerchantId,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let share = self.scans.take(merchant).await?;
        // The unit holds the share, so that one whose caller has gone counts until it ends.
        let unit = async move |tx: &Tx| {
            let _held = &share;
            unit(tx).await
        };
        self.database.scan(unit).await
    }

    /// Reads many rows for the house.
    pub async fn scan<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.database.scan(unit).await
    }
}

const fn migration(name: &'static str, sql: &'static str) -> Migration {
    Migration { name, sql }
}
