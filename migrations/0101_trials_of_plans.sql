-- The plan that a subscriber had a trial of, once they have changed to another one.
alter table subscriptions add column trial_plan_id {id};

-- Serves the question whether a person had a trial of a plan that they changed from.
create index subscriptions_trial
    on subscriptions (merchant_id, mode, trial_plan_id, identity)
 where trial_plan_id is not null;
