//! The hash chain: each leg of an account has the hash of all its stored fields and of the previous
//! leg.
//!
//! Changing, adding or deleting a transfer breaks the chains of both its accounts. The hash is not
//! keyed: it reveals a change, and cannot stop an attacker who recomputes all of it.

use aws_lc_rs::digest::{Context, Digest, SHA256, SHA256_OUTPUT_LEN, digest as digest_of};
use db::time::Timestamp;
use uuid::Uuid;

use crate::cents::Cents;

/// A SHA-256 hash.
pub type Hash = [u8; SHA256_OUTPUT_LEN];

/// The domain prefix of an account's chain; the number is the version of the encoding.
const ACCOUNT: &[u8] = b"tostao ledger account 1\n";
/// The domain prefix of an encoded transfer.
const TRANSFER: &[u8] = b"tostao ledger transfer 1\n";

/// Enough for an encoded transfer with a kind of the usual length.
const ENCODED_LENGTH: usize = 256;

/// What a leg's hash covers is not longer, with a kind of the usual length.
const TOGETHER_MAX: usize = 512;

/// Which of a transfer's two legs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Debit,
    Credit,
}

/// One side of a stored transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    pub owner: Uuid,
    pub code: i64,
    pub sequence: i64,
    pub balance: Cents,
}

/// All stored fields of a transfer except its hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    pub subject: Uuid,
    pub kind: &'a str,
    pub line: i64,
    pub book: i64,
    pub amount: Cents,
    pub booked_at: Timestamp,
    pub debit: End,
    pub credit: End,
    pub forced: bool,
}

/// The account that a chain belongs to, and where the chain starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub owner: Uuid,
    pub book: i64,
    pub code: i64,
    pub floor_cents: i64,
    /// The sequence of the last leg before the chain.
    pub after: i64,
}

impl Origin {
    /// The predecessor hash of a chain's first leg.
    pub fn hash(&self) -> Hash {
        let mut bytes = ACCOUNT.to_vec();
        bytes.extend(self.owner.as_bytes());
        put(&mut bytes, &[self.book, self.code, self.floor_cents, self.after]);
        digest(&[&bytes])
    }
}

impl Entry<'_> {
    /// The hashed bytes: every field in a fixed order, numbers and lengths in eight bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(ENCODED_LENGTH);
        self.encode_to(&mut bytes);
        bytes
    }

    /// The same in place of what a buffer holds.
    pub fn encode_to(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend(TRANSFER);
        bytes.extend(self.subject.as_bytes());
        let length = u64::try_from(self.kind.len()).unwrap_or(u64::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend(self.kind.as_bytes());
        let booked_at = self.booked_at.micros();
        put(bytes, &[self.line, self.book, self.amount.get(), booked_at]);
        for end in [self.debit, self.credit] {
            bytes.extend(end.owner.as_bytes());
            put(bytes, &[end.code, end.sequence, end.balance.get()]);
        }
        bytes.push(u8::from(self.forced));
    }
}

/// The hash of one leg of an encoded transfer, given the previous leg's on the same account.
pub fn link(previous: &Hash, side: Side, encoded: &[u8]) -> Hash {
    let side: &[u8] = match side {
        Side::Debit => b"debit",
        Side::Credit => b"credit",
    };
    digest(&[previous, side, encoded])
}

fn put(bytes: &mut Vec<u8>, numbers: &[i64]) {
    for number in numbers {
        bytes.extend(number.to_be_bytes());
    }
}

/// Hashes parts as one text: at once where they fit together, because a context is allocated.
fn digest(parts: &[&[u8]]) -> Hash {
    let mut together = [0; TOGETHER_MAX];
    let mut length = 0_usize;
    for part in parts {
        let end = length.saturating_add(part.len());
        let Some(place) = together.get_mut(length..end) else { return digest_apart(parts) };
        place.copy_from_slice(part);
        length = end;
    }
    hash_of(&digest_of(&SHA256, &together[..length]))
}

fn digest_apart(parts: &[&[u8]]) -> Hash {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part);
    }
    hash_of(&context.finish())
}

fn hash_of(digest: &Digest) -> Hash {
    let mut hash = [0; SHA256_OUTPUT_LEN];
    hash.copy_from_slice(digest.as_ref());
    hash
}

#[cfg(test)]
mod tests {
    use db::hex::hex;
    use std::collections::BTreeSet;

    use db::time::Timestamp;
    use uuid::Uuid;

    use super::{End, Entry, Hash, Origin, Side, TOGETHER_MAX, digest, digest_apart, link};
    use crate::cents::Cents;

    const DEBIT: End =
        End { owner: Uuid::from_u128(2), code: 3, sequence: 4, balance: Cents::new(-5) };
    const CREDIT: End =
        End { owner: Uuid::from_u128(6), code: 7, sequence: 8, balance: Cents::new(9) };
    const ENTRY: Entry<'_> = Entry {
        subject: Uuid::from_u128(1),
        kind: "paid",
        line: 0,
        book: 1,
        amount: Cents::new(500),
        booked_at: Timestamp::from_micros(1_700_000_000_000_000),
        debit: DEBIT,
        credit: CREDIT,
        forced: false,
    };
    const ORIGIN: Origin =
        Origin { owner: Uuid::from_u128(2), book: 1, code: 3, floor_cents: 0, after: 0 };

    fn hashes(entry: &Entry<'_>) -> [Hash; 2] {
        let encoded = entry.encode();
        [Side::Debit, Side::Credit].map(|side| link(&ORIGIN.hash(), side, &encoded))
    }

    #[test]
    fn the_encoding_puts_every_field_at_its_place() {
        let expected = [
            "746f7374616f206c6564676572207472616e7366657220310a",
            "00000000000000000000000000000001",
            "0000000000000004",
            "70616964",
            "0000000000000000",
            "0000000000000001",
            "00000000000001f4",
            "00060a24181e4000",
            "00000000000000000000000000000002",
            "0000000000000003",
            "0000000000000004",
            "fffffffffffffffb",
            "00000000000000000000000000000006",
            "0000000000000007",
            "0000000000000008",
            "0000000000000009",
            "00",
        ];
        assert_eq!(hex(&ENTRY.encode()), expected.concat());
    }

    #[test]
    fn every_field_changes_both_hashes() {
        let (debit, credit) = (DEBIT, CREDIT);
        let other = Uuid::from_u128(99);
        let changed = [
            ENTRY,
            Entry { subject: other, ..ENTRY },
            Entry { kind: "paie", ..ENTRY },
            Entry { line: 1, ..ENTRY },
            Entry { book: 0, ..ENTRY },
            Entry { amount: Cents::new(501), ..ENTRY },
            Entry { booked_at: Timestamp::from_micros(0), ..ENTRY },
            Entry { debit: End { owner: other, ..debit }, ..ENTRY },
            Entry { debit: End { code: 0, ..debit }, ..ENTRY },
            Entry { debit: End { sequence: 0, ..debit }, ..ENTRY },
            Entry { debit: End { balance: Cents::ZERO, ..debit }, ..ENTRY },
            Entry { credit: End { owner: other, ..credit }, ..ENTRY },
            Entry { credit: End { code: 0, ..credit }, ..ENTRY },
            Entry { credit: End { sequence: 0, ..credit }, ..ENTRY },
            Entry { credit: End { balance: Cents::ZERO, ..credit }, ..ENTRY },
            Entry { forced: true, ..ENTRY },
        ];
        let hashes: BTreeSet<Hash> = changed.iter().flat_map(hashes).collect();
        assert_eq!(hashes.len(), 2 * changed.len());
    }

    #[test]
    fn the_length_of_a_kind_keeps_it_apart_from_what_follows() {
        let longer = Entry { kind: "paid\0\0\0\0\0\0\0\0", ..ENTRY };
        assert_ne!(hashes(&longer), hashes(&ENTRY));
    }

    #[test]
    fn a_chain_belongs_to_its_account_and_its_beginning() {
        let changed = [
            ORIGIN,
            Origin { owner: Uuid::from_u128(3), ..ORIGIN },
            Origin { book: 0, ..ORIGIN },
            Origin { code: 4, ..ORIGIN },
            Origin { floor_cents: -1, ..ORIGIN },
            Origin { after: 1, ..ORIGIN },
        ];
        let hashes: BTreeSet<Hash> = changed.iter().map(Origin::hash).collect();
        assert_eq!(hashes.len(), changed.len());
    }

    #[test]
    fn parts_have_the_hash_of_their_text_whether_or_not_they_fit_together() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&digest(&[b"a", b"", b"bc"])), abc);
        for length in [0, 1, TOGETHER_MAX - 3, TOGETHER_MAX - 2, TOGETHER_MAX - 1, 2_000] {
            let text = vec![7_u8; length];
            let parts: [&[u8]; 2] = [b"ab", &text];
            assert_eq!(digest(&parts), digest_apart(&parts), "{length}");
        }
    }

    #[test]
    fn a_leg_depends_on_the_one_before_it() {
        let encoded = ENTRY.encode();
        let first = link(&ORIGIN.hash(), Side::Debit, &encoded);
        assert_ne!(link(&first, Side::Debit, &encoded), first);
    }
}
