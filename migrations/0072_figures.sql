-- What a merchant sold in a day that is over, by the ledger: the sums of the entries of `outside`
-- from one sequence to another. Days follow each other without a gap, in sequences too; nothing
-- can be added to one, because entries are only added at the end.
create table daily_figures (
    merchant_id {id} not null,
    mode {int} not null,
    day text not null,
    from_sequence {int} not null,
    to_sequence {int} not null,
    sold_cents {int} not null,
    refunded_cents {int} not null,
    charged_back_cents {int} not null,
    fees_cents {int} not null,
    primary key (merchant_id, mode, day),
    constraint daily_figures_sequences_ascend check (from_sequence <= to_sequence)
) {clustered};

-- Where the figures of development data begin: after the entries from before its last reset, which
-- stay in the ledger.
create table figure_starts (
    merchant_id {id} not null primary key,
    first_sequence {int} not null
) {clustered};

-- How many of the payments issued in a day were paid by the time of the count. Days older than 45
-- days are not counted again.
create table daily_payments (
    merchant_id {id} not null,
    mode {int} not null,
    day text not null,
    pix_issued {int} not null,
    pix_paid {int} not null,
    boleto_issued {int} not null,
    boleto_paid {int} not null,
    card_issued {int} not null,
    card_paid {int} not null,
    counted_at {int} not null,
    primary key (merchant_id, mode, day)
) {clustered};
