-- Cards by acquirers of real money, each of which knows only its own charges and stored cards.

-- What was refunded of the charge before this refund was sent. An acquirer that knows only a total
-- shows by it whether the refund was made, so the refunds of a charge are sent one after another:
-- a pending one with this value has its turn.
alter table refunds add column refunded_before_cents {int};

-- The acquirer that stored the card, which alone can charge it; null means the sandbox.
alter table subscriptions add column card_provider text;

-- What acquirers call the charges, by which their lists of what they owe name them. `reference` is
-- that of the charge; for a charge that was not made here it matches none.
create table acquirer_charges (
    connection_id {id} not null references connections (id),
    charge_id text not null,
    reference text not null,
    primary key (connection_id, charge_id)
) {clustered};
