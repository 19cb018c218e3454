//! The routes for money that leaves an account: withdrawals, advances, and rewards that are moved.

use crate::openapi::api::Api;
use crate::routes::EXPORTS;
use crate::routes::accounts::{ELEVATED_IF_ENROLLED, OF_WITHDRAWERS, WITHDRAWAL_ASKED};
use crate::{advances, referrals, withdrawals};

/// Adds them.
pub fn payouts(api: Api) -> Api {
    rewards(advanced(keys(withdrawn(api))))
}

fn withdrawn(api: Api) -> Api {
    use withdrawals::{
        admin_api as admin, api as withdraws, export_api as files, risk_api as risk,
    };
    api.tag("Withdrawals")
        .operation("createWithdrawal", "Create a withdrawal")
        .post("/api/withdraws", withdraws::create)
        .note(WITHDRAWAL_ASKED)
        .operation("listWithdrawals", "List withdrawals")
        .get("/api/withdraws", withdraws::list)
        .operation("exportWithdrawals", "Export withdrawals")
        .get("/api/withdraws/export", files::show)
        .note(EXPORTS)
        .operation("getWithdrawal", "Get a withdrawal")
        .get("/api/withdraws/{id}", withdraws::show)
        .operation("quoteWithdrawal", "Quote a withdrawal")
        .post("/api/withdraws/quote", withdraws::quote)
        .operation("cancelWithdrawal", "Cancel a withdrawal")
        .post("/api/withdraws/{id}/cancel", withdraws::cancel)
        .operation("processWithdrawal", "Approve or reject a withdrawal")
        .post("/api/withdraws/{id}/process", admin::process)
        .note(ELEVATED_IF_ENROLLED)
        .operation("listAllWithdrawals", "List withdrawals of all accounts")
        .get("/api/admin/withdraws", admin::list)
        .operation("listWaitingWithdrawals", "List withdrawals that await a decision")
        .get("/api/admin/withdraws/waiting", risk::list)
        .note(risk::WHO_WAITS)
        .operation("getWithdrawalRisk", "Get what is known of a withdrawal's account")
        .get("/api/admin/withdraws/{id}/risk", risk::show)
        .note(risk::WHAT_IT_SHOWS)
        .operation("resolveWithdrawal", "Resolve a contradicted withdrawal")
        .post("/api/admin/withdraws/{id}/resolve", admin::resolve)
        .note(
            "Ends a pending withdrawal that its bank reported under the payment of another \
             order, by the bank's statement; others are 409.",
        )
}

fn keys(api: Api) -> Api {
    use withdrawals::payout_keys::api as keys;
    api.tag("Payout keys")
        .operation("createPayoutKey", "Add a payout key")
        .post("/api/payout-keys", keys::create)
        .note(OF_WITHDRAWERS)
        .operation("listPayoutKeys", "List payout keys")
        .get("/api/payout-keys", keys::list)
        .operation("deletePayoutKey", "Delete a payout key")
        .delete("/api/payout-keys/{id}", keys::delete)
        .note(OF_WITHDRAWERS)
}

fn advanced(api: Api) -> Api {
    use advances::{admin_api as decisions, api as requests};
    api.tag("Advances")
        .operation("quoteAdvance", "Quote an advance")
        .post("/api/advances/simulate", requests::simulate)
        .operation("getAdvanceLimit", "Get the advance limit")
        .get("/api/advances/available", requests::available)
        .operation("createAdvance", "Create an advance")
        .post("/api/advances", requests::create)
        .operation("listAdvances", "List advances")
        .get("/api/advances", requests::list)
        .operation("getAdvance", "Get an advance")
        .get("/api/advances/{id}", requests::show)
        .operation("cancelAdvance", "Cancel an advance")
        .post("/api/advances/{id}/cancel", requests::cancel)
        .operation("approveAdvance", "Approve an advance")
        .post("/api/advances/{id}/approve", decisions::approve)
        .note(ELEVATED_IF_ENROLLED)
        .operation("rejectAdvance", "Reject an advance")
        .post("/api/advances/{id}/reject", decisions::reject)
        .note(ELEVATED_IF_ENROLLED)
        .operation("listAllAdvances", "List advances of all accounts")
        .get("/api/admin/advances", decisions::list)
        .operation("listWaitingAdvances", "List advances that await a decision")
        .get("/api/admin/advances/waiting", decisions::list_waiting)
        .note("Oldest first. `total` counts at most 1,001.")
        .operation("getAnyAdvance", "Get an advance of any account")
        .get("/api/admin/advances/{id}", decisions::show)
}

fn rewards(api: Api) -> Api {
    api.tag("Referrals")
        .operation("getReferralCode", "Get the referral code")
        .get("/api/referral/code", referrals::api::code)
        .operation("listReferrals", "List referrals")
        .get("/api/referral/history", referrals::api::history)
        .operation("getReferralStats", "Get referral statistics")
        .get("/api/referral/stats", referrals::api::stats)
        .operation("listReferralRewards", "List referral rewards")
        .get("/api/referral/rewards", referrals::api::rewards)
        .operation("listReferralWithdrawals", "List referral rewards moved to the balance")
        .get("/api/referral/withdrawals", referrals::api::withdrawals)
        .operation("withdrawReferralRewards", "Withdraw referral rewards to the balance")
        .post("/api/referral/withdraw", referrals::api::withdraw)
}
