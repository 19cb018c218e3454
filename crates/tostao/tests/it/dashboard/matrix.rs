//! Which page opens to whom: every page, for every role, in both modes.

use std::fmt::Write;

use super::{Browser, join};
use crate::harness::TestApp;
use crate::harness::shop::Shop;

const ROLES: [&str; 5] = ["MANAGER", "FINANCE", "SUPPORT", "DEVELOPER", "VIEWER"];
/// After the folder of the mode.
const PAGES: [&str; 47] = [
    "",
    "/transactions",
    "/transactions/new",
    "/transactions/unmatched",
    "/figures/entries",
    "/balance",
    "/balance/advances",
    "/balance/advances/new",
    "/balance/explain/available",
    "/balance/keys",
    "/balance/keys/new",
    "/balance/receivables",
    "/balance/withdraw",
    "/balance/withdrawals",
    "/links",
    "/links/new",
    "/clients",
    "/coupons",
    "/coupons/new",
    "/subscriptions",
    "/subscriptions/metrics",
    "/subscriptions/metrics/changes",
    "/subscriptions/plans",
    "/subscriptions/plans/new",
    "/products",
    "/products/new",
    "/affiliates",
    "/affiliates/programs/new",
    "/affiliates/marketplace",
    "/affiliates/mine",
    "/affiliates/mine/commissions",
    "/referrals",
    "/referrals/rewards",
    "/referrals/withdrawals",
    "/referrals/withdraw",
    "/developers",
    "/developers/clock",
    "/developers/clock/reset",
    "/developers/events",
    "/developers/idempotency",
    "/developers/keys",
    "/developers/keys/new",
    "/developers/mail",
    "/developers/webhooks",
    "/developers/webhooks/new",
    "/developers/requests",
    "/views?list=transactions",
];
/// Those about a person and their account, which belong to no mode.
const ACCOUNT_PAGES: [&str; 18] = [
    "/account/profile",
    "/account/profile/email",
    "/account/business",
    "/account/business/edit",
    "/account/business/look",
    "/account/close",
    "/account/security",
    "/account/security/second-step",
    "/account/security/second-step/remove",
    "/account/security/backup-codes",
    "/account/security/password",
    "/account/team",
    "/account/team/invite",
    "/account/notifications",
    "/account/audit",
    "/account/audit/views",
    "/account/audit/export",
    "/account/nothing",
];
/// Those of administrators, whose pages are in a folder of their own.
const ADMIN_PAGES: [&str; 9] = [
    "",
    "/withdrawals",
    "/advances",
    "/unknown",
    "/reconciliation",
    "/connections",
    "/accounts",
    "/mail",
    "/health",
];

#[story::test]
async fn every_role_opens_what_it_may(test: &TestApp, shop: Shop) {
    let mut browsers = vec![("OWNER", Browser::signed_in(test, super::EMAIL).await)];
    for role in ROLES {
        let email = format!("{}@example.com", role.to_lowercase());
        join(test, &shop, &email, role).await;
        browsers.push((role, Browser::signed_in(test, &email).await));
    }
    let (mut table, mut paths) = (String::new(), Vec::new());
    let pages = PAGES.iter().map(|page| ("/dashboard", page));
    for (folder, page) in pages.chain(ADMIN_PAGES.iter().map(|page| ("/admin", page))) {
        for mode in ["dev", "prod"] {
            paths.push(format!("{folder}/{mode}{page}"));
        }
    }
    paths.extend(ACCOUNT_PAGES.map(str::to_owned));
    for path in paths {
        writeln!(table, "{path}").expect("is written");
        for (role, browser) in &browsers {
            let status = browser.get(&path).await.status;
            writeln!(table, "  {role} {status}").expect("is written");
        }
    }
    insta::assert_snapshot!(table);
}
