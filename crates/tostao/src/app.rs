//! The state that is built once at start and shared by every request and job.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use db::database::{Database, Dialect};
use db::hex::hex;
use db::migrations::{Migration, apply};
use db::source::Sources;
use db::time::Timestamp;
use db::tx::Tx;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use crate::audit::refused::RefusedSignIns;
use crate::auth::passwords::Passwords;
use crate::platform::caller_limit::CallerLimit;
use crate::platform::config::{Settings, Switch};
use crate::platform::count_cache::CountCache;
use crate::platform::endpoint_limit::EndpointLimit;
use crate::platform::error::{Error, Result};
use crate::platform::http::buyer_streams::BuyerStreams;
use crate::platform::http::client_ip::{ForwardedWarning, TrustedProxies};
use crate::platform::http::context::RequestContext;
use crate::platform::http::hosts::PublicUrls;
use crate::platform::http::page_cache::PageCache;
use crate::platform::http::precompressed::PrecompressedText;
use crate::platform::http::rate_limit::{RateLimiter, Zone};
use crate::platform::http::server::ServerLimits;
use crate::platform::ids::{MerchantId, PersonId, Scope};
use crate::platform::readiness::Readiness;
use crate::platform::recent::Recent;
use crate::platform::secrets::Secrets;
use crate::providers::Providers;
use crate::providers::mail::MailProvider;
use crate::requests::queue::RequestQueue;

/// Lists migrations by their names; each is a file.
macro_rules! migrations {
    ($($name:literal,)*) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../../../migrations/", $name, ".sql")),
        },)*]
    };
}

/// Every migration, in order.
pub const MIGRATIONS: &[Migration] = migrations![
    "0001_ledger",
    "0002_jobs",
    "0003_merchants",
    "0004_idempotency",
    "0005_products",
    "0006_payment_links",
    "0007_transactions",
    "0008_webhooks",
    "0009_coupons",
    "0010_withdrawals",
    "0011_sandbox",
    "0012_receivables",
    "0013_refunds",
    "0015_subscriptions",
    "0016_advances",
    "0017_referrals",
    "0018_carts",
    "0019_refund_providers",
    "0020_affiliates",
    "0021_commission_debts",
    "0022_ledger_chain",
    "0023_sign_in",
    "0024_audit",
    "0025_webhooks_in_order",
    "0026_money_without_a_charge",
    "0028_people",
    "0029_received_payments",
    "0030_session_devices",
    "0031_waiting_commissions",
    "0032_closed_accounts",
    "0033_money_for_closed_accounts",
    "0034_less_per_charge",
    "0035_entries_of_banks",
    "0036_dismissed_reports",
    "0037_return_ids",
    "0038_connections",
    "0039_unsent_and_returned_payouts",
    "0041_cards_of_acquirers",
    "0042_boletos_of_banks",
    "0043_boletos_made_later",
    "0044_cards_finished",
    "0046_infractions",
    "0047_turns_of_lanes",
    "0048_totals_of_boletos",
    "0049_replaced_disputes",
    "0055_reports_that_wait",
    "0056_pix_of_boletos",
    "0057_differences_of_merchants",
    "0058_unique_jobs",
    "0059_payments_of_pix",
    "0060_proven_positions",
    "0061_entries_in_order",
    "0062_listeners",
    "0063_request_log",
    "0064_requests_of_keys",
    "0065_webhook_recoveries",
    "0066_fields_of_requests",
    "0068_people",
    "0069_mails",
    "0070_second_step",
    "0071_browser_sessions",
    "0072_figures",
    "0074_mail_recipients",
    "0075_resets_and_open_receipts",
    "0076_first_steps",
    "0083_codes_of_sessions",
    "0084_payout_keys",
    "0085_looks_of_shops",
    "0086_mail_preferences",
    "0087_email_changes",
    "0088_saved_views_and_setup",
    "0089_queues_of_administrators",
    "0090_turns_of_setup",
    "0091_mails_by_address",
    "0095_failing_jobs",
    "0096_returns_of_payments",
    "0097_commissions_by_payment",
    "0098_problems_of_connections",
    "0099_pending_receivables",
    "0100_returns_of_reports",
    "0101_trials_of_plans",
];

/// How many of the concurrent scans may be of one merchant.
const SCANS_PER_MERCHANT: usize = 2;

/// How many changes of one merchant run at once on a database server, where each has one of the
/// connections that all merchants share; half of them.
const CHANGES_PER_MERCHANT: usize = 8;

/// How long a change waits for those before it; after that its request would soon be overdue.
const CHANGE_WAIT_MAX: Duration = Duration::from_secs(5);

/// How many listeners of one merchant may be connected, and how many readers of the request log.
const STREAMS_PER_MERCHANT: usize = 8;

/// How many pages of one person may listen for what is new; those in hidden tabs do not.
const LIVE_PAGES_PER_PERSON: usize = 8;

/// The application. Clones share it.
#[derive(Clone)]
pub struct App(Arc<AppState>);

/// The parts of the application.
pub struct AppState {
    pub database: Database,
    pub settings: Settings,
    pub urls: PublicUrls,
    pub secrets: Arc<Secrets>,
    pub endpoints: EndpointLimit,
    pub pages: Arc<PageCache>,
    /// The OpenAPI document, once it was asked for.
    pub document: OnceLock<PrecompressedText>,
    /// How many payments each merchant has.
    pub payment_counts: CountCache,
    /// The merchants of the newest PIX charges, by txid: their lanes are known without a look-up.
    pub recent_charges: Recent<String, MerchantId>,
    pub limits: RateLimiter,
    pub passwords: Passwords,
    pub refusals: RefusedSignIns,
    pub scans: CallerLimit<MerchantId>,
    /// Changes of objects such as links and products.
    pub changes: CallerLimit<MerchantId>,
    pub listeners: CallerLimit<MerchantId>,
    pub request_streams: CallerLimit<MerchantId>,
    /// The pages of the dashboard that show what is new.
    pub live_pages: CallerLimit<PersonId>,
    /// The pages of buyers that wait for a payment.
    pub buyer_streams: BuyerStreams,
    /// The idempotency keys of requests that are about to begin something, by their seeds.
    pub key_turns: CallerLimit<[u8; 32]>,
    pub requests: RequestQueue,
    /// Payments whose reports were applied lately, by their provider and id.
    pub recent_reports: Recent<(Arc<str>, String), ()>,
    pub readiness: Readiness,
    pub proxies: TrustedProxies,
    pub unbelieved: ForwardedWarning,
    pub providers: Providers,
    /// The operator's SMTP server, if there is one.
    pub mail: Option<MailProvider>,
    pub webhooks: outbound::client::Client,
}

impl std::ops::Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

impl App {
    /// Opens the database and builds the rest; does not migrate.
    pub fn open(settings: Settings, sources: Sources) -> anyhow::Result<Self> {
        settings.check()?;
        let fresh = || hex(&sources.random::<32>());
        let secrets = Arc::new(settings.secrets(fresh)?);
        let database = Database::open_with_lanes(
            &settings.storage.database_url,
            sources,
            settings.database_lanes.into(),
        )?;
        let policy = settings.webhook_policy();
        Ok(Self(Arc::new(AppState {
            limits: RateLimiter::new(
                settings.rate_limits == Switch::On,
                settings.rate_limit_overrides.clone(),
            ),
            passwords: Passwords::new(settings.password_cost),
            refusals: RefusedSignIns::default(),
            scans: CallerLimit::new(SCANS_PER_MERCHANT),
            changes: CallerLimit::new(CHANGES_PER_MERCHANT),
            listeners: CallerLimit::new(STREAMS_PER_MERCHANT),
            request_streams: CallerLimit::new(STREAMS_PER_MERCHANT),
            live_pages: CallerLimit::new(LIVE_PAGES_PER_PERSON),
            // The other half is for requests.
            buyer_streams: BuyerStreams::new(ServerLimits::of_process().connections / 2),
            key_turns: CallerLimit::new(1),
            requests: RequestQueue::default(),
            recent_reports: Recent::new(4_096),
            readiness: Readiness::default(),
            proxies: TrustedProxies::parse(&settings.trusted_proxies)?,
            unbelieved: ForwardedWarning::default(),
            providers: Providers::new(database.clone(), secrets.clone(), settings.sandbox),
            webhooks: outbound::client::Client::new(policy, outbound::client::Limits::default()),
            mail: MailProvider::new(&settings.mail)?,
            endpoints: EndpointLimit::default(),
            pages: Arc::default(),
            document: OnceLock::new(),
            payment_counts: CountCache::default(),
            recent_charges: Recent::new(4_096),
            urls: PublicUrls::new(settings.base_url(), settings.checkout_url()),
            database,
            secrets,
            settings,
        })))
    }

    /// Migrates the database to this version; returns the applied migrations.
    pub async fn migrate(&self) -> anyhow::Result<Vec<&'static str>> {
        Ok(apply(&self.database, MIGRATIONS).await?)
    }

    /// The current instant of the system clock.
    pub fn now(&self) -> Timestamp {
        self.database.sources().now()
    }

    /// Counts a request of an account and mode in a rate-limit zone, or refuses it; a development
    /// key, which more people have, does not use up the limit of production.
    pub fn check_rate_limit(
        &self,
        context: &RequestContext,
        zone: &Zone,
        scope: Scope,
    ) -> Result<()> {
        self.check_limit(context, zone, &format!("{} {}", scope.merchant, scope.mode.name()))
    }

    /// The same with one count for both modes, for routes that API keys cannot call.
    pub fn check_account_rate_limit(
        &self,
        context: &RequestContext,
        zone: &Zone,
        merchant: MerchantId,
    ) -> Result<()> {
        self.check_limit(context, zone, &merchant.to_string())
    }

    fn check_limit(&self, context: &RequestContext, zone: &Zone, who: &str) -> Result<()> {
        context.note_rate(self.limits.check(zone, who, self.now())?);
        Ok(())
    }

    /// Runs a unit that writes: committed as a whole, or not at all.
    pub fn transact<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.transact(unit)
    }

    /// Runs a unit that writes rows of one merchant, in order with the others of that merchant
    /// where that saves waiting.
    pub fn transact_for<T: Send + 'static>(
        &self,
        merchant: MerchantId,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.transact_for(merchant.0, unit)
    }

    /// Waits for a merchant's turn to change something in a transaction of its own, which the unit
    /// then holds; there are no turns where one writer commits the changes of all merchants.
    pub async fn turn_to_change(
        &self,
        merchant: MerchantId,
    ) -> Result<Option<OwnedSemaphorePermit>> {
        if self.database.dialect() == Dialect::Sqlite {
            return Ok(None);
        }
        match timeout(CHANGE_WAIT_MAX, self.changes.acquire(merchant)).await {
            Ok(turn) => turn.map(Some),
            Err(_) => Err(Error::Unavailable("too many changes of one account wait".to_owned())),
        }
    }

    /// Runs a unit of one statement that writes.
    pub fn transact_one<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.transact_one(unit)
    }

    /// Reads a few rows.
    pub fn read<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.read(unit)
    }

    /// Reads a few rows, each statement by itself: for what a unit that writes checks again.
    pub fn glance<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.glance(unit)
    }

    /// Reads a few rows by one statement.
    pub fn lookup<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.lookup(unit)
    }

    /// Reads many rows for one merchant, without delaying other merchants' scans.
    pub async fn scan_for<T: Send + 'static>(
        &self,
        merchant: MerchantId,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let share = self.scans.acquire(merchant).await?;
        // The unit holds the permit, so that it counts until the unit ends, even if its caller has
        // gone.
        let unit = async move |tx: &Tx| {
            let _held = &share;
            unit(tx).await
        };
        self.database.scan(unit).await
    }

    /// Reads many rows for the platform.
    pub fn scan<T: Send + 'static>(
        &self,
        unit: impl AsyncFn(&Tx) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.database.scan(unit)
    }
}
