//! Why a subscription is in its state, and what comes next by itself.

use db::time::Timestamp;

use crate::dashboard::why::{Why, failure};
use crate::platform::messages::Lang;
use crate::subscriptions::lifecycle::{REQUESTED, RETRIES_EXCEEDED};
use crate::subscriptions::schedule::{self, DueAction, NextAction};
use crate::subscriptions::status::Status;
use crate::subscriptions::{Method, Subscription, dunning};
use crate::transactions::subscriber::NOT_PAID;

/// Explains the state of a subscription.
pub fn of(subscription: &Subscription, lang: Lang) -> Why {
    let action = match subscription.status {
        Status::Incomplete => lang.why_subscription_wait_for_first(),
        Status::Trialing | Status::Active if subscription.cancel_at_period_end => {
            lang.why_subscription_can_stay()
        }
        Status::Trialing | Status::Active => lang.why_wait(),
        Status::PastDue if subscription.dunning.awaits_card => lang.why_subscription_ask_for_card(),
        Status::PastDue => lang.why_subscription_retry_or_ask(),
        Status::Paused => lang.why_subscription_can_resume(),
        Status::Cancelled | Status::Expired => lang.why_subscription_again(),
    };
    Why {
        causes: vec![cause(subscription, lang)],
        next: next(subscription, lang),
        action: action.to_owned(),
    }
}

fn cause(of: &Subscription, lang: Lang) -> String {
    let at = |at: Option<Timestamp>| lang.date_time(at.unwrap_or(of.updated_at).micros());
    match of.status {
        Status::Incomplete => lang.why_subscription_incomplete().to_owned(),
        Status::Trialing => lang.why_subscription_trialing(at(of.trial_ends_at)),
        Status::Active => lang.why_subscription_active(at(of.period.map(|period| period.end))),
        Status::PastDue => late(of, lang),
        Status::Paused => lang.why_subscription_paused(at(of.paused_at)),
        Status::Cancelled => match of.cancel_reason.as_deref() {
            Some(RETRIES_EXCEEDED) => lang.why_subscription_given_up(at(of.ended_at)),
            Some(REQUESTED) | None => lang.why_subscription_cancelled(at(of.ended_at)),
            Some(reason) => lang.why_subscription_cancelled_for(at(of.ended_at), reason),
        },
        Status::Expired => lang.why_subscription_expired(at(of.ended_at)),
    }
}

/// Since when a payment is owed, and why the last attempt failed.
pub fn late(of: &Subscription, lang: Lang) -> String {
    let since = of.dunning.past_due_at.unwrap_or(of.updated_at);
    let code = of.dunning.last_failure_code.as_deref();
    let why = code.map(|code| failed(code, lang)).unwrap_or_default();
    lang.why_subscription_past_due(lang.day(since.micros()), why)
}

/// Why a payment of a subscription failed, by the code that the subscription keeps.
pub fn failed(code: &str, lang: Lang) -> String {
    if code == NOT_PAID {
        return lang.why_subscription_code_unpaid().to_owned();
    }
    failure(code, lang)
}

/// What comes next by itself, and when.
pub fn next(of: &Subscription, lang: Lang) -> String {
    if of.status.has_ended() {
        return lang.why_subscription_over().to_owned();
    }
    if of.status == Status::Incomplete {
        return first(of, lang).to_owned();
    }
    if of.charge.is_some() {
        let text = match of.method {
            Method::Pix => lang.why_subscription_awaits_code(),
            Method::CreditCard => lang.why_subscription_awaits_card(),
        };
        return text.to_owned();
    }
    match schedule::next(of) {
        None => lang.why_subscription_stays_paused().to_owned(),
        // That is a notice; what follows it is the next thing to happen to the subscriber.
        Some(NextAction { what: DueAction::AnnounceTrialEnd, .. }) => {
            planned(of, schedule::at_period_end(of), lang)
        }
        Some(due) => planned(of, due, lang),
    }
}

fn first(of: &Subscription, lang: Lang) -> &'static str {
    match of.method {
        Method::Pix => lang.why_subscription_first_code(),
        Method::CreditCard => lang.why_subscription_first_card(),
    }
}

fn planned(of: &Subscription, NextAction { at, what }: NextAction, lang: Lang) -> String {
    let (at, price) = (lang.date_time(at.micros()), lang.money(of.price.get()));
    match what {
        DueAction::AnnounceTrialEnd => lang.why_subscription_trialing(at),
        DueAction::Cancel => lang.why_subscription_ends(at),
        DueAction::GiveUp => lang.why_subscription_gives_up(at),
        DueAction::Resume => lang.why_subscription_resumes(at),
        DueAction::ChangePlan => lang.why_subscription_changes_plan(at),
        DueAction::Charge if of.status == Status::PastDue => {
            let most = dunning::retries_max(of.retry_policy);
            let number = (of.dunning.retries_done + 1).min(most);
            lang.why_subscription_retries(at, number, most)
        }
        DueAction::Charge => match &of.card {
            Some(card) => lang.why_subscription_charges(at, price, &card.details.last4),
            None => lang.why_subscription_issues(at, price),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use db::time::Timestamp;
    use ledger::cents::Cents;
    use uuid::Uuid;

    use super::of;
    use crate::clients::CustomerDetails;
    use crate::platform::ids::{ClientId, PlanId, SubscriptionId};
    use crate::platform::messages::Lang;
    use crate::subscriptions::plans::Interval;
    use crate::subscriptions::status::Status;
    use crate::subscriptions::{Dunning, Method, Period, Subscription};

    const NOW: Timestamp = Timestamp::from_micros(1_795_262_400_000_000);

    fn subscription(status: Status) -> Subscription {
        let when = |is: bool| is.then_some(NOW);
        Subscription {
            id: SubscriptionId(Uuid::nil()),
            version: 1,
            plan: PlanId(Uuid::nil()),
            plan_name: "Clube".to_owned(),
            price: Cents::new(4_990),
            interval: Interval::Monthly,
            retry_policy: None,
            client: ClientId(Uuid::nil()),
            customer: CustomerDetails {
                name: "Fulano de Tal".to_owned(),
                email: "fulano@example.com".to_owned(),
                document: None,
                phone: None,
            },
            status,
            method: Method::Pix,
            card: None,
            trial_ends_at: when(status == Status::Trialing),
            trial_end_announced: false,
            anchor_at: NOW,
            anchor_day: 1,
            next_cycle: 1,
            period: Some(Period { start: NOW, end: NOW }),
            next_billing_at: NOW,
            charge: None,
            paid_once: true,
            cancel_at_period_end: false,
            cancelled_at: when(status == Status::Cancelled),
            ended_at: when(status.has_ended()),
            cancel_reason: None,
            cancel_comment: None,
            paused_at: when(status == Status::Paused),
            resumes_at: None,
            dunning: Dunning {
                past_due_at: when(status == Status::PastDue),
                next_retry_at: when(status == Status::PastDue),
                retries_done: i64::from(status == Status::PastDue),
                last_failure_code: Some("insufficient_funds".to_owned()),
                ..Dunning::default()
            },
            affiliate_code: None,
            coupon_code: None,
            next_plan: None,
            created_at: NOW,
            updated_at: NOW,
        }
    }

    #[test]
    fn every_state_has_its_own_sentence_in_both_languages() {
        let mut causes = BTreeSet::new();
        for status in Status::ALL {
            for lang in [Lang::PtBr, Lang::En] {
                let why = of(&subscription(*status), lang);
                assert!(!why.next.is_empty() && !why.action.is_empty(), "{status}");
                causes.insert(why.causes.join(" "));
            }
        }
        assert_eq!(causes.len(), 2 * Status::ALL.len());
    }

    #[test]
    fn a_late_one_says_why_when_it_is_tried_again_and_how_often() {
        let why = of(&subscription(Status::PastDue), Lang::PtBr);
        assert!(why.causes[0].contains("o limite ou o saldo do cartão não basta"), "{why:?}");
        assert!(why.next.contains("(2 de 4)"), "{why:?}");
        let mut hard = subscription(Status::PastDue);
        hard.dunning.awaits_card = true;
        let why = of(&hard, Lang::PtBr);
        assert!(why.next.contains("Espera outro cartão") && why.action.contains("outro cartão"));
    }

    #[test]
    fn what_is_scheduled_for_the_end_of_the_period_is_what_comes_next() {
        let next = |change: fn(&mut Subscription)| {
            let mut one = subscription(Status::Active);
            change(&mut one);
            of(&one, Lang::En).next
        };
        assert!(next(|_| ()).contains("issues a PIX code"));
        assert!(next(|one| one.cancel_at_period_end = true).contains("It ends on"));
        let changes = next(|one| one.next_plan = Some(PlanId(Uuid::nil())));
        assert!(changes.contains("another plan"), "{changes}");
    }
}
