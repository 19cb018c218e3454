//! PIX charges, received payments and refunds.

use std::sync::Arc;

use http::HeaderMap;
use ledger::cents::Cents;
use rails::conformance;
use rails::connection::{Event, Notice, Subject, Window};
use rails::pix::PixReturnRequest;
use serde_json::json;

use crate::bank::Bank;

const CENTS: i64 = 1_234;
/// More than a page has.
const MANY: u32 = 150;

pub async fn a_check_and_a_registered_address(bank: Arc<Bank>) {
    bank.connection().register(&bank.door).await.expect("registers");
    let health = bank.connection().check().await.expect("answers");
    assert_eq!((health.missing, health.notices_to), (vec![], Some(bank.door.clone())));
    let balance = bank.connection().balance().await.expect("answers");
    assert!(balance.is_some_and(|balance| balance.available.get() > 0), "{balance:?}");
}

pub async fn a_txid_is_one_charge(bank: Arc<Bank>) {
    let order = bank.charge(CENTS);
    conformance::a_txid_is_one_charge(&*bank.pix(), &order).await;
    let state = bank.pix().find(&order.txid).await.expect("answers").expect("is known");
    assert!(state.is_open && state.payments.is_empty());
    assert_eq!(state.amount, order.amount);
}

pub async fn a_lost_answer_is_looked_up(bank: Arc<Bank>) {
    bank.fault(&format!("{}.cob.create", bank.dialect), "cut_after").await;
    let issued = bank.pix().issue(&bank.charge(CENTS)).await.expect("is looked up");
    assert!(issued.code.starts_with("000201"), "{}", issued.code);
}

pub async fn a_charge_is_closed(bank: Arc<Bank>) {
    let txid = bank.charged(CENTS).await;
    bank.pix().cancel(&txid).await.expect("closes");
    let state = bank.pix().find(&txid).await.expect("answers").expect("is known");
    assert!(!state.is_open);
}

/// The notice names another amount than was paid.
pub async fn a_notice_is_reread(bank: Arc<Bank>) {
    let txid = bank.charged(CENTS).await;
    let [id] = &*bank.pay(&txid, 1).await else { panic!("is paid once") };
    let forged = json!({ "pix": [{ "endToEndId": id, "txid": txid, "valor": "9999.00" }] });
    let message = forged.to_string();
    let notices = bank.connection().read_notices(&HeaderMap::new(), message.as_bytes());
    let notice = Notice { subject: Subject::ReceivedPix, id: id.clone() };
    assert_eq!(notices.as_deref(), Ok(&[notice.clone()][..]));
    let page = bank.connection().look_into(&notice).await.expect("answers");
    let [Event::PixReceived(payment)] = &*page.events else { panic!("{page:?}") };
    assert_eq!((&*payment.txid, payment.amount.get()), (&*txid, CENTS));
}

pub async fn a_window_is_read_whole(bank: Arc<Bank>) {
    let txid = bank.charged(CENTS).await;
    let mut paid = bank.pay(&txid, MANY).await;
    let events = bank.listed(Window::ReceivedPix).await;
    let ids = events.into_iter().filter_map(|event| match event {
        Event::PixReceived(payment) if payment.txid == txid => Some(payment.end_to_end_id),
        _ => None,
    });
    let mut ids: Vec<_> = ids.collect();
    ids.sort();
    paid.sort();
    assert!(ids == paid, "{} of {} payments are read", ids.len(), paid.len());
}

pub async fn a_reference_is_one_refund(bank: Arc<Bank>) {
    let txid = bank.charged(CENTS).await;
    let [id] = &*bank.pay(&txid, 1).await else { panic!("is paid once") };
    let order = PixReturnRequest {
        reference: bank.reference(),
        end_to_end_id: id.clone(),
        amount: Cents::new(CENTS - 34),
    };
    conformance::a_reference_is_one_pix_refund(&*bank.pix(), &order).await;
}
