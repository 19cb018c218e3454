//! The routes for the people of an account: signing in, the second step, and the team.

use crate::first_steps::admin_api as first_steps;
use crate::merchants::look::api as look;
use crate::openapi::api::Api;
use crate::people::elevation_api as elevation;
use crate::people::email_changes::api as email;
use crate::people::invitations::api as invitations;
use crate::people::resets::api as resets;
use crate::people::saved_views::api as saved_views;
use crate::people::second_step::api as second_step;
use crate::people::{
    account_api as profile, api as people, members_api as members, sessions_api as sessions,
};
use crate::server_health::admin_api as health;
use crate::{account_closure, credentials, mail, registration, search};

/// What a route asks of a session beside the role of its person.
const ELEVATED: &str = "The session needs a code of the person's second step, or without one their \
    password, from the last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// The same of a second step that begins.
const TWO_FACTOR_BEGINS: &str = "Takes the person's password, and a session with a proof from the \
    last ten minutes: a sign-in, or `POST /api/auth/elevate`. The secret waits for its first code \
    in the session that asked for it.";

/// What becomes of a new address.
const EMAIL_CHANGES: &str = "A link at the new address confirms it: at once for a person whose \
    second step has been on for 24 hours and who sends `code`, and 24 hours later for others. A \
    link at the old address stops it and ends all the person's sessions. Another password, a \
    second step that is turned on and the end of the session that asked end the change, too.";

/// The same of its first code.
const TWO_FACTOR_CONFIRMED: &str = "The session is the one that began the second step, and needs \
    the person's password from the last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// The same of people with a second step alone.
pub const ELEVATED_IF_ENROLLED: &str = "The session of a person with a second step needs a code \
    from the last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// The same of them in production alone.
pub const ELEVATED_IN_PRODUCTION: &str = "In production, the session of a person with a second \
    step needs a code from the last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// The same of people whose role lets them withdraw.
pub const OF_WITHDRAWERS: &str = "The person's role has to include `withdrawals:write`. In \
    production, the session of a person with a second step needs a code from the last ten minutes: \
    a sign-in, or `POST /api/auth/elevate`.";

/// The same of a request that names a PIX key.
pub const ELEVATED_WITH_KEY: &str = "With `refundPixKey` a person also needs a role that may \
    withdraw, and in production the session of a person with a second step needs a code from the \
    last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// The same of a withdrawal.
pub const WITHDRAWAL_ASKED: &str = "In production, the session of a person with a second step \
    needs a code from the last ten minutes: a sign-in, or `POST /api/auth/elevate`. There an API \
    key that was made or rotated after the account's first 24 hours withdraws 24 hours later.";

/// The same of a request that names the address of a webhook.
pub const ELEVATED_WITH_URL: &str = "With `url`, in production, the session of a person with a \
    second step needs a code from the last ten minutes: a sign-in, or `POST /api/auth/elevate`.";

/// Adds them.
pub fn accounts(api: Api) -> Api {
    views(team(two_factor(mails(administered(addresses(sign_in(api)))))))
}

fn sign_in(api: Api) -> Api {
    api.tag("Accounts")
        .operation("createAccount", "Create an account")
        .post("/api/auth/register", registration::api::register)
        .operation("createFirstAccount", "Create the first account")
        .post("/api/auth/setup", registration::setup::api::create)
        .operation("createSession", "Log in")
        .post("/api/auth/login", people::login)
        .operation("refreshSession", "Refresh a session")
        .post("/api/auth/refresh", people::refresh)
        .operation("endSession", "Log out")
        .post("/api/auth/logout", people::logout)
        .operation("getAccount", "Get the account")
        .get("/api/auth/me", people::me)
        .operation("updateProfile", "Change one's name")
        .patch("/api/auth/me", profile::update_profile)
        .operation("updateAccount", "Change the account")
        .patch("/api/auth/account", profile::update_account)
        .note(ELEVATED)
        .operation("updateLogo", "Set the logo of the account")
        .put("/api/auth/account/logo", look::set)
        .note(ELEVATED)
        .operation("deleteLogo", "Remove the logo of the account")
        .delete("/api/auth/account/logo", look::remove)
        .note(ELEVATED)
        .operation("getCaller", "Get what a credential stands for")
        .get("/api/whoami", credentials::whoami_api::show)
        .operation("searchObjects", "Search everything that the caller may read")
        .get("/api/search", search::api::search)
        .operation("changePassword", "Change the password")
        .post("/api/auth/password", sessions::change_password)
        .operation("createPasswordReset", "Ask for a new password")
        .post("/api/auth/password-resets", resets::create)
        .operation("resetPassword", "Set a new password by a link")
        .post("/api/auth/password-resets/confirm", resets::confirm)
}

/// The addresses of people, their accounts and their sessions.
fn addresses(api: Api) -> Api {
    api.operation("getEmail", "Get one's address")
        .get("/api/auth/email", email::show)
        .operation("changeEmail", "Ask for another address")
        .post("/api/auth/email", email::change)
        .note(EMAIL_CHANGES)
        .operation("cancelEmailChange", "Cancel the change of one's address")
        .delete("/api/auth/email", email::cancel)
        .operation("confirmEmailChange", "Confirm a new address by a link")
        .post("/api/auth/email/confirm", email::confirm)
        .operation("rejectEmailChange", "Stop the change of an address by a link")
        .post("/api/auth/email/stop", email::stop)
        .operation("getAccountClosing", "Get what closing the account means")
        .get("/api/auth/account/close", account_closure::api::show)
        .operation("closeAccount", "Close the account")
        .post("/api/auth/account/close", account_closure::api::close)
        .operation("listAccounts", "List the person's accounts")
        .get("/api/auth/accounts", people::list)
        .operation("listSessions", "List sessions")
        .get("/api/auth/sessions", sessions::list)
        .operation("revokeOtherSessions", "Revoke all other sessions")
        .delete("/api/auth/sessions", sessions::end_others)
        .operation("revokeSession", "Revoke a session")
        .delete("/api/auth/sessions/{id}", sessions::end)
}

fn administered(api: Api) -> Api {
    api.operation("updateMerchantVerification", "Update a merchant's verification")
        .post("/api/admin/merchants/{id}/verify", registration::admin_api::verify_merchant)
        .note(ELEVATED_IF_ENROLLED)
        .operation("getFirstSteps", "Get how far accounts come")
        .get("/api/admin/first-steps", first_steps::show)
        .note(first_steps::WHO_COUNTS)
        .operation("listFirstSteps", "List accounts and their first steps")
        .get("/api/admin/first-steps/accounts", first_steps::list)
        .note(first_steps::WHO_COUNTS)
        .operation("getServerHealth", "Get what the server knows of itself")
        .get("/api/admin/health", health::show)
        .note(health::WHAT_IT_SHOWS)
}

fn mails(api: Api) -> Api {
    use mail::admin_api as unsent;
    api.operation("listUnsentMails", "List mails that wait or have failed")
        .get("/api/admin/mails", unsent::list)
        .note(unsent::WHAT_IT_SHOWS)
        .operation("getUnsentMail", "Get a mail that waits or has failed")
        .get("/api/admin/mails/{id}", unsent::show)
        .operation("retryMail", "Offer a waiting mail to the mail server now")
        .post("/api/admin/mails/{id}/retry", unsent::retry)
        .note(ELEVATED_IF_ENROLLED)
        .operation("listMails", "List mails")
        .get("/api/mails", mail::api::list)
        .operation("getMail", "Get a mail")
        .get("/api/mails/{id}", mail::api::show)
        .operation("getMailPreferences", "Get which mails are written")
        .get("/api/mail-preferences", mail::preferences::api::show)
        .operation("updateMailPreferences", "Switch optional mails on or off")
        .patch("/api/mail-preferences", mail::preferences::api::update)
}

fn two_factor(api: Api) -> Api {
    api.tag("Two-factor authentication")
        .operation("createTwoFactor", "Begin a second step")
        .post("/api/two-factor", second_step::begin)
        .note(TWO_FACTOR_BEGINS)
        .operation("confirmTwoFactor", "Turn the second step on with a first code")
        .post("/api/two-factor/confirm", second_step::confirm)
        .note(TWO_FACTOR_CONFIRMED)
        .operation("getTwoFactor", "Get the second step")
        .get("/api/two-factor", second_step::show)
        .operation("createBackupCodes", "Replace the backup codes")
        .post("/api/two-factor/backup-codes", second_step::renew_backup_codes)
        .note("Takes a code of the authenticator app; a backup code is not enough.")
        .operation("deleteTwoFactor", "Remove the second step")
        .delete("/api/two-factor", second_step::remove)
        .operation("elevateSession", "Give the password or a code again")
        .post("/api/auth/elevate", elevation::elevate)
}

fn team(api: Api) -> Api {
    api.tag("Team")
        .operation("listMembers", "List members")
        .get("/api/members", members::list)
        .operation("updateMember", "Update a member's role")
        .patch("/api/members/{id}", members::update)
        .note(ELEVATED)
        .operation("deleteMember", "Remove a member")
        .delete("/api/members/{id}", members::remove)
        .note(ELEVATED)
        .operation("createInvitation", "Invite a person")
        .post("/api/invitations", invitations::create)
        .note(ELEVATED)
        .operation("listInvitations", "List open invitations")
        .get("/api/invitations", invitations::list)
        .operation("revokeInvitation", "Revoke an invitation")
        .delete("/api/invitations/{id}", invitations::revoke)
        .note(ELEVATED)
        .operation("acceptInvitation", "Accept an invitation")
        .post("/api/invitations/accept", invitations::accept)
}

fn views(api: Api) -> Api {
    api.tag("Saved views")
        .operation("createSavedView", "Save a view of a list")
        .post("/api/saved-views", saved_views::create)
        .operation("listSavedViews", "List saved views")
        .get("/api/saved-views", saved_views::list)
        .operation("deleteSavedView", "Delete a saved view")
        .delete("/api/saved-views/{id}", saved_views::delete)
}
