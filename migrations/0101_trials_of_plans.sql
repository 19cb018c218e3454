-- The plan that a subscriber had a trial of, whatever plan they change to.
alter table subscriptions add column trial_plan_id {id};
update subscriptions set trial_plan_id = plan_id where trial_ends_at is not null;

-- Serves the question whether a person had a trial of a plan.
create index subscriptions_trial
    on subscriptions (merchant_id, mode, trial_plan_id, identity)
 where trial_plan_id is not null;
