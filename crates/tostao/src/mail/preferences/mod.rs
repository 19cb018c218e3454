//! Which mails a person wants about an account.
//!
//! What a mail warns of decides whether it can be switched off, and by default every mail is on
//! that says something needs the person. The unit that writes a mail asks for the choice, so one
//! that is made while a mail is written applies to that mail or to the next one, and to no half.
//!
//! Mails about an account go to the person who opened it, so only they choose.

use db::text_enum;
use db::tx::Tx;

use crate::audit::{self, Action, ActorContext, Entry};
use crate::mail::Kind;
use crate::merchants::{self, PaymentMails};
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::{MerchantId, PersonId};

pub mod api;
mod store;

text_enum! {
    /// Why a mail is always written.
    pub enum Reason as "MailReason" {
        /// It is how a person notices that somebody else uses their sign-in.
        SignIn = "sign_in",
        /// Somebody asked for it, and it has what they need to go on.
        AskedFor = "asked_for",
        /// Money did not go where it was sent.
        Money = "money",
        /// Nothing works any more until the person acts.
        Stopped = "stopped",
    }
}

text_enum! {
    /// Who gets a mail.
    pub enum Recipient as "MailRecipient" {
        /// The person whom it is about.
        Person = "person",
        /// The person who opened the account.
        Owner = "owner",
        /// The person who is invited.
        Invited = "invited",
        /// The address that a person says is theirs.
        NewAddress = "new_address",
        /// The buyer of a payment.
        Buyer = "buyer",
    }
}

/// Whether a person can switch a kind of mail off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Always(Reason),
    /// On or off, as long as the person has not chosen.
    Optional(Switch),
}

/// Whether mails of a kind are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// A kind of mail, and whether it is written to a person about an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preference {
    pub kind: Kind,
    pub choice: Choice,
    pub switch: Switch,
}

impl Kind {
    /// Whether it can be switched off. A new kind does not compile without an answer.
    pub const fn choice(self) -> Choice {
        match self {
            Self::PasswordChanged
            | Self::NewDevice
            | Self::TwoFactorEnabled
            | Self::TwoFactorDisabled
            | Self::BackupCodesReplaced
            | Self::TwoFactorRefused
            | Self::EmailChangeAsked
            | Self::EmailChanged => Choice::Always(Reason::SignIn),
            Self::PasswordReset | Self::Invitation | Self::EmailChange | Self::Receipt => {
                Choice::Always(Reason::AskedFor)
            }
            Self::WithdrawalFailed
            | Self::PayoutKeyAdded
            | Self::PayeeNamed
            | Self::ApiKeyCreated
            | Self::ApiKeyRotated => Choice::Always(Reason::Money),
            Self::WebhookDisabled => Choice::Always(Reason::Stopped),
            Self::WithdrawalCompleted
            | Self::WebhookFailing
            | Self::WebhookRecovered
            | Self::LateMoney => Choice::Optional(Switch::On),
            Self::PaymentReceived => Choice::Optional(Switch::Off),
        }
    }

    /// Who gets it.
    pub const fn recipient(self) -> Recipient {
        match self {
            Self::PasswordReset
            | Self::PasswordChanged
            | Self::NewDevice
            | Self::TwoFactorEnabled
            | Self::TwoFactorDisabled
            | Self::BackupCodesReplaced
            | Self::TwoFactorRefused
            | Self::EmailChangeAsked
            | Self::EmailChanged => Recipient::Person,
            Self::Invitation => Recipient::Invited,
            Self::EmailChange => Recipient::NewAddress,
            Self::Receipt => Recipient::Buyer,
            Self::ApiKeyCreated
            | Self::ApiKeyRotated
            | Self::PayoutKeyAdded
            | Self::PayeeNamed
            | Self::WithdrawalCompleted
            | Self::WithdrawalFailed
            | Self::WebhookDisabled
            | Self::WebhookFailing
            | Self::WebhookRecovered
            | Self::LateMoney
            | Self::PaymentReceived => Recipient::Owner,
        }
    }
}

/// Whether a mail of a kind is written to a person about an account.
pub async fn wants(
    tx: &Tx,
    (merchant, person): (MerchantId, PersonId),
    kind: Kind,
) -> Result<bool> {
    let Choice::Optional(usual) = kind.choice() else { return Ok(true) };
    let chosen = store::find(tx, (merchant, person), kind).await?;
    Ok(chosen.unwrap_or(usual) == Switch::On)
}

/// Lists every kind, and whether it is written to a person about an account.
pub async fn all(tx: &Tx, who: (MerchantId, PersonId)) -> Result<Vec<Preference>> {
    let chosen = store::list(tx, who).await?;
    let preference = |kind: &Kind| {
        let (kind, choice) = (*kind, kind.choice());
        let own = chosen.iter().find(|(chosen, _)| *chosen == kind).map(|(_, switch)| *switch);
        let switch = match choice {
            Choice::Always(_) => Switch::On,
            Choice::Optional(usual) => own.unwrap_or(usual),
        };
        Preference { kind, choice, switch }
    };
    Ok(Kind::ALL.iter().map(preference).collect())
}

/// Switches optional kinds on or off; what a person has not named stays.
pub async fn change(
    tx: &Tx,
    by: &ActorContext,
    (merchant, person): (MerchantId, PersonId),
    changes: &[(Kind, Switch)],
) -> Result<Vec<Preference>> {
    merchants::lock(tx, merchant).await?;
    if person.0 != merchant.0 {
        let message =
            "Mails about the account go to the person who opened it, so only they choose.";
        return Err(Error::refused(ErrorCode::InvalidStateTransition, message));
    }
    let before = all(tx, (merchant, person)).await?;
    let mut names = Vec::new();
    for (kind, switch) in changes {
        let is_there = |one: &Preference| (one.kind, one.switch) == (*kind, *switch);
        if before.iter().any(is_there) {
            continue;
        }
        store::put(tx, (merchant, person), *kind, *switch).await?;
        if *kind == Kind::PaymentReceived {
            let wishes = match switch {
                Switch::On => PaymentMails::Wanted,
                Switch::Off => PaymentMails::Unwanted,
            };
            merchants::note_payment_mails(tx, merchant, wishes).await?;
        }
        let sign = if *switch == Switch::On { '+' } else { '-' };
        names.push(format!("{sign}{kind}"));
    }
    if !names.is_empty() {
        let entry = Entry::new(Action::MailPreferencesChanged, merchant).on(person.0);
        audit::record(tx, by, entry.with("changed", names.join(", "))).await?;
    }
    all(tx, (merchant, person)).await
}

/// Deletes what a person has chosen in all accounts, with the person.
pub async fn forget_person(tx: &Tx, person: PersonId) -> Result<()> {
    store::delete_of_person(tx, person).await
}

/// Deletes what people have chosen about an account that is closed.
pub async fn forget_account(tx: &Tx, merchant: MerchantId) -> Result<()> {
    store::delete_of_account(tx, merchant).await
}
