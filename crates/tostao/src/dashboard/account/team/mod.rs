//! Who works in an account: members, their roles, and invitations.

pub mod invitation_pages;
pub mod invite_pages;
pub mod removal_pages;
pub mod role_pages;
mod roles;
pub mod team_pages;
pub mod view;
