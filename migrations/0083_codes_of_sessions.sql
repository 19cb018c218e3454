-- How many wrong codes were typed in a session since its last elevation; too many end it.
alter table sessions add column wrong_codes {int};

-- The hash of the cookie that an elevation replaced, and until when it still names the session: the
-- answer with the new cookie may have been lost on its way.
alter table sessions add column earlier_token_hash {bytes};
alter table sessions add column earlier_good_until {int};

-- Serves every request of a browser.
create unique index sessions_of_earlier_token on sessions (earlier_token_hash)
    where earlier_token_hash is not null;
