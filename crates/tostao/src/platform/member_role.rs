//! What each role in an account includes.

use db::text_enum;

use crate::platform::ids::Mode;
use crate::platform::masked::Documents;
use crate::platform::permissions::{Permission, Permissions, PersonalPermission};

text_enum! {
    /// What a person does in an account.
    pub enum MemberRole as "MemberRole" {
        Owner = "OWNER",
        Manager = "MANAGER",
        Finance = "FINANCE",
        Support = "SUPPORT",
        Developer = "DEVELOPER",
        Viewer = "VIEWER",
    }
}

/// What everybody in an account may read.
const READS: &[Permission] = &[
    Permission::PaymentLinksRead,
    Permission::TransactionsRead,
    Permission::ProductsRead,
    Permission::CouponsRead,
    Permission::WebhooksRead,
    Permission::WithdrawalsRead,
    Permission::AffiliatesRead,
    Permission::SubscriptionsRead,
    Permission::AdvancesRead,
    Permission::ReferralsRead,
];

/// Money that comes, goes back and leaves, and the buyers it concerns.
const FINANCE: &[Permission] = &[
    Permission::TransactionsWrite,
    Permission::CustomersRead,
    Permission::WithdrawalsWrite,
    Permission::AdvancesWrite,
    Permission::ReferralsWrite,
];

/// Buyers, their payments and their subscriptions.
const SUPPORT: &[Permission] = &[
    Permission::TransactionsWrite,
    Permission::CustomersRead,
    Permission::CustomersWrite,
    Permission::SubscriptionsWrite,
];

/// What an integration is watched and repaired with.
const DEVELOPER: &[Permission] = &[Permission::WebhooksWrite, Permission::RequestsRead];

impl MemberRole {
    /// What the role may do, as a key with the same permissions could.
    ///
    /// In development, where no money is real, developers do everything.
    pub fn permissions(self, mode: Mode) -> Permissions {
        let own = match (self, mode) {
            (Self::Owner | Self::Manager, _) | (Self::Developer, Mode::Development) => {
                return Permissions::All;
            }
            (Self::Finance, _) => FINANCE,
            (Self::Support, _) => SUPPORT,
            (Self::Developer, Mode::Production) => DEVELOPER,
            (Self::Viewer, _) => &[],
        };
        Permissions::Of([READS, own].concat())
    }

    /// Whether the role may do what no key may.
    pub fn may(self, what: PersonalPermission) -> bool {
        match what {
            PersonalPermission::AccountWrite => self == Self::Owner,
            PersonalPermission::TeamWrite => matches!(self, Self::Owner | Self::Manager),
            PersonalPermission::AuditRead => {
                matches!(self, Self::Owner | Self::Manager | Self::Finance)
            }
            PersonalPermission::CredentialsRead | PersonalPermission::CredentialsWrite => {
                matches!(self, Self::Owner | Self::Manager | Self::Developer)
            }
            PersonalPermission::MailsRead => {
                matches!(self, Self::Owner | Self::Manager | Self::Finance | Self::Developer)
            }
            PersonalPermission::DocumentsRead => !matches!(self, Self::Support | Self::Viewer),
            PersonalPermission::TeamRead => true,
        }
    }

    /// How the role sees the documents of buyers.
    pub fn documents(self) -> Documents {
        let is_whole = self.may(PersonalPermission::DocumentsRead);
        if is_whole { Documents::Whole } else { Documents::Masked }
    }

    /// Whether somebody with this role may give the other one, or take it away.
    ///
    /// Only an owner decides who owns an account.
    pub fn may_give(self, other: Self) -> bool {
        match other {
            Self::Owner => self == Self::Owner,
            _ => self.may(PersonalPermission::TeamWrite),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemberRole;
    use crate::platform::ids::Mode;
    use crate::platform::permissions::Permission;

    const MODES: [Mode; 2] = [Mode::Development, Mode::Production];

    #[test]
    fn a_viewer_changes_nothing_and_sees_no_buyer() {
        for mode in MODES {
            let permissions = MemberRole::Viewer.permissions(mode);
            let held = Permission::ALL.iter().filter(|one| permissions.contains(**one));
            let names: Vec<_> = held.map(|one| one.name()).collect();
            assert!(names.iter().all(|name| name.ends_with(":read")), "{names:?}");
            assert!(!names.contains(&"customers:read"), "{names:?}");
        }
    }

    #[test]
    fn only_an_owner_gives_and_takes_away_ownership() {
        for role in MemberRole::ALL {
            assert_eq!(role.may_give(MemberRole::Owner), *role == MemberRole::Owner, "{role:?}");
            let may = matches!(role, MemberRole::Owner | MemberRole::Manager);
            assert_eq!(role.may_give(MemberRole::Viewer), may, "{role:?}");
        }
    }

    #[test]
    fn a_developer_may_do_everything_with_simulated_money_and_move_no_real_money() {
        let held = |mode, one| MemberRole::Developer.permissions(mode).contains(one);
        assert!(Permission::ALL.iter().all(|one| held(Mode::Development, *one)));
        for moves in [Permission::WithdrawalsWrite, Permission::TransactionsWrite] {
            assert!(!held(Mode::Production, moves), "{moves}");
        }
    }
}
