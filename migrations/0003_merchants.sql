-- Account owners; `dev_ahead_micros` is how far the developer's clock runs ahead.
create table merchants (
    id {id} not null primary key,
    name text not null,
    email text not null,
    password_hash text not null,
    document text,
    phone text,
    role text not null,
    dev_ahead_micros {int} not null,
    created_at {int} not null,
    updated_at {int} not null,
    constraint merchants_role_known check (role in ('MERCHANT', 'ADMIN')),
    constraint merchants_dev_ahead_forward check (dev_ahead_micros >= 0)
) {heap};

create unique index merchants_email on merchants (email);

-- A signed-in period; `refresh_hash` is of the only refresh token that is still good.
create table sessions (
    id {id} not null primary key,
    merchant_id {id} not null,
    refresh_hash {bytes} not null,
    created_at {int} not null,
    expires_at {int} not null,
    ends_at {int} not null,
    revoked_at {int}
) {clustered};

create table credentials (
    merchant_id {id} not null,
    id {id} not null,
    mode {int} not null,
    name text not null,
    permissions {json} not null,
    ip_allowlist {json},
    created_at {int} not null,
    expires_at {int},
    last_used_at {int},
    revoked_at {int},
    primary key (merchant_id, id)
) {clustered};

-- The keys of a credential: the present one, and those in their grace period after a rotation.
create table credential_keys (
    public_id text not null primary key,
    merchant_id {id} not null,
    credential_id {id} not null,
    key_hash {bytes} not null,
    last4 text not null,
    created_at {int} not null,
    expires_at {int}
) {clustered};

-- A credential has one present key; rotating ends it before it brings the next.
create unique index credential_keys_present
    on credential_keys (merchant_id, credential_id)
 where expires_at is null;
create index credential_keys_credential on credential_keys (merchant_id, credential_id);
