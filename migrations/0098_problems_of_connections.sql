-- What is wrong with a connection, as a reason that every language has words for. `problem` is the
-- English text of the API.
alter table connections add column problem_reason text;

-- What the reason is about: the permissions that are missing, or the provider's own code.
alter table connections add column problem_subject text;
