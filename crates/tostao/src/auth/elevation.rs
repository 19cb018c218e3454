//! Elevation: what a session may do for ten minutes after its person proved who they are, and what
//! it may not do without a second step.
//!
//! A session begins elevated, because a sign-in takes the password and the second step. Later its
//! person gives a code of their second step or, without one, their password again. So a stolen
//! token, or a browser that was left open, can do less than its person.
//!
//! [`Elevation::permit`] is the one place that says what asks for which proof, on pages as in the
//! API. API keys are no people and are asked for nothing.

use std::time::Duration;

use crate::platform::error::{Error, ErrorCode, Permit, Result};
use crate::platform::ids::Mode;
use crate::platform::permissions::{Permission, Permissions};

/// For how long such a proof counts.
pub const ELEVATED_FOR: Duration = Duration::from_mins(10);

/// Whether the person of a session has proved lately who they are, and how they could.
#[derive(Debug, Clone, Copy)]
pub struct Elevation {
    pub is_recent: bool,
    pub has_second_step: bool,
    pub held_by: SessionHolder,
}

/// What holds a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionHolder {
    /// A browser, in which people work.
    Browser,
    /// A program, with access tokens.
    Program,
}

/// Which PIX keys a caller withdraws real money to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payees {
    Any,
    /// Those that the account has saved, a day after they were added.
    PayoutKeys,
}

/// Who names the PIX key that money goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// A person, of whose key the owner gets a mail.
    Person,
    ApiKey,
}

/// Whether somebody may name the PIX key that money goes back to, and who it is.
#[derive(Debug, Clone, Copy)]
pub struct PayeePermit {
    pub permit: Permit,
    pub named_by: NamedBy,
}

/// What a person does that asks for a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matter {
    /// Their own sign-in, their own place in an account, and what their account is called.
    Own,
    /// Who else works in an account, and as what.
    Team,
    /// Money that leaves at their wish.
    Withdrawal(Mode),
    /// A key that is made or gets another secret.
    Key(Mode),
    /// Other money that leaves, and where it is reported.
    Money(Mode),
    /// What administrators decide about the accounts of others.
    Administration,
}

impl Elevation {
    /// Whether the person may do something.
    ///
    /// The API's contract lets an access token do what its person may, and programs use tokens that
    /// they cannot elevate. So a person without a second step is asked for one in browsers alone.
    pub fn permit(self, matter: Matter) -> Permit {
        if matter.mode().is_some_and(Mode::is_development) {
            // There is no real money.
            return Ok(());
        }
        let is_of_everybody = matches!(matter, Matter::Own | Matter::Team);
        match (self.has_second_step, self.held_by) {
            (false, SessionHolder::Program) if !is_of_everybody => Ok(()),
            (false, SessionHolder::Browser) if matter.needs_second_step() => {
                Err(second_step_missing)
            }
            _ if self.is_recent => Ok(()),
            _ => Err(required),
        }
    }

    /// Whether the person may name the PIX key that money goes back to: whose role does not
    /// withdraw sends money to its payer alone.
    pub fn permit_payee(self, mode: Mode, permissions: &Permissions) -> PayeePermit {
        let permit: Permit = if permissions.contains(Permission::WithdrawalsWrite) {
            self.permit(Matter::Withdrawal(mode))
        } else {
            Err(may_not_withdraw)
        };
        PayeePermit { permit, named_by: NamedBy::Person }
    }

    /// Which PIX keys the person withdraws to: in a browser, and with a second step everywhere, a
    /// stolen session must not be enough to empty the account.
    pub fn payees(self) -> Payees {
        match (self.has_second_step, self.held_by) {
            (false, SessionHolder::Program) => Payees::Any,
            _ => Payees::PayoutKeys,
        }
    }

    /// Whether the person may look at something of such a kind, which takes no recent proof.
    pub fn permit_to_look(self, matter: Matter) -> Permit {
        Self { is_recent: true, ..self }.permit(matter)
    }
}

impl Matter {
    /// The mode, of what is done in one.
    fn mode(self) -> Option<Mode> {
        match self {
            Self::Withdrawal(mode) | Self::Key(mode) | Self::Money(mode) => Some(mode),
            Self::Own | Self::Team | Self::Administration => None,
        }
    }

    /// Whether a person without a second step may not do it in a browser, in production.
    fn needs_second_step(self) -> bool {
        match self {
            Self::Team | Self::Withdrawal(_) | Self::Key(_) | Self::Administration => true,
            Self::Own | Self::Money(_) => false,
        }
    }
}

/// Refuses without a permit, where no earlier response could be sent again.
pub fn expect(permit: Permit) -> Result<()> {
    permit.map_err(|refusal| refusal())
}

fn required() -> Error {
    let minutes = ELEVATED_FOR.as_secs() / 60;
    let message = format!(
        "This needs a code of your second step or, without one, your password from the last \
         {minutes} minutes. Send it to POST /api/auth/elevate, and then this request again."
    );
    Error::refused(ErrorCode::ElevationRequired, message)
}

fn second_step_missing() -> Error {
    let message = "This needs a second step of your sign-in. Turn it on with POST /api/two-factor \
                   or at /account/security, and then do this again.";
    Error::refused(ErrorCode::TwoFactorMissing, message)
}

fn may_not_withdraw() -> Error {
    Error::RoleForbidden(Permission::WithdrawalsWrite.name())
}

#[cfg(test)]
mod tests {
    use super::{Elevation, Matter, SessionHolder};
    use crate::platform::error::ErrorCode;
    use crate::platform::ids::Mode;

    const ALL: [(Matter, bool); 6] = [
        (Matter::Own, false),
        (Matter::Team, true),
        (Matter::Withdrawal(Mode::Production), true),
        (Matter::Key(Mode::Production), true),
        (Matter::Money(Mode::Production), false),
        (Matter::Administration, true),
    ];

    fn refusal(elevation: Elevation, matter: Matter) -> Option<ErrorCode> {
        elevation.permit(matter).err().map(|refusal| refusal().code())
    }

    #[test]
    fn in_development_nothing_is_asked_for() {
        for held_by in [SessionHolder::Browser, SessionHolder::Program] {
            for has_second_step in [false, true] {
                let elevation = Elevation { is_recent: false, has_second_step, held_by };
                for matter in [Matter::Withdrawal, Matter::Key, Matter::Money] {
                    assert!(elevation.permit(matter(Mode::Development)).is_ok());
                }
            }
        }
    }

    #[test]
    fn a_browser_is_asked_for_what_its_person_has_or_has_to_have() {
        for (matter, needs) in ALL {
            let held_by = SessionHolder::Browser;
            let without = Elevation { is_recent: true, has_second_step: false, held_by };
            let missing = needs.then_some(ErrorCode::TwoFactorMissing);
            assert_eq!(refusal(without, matter), missing, "{matter:?}");
            let with = Elevation { has_second_step: true, ..without };
            assert_eq!(refusal(with, matter), None, "{matter:?}");
            let late = Elevation { is_recent: false, ..with };
            assert_eq!(refusal(late, matter), Some(ErrorCode::ElevationRequired), "{matter:?}");
        }
    }

    #[test]
    fn a_token_of_a_person_without_a_second_step_does_what_it_did() {
        for (matter, _) in ALL {
            let held_by = SessionHolder::Program;
            let without = Elevation { is_recent: false, has_second_step: false, held_by };
            let asked = matches!(matter, Matter::Own | Matter::Team);
            let required = asked.then_some(ErrorCode::ElevationRequired);
            assert_eq!(refusal(without, matter), required, "{matter:?}");
        }
    }
}
