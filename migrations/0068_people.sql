-- Who signs in. The owner of an account is the person with the account's id, so that sessions and
-- access tokens from before stay good.
create table people (
    id {id} not null primary key,
    name text not null,
    email text not null,
    password_hash text not null,
    created_at {int} not null,
    updated_at {int} not null
) {heap};

-- Serves every sign-in; a person has one password, however many accounts they work in.
create unique index people_email on people (email);

-- Who works in which account, and as what.
create table memberships (
    merchant_id {id} not null,
    person_id {id} not null,
    role text not null,
    created_at {int} not null,
    primary key (merchant_id, person_id),
    constraint memberships_role_known
        check (role in ('OWNER', 'MANAGER', 'FINANCE', 'SUPPORT', 'DEVELOPER', 'VIEWER'))
) {clustered};

-- Serves a sign-in, which asks for a person's accounts.
create index memberships_of_person on memberships (person_id, created_at);

insert into people (id, name, email, password_hash, created_at, updated_at)
select id, name, email, password_hash, created_at, updated_at
  from merchants
 where closed_at is null;

insert into memberships (merchant_id, person_id, role, created_at)
select id, id, 'OWNER', created_at
  from merchants
 where closed_at is null;

-- An offer to become a member, which its token accepts; only the hash of the token is stored.
create table invitations (
    merchant_id {id} not null,
    id {id} not null,
    email text not null,
    role text not null,
    token_hash {bytes} not null,
    invited_by {id} not null,
    created_at {int} not null,
    expires_at {int} not null,
    ended_at {int},
    primary key (merchant_id, id),
    constraint invitations_role_known
        check (role in ('MANAGER', 'FINANCE', 'SUPPORT', 'DEVELOPER', 'VIEWER'))
) {clustered};

-- Serves their deletion once their time is over.
create index invitations_over on invitations (expires_at);

-- Serves the acceptance of an invitation.
create unique index invitations_token on invitations (token_hash);

-- An address has one open invitation to an account; also serves their list.
create unique index invitations_open on invitations (merchant_id, email) where ended_at is null;

-- Whose session it is; null in one that an older version began, which is its account's owner's.
alter table sessions add column person_id {id};

-- Serves the list of a person's sessions, and ending them.
create index sessions_of_person on sessions (person_id, network);

-- Which member acted, where it was not the one who opened the account.
alter table audit_log add column member_id {id};
