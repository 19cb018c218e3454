-- How many mails a mailbox got of each share since the first one of a day: the hash of an address
-- without its alias, so that no address is stored here.
create table mail_recipients (
    recipient_hash {bytes} not null,
    share text not null,
    since {int} not null,
    mails {int} not null,
    primary key (recipient_hash, share),
    constraint mail_recipients_mails_positive check (mails > 0)
) {clustered};

-- Serves their deletion once the day is over.
create index mail_recipients_over on mail_recipients (since);

-- Who has used a link that only a mail to their address had.
create table proved_addresses (
    person_id {id} not null primary key,
    proved_at {int} not null
) {heap};

-- When a mail was taken back before it left; `status` is then `FAILED`, which the version before
-- this one knows.
alter table mails add column cancelled_at {int};

-- Whether only a mail has the token of the link.
alter table password_resets add column is_mailed {bool};
alter table invitations add column is_mailed {bool};
