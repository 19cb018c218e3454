-- The accent colour of an account's shop as `#rrggbb`, and what pages need of its logo: the address
-- of the file and its size in pixels, so that no page reads the file itself.
alter table merchants add column accent_color text;
alter table merchants add column logo_hash text;
alter table merchants add column logo_width {int};
alter table merchants add column logo_height {int};

-- The logos: one each, by the SHA-256 of its content, which is its address.
create table logos (
    merchant_id {id} not null primary key,
    hash text not null,
    content_type text not null,
    content {bytes} not null,
    created_at {int} not null,
    constraint logos_content_type_known check (content_type in ('image/png', 'image/jpeg')),
    constraint logos_content_size check (length(content) between 1 and 65536)
) {heap};

-- Serves the file by its address.
create index logos_of_hash on logos (hash);
