//! The work that falls due, in words.

use crate::development::DueWork;
use crate::platform::messages::Lang;

/// How many pieces of work of a kind are done, and their sum where they have one.
pub fn due(work: &DueWork, lang: Lang) -> String {
    let name = match work.kind.as_str() {
        "expire_transaction" | "ask_and_expire_transaction" => lang.clock_expires(),
        "wake_subscription" => lang.clock_charges(),
        "settle_receivable" => lang.clock_settles(),
        "release_commission" | "release_waiting_commissions" => lang.clock_commissions(),
        "deliver_webhook" => lang.clock_deliveries(),
        "expire_payment_link" => lang.clock_links(),
        "expire_coupon" => lang.clock_coupons(),
        "tell_of_cart" | "recover_cart" | "erase_cart" => lang.clock_carts(),
        "expire_referral" | "release_reward" => lang.clock_referrals(),
        "send_payout" | "send_refund" | "send_return" => lang.clock_payouts(),
        other => {
            let other = lang.work(other).unwrap_or(other);
            return format!("{}: {}", lang.clock_other(other), work.count);
        }
    };
    match work.amount_cents {
        Some(sum) => format!("{name}: {} ({})", work.count, lang.money(sum.get())),
        None => format!("{name}: {}", work.count),
    }
}
