-- Serves the deletion of an account's mails to an address, when their buyer is erased.
create index mails_to on mails (merchant_id, mode, recipient, kind) where merchant_id is not null;
