-- Whether a report of fraud waits, because all that is left of its payment is being refunded: what
-- a refund that fails leaves with the merchant is held for it. Null means that it does not wait.
alter table pix_infractions add column is_waiting {bool};

-- When a refund fails, the reports that wait for its payment are held.
create index pix_infractions_payment
    on pix_infractions (end_to_end_id) where is_waiting;
