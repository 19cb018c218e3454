-- The session in which a second step began: its secret is shown, and its first code taken, there
-- alone.
alter table second_steps add column session_id {id};

-- A change of the address that a person signs in with, until it is confirmed at the new one or
-- ended: one each. Only the hashes of the tokens of its two links are stored.
create table email_changes (
    person_id {id} not null primary key,
    session_id {id} not null,
    email text not null,
    confirm_hash {bytes} not null,
    stop_hash {bytes} not null,
    created_at {int} not null,
    possible_at {int} not null,
    expires_at {int} not null,
    constraint email_changes_possible_before_it_expires check (possible_at < expires_at)
) {heap};

-- Serves the link at the new address.
create unique index email_changes_confirmed on email_changes (confirm_hash);

-- Serves the link at the old one.
create unique index email_changes_stopped on email_changes (stop_hash);

-- Serves their deletion once their time is over.
create index email_changes_over on email_changes (expires_at);
