-- What of a part is promised to an advance, and which. It leaves the part when a refund or a dispute
-- takes it, and stays as a fact when the part is settled.
alter table receivables add column pledged_to {id};
alter table receivables add column pledged_cents {int} not null default 0
    constraint receivables_pledged_within_net
        check (pledged_cents >= 0
               and fee_cents + taken_cents + pledged_cents <= amount_cents
               and (pledged_cents > 0) = (pledged_to is not null));

-- What can be pledged, and the list of what comes when.
create index receivables_due on receivables (merchant_id, mode, due_at, id);

-- Money paid out on instalments of cards before their day. The fee is known once it is approved;
-- `outstanding_cents` is what is still to come back of it, `debited_cents` what the balance had to
-- pay because nothing was left to take the place of a part.
create table advances (
    merchant_id {id} not null,
    mode {int} not null,
    id {id} not null,
    version {int} not null,
    status text not null,
    amount_cents {int} not null,
    rate_basis_points {int} not null,
    fee_cents {int},
    outstanding_cents {int} not null,
    debited_cents {int} not null,
    reason text,
    rejection_reason text,
    created_at {int} not null,
    updated_at {int} not null,
    approved_at {int},
    rejected_at {int},
    cancelled_at {int},
    settled_at {int},
    primary key (merchant_id, mode, id),
    constraint advances_status_known
        check (status in ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED', 'SETTLED')),
    constraint advances_amount_positive check (amount_cents > 0),
    constraint advances_rate_not_negative check (rate_basis_points >= 0),
    constraint advances_fee_within_amount check (fee_cents between 0 and amount_cents),
    constraint advances_debited_within_amount check (debited_cents between 0 and amount_cents),
    constraint advances_outstanding_while_approved
        check (outstanding_cents between 0 and amount_cents
               and (status = 'APPROVED') = (outstanding_cents > 0)),
    constraint advances_approved_together
        check ((status in ('APPROVED', 'SETTLED')) = (approved_at is not null)
               and (approved_at is null) = (fee_cents is null)),
    constraint advances_rejected_together
        check ((status = 'REJECTED') = (rejected_at is not null)
               and (rejection_reason is null or status = 'REJECTED')),
    constraint advances_cancelled_together
        check ((status = 'CANCELLED') = (cancelled_at is not null)),
    constraint advances_settled_together check ((status = 'SETTLED') = (settled_at is not null))
) {clustered};

-- A merchant has one open advance at a time in each mode.
create unique index advances_open
    on advances (merchant_id, mode) where status in ('PENDING', 'APPROVED');
-- Administrators see everybody's.
create unique index advances_everybodys on advances (mode, id);

-- The parts that an advance was paid out on: what of each is pledged, or was when it settled; and
-- the fee for it, which stays where it was charged when another part takes its place.
create table advance_slices (
    merchant_id {id} not null,
    mode {int} not null,
    advance_id {id} not null,
    transaction_id {id} not null,
    installment {int} not null,
    amount_cents {int} not null,
    fee_cents {int} not null,
    days {int} not null,
    due_at {int} not null,
    primary key (merchant_id, mode, advance_id, transaction_id, installment),
    constraint advance_slices_amounts_not_negative
        check (amount_cents >= 0 and fee_cents >= 0 and days >= 0)
) {clustered};
