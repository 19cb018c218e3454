-- Who did what to an account, from where and when. `merchant_id` is whose account it is about; there
-- is none where somebody tried to sign in to an account that does not exist. `count` is more than
-- one where many of the same were counted together, as refused sign-ins are.
create table audit_log (
    id {id} not null primary key,
    created_at {int} not null,
    merchant_id {id},
    mode {int},
    actor_kind text not null,
    actor_id {id},
    action text not null,
    subject_id {id},
    client_address text,
    request_id text,
    count {int} not null,
    details {json} not null,
    constraint audit_log_actor_known
        check (actor_kind in
               ('owner', 'key', 'administrator', 'command_line', 'system', 'anonymous')),
    constraint audit_log_actor_named
        check ((actor_kind in ('owner', 'key', 'administrator')) = (actor_id is not null)),
    constraint audit_log_count_positive check (count > 0)
) {clustered};

-- What a merchant, or an administrator who asks for one, is shown.
create index audit_log_merchant on audit_log (merchant_id, id);
-- Forgetting what is past its term, and the newest entry's time, by which a deletion is judged.
create index audit_log_created_at on audit_log (created_at);

-- Nobody changes an entry, and nobody deletes one before another was written a year after it.
{append_only_for 365 audit_log};

-- Who decided, when, and from which address; empty where no person did.
alter table withdrawals add column decided_by {id};
alter table withdrawals add column decided_at {int}
    constraint withdrawals_decided_together check ((decided_by is null) = (decided_at is null));
alter table withdrawals add column decided_from text;
alter table advances add column decided_by {id};
alter table advances add column decided_at {int}
    constraint advances_decided_together check ((decided_by is null) = (decided_at is null));
alter table advances add column decided_from text;
