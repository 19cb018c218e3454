-- Whether a waiting job is looked for by its id, so that it waits once in its lane.
alter table jobs add column is_unique {bool} not null default false;

create index jobs_unique on jobs (id) where is_unique;
