-- Which optional mails a person wants about an account. A kind without a row is as it is by
-- default.
create table mail_preferences (
    merchant_id {id} not null,
    person_id {id} not null,
    kind text not null,
    is_on {bool} not null,
    changed_at {int} not null,
    primary key (merchant_id, person_id, kind)
) {clustered};

-- Serves forgetting a person.
create index mail_preferences_of_person on mail_preferences (person_id);

-- Whether the person who opened an account wants a mail about each payment: what confirms a payment
-- reads it with the rest, so that it costs accounts without such mails no statement.
alter table merchants add column payment_mails {bool};

-- Since when the owner knows by mail that a webhook fails; null once it works again.
alter table webhooks add column failure_mailed_at {int};
