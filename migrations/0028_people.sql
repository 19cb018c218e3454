-- When an administrator confirmed who the owner of an account is; null until then.
alter table merchants add column verified_at {int};

-- A client who is deleted is taken out of their payments, and out of their subscriptions.
create index transactions_client on transactions (merchant_id, mode, client_id, id);
create index subscriptions_client on subscriptions (merchant_id, mode, client_id, id);
-- The carts of one address are erased with its client.
create index carts_email on carts (merchant_id, mode, email) where email is not null;
-- Who is on the way to a plan subscribes to it already.
create index subscriptions_next_plan
    on subscriptions (merchant_id, mode, next_plan_id, identity)
 where next_plan_id is not null;
-- A fixed reward asks when the sales that stay reach its goal.
create index referral_rewards_counted
    on referral_rewards (merchant_id, mode, referral_id, available_at)
 where counted;
