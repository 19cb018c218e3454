-- Whether a return of the payment's money was booked since a report of fraud was opened, which is
-- then most likely the report's. Null, of rows from before, means that it is not known.
alter table pix_infractions add column is_returned {bool};

-- Whether money that was set aside may be decided on; and which report a return is of.
create index pix_infractions_pix
    on pix_infractions (end_to_end_id) where state <> 'REJECTED';
