-- The outbox of mails. A mail of production waits until the operator's server has accepted it, and
-- one of development stays to be read. `merchant_id` is null in a mail to a person about their
-- sign-in, which is in no account's list. `subject_id` is what the mail is about: a person, an
-- invitation, a withdrawal or a webhook. `parameters` is what its text is made of, and `token` the
-- sealed secret of its link; both are erased when it has left or failed.
create table mails (
    id {id} not null primary key,
    merchant_id {id},
    mode {int} not null,
    kind text not null,
    subject_id {id} not null,
    recipient text not null,
    lang text not null,
    parameters text,
    token {bytes},
    status text not null,
    attempts {int} not null,
    last_error text,
    created_at {int} not null,
    attempted_at {int},
    gives_up_at {int} not null,
    ended_at {int},
    constraint mails_status_known check (status in ('KEPT', 'WAITING', 'SENT', 'FAILED')),
    constraint mails_development_is_kept check ((mode = 0) = (status = 'KEPT')),
    constraint mails_parameters_until_it_ends
        check ((parameters is null) = (status in ('SENT', 'FAILED'))),
    constraint mails_token_until_it_ends check (token is null or status = 'WAITING'),
    constraint mails_ended_at_has_status
        check ((ended_at is null) = (status in ('KEPT', 'WAITING')))
) {heap};

-- Serves the list of an account's mails, and their deletion.
create index mails_of_account on mails (merchant_id, mode, id);

-- Serves taking back and deleting the mails about something.
create index mails_about on mails (subject_id);

-- Serves the measuring of mails that wait, and sealing their tokens again.
create index mails_waiting on mails (id) where status = 'WAITING';

-- The link with which a person sets a new password: one each. Only the hash of its token is stored.
create table password_resets (
    person_id {id} not null primary key,
    token_hash {bytes} not null,
    created_at {int} not null,
    expires_at {int} not null
) {heap};

-- Serves the use of a link.
create unique index password_resets_token on password_resets (token_hash);

-- Serves their deletion once their time is over.
create index password_resets_over on password_resets (expires_at);
