-- The books of the sandbox, which plays a bank and an acquirer for development money. They stand
-- beside ours and know nothing of them: a charge has the name that we gave it, and no merchant.

-- What stands for a card that was typed. The number, the security code and the token itself are
-- nowhere; `used_by` names the charge or the kept card that used the token up.
create table card_tokens (
    token_hash {bytes} not null,
    brand text not null,
    last4 text not null,
    fingerprint text not null,
    scenario text not null,
    exp_month {int} not null,
    exp_year {int} not null,
    used_by text,
    created_at {int} not null,
    expires_at {int} not null,
    primary key (token_hash),
    constraint card_tokens_last4_short check (length(last4) = 4),
    constraint card_tokens_month_known check (exp_month between 1 and 12)
) {clustered};

-- Housekeeping looks for those that are over.
create index card_tokens_expires_at on card_tokens (expires_at);

-- Cards kept for later charges, each by means of one token.
create table sandbox_cards (
    id {id} not null,
    token_hash {bytes} not null,
    brand text not null,
    last4 text not null,
    fingerprint text not null,
    scenario text not null,
    exp_month {int} not null,
    exp_year {int} not null,
    created_at {int} not null,
    primary key (id),
    constraint sandbox_cards_last4_short check (length(last4) = 4)
) {clustered};

-- Keeping a card twice finds the first time.
create unique index sandbox_cards_token_hash on sandbox_cards (token_hash);

-- Charges of cards; undecided before `decides_at`.
create table sandbox_charges (
    reference text not null,
    brand text not null,
    last4 text not null,
    fingerprint text not null,
    scenario text not null,
    amount_cents {int} not null,
    refunded_cents {int} not null,
    installments {int} not null,
    statement text not null,
    decline_code text,
    authorization_code text not null,
    decides_at {int} not null,
    created_at {int} not null,
    primary key (reference),
    constraint sandbox_charges_amount_positive check (amount_cents > 0),
    constraint sandbox_charges_refunded_within
        check (refunded_cents between 0 and amount_cents)
) {clustered};

-- Money given back; under way before `settles_at`, unless there is a reason to refuse it.
create table sandbox_refunds (
    rail text not null,
    reference text not null,
    charge text not null,
    amount_cents {int} not null,
    rail_id text not null,
    refused_reason text,
    settles_at {int} not null,
    created_at {int} not null,
    primary key (rail, reference),
    constraint sandbox_refunds_rail_known check (rail in ('PIX', 'CARD')),
    constraint sandbox_refunds_amount_positive check (amount_cents > 0)
) {clustered};

-- How the next refund of a charge goes, where somebody decided.
create table sandbox_armed_refunds (
    charge text not null,
    outcome text not null,
    primary key (charge),
    constraint sandbox_armed_refunds_outcome_known
        check (outcome in ('AT_ONCE', 'LATE', 'REFUSED'))
) {clustered};

-- Registered slips.
create table sandbox_slips (
    reference text not null,
    our_number text not null,
    amount_cents {int} not null,
    due_on text not null,
    barcode text not null,
    pix_code text not null,
    created_at {int} not null,
    primary key (reference),
    constraint sandbox_slips_amount_positive check (amount_cents > 0),
    constraint sandbox_slips_barcode_whole check (length(barcode) = 44)
) {clustered};

-- A bank gives no number twice.
create unique index sandbox_slips_our_number on sandbox_slips (our_number);
