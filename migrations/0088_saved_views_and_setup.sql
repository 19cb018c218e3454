-- The filters of lists that people keep under a name, each for its person alone. `query` is that of
-- the list's page, so a view is an address of that page and of no other.
create table saved_views (
    merchant_id {id} not null,
    person_id {id} not null,
    id {id} not null,
    mode {int} not null,
    list text not null,
    name text not null,
    query text not null,
    created_at {int} not null,
    primary key (merchant_id, person_id, id),
    constraint saved_views_name_length check (length(name) between 1 and 60),
    constraint saved_views_query_length check (length(query) between 1 and 1000)
) {clustered};

-- A person has one view of a name in a list; also serves the views of a list.
create unique index saved_views_name on saved_views (merchant_id, person_id, mode, list, name);

-- Addresses that the program prints where it starts, each of which works once: one without an
-- account opens the first, another signs in the owner of the account. Only the hash of its token is
-- stored.
create table setup_links (
    token_hash {bytes} not null primary key,
    merchant_id {id},
    created_at {int} not null,
    expires_at {int} not null
) {heap};
