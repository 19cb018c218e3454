-- The second step of a person's sign-in: the sealed secret of their authenticator app. Without
-- `confirmed_at` they have only asked for it. Of each app a code is accepted once: `last_time_step`
-- is the thirty seconds that the last one was of.
create table second_steps (
    person_id {id} not null primary key,
    secret {bytes} not null,
    last_time_step {int} not null,
    wrong_codes {int} not null,
    wrong_since {int},
    created_at {int} not null,
    confirmed_at {int},
    constraint second_steps_wrong_codes_range check (wrong_codes >= 0)
) {heap};

-- Codes for a lost device, each for one use; only their hashes are stored.
create table backup_codes (
    person_id {id} not null,
    code_hash {bytes} not null,
    used_at {int},
    primary key (person_id, code_hash)
) {clustered};

-- Until when the session may do what asks for the password or a code again.
alter table sessions add column elevated_until {int};
