-- Lanes whose jobs run one at a time, however many servers there are: a claim locks the lane's row.
create table lane_turns (
    lane text not null primary key
) {clustered};
