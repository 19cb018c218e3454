//! The audit log: who did what to an account, from where and when.
//!
//! An entry is written in the unit of the action that it records, so neither exists without the
//! other; a log line with the target `audit` follows once the unit is committed. Entries are never
//! changed, and the database refuses to delete one that is less than a year old. They hold ids,
//! addresses and settings, never secrets, names or documents.
//!
//! Refused sign-ins are counted in memory first (`refused`), because a flood of them must not
//! become a flood of writes.

use db::text_enum;
use db::time::Timestamp;
use db::tx::Tx;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::audit::list::Filter;
use crate::platform::error::Result;
use crate::platform::http::context::RequestContext;
use crate::platform::http::page::Listed;
use crate::platform::ids::{AuditId, CredentialId, MerchantId, Mode, PersonId};
use crate::platform::telemetry;

pub mod api;
pub mod decision;
pub mod export;
pub mod export_api;
pub mod list;
pub mod refused;
mod store;
pub mod ticket;

/// The detail that says which administrator had approved what another one ended.
pub const APPROVED_BY: &str = "approvedBy";

/// Defines the actions with their stable names and descriptions.
macro_rules! actions {
    ($($name:ident = $text:literal: $meaning:literal,)*) => {
        /// An action recorded in the audit log.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[schemars(rename = "AuditAction")]
        pub enum Action {
            $(#[serde(rename = $text)] $name,)*
        }

        impl Action {
            /// Every action.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name, which never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Finds the action of a name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|action| action.name() == name)
            }

            /// The description.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)*
                }
            }
        }
    };
}

actions! {
    SignInSucceeded = "sign_in.succeeded": "A sign-in to the account.",
    SignInRefused = "sign_in.refused":
        "Sign-ins were refused, counted by account and address.",
    SignInPasswordOnly = "sign_in.password_only":
        "The password of a sign-in was right, and its code was missing or wrong.",
    SessionRefreshReused = "session.refresh_reused":
        "A refresh token was reused; its session was ended.",
    SessionEnded = "session.ended": "A member signed out.",
    SessionRevoked = "session.revoked": "A member ended a session, or all but the one in use.",
    SessionEndedByCodes = "session.ended_by_codes":
        "Several codes that were typed in a session were wrong; it was ended.",
    SessionElevated = "session.elevated":
        "A member gave their password or a code again, for what asks for it.",
    PasswordChanged = "password.changed": "A member's password was changed.",
    PasswordResetRequested = "password.reset_requested":
        "A link was made with which a member sets a new password.",
    EmailChangeRequested = "email.change_requested":
        "A member asked to sign in with another address.",
    EmailChanged = "email.changed": "A member's address was replaced.",
    EmailChangeStopped = "email.change_stopped":
        "The change of a member's address was ended, by them or by the link at the old address.",
    TwoFactorEnabled = "two_factor.enabled": "A member's sign-in got a second step.",
    TwoFactorDisabled = "two_factor.disabled": "A member's second step was removed.",
    BackupCodesReplaced = "two_factor.backup_codes_replaced":
        "A member got new backup codes for their second step.",
    MemberInvited = "member.invited": "A person was invited to the account.",
    InvitationRevoked = "member.invitation_revoked": "An invitation was taken back.",
    MemberJoined = "member.joined": "A person accepted an invitation to the account.",
    MemberRoleChanged = "member.role_changed": "A member got another role.",
    MemberRemoved = "member.removed": "A member was removed from the account.",
    ProfileUpdated = "profile.updated": "A member changed their name.",
    SavedViewCreated = "saved_view.created": "A member saved the filter of a list as a view.",
    SavedViewDeleted = "saved_view.deleted": "A member deleted a view of a list.",
    AccountUpdated = "account.updated": "An owner changed what the account is called or who it is.",
    AccountLogoChanged = "account.logo_changed": "An owner gave the account another logo.",
    AccountLogoRemoved = "account.logo_removed": "An owner removed the logo of the account.",
    MailPreferencesChanged = "mail_preferences.changed":
        "A member switched mails about the account on or off.",
    AccountClosed = "account.closed": "The account was closed by its owner.",
    ApiKeyCreated = "api_key.created": "An API key was made.",
    ApiKeyRotated = "api_key.rotated": "An API key got a new value.",
    ApiKeyRevoked = "api_key.revoked": "An API key was revoked.",
    WebhookSecretRotated = "webhook.secret_rotated": "A webhook got a new secret.",
    WebhookDisabled = "webhook.disabled": "A webhook was switched off, because its address failed.",
    WebhookEnabled = "webhook.enabled": "A webhook was switched on again.",
    WebhookUrlChanged = "webhook.url_changed": "A webhook's events go to another URL.",
    WebhookRecoveryStarted = "webhook.recovery_started":
        "The events that a webhook had not accepted were sent again.",
    RefundRequested = "refund.requested": "A member asked for a refund.",
    TransactionCancelled = "transaction.cancelled":
        "A member cancelled an unpaid payment in the dashboard.",
    TransactionCreated = "transaction.created":
        "A member issued a PIX charge or a boleto in the dashboard.",
    TransactionSimulated = "transaction.simulated":
        "A member simulated the outcome of a test payment in the dashboard.",
    ReceiptSent = "receipt.sent": "A member had a receipt sent to its buyer in the dashboard.",
    SetAsideAccepted = "set_aside.accepted":
        "A member accepted money that was set aside beside a payment in the dashboard.",
    SetAsideReturned = "set_aside.returned":
        "A member returned money that was set aside beside a payment in the dashboard.",
    WebhookCreated = "webhook.created": "A member made a webhook in the dashboard.",
    WebhookUpdated = "webhook.updated": "A member changed a webhook in the dashboard.",
    WebhookDeleted = "webhook.deleted": "A member deleted a webhook in the dashboard.",
    WebhookTested = "webhook.tested": "A member sent a test event to a webhook in the dashboard.",
    EventRedelivered = "event.redelivered": "A member had an event sent again in the dashboard.",
    ClockAdvanced = "clock.advanced": "A member advanced the test clock in the dashboard.",
    DevelopmentReset = "development.reset":
        "A member deleted the development data in the dashboard.",
    CustomerDocumentShown = "customer.document_shown":
        "A member looked at a customer's whole document in the dashboard.",
    CustomerUpdated = "customer.updated": "A member changed a customer in the dashboard.",
    CustomerErased = "customer.erased": "A member erased a customer in the dashboard.",
    CouponCreated = "coupon.created": "A member made a coupon in the dashboard.",
    CouponUpdated = "coupon.updated": "A member changed a coupon in the dashboard.",
    CouponDeleted = "coupon.deleted": "A member deleted a coupon in the dashboard.",
    ProductCreated = "product.created": "A member made a product in the dashboard.",
    ProductUpdated = "product.updated": "A member changed a product in the dashboard.",
    ProductDeleted = "product.deleted": "A member deleted a product in the dashboard.",
    PaymentLinkCreated = "payment_link.created": "A member made a payment link in the dashboard.",
    PaymentLinkUpdated = "payment_link.updated":
        "A member changed a payment link in the dashboard, or switched it off or on.",
    PlanCreated = "plan.created": "A member made a plan in the dashboard.",
    PlanUpdated = "plan.updated":
        "A member changed a plan in the dashboard, or switched it off or on.",
    SubscriptionCancelled = "subscription.cancelled":
        "A member cancelled a subscription in the dashboard, now or at the end of its period.",
    SubscriptionReactivated = "subscription.reactivated":
        "A member undid the cancellation of a subscription in the dashboard.",
    SubscriptionPaused = "subscription.paused":
        "A member paused a subscription in the dashboard.",
    SubscriptionResumed = "subscription.resumed":
        "A member resumed a subscription in the dashboard.",
    SubscriptionRetried = "subscription.retried":
        "A member had a failed payment of a subscription tried again in the dashboard.",
    SubscriptionPlanChanged = "subscription.plan_changed":
        "A member had a subscription change to another plan in the dashboard.",
    SubscriptionTrialExtended = "subscription.trial_extended":
        "A member extended the trial of a subscription in the dashboard.",
    SubscriptionSimulated = "subscription.simulated":
        "A member simulated the payment of a test subscription in the dashboard.",
    AffiliateProgramCreated = "affiliate_program.created":
        "A member made an affiliate program in the dashboard.",
    AffiliateProgramUpdated = "affiliate_program.updated":
        "A member changed an affiliate program in the dashboard, or switched it off or on.",
    AffiliateProgramDeleted = "affiliate_program.deleted":
        "A member ended an affiliate program in the dashboard.",
    AffiliateProgramJoined = "affiliate_program.joined":
        "A member joined another account's affiliate program in the dashboard.",
    AffiliateLinkUpdated = "affiliate_link.updated":
        "A member switched an affiliate's link off or on in the dashboard.",
    ReferralCodeCreated = "referral_code.created":
        "A member made the account's referral code in the dashboard.",
    ReferralRewardsWithdrawn = "referral_rewards.withdrawn":
        "A member moved referral rewards to the balance.",
    WithdrawalRequested = "withdrawal.requested": "A member asked for a withdrawal.",
    PayoutKeyCreated = "payout_key.created": "A PIX key was added to withdraw to.",
    PayoutKeyDeleted = "payout_key.deleted": "A PIX key to withdraw to was deleted.",
    WithdrawalApproved = "withdrawal.approved": "A withdrawal was approved.",
    WithdrawalRejected = "withdrawal.rejected": "A withdrawal was rejected.",
    WithdrawalCancelled = "withdrawal.cancelled": "A withdrawal was cancelled by its merchant.",
    WithdrawalResolved = "withdrawal.resolved":
        "A withdrawal that its bank contradicted was ended by the bank's statement.",
    AdvanceRequested = "advance.requested": "A member asked for an advance.",
    AdvanceApproved = "advance.approved": "An advance was approved and paid out.",
    AdvanceRejected = "advance.rejected": "An advance was rejected.",
    AdvanceCancelled = "advance.cancelled": "An advance was cancelled by its merchant.",
    MerchantVerified = "merchant.verified": "The account's owner was verified.",
    MerchantUnverified = "merchant.verification_withdrawn":
        "The verification of the account's owner was withdrawn.",
    UnmatchedMatched = "unmatched.matched":
        "Money under an unknown reference was matched to a charge.",
    UnmatchedResolved = "unmatched.resolved":
        "A PIX that may have paid a boleto was found to be that payment, or other money.",
    UnmatchedReturned = "unmatched.returned":
        "Money that no charge could take was sent back to its payer.",
    UnmatchedDismissed = "unmatched.dismissed":
        "A bank's report that cannot be read was closed without a charge.",
    ConnectionAdded = "connection.added": "A connection with a bank or an acquirer was added.",
    ConnectionRotated = "connection.rotated": "Values of a connection were replaced.",
    ConnectionRouted = "connection.routed":
        "The new charges or payouts of a rail go to another connection, or to none.",
    ConnectionTested = "connection.tested": "An administrator tested a connection at its page.",
    ConnectionDisabled = "connection.disabled": "A connection was taken out of use.",
    ConnectionEnabled = "connection.enabled": "A connection may be used again.",
    DifferenceResolved = "difference.resolved":
        "A difference between a connection and the stored records was closed.",
    DisputeResolved = "dispute.resolved":
        "A dispute about real money was resolved by an administrator.",
    RefundResolved = "refund.resolved":
        "A pending refund of real money was resolved by an administrator.",
    ChargeResolved = "charge.resolved":
        "A card charge of real money that its acquirer left undecided was resolved by an \
         administrator.",
    MailRetried = "mail.retried": "A mail that waited was offered to the mail server at once.",
    AdministratorCreated = "administrator.created": "An administrator's account was opened.",
    AdministratorGranted = "administrator.granted": "A merchant became an administrator.",
    AdministratorRevoked = "administrator.revoked": "An administrator became a merchant.",
}

/// The actor of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// The account's owner, signed in.
    Owner(MerchantId),
    /// Another member of the account, signed in.
    Member(PersonId),
    /// An API key.
    Key(CredentialId),
    /// An administrator, signed in.
    Administrator(MerchantId),
    /// A person with access to the server.
    CommandLine,
    /// The server itself.
    System,
    /// An unauthenticated caller.
    Anonymous,
}

text_enum! {
    /// The kind of actor.
    pub enum ActorKind as "AuditActorKind" {
        Owner = "owner",
        Member = "member",
        Key = "key",
        Administrator = "administrator",
        CommandLine = "command_line",
        System = "system",
        Anonymous = "anonymous",
    }
}

/// The actor of an action, and the origin of the request.
#[derive(Debug, Clone)]
pub struct ActorContext {
    pub actor: Actor,
    pub client_address: Option<String>,
    pub request_id: Option<String>,
}

/// An action on an account.
#[derive(Debug, Clone)]
pub struct Entry {
    action: Action,
    merchant: Option<MerchantId>,
    mode: Option<Mode>,
    subject: Option<Uuid>,
    count: i64,
    details: Map<String, Value>,
}

/// A stored entry.
#[derive(Debug, Clone)]
pub struct StoredEntry {
    pub id: AuditId,
    pub created_at: Timestamp,
    pub merchant: Option<MerchantId>,
    pub mode: Option<Mode>,
    pub actor_kind: ActorKind,
    pub actor_id: Option<Uuid>,
    pub action: String,
    pub subject: Option<Uuid>,
    pub client_address: Option<String>,
    pub request_id: Option<String>,
    pub count: i64,
    pub details: Map<String, Value>,
}

/// Writes an entry in the current unit, and a log line once that is committed.
pub async fn record(tx: &Tx, by: &ActorContext, entry: Entry) -> Result<()> {
    store::insert(tx, by, &entry).await?;
    let by = by.clone();
    tx.once_committed(move || log(&by, &entry));
    Ok(())
}

/// A page of the entries of one account as its members see them, newest first, whose matches are
/// not counted.
pub async fn page(tx: &Tx, merchant: MerchantId, filter: &Filter) -> Result<Listed<StoredEntry>> {
    let rows = store::list(tx, merchant, filter).await?;
    let rows = rows.into_iter().map(StoredEntry::seen_by_members).collect();
    Ok(filter.page.uncounted(rows, |kept| kept.id.0))
}

/// Lists the entries of one account, newest first.
pub async fn list(tx: &Tx, merchant: MerchantId, filter: &Filter) -> Result<Listed<StoredEntry>> {
    let rows = store::list(tx, merchant, filter).await?;
    let total = store::count(tx, merchant, filter).await?;
    Ok(filter.page.listed(rows, total, |kept| kept.id.0))
}

/// Lists every account's entries, or one account's, newest first, for an administrator.
pub async fn of_all_accounts(
    tx: &Tx,
    merchant: Option<MerchantId>,
    filter: &Filter,
) -> Result<Listed<StoredEntry>> {
    if let Some(merchant) = merchant {
        return list(tx, merchant, filter).await;
    }
    let rows = store::list_all_accounts(tx, filter).await?;
    let total = store::count_all_accounts(tx, filter).await?;
    Ok(filter.page.listed(rows, total, |kept| kept.id.0))
}

/// When each of these actions was last done in an account since an instant, as far as it was.
pub async fn last_changes(
    tx: &Tx,
    merchant: MerchantId,
    since: Timestamp,
    actions: &[Action; 11],
) -> Result<Vec<(Action, Timestamp)>> {
    store::last_changes(tx, merchant, tx.first_id(since), actions).await
}

/// Deletes entries written before an instant; returns how many.
pub async fn delete_expired(tx: &Tx, before: Timestamp, most: i64) -> Result<u64> {
    store::delete_expired(tx, before, most).await
}

fn log(by: &ActorContext, entry: &Entry) {
    let details = serde_json::to_string(&entry.details).unwrap_or_default();
    tracing::info!(
        target: telemetry::AUDIT,
        action = entry.action.name(),
        merchant = entry.merchant.map(tracing::field::display),
        mode = entry.mode.map(Mode::name),
        actor = by.actor.kind().name(),
        actor_id = by.actor.id().map(tracing::field::display),
        subject = entry.subject.map(tracing::field::display),
        client_address = by.client_address,
        request_id = by.request_id,
        count = entry.count,
        details,
        "{}", entry.action.meaning()
    );
}

impl Actor {
    /// The kind of actor.
    pub fn kind(self) -> ActorKind {
        match self {
            Self::Owner(_) => ActorKind::Owner,
            Self::Member(_) => ActorKind::Member,
            Self::Key(_) => ActorKind::Key,
            Self::Administrator(_) => ActorKind::Administrator,
            Self::CommandLine => ActorKind::CommandLine,
            Self::System => ActorKind::System,
            Self::Anonymous => ActorKind::Anonymous,
        }
    }

    /// The account, the person or the key, where the kind has one.
    pub fn id(self) -> Option<Uuid> {
        match self {
            Self::Owner(merchant) | Self::Administrator(merchant) => Some(merchant.0),
            Self::Member(person) => Some(person.0),
            Self::Key(key) => Some(key.0),
            Self::CommandLine | Self::System | Self::Anonymous => None,
        }
    }
}

impl StoredEntry {
    /// The entry as members of the account see it: neither which administrator acted, or had
    /// decided before, nor from where.
    #[must_use]
    pub fn seen_by_members(mut self) -> Self {
        self.details.remove(APPROVED_BY);
        if self.actor_kind != ActorKind::Administrator {
            return self;
        }
        Self { actor_id: None, client_address: None, request_id: None, ..self }
    }
}

impl ActorContext {
    /// The sender of a request.
    pub fn request(actor: Actor, context: &RequestContext) -> Self {
        let client_address = Some(context.client_ip.to_string());
        Self { actor, client_address, request_id: Some(context.request_id.clone()) }
    }

    /// A command on the server.
    pub fn command_line() -> Self {
        Self { actor: Actor::CommandLine, client_address: None, request_id: None }
    }

    /// The server itself.
    pub fn system() -> Self {
        Self { actor: Actor::System, client_address: None, request_id: None }
    }
}

impl Entry {
    /// Starts an entry about an account.
    pub fn new(action: Action, merchant: MerchantId) -> Self {
        Self::about(action, Some(merchant))
    }

    /// The same where the account may be unknown.
    pub fn about(action: Action, merchant: Option<MerchantId>) -> Self {
        Self { action, merchant, mode: None, subject: None, count: 1, details: Map::new() }
    }

    /// Sets the mode of the object.
    #[must_use]
    pub fn in_mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the object of the action.
    #[must_use]
    pub fn on(mut self, subject: Uuid) -> Self {
        self.subject = Some(subject);
        self
    }

    /// Sets how many equal actions this entry stands for.
    #[must_use]
    pub fn times(mut self, count: i64) -> Self {
        self.count = count;
        self
    }

    /// Adds a detail: no secret, and nothing personal.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }
}
