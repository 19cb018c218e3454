-- Work that is to be done; a claim moves `run_at` to the end of its lease, and says so.
create table jobs (
    lane text not null,
    run_at {int} not null,
    id {id} not null,
    kind text not null,
    payload {json} not null,
    attempt {int} not null,
    leased {bool} not null default false,
    clock_id {id},
    primary key (lane, run_at, id)
) {clustered};

-- What one clock tells: moving it, running what then is due, forgetting it.
create index jobs_clock on jobs (clock_id, lane, run_at, id) where clock_id is not null;

-- Written by readiness checks, so that "ready" means that writes work.
create table probes (
    id {int} not null primary key,
    probed_at {int} not null
) {clustered};
