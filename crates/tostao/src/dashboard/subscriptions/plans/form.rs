//! The form of a plan, which becomes the body that programs send.

use serde::{Deserialize, Serialize};

use crate::dashboard::form::{Field, WrongField, cents, given, omit, patch, whole, with_rules};
use crate::dashboard::parts::{Choice, NamedSelect};
use crate::dashboard::subscriptions::plans::plan_words as words;
use crate::platform::error::{FieldError, FieldErrors, FieldFault, Result};
use crate::platform::http::card_data;
use crate::platform::http::patch::{Omittable, Patch};
use crate::platform::ids::ProductId;
use crate::platform::messages::Lang;
use crate::subscriptions::plans::api::CreatePlanRequest;
use crate::subscriptions::plans::params::{PlanParams, RetryPolicyRequest};
use crate::subscriptions::plans::{Interval, Plan};

/// The fields whose errors the form shows.
pub const SHOWN: [&str; 9] = [
    "name",
    "amountCents",
    "interval",
    "description",
    "trialDays",
    "maxSubscribers",
    MAX_RETRY,
    RETRY_EVERY,
    "productId",
];
const MAX_RETRY: &str = "retryPolicy.maxRetry";
const RETRY_EVERY: &str = "retryPolicy.retryEvery";

/// The fields by the names of the body's.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PlanForm {
    pub name: String,
    /// As people type an amount.
    pub amount_cents: String,
    pub interval: String,
    pub description: String,
    pub trial_days: String,
    pub max_subscribers: String,
    #[serde(rename = "retryPolicy.maxRetry")]
    pub max_retry: String,
    #[serde(rename = "retryPolicy.retryEvery")]
    pub retry_every: String,
    pub product_id: String,
}

/// The fields as they were typed, with what is wrong with them.
pub struct PlanFields {
    pub name: Field,
    pub amount: Field,
    pub intervals: Vec<Choice>,
    pub interval: Field,
    pub description: Field,
    pub trial_days: Field,
    pub max_subscribers: Field,
    pub max_retry: Field,
    pub retry_every: Field,
    pub product: NamedSelect,
}

/// What was typed, read.
struct Typed {
    amount: i64,
    trial_days: i64,
    max_subscribers: Option<i64>,
    retry_policy: Option<RetryPolicyRequest>,
}

impl PlanForm {
    /// The form of a plan as it is.
    pub fn of(plan: &Plan, lang: Lang) -> Self {
        let number = |number: Option<i64>| number.map(|it| it.to_string()).unwrap_or_default();
        let policy = plan.retry_policy;
        Self {
            name: plan.name.clone(),
            amount_cents: lang.money(plan.price.get()),
            interval: plan.interval.name().to_owned(),
            description: plan.description.clone().unwrap_or_default(),
            trial_days: number(Some(plan.trial_days.into()).filter(|days| *days > 0)),
            max_subscribers: number(plan.max_subscribers),
            max_retry: number(policy.map(|policy| policy.max_retry.into())),
            retry_every: number(policy.map(|policy| policy.retry_every.into())),
            product_id: plan.product.map(|id| id.to_string()).unwrap_or_default(),
        }
    }

    /// The body of a request that creates the plan.
    pub fn body(&self) -> Result<CreatePlanRequest> {
        let typed = self.typed()?;
        let wrong = || FieldFault::new("INVALID_VALUE", "must be an interval").of("interval");
        Ok(CreatePlanRequest {
            name: self.name.clone(),
            amount_cents: typed.amount,
            interval: Interval::parse(&self.interval).ok_or_else(wrong)?,
            description: given(&self.description),
            trial_days: Some(typed.trial_days),
            max_subscribers: typed.max_subscribers,
            retry_policy: typed.retry_policy,
            product_id: self.product(),
        })
    }

    /// The body of a request that changes what differs from the form as it was drawn.
    pub fn changes(&self, drawn: &Self) -> Result<PlanParams> {
        let typed = self.typed()?;
        let is_kept =
            (&self.max_retry, &self.retry_every) == (&drawn.max_retry, &drawn.retry_every);
        Ok(PlanParams {
            name: omit(&self.name, &drawn.name, Some(self.name.clone())),
            description: patch(&self.description, &drawn.description, given(&self.description)),
            amount_cents: omit(&self.amount_cents, &drawn.amount_cents, Some(typed.amount)),
            trial_days: omit(&self.trial_days, &drawn.trial_days, Some(typed.trial_days)),
            max_subscribers: patch(
                &self.max_subscribers,
                &drawn.max_subscribers,
                typed.max_subscribers,
            ),
            retry_policy: match typed.retry_policy {
                _ if is_kept => Patch::Keep,
                Some(policy) => Patch::Set(policy),
                None => Patch::Clear,
            },
            product_id: patch(&self.product_id, &drawn.product_id, self.product()),
            active: Omittable::default(),
        })
    }

    /// The product that is chosen.
    pub fn product(&self) -> Option<ProductId> {
        self.product_id.parse().ok()
    }

    /// The fields as they were typed; the products are those on offer.
    pub fn fields(&self, product: NamedSelect, wrong: &[FieldError], lang: Lang) -> PlanFields {
        let field = |name, value| Field::judged(name, value, wrong, lang);
        let choice = |interval: &Interval| Choice {
            value: interval.name(),
            name: words::interval(*interval)(lang),
            is_chosen: interval.name() == self.interval,
        };
        let error = field("productId", &self.product_id).error;
        PlanFields {
            name: field("name", &self.name),
            amount: field("amountCents", &self.amount_cents),
            intervals: Interval::ALL.iter().map(choice).collect(),
            interval: field("interval", &self.interval),
            description: field("description", &self.description),
            trial_days: field("trialDays", &self.trial_days),
            max_subscribers: field("maxSubscribers", &self.max_subscribers),
            max_retry: field(MAX_RETRY, &self.max_retry),
            retry_every: field(RETRY_EVERY, &self.retry_every),
            product: NamedSelect { error, ..product },
        }
    }

    /// Reads what was typed; every error is reported at once, also those of the texts.
    fn typed(&self) -> Result<Typed> {
        card_data::refuse_typed(self.texts())?;
        let texts = PlanParams {
            name: Omittable::from(Some(self.name.clone())),
            description: Patch::from(given(&self.description)),
            ..PlanParams::default()
        };
        self.read().map_err(|unread| with_rules(unread, texts.check()))
    }

    /// The fields of [`SHOWN`].
    fn texts(&self) -> [(&'static str, &str); 9] {
        let [name, amount, interval, description, days, most, retries, every, product] = SHOWN;
        [
            (name, &self.name),
            (amount, &self.amount_cents),
            (interval, &self.interval),
            (description, &self.description),
            (days, &self.trial_days),
            (most, &self.max_subscribers),
            (retries, &self.max_retry),
            (every, &self.retry_every),
            (product, &self.product_id),
        ]
    }

    fn read(&self) -> Result<Typed> {
        let mut wrong = FieldErrors::new();
        let missing = || FieldFault::new("REQUIRED", "is required");
        let amount = cents(&self.amount_cents).and_then(|amount| amount.ok_or_else(missing));
        let amount = wrong.read("amountCents", amount);
        let days = wrong.read("trialDays", whole(&self.trial_days));
        let most = wrong.read("maxSubscribers", whole(&self.max_subscribers));
        // A policy has both numbers, or there is none.
        let has_policy = given(&self.max_retry).or(given(&self.retry_every)).is_some();
        let number = |text: &str| match whole(text)? {
            None if has_policy => Err(missing()),
            number => Ok(number),
        };
        let retries = wrong.read(MAX_RETRY, number(&self.max_retry));
        let every = wrong.read(RETRY_EVERY, number(&self.retry_every));
        let Some(amount) = amount else { return Err(wrong.into_error()) };
        wrong.finish()?;
        let policy = retries.flatten().zip(every.flatten());
        Ok(Typed {
            amount,
            trial_days: days.flatten().unwrap_or(0),
            max_subscribers: most.flatten(),
            retry_policy: policy
                .map(|(max_retry, retry_every)| RetryPolicyRequest { max_retry, retry_every }),
        })
    }
}

impl PlanFields {
    /// What is wrong, for the summary above the form.
    pub fn wrong(&self, lang: Lang) -> Vec<WrongField> {
        let product = self.product.error.clone().map(|message| WrongField {
            id: "productId".into(),
            label: lang.plan_product(),
            message,
        });
        let fields = [
            self.name.wrong("name", lang.client_name()),
            self.amount.wrong("amountCents", lang.product_price()),
            self.interval.wrong("interval", lang.plan_interval()),
            self.description.wrong("description", lang.coupon_description()),
            self.trial_days.wrong("trialDays", lang.plan_trial_days()),
            self.max_subscribers.wrong("maxSubscribers", lang.plan_max_subscribers()),
            self.max_retry.wrong(MAX_RETRY, lang.plan_retry_max()),
            self.retry_every.wrong(RETRY_EVERY, lang.plan_retry_every()),
            product,
        ];
        fields.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::PlanForm;
    use crate::platform::error::Error;
    use crate::platform::http::patch::Patch;

    fn form(fields: &str) -> PlanForm {
        serde_urlencoded::from_str(fields).expect("is a form")
    }

    #[test]
    fn a_price_is_typed_in_reais_and_a_policy_has_both_numbers() {
        let typed = "name=Clube&amountCents=49,90&interval=MONTHLY&retryPolicy.maxRetry=3\
                     &retryPolicy.retryEvery=5";
        let body = form(typed).body().expect("is right");
        assert_eq!((body.amount_cents, body.trial_days), (4_990, Some(0)));
        let policy = body.retry_policy.map(|policy| (policy.max_retry, policy.retry_every));
        assert_eq!(policy, Some((3, 5)));
        let half = "name=Clube&amountCents=49,90&interval=MONTHLY&retryPolicy.maxRetry=3";
        let Err(Error::Invalid(wrong)) = form(half).body() else { panic!("it is wrong") };
        assert_eq!(wrong[0].field, "retryPolicy.retryEvery");
    }

    #[test]
    fn only_what_was_changed_is_sent() {
        let drawn = form(
            "name=Clube&amountCents=49,90&trialDays=7&retryPolicy.maxRetry=3\
                          &retryPolicy.retryEvery=5&maxSubscribers=10",
        );
        let typed = form("name=Clube&amountCents=59,90&trialDays=&maxSubscribers=10");
        let changes = typed.changes(&drawn).expect("is right");
        assert!(changes.name.is_none());
        assert_eq!(changes.amount_cents.map(|cents| cents), Some(5_990));
        assert_eq!(changes.trial_days.map(|days| days), Some(0));
        assert_eq!(changes.max_subscribers, Patch::Keep);
        assert!(matches!(changes.retry_policy, Patch::Clear));
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let form = form("amountCents=caro&trialDays=x&maxSubscribers=y&interval=MONTHLY");
        let Err(Error::Invalid(wrong)) = form.body() else { panic!("it is wrong") };
        let names: Vec<_> = wrong.iter().map(|wrong| wrong.field.as_str()).collect();
        assert_eq!(names, ["amountCents", "trialDays", "maxSubscribers", "name"]);
    }
}
