-- One unit at a time opens the first account: it locks the only row.
create table setup_turns (
    name text not null primary key
) {clustered};
