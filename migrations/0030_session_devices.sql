-- The device that a session was begun on, as a hash of its name; null where it gave none, or one that
-- others would guess.
alter table sessions add column device_hash {bytes};
