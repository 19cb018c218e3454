//! The books: they balance, refuse overdrafts and duplicates, and notice tampering.

use std::collections::BTreeMap;

use db::tx::Tx;
use ledger::account::{Account, Floor};
use ledger::cents::Cents;
use ledger::posting::{Error, Posting, Transfer, balance, post};
use ledger::statement::legs;
use ledger::verify::at_once::{self, Bounds};
use ledger::verify::{verify, verify_by_account};
use tostao::platform::error::{ErrorCode, Result};
use uuid::Uuid;

use crate::harness::{TestApp, story};

const BOOK: i64 = 0;

fn account(code: i64) -> Account {
    let floor = if code == 1 { Floor::None } else { Floor::Zero };
    Account { owner: Uuid::from_u128(7), code, floor }
}

fn transfer(debit: i64, credit: i64, cents: i64) -> Transfer {
    let (debit, credit) = (account(debit), account(credit));
    Transfer { debit, credit, amount: Cents::new(cents), forced: false }
}

fn forced(debit: i64, credit: i64, cents: i64) -> Transfer {
    Transfer { forced: true, ..transfer(debit, credit, cents) }
}

async fn book(test: &TestApp, subject: u128, transfers: Vec<Transfer>) -> Result<()> {
    let subject = Uuid::from_u128(subject);
    test.app
        .transact(async move |tx| {
            let transfers = transfers.clone();
            let booked_at = tx.now();
            let held = Vec::new();
            let posting = Posting { subject, kind: "test", book: BOOK, booked_at, transfers, held };
            Ok(post(tx, &posting).await?)
        })
        .await
}

async fn held(test: &TestApp, code: i64) -> (i64, i64) {
    test.app
        .read(async move |tx| {
            let held = balance(tx, BOOK, &account(code)).await?;
            Ok((held.amount.get(), held.sequence))
        })
        .await
        .expect("can be read")
}

#[story::test]
async fn a_posting_moves_money_and_every_leg_has_its_resulting_balance(test: &TestApp) {
    let transfers = vec![transfer(1, 2, 500), transfer(2, 3, 120), transfer(1, 2, 0)];
    book(test, 1, transfers).await.expect("is booked");
    assert_eq!(held(test, 1).await, (-500, 1));
    assert_eq!(held(test, 2).await, (380, 2));
    assert_eq!(held(test, 3).await, (120, 1));
    let legs =
        test.app.read(async |tx| Ok(legs(tx, BOOK, &account(2), 1..i64::MAX, None, 10).await?));
    let reported: Vec<_> = legs
        .await
        .expect("can be read")
        .iter()
        .map(|leg| (leg.sequence, leg.amount.get(), leg.balance.get()))
        .collect();
    assert_eq!(reported, [(2, -120, 380), (1, 500, 500)]);
}

#[story::test]
async fn an_account_is_never_overdrawn_and_a_refused_posting_leaves_nothing(test: &TestApp) {
    book(test, 1, vec![transfer(1, 2, 100)]).await.expect("is booked");
    let too_much = vec![transfer(1, 3, 50), transfer(2, 3, 101)];
    let refused = book(test, 2, too_much).await.expect_err("overdraws");
    assert_eq!(refused.code(), ErrorCode::InsufficientBalance);
    assert_eq!((held(test, 2).await, held(test, 3).await), ((100, 1), (0, 0)));
    book(test, 3, vec![transfer(2, 3, 100)]).await.expect("takes all there is");
    let from_nobody = book(test, 4, vec![transfer(4, 3, 1)]).await.expect_err("holds nothing");
    assert_eq!(from_nobody.code(), ErrorCode::InsufficientBalance);
}

#[story::test]
async fn what_is_forced_leaves_a_debt_that_everything_else_respects(test: &TestApp) {
    book(test, 1, vec![transfer(1, 2, 100)]).await.expect("is booked");
    book(test, 2, vec![forced(2, 3, 250)]).await.expect("is forced");
    book(test, 3, vec![forced(4, 3, 5)]).await.expect("opens the account");
    assert_eq!((held(test, 2).await, held(test, 4).await), ((-150, 2), (-5, 1)));
    let refused = book(test, 4, vec![transfer(2, 3, 1)]).await.expect_err("owes already");
    assert_eq!(refused.code(), ErrorCode::InsufficientBalance);
    book(test, 5, vec![transfer(3, 2, 60)]).await.expect("pays some of it back");
    book(test, 6, vec![transfer(2, 3, 1)]).await.expect_err("still owes");
    book(test, 7, vec![transfer(1, 2, 100)]).await.expect("pays the rest");
    // 100 - 250 + 60 + 100 = 10.
    book(test, 8, vec![transfer(2, 3, 11)]).await.expect_err("does not hold so much");
    book(test, 9, vec![transfer(2, 3, 10)]).await.expect("holds just that");
    assert_eq!(held(test, 2).await, (0, 5));
}

#[story::test]
async fn a_debt_beyond_what_was_forced_is_found(test: &TestApp) {
    book(test, 1, vec![forced(2, 3, 250)]).await.expect("is forced");
    let overdrawn = async || {
        let report = test.app.scan(async |tx| Ok(verify(tx, None).await?)).await;
        let own = (account(2).owner, BOOK);
        let of_one = test.app.scan(async move |tx| Ok(verify(tx, Some(own)).await?)).await;
        let report = report.expect("can be read").overdrawn_accounts;
        assert_eq!(of_one.expect("can be read").overdrawn_accounts, report);
        report
    };
    assert_eq!(overdrawn().await, 0);
    let change = async |by: i64| {
        let sql = "update ledger_accounts set balance_cents = balance_cents + $1 where code = 2";
        let unit = async move |tx: &Tx| Ok(tx.exec(sql, db::args![by]).await?);
        test.app.transact(unit).await.expect("is possible")
    };
    change(-1).await;
    assert_eq!(overdrawn().await, 1);
    change(1).await;
}

/// The transfers are stored by their subjects, which are not in the order of the postings.
#[story::test]
async fn one_pass_finds_a_sound_ledger_to_be_what_reading_it_by_account_finds(test: &TestApp) {
    for subject in [9, 3, 5, 4, 8] {
        let transfers = vec![transfer(1, 2, 100), transfer(2, 3, 10), forced(2, 3, 1)];
        book(test, subject, transfers).await.expect("is booked");
    }
    let at_once = async |accounts, waiting| {
        let bounds = Bounds { accounts, waiting };
        let report = test.app.scan(async move |tx| Ok(at_once::verify(tx, bounds, &|_| ()).await?));
        report.await.expect("can be read")
    };
    let by_account = async |tx: &Tx| Ok(verify_by_account(tx, None, &|_| ()).await?);
    let by_account = test.app.scan(by_account).await.expect("can be read");
    assert_eq!((by_account.accounts, by_account.transfers), (3, 15));
    // Each leg of the first four waits for the last one: 6 legs a posting.
    assert_eq!(at_once(3, 24).await, Some(by_account));
    assert_eq!(at_once(3, 23).await, None);
    assert_eq!(at_once(2, 24).await, None);
    let change = async |by: i64| {
        let sql = "update ledger_accounts set balance_cents = balance_cents + $1 where code = 3";
        let unit = async move |tx: &Tx| Ok(tx.exec(sql, db::args![by]).await?);
        test.app.transact(unit).await.expect("is possible")
    };
    change(1).await;
    assert_eq!(at_once(3, 24).await, None);
    change(-1).await;
}

#[story::test]
async fn the_same_fact_is_never_booked_twice(test: &TestApp) {
    book(test, 1, vec![transfer(1, 2, 100)]).await.expect("is booked");
    book(test, 1, vec![transfer(1, 2, 100)]).await.expect_err("was booked");
    assert_eq!(held(test, 2).await, (100, 1));
}

#[story::test]
async fn negative_and_impossible_amounts_are_refused(test: &TestApp) {
    for cents in [-1, i64::MIN] {
        book(test, 1, vec![transfer(1, 2, cents)]).await.expect_err("is negative");
    }
    let too_much = vec![transfer(1, 2, i64::MAX), transfer(1, 2, 1)];
    book(test, 2, too_much).await.expect_err("overflows");
    assert_eq!(held(test, 2).await, (0, 0));
}

#[story::test]
async fn a_booked_transfer_can_be_neither_changed_nor_deleted(test: &TestApp) {
    book(test, 1, vec![transfer(1, 2, 100)]).await.expect("is booked");
    for sql in ["update ledger_transfers set amount_cents = 1", "delete from ledger_transfers"] {
        let tampered = test.app.transact(async move |tx| Ok(tx.exec(sql, &[]).await?));
        tampered.await.expect_err("is append-only");
    }
    assert_eq!(held(test, 2).await, (100, 1));
}

#[test]
fn a_balance_that_its_transfers_do_not_explain_is_found() {
    let table = [
        "update ledger_accounts set balance_cents = balance_cents + 1 where code = 2",
        "update ledger_accounts set sequence = sequence + 1 where code = 2",
        "insert into ledger_accounts
                (owner_id, book, code, floor_cents, balance_cents, sequence)
         select owner_id, book, 9, 0, -5, 0 from ledger_accounts where code = 2",
    ];
    for sql in table {
        story(async |test| {
            book(test, 1, vec![transfer(1, 2, 100)]).await.expect("is booked");
            let tampered = async move |tx: &Tx| Ok(tx.exec(sql, &[]).await?);
            assert_eq!(test.app.transact(tampered).await.expect("is possible"), 1);
            let report = test.app.scan(async |tx| Ok(verify(tx, None).await?)).await;
            assert!(!report.expect("can be read").is_sound(), "{sql}");
            let mended = "delete from ledger_accounts where code = 9";
            let set = "update ledger_accounts set balance_cents = 100, sequence = 1 where code = 2";
            let mend = async move |tx: &Tx| {
                tx.exec(mended, &[]).await?;
                Ok(tx.exec(set, &[]).await?)
            };
            test.app.transact(mend).await.expect("is mended");
        });
    }
}

#[story::test]
async fn what_enters_an_account_does_not_excuse_what_leaves_it_in_the_same_posting(test: &TestApp) {
    book(test, 1, vec![transfer(1, 2, 100), forced(2, 1, 300)]).await.expect("is booked");
    let lacks = [
        vec![transfer(1, 2, 150), transfer(2, 3, 150)],
        vec![transfer(1, 2, 500), transfer(2, 3, 301)],
        vec![transfer(2, 3, 100), transfer(1, 2, 500)],
    ];
    for (subject, transfers) in (2..).zip(lacks) {
        let refused = book(test, subject, transfers).await.expect_err("lacks money");
        assert_eq!(refused.code(), ErrorCode::InsufficientBalance);
        assert_eq!(held(test, 2).await, (-200, 2));
    }
    let paid = vec![transfer(1, 2, 500), transfer(2, 3, 300), forced(2, 3, 10)];
    book(test, 9, paid).await.expect("is booked");
    assert_eq!(held(test, 2).await, (-10, 5));
}

/// A thousand random postings against balances kept in memory.
#[story::test]
async fn random_postings_agree_with_a_model(test: &TestApp) {
    let mut model = BTreeMap::<i64, i64>::new();
    let mut state = 42_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        i64::try_from((state >> 33) % below).expect("is small")
    };
    let (mut booked, mut refused) = (0, 0);
    for subject in 0..1_000 {
        let mut next = model.clone();
        let transfers: Vec<_> = (0..=draw(3))
            .map(|_| (draw(5) + 1, draw(5) + 1, draw(300)))
            .filter(|(debit, credit, _)| debit != credit)
            .collect();
        let mut overdrawn = false;
        for (debit, credit, cents) in transfers.iter().filter(|(_, _, cents)| *cents > 0) {
            *next.entry(*debit).or_default() -= cents;
            overdrawn |= *debit != 1 && next[debit] < 0;
            *next.entry(*credit).or_default() += cents;
        }
        let transfers = transfers.iter().map(|(d, c, cents)| transfer(*d, *c, *cents)).collect();
        let outcome = book(test, subject, transfers).await;
        assert_eq!(outcome.is_err(), overdrawn, "posting {subject}");
        if overdrawn {
            refused += 1;
        } else {
            (model, booked) = (next, booked + 1);
        }
    }
    assert!(booked > 100 && refused > 100, "{booked} booked, {refused} refused");
    for (code, cents) in model {
        assert_eq!(held(test, code).await.0, cents, "account {code}");
    }
}

#[test]
fn an_error_of_the_ledger_says_which_account_lacks_money() {
    let lacking = Error::Insufficient(account(2)).to_string();
    assert!(lacking.starts_with("account 2 of "), "{lacking}");
}
