-- What is booked of a boleto whose bank reports only the total that was ever paid to it, so that of
-- the next total only what is beyond that is booked. `unclaimed_cents` of it came from totals, and
-- may yet be reported as a PIX.
create table boleto_totals (
    provider text not null,
    bank_code text not null,
    booked_cents {int} not null,
    unclaimed_cents {int} not null,
    primary key (provider, bank_code),
    constraint boleto_totals_unclaimed_within_booked
        check (unclaimed_cents >= 0 and booked_cents >= unclaimed_cents)
) {clustered};
