//! PIX charges, received payments and refunds, at each bank.

use ledger::cents::Cents;
use rails::conformance::{a_reference_is_one_pix_refund, a_txid_is_one_charge};
use rails::connection::{Event, Notice, Subject, Window};
use rails::error::ProviderError;
use rails::pix::PixReturnRequest;
use rails::refund::RefundState;
use serde_json::json;

use crate::harness::{Bank, TXID, always, charge};

fn refund(end_to_end_id: &str, cents: i64) -> PixReturnRequest {
    PixReturnRequest {
        reference: "fedcba9876543210fedcba9876543210".to_owned(),
        end_to_end_id: end_to_end_id.to_owned(),
        amount: Cents::new(cents),
    }
}

#[tokio::test]
async fn a_charge_is_issued_once_for_each_txid() {
    for bank in Bank::each().await {
        a_txid_is_one_charge(&*bank.pix(), &charge(TXID, 1_234)).await;
        let state = bank.pix().find(TXID).await.expect("answers").expect("is known");
        assert!(state.is_open && state.payments.is_empty());
        assert_eq!(state.amount, Cents::new(1_234));
    }
}

#[tokio::test]
async fn a_charge_of_another_amount_under_a_known_txid_is_never_taken_for_ours() {
    for bank in Bank::each().await {
        bank.pix().issue(&charge(TXID, 1_234)).await.expect("is issued");
        let other = bank.pix().issue(&charge(TXID, 1_235)).await;
        assert!(matches!(other, Err(ProviderError::Unknown(_))), "{other:?}");
    }
}

#[tokio::test]
async fn a_code_whose_answer_is_lost_is_looked_up() {
    for bank in Bank::each().await {
        for fault in ["cut_after", "cut_in_half", "html"] {
            let txid = format!("{TXID:.26}{}", fault.replace('_', ""));
            let txid = &txid[..txid.len().min(35)];
            bank.fault("cob.create", json!({ "fault": fault, "times": 1 })).await;
            let issued = bank.pix().issue(&charge(txid, 500)).await.expect(fault);
            assert!(issued.code.starts_with("000201"), "{fault}: {}", issued.code);
        }
    }
}

#[tokio::test]
async fn a_request_that_was_not_processed_leaves_no_charge_and_says_what_is_known() {
    for bank in Bank::each().await {
        bank.fault("cob.create", json!({ "fault": "cut_before", "times": 1 })).await;
        let lost = bank.pix().issue(&charge(TXID, 500)).await;
        assert!(matches!(lost, Err(ProviderError::Unknown(_))), "{lost:?}");
        bank.fault("cob.create", json!({ "fault": "proxy_html", "times": 1 })).await;
        let refused = bank.pix().issue(&charge(TXID, 500)).await;
        assert!(matches!(refused, Err(ProviderError::Misconfigured(_))), "{refused:?}");
        bank.fault("cob.create", json!({ "fault": "too_many", "retry_after": 3, "times": 1 }))
            .await;
        let busy = bank.pix().issue(&charge(TXID, 500)).await;
        assert!(matches!(busy, Err(ProviderError::NotSent { .. })), "{busy:?}");
        assert_eq!(bank.pix().find(TXID).await.expect("answers"), None);
    }
}

#[tokio::test]
async fn a_payment_is_read_by_its_charge_by_its_notice_and_by_its_window() {
    for bank in Bank::each().await {
        let end_to_end_id = bank.paid(TXID, 1_234).await;
        let charge = bank.pix().find(TXID).await.expect("answers").expect("is known");
        assert!(!charge.is_open);
        let [payment] = &*charge.payments else { panic!("{charge:?}") };
        assert_eq!((&payment.end_to_end_id, payment.amount.get()), (&end_to_end_id, 1_234));
        let notice = Notice { subject: Subject::ReceivedPix, id: end_to_end_id };
        let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
        assert_eq!(reported, [Event::PixReceived(payment.clone())]);
        let (from, to) = always();
        let page = bank.connected.connection.read_window(Window::ReceivedPix, from, to, None).await;
        let page = page.expect("answers");
        assert_eq!((page.events, page.next), (reported, None));
    }
}

#[tokio::test]
async fn a_window_of_many_payments_is_read_page_by_page() {
    for bank in Bank::each().await {
        bank.pix().issue(&charge(TXID, 100)).await.expect("is issued");
        let pay = json!({ "dialect": bank.dialect, "charge": TXID, "times": 250, "late": true });
        bank.admin("/__pay", pay).await;
        let ((from, to), mut cursor, mut seen) = (always(), None::<String>, Vec::new());
        loop {
            let page = bank.connected.connection.read_window(
                Window::ReceivedPix,
                from,
                to,
                cursor.as_deref(),
            );
            let page = page.await.expect("answers");
            seen.extend(page.events);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen.len(), 250);
    }
}

#[tokio::test]
async fn a_closed_charge_cannot_be_paid_and_closing_is_safe_to_repeat() {
    for bank in Bank::each().await {
        bank.pix().issue(&charge(TXID, 1_234)).await.expect("is issued");
        for _ in 0..2 {
            bank.pix().cancel(TXID).await.expect("closes");
        }
        let state = bank.pix().find(TXID).await.expect("answers").expect("is known");
        assert!(!state.is_open);
        bank.pix()
            .cancel("ffffffffffffffffffffffffffffffff")
            .await
            .expect("an unknown one is closed");
        let again = bank.pix().issue(&charge(TXID, 1_234)).await;
        assert!(matches!(again, Err(ProviderError::Refused { .. })), "{again:?}");
    }
}

#[tokio::test]
async fn a_refund_is_made_once_for_each_reference() {
    for bank in Bank::each().await {
        let end_to_end_id = bank.paid(TXID, 1_234).await;
        a_reference_is_one_pix_refund(&*bank.pix(), &refund(&end_to_end_id, 1_000)).await;
    }
}

#[tokio::test]
async fn a_refund_whose_answer_is_lost_is_looked_up_and_made_once() {
    for bank in Bank::each().await {
        let end_to_end_id = bank.paid(TXID, 1_234).await;
        bank.fault("refund.create", json!({ "fault": "cut_after", "times": 1 })).await;
        let order = refund(&end_to_end_id, 1_234);
        let state = bank.pix().refund(&order).await.expect("is looked up");
        assert!(!matches!(state, RefundState::Refused { .. }), "{state:?}");
        bank.pix().refund(&order).await.expect("is the same refund");
        let received = &bank.state().await["pix"]["received"];
        let text = received.to_string();
        assert_eq!(text.matches(&order.reference).count(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_refund_is_reported_with_its_amount() {
    for bank in Bank::each().await {
        let end_to_end_id = bank.paid(TXID, 1_234).await;
        let order = refund(&end_to_end_id, 234);
        bank.pix().refund(&order).await.expect("is made");
        let notice = Notice { subject: Subject::ReceivedPix, id: end_to_end_id };
        let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
        let [Event::PixReceived(_), Event::PixRefund { reference, amount, .. }] = &*reported else {
            panic!("{reported:?}")
        };
        assert_eq!((reference, amount.get()), (&order.reference, 234));
    }
}

#[tokio::test]
async fn what_the_return_mechanism_takes_back_is_an_event_of_its_own() {
    for bank in Bank::each().await {
        let end_to_end_id = bank.paid(TXID, 1_234).await;
        let take = json!({
            "dialect": bank.dialect, "e2e": end_to_end_id, "amount_cents": 234,
            "action": "take_back",
        });
        bank.admin("/__med", take).await;
        let notice = Notice { subject: Subject::ReceivedPix, id: end_to_end_id.clone() };
        let reported = bank.connected.connection.look_into(&notice).await.expect("answers").events;
        let taken = reported.iter().find_map(|event| match event {
            Event::PixTakenBack { end_to_end_id, amount, .. } => {
                Some((end_to_end_id, amount.get()))
            }
            _ => None,
        });
        assert_eq!(taken, Some((&end_to_end_id, 234)), "{reported:?}");
    }
}
