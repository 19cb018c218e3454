-- Since when every try of a job has ended in an error; a try that ends without one clears it.
alter table jobs add column failing_since {int};

-- Serves the server's health: how many jobs have failed for long, and since when the first has.
create index jobs_failing on jobs (failing_since) where failing_since is not null;
