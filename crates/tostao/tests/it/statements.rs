//! Every statement of the product is one that the engine accepts, however rarely it runs.
//!
//! Nothing checks SQL when the product is compiled. So the sources are read: whatever stands in a
//! `store.rs` and begins like a statement is prepared on the engine that the tests run on.

mod sources;

use db::database::Dialect;

use crate::harness::TestApp;
use crate::harness::engine::Engine;
use crate::statements::sources::stores;

/// How a statement names whose rows it means.
const OWNERS: [&str; 3] = ["merchant_id = $", "owner_id = $", "clock_id = $"];
/// How SQLite says that it goes through the rows of a merchant.
const WALKS: [&str; 2] =
    ["PRIMARY KEY (merchant_id=? AND mode=?)", "PRIMARY KEY (merchant_id=? AND mode=? AND id<?)"];

#[story::test]
async fn the_engine_accepts_every_statement(test: &TestApp) {
    let engine = Engine::open(test).await;
    let mut wrong = Vec::new();
    for store in stores() {
        for sql in store.statements {
            if let Err(error) = engine.prepare(&sql).await {
                wrong.push(format!("{}: {error}\n{sql}", store.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[story::test]
async fn what_is_asked_of_one_merchant_reads_nothing_of_anothers(test: &TestApp) {
    let engine = Engine::open(test).await;
    let mut scans = Vec::new();
    for store in stores() {
        let statements = store.statements.iter();
        for sql in statements.filter(|sql| OWNERS.iter().any(|owner| sql.contains(owner))) {
            let scanned = scanned(&engine.plan(sql));
            let path = store.path.display();
            scans.extend(scanned.iter().map(|table| format!("{path}: {table}\n{sql}")));
        }
    }
    assert!(scans.is_empty(), "{}", scans.join("\n\n"));
}

/// SQLite has no statistics that say that few rows have one address, and many one merchant.
#[story::test]
async fn a_look_up_is_served_by_the_index_that_was_made_for_it(test: &TestApp) {
    let engine = Engine::open(test).await;
    if engine.dialect() == Dialect::Postgres {
        return;
    }
    let table = [
        ("email = $7", "clients_email", 2),
        ("coalesce(document, email) = $", "clients_identity", 3),
        ("and coupon_id = $3 and document = $4", "coupon_uses_document", 1),
        ("and coupon_id = $3 and email = $5", "coupon_uses_email", 1),
        ("and card_fingerprint = $6", "coupon_uses_card", 1),
        ("where merchant_id = $1 and mode = $2 and idempotency_key = $3", "withdrawals_", 1),
        ("where pix_txid = $1", "transactions_pix_txid", 2),
        ("where end_to_end_id = $1", "transactions_end_to_end_id", 2),
        ("external_id = $15", "transactions_external_id", 2),
        ("external_id = $20", "transactions_external_id", 2),
        ("where pix_txid = $20", "transactions_pix_txid", 2),
        ("where end_to_end_id = $20", "transactions_end_to_end_id", 2),
        ("and external_id = $6", "withdrawals_external_id", 2),
        ("and end_to_end_id = $2 and is_waiting", "pix_infractions_payment", 2),
        ("and end_to_end_id = $2 and state <> 'REJECTED'", "pix_infractions_pix", 2),
        ("and paid_cents = $2 and paid_at between", "transactions_boletos_paid", 2),
        ("and amount_cents = $2 and expires_at >= $4", "transactions_boletos_unpaid", 1),
        ("coalesce(event_id, event_id) <= $4", "webhook_deliveries_unanswered", 1),
        ("and status = 'OPEN' and id < $3", "unmatched_receipts_open", 1),
        ("count(*) from unmatched_receipts where", "unmatched_receipts_open", 1),
        ("and kind = $3 and recipient = $4", "mails_to", 1),
        ("- taken_cents - pledged_cents > 0", "receivables_pending", 1),
        ("where merchant_id = $1 and mode = $2 and due_at > 0", "receivables_pending", 1),
        ("and due_at >= $5 and due_at < $6 and status = 'PENDING'", "receivables_pending", 1),
        ("and mode = $2 and trial_plan_id = $3", "subscriptions_trial", 1),
        ("and case when owner_id = $9", "PRIMARY KEY (subject_id=?)", 1),
        (
            "from payment_returns where merchant_id = $1 and mode = $2 and transaction_id = $3",
            "payment_returns_payment",
            1,
        ),
        (
            "where affiliate_id = $1 and mode = $2 and transaction_id = $3",
            "affiliate_commissions_payment",
            1,
        ),
    ];
    let stores = stores();
    for (asked, index, count) in table {
        let statements = stores.iter().flat_map(|store| &store.statements);
        let asking: Vec<_> = statements.filter(|sql| sql.contains(asked)).collect();
        assert_eq!(asking.len(), count, "{asked}");
        for sql in asking {
            let plan = engine.plan(sql);
            let mut served = plan.iter().filter(|step| step.contains(index));
            assert!(served.next().is_some(), "{sql}\n{plan:#?}");
            let walks = |step: &&String| WALKS.iter().any(|walk| step.ends_with(walk));
            assert_eq!(plan.iter().find(walks), None, "{sql}\n{plan:#?}");
        }
    }
}

/// Otherwise each turn of a recovery would read a webhook's whole history.
#[story::test]
async fn deliveries_that_wait_are_counted_by_their_own_index_on_either_engine(test: &TestApp) {
    let engine = Engine::open(test).await;
    let stores = stores();
    let mut statements = stores.iter().flat_map(|store| &store.statements);
    let count = statements.find(|sql| sql.contains("coalesce(event_id, event_id) <= $4"));
    let plan = engine.plan_for_any(count.expect("they are counted")).await;
    let is_served = plan.iter().any(|step| step.contains("webhook_deliveries_unanswered"));
    let is_sorted = plan.iter().any(|step| step.contains("TEMP B-TREE") || step.contains("Sort"));
    assert!(is_served && !is_sorted, "{plan:#?}");
}

#[story::test]
async fn the_last_entries_of_an_account_are_found_without_sorting_all_of_them(test: &TestApp) {
    let engine = Engine::open(test).await;
    let stores = stores();
    let statements = stores.iter().flat_map(|store| &store.statements);
    // Those about some subjects are few, and found by them.
    let is_meant = |sql: &&String| {
        sql.contains("from ledger_legs") && sql.contains("limit") && !sql.contains("subject_id in")
    };
    let [sql] = *statements.filter(is_meant).collect::<Vec<_>>() else { panic!("there is one") };
    let plan = engine.plan(sql);
    let is_sorted = plan.iter().any(|step| step.contains("TEMP B-TREE"));
    assert!(!is_sorted, "{sql}\n{plan:#?}");
}

#[story::test]
async fn what_was_counted_for_good_is_not_read_again(test: &TestApp) {
    let engine = Engine::open(test).await;
    if engine.dialect() == Dialect::Postgres {
        return;
    }
    let stores = stores();
    let mut statements = stores.iter().flat_map(|store| &store.statements);
    let count = statements.find(|sql| sql.contains("count(*) filter (where id <"));
    let plan = engine.plan(count.expect("payments are counted"));
    let goes_on = "SEARCH transactions USING PRIMARY KEY (merchant_id=? AND mode=? AND id>?)";
    assert_eq!(plan.first().map(String::as_str), Some(goes_on), "{plan:#?}");
}

#[story::test]
async fn the_engine_refuses_what_is_no_statement_of_this_schema(test: &TestApp) {
    let engine = Engine::open(test).await;
    for wrong in ["selec id from products", "select nome from products", "select 1 from shops"] {
        assert!(engine.prepare(wrong).await.is_err(), "{wrong}");
    }
}

#[test]
fn every_call_of_the_engine_has_its_statement_written_out() {
    let stores = stores();
    assert!(stores.len() >= 13, "stores have moved: {}", stores.len());
    for store in stores {
        let found = store.written;
        assert_eq!(found, store.calls, "{}: statements and calls", store.path.display());
    }
}

/// The tables that a plan reads from end to end, by the names that the statement gives them.
///
/// What the plan has made by itself before, such as a subquery's rows, is no table.
fn scanned(plan: &[String]) -> Vec<String> {
    let named = |step: &String, verb: &str| {
        let name = step.strip_prefix(verb)?.split(' ').next()?;
        Some(name.to_owned())
    };
    let made = |name: &String| {
        let mut verbs = ["MATERIALIZE ", "CO-ROUTINE "].iter();
        verbs.any(|verb| plan.iter().any(|step| named(step, verb).as_ref() == Some(name)))
    };
    let scans = plan.iter().filter_map(|step| named(step, "SCAN "));
    scans.filter(|name| name != "CONSTANT" && !made(name)).collect()
}
