-- What is wrong with a connection, as a reason that every language has words for. `problem` is the
-- English text of the API. A node of the release before writes `problem` alone, so the reason may
-- be that of an earlier check, until a node that knows the column checks the connection again.
alter table connections add column problem_reason text;

-- What the reason is about: the permissions that are missing, or the provider's own code.
alter table connections add column problem_subject text;
