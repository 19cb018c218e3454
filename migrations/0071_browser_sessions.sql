-- Sessions of browsers: a cookie holds a random value, whose hash is stored. A session of the API
-- has no kind, so that the version before this one still begins them.
alter table sessions add column kind text;
alter table sessions add column token_hash {bytes};

-- What was used to sign in, and where, so that its person recognises the session.
alter table sessions add column agent text;
alter table sessions add column address text;

-- Serves every request of a browser.
create unique index sessions_of_token on sessions (token_hash) where token_hash is not null;
