//! What an operator enters, and what the test of a connection finds.

use connectors::efi::Efi;
use ledger::cents::Cents;
use rails::connection::Lack;
use rails::error::ProviderError;
use rails::profile::Profile;
use serde_json::json;

use crate::harness::{Bank, TXID, charge, given};

#[tokio::test]
async fn a_value_that_cannot_be_used_is_refused_by_its_name_before_anything_is_called() {
    let bank = Bank::efi().await;
    let authority = bank.fake.authority();
    let foreign_key = format!("{}\n{}", authority.client.certificate, authority.bank.key);
    let table = [
        ("client_id", String::new()),
        ("client_secret", "  ".to_owned()),
        ("pix_key", String::new()),
        ("certificate", String::new()),
        ("certificate", "no PEM".to_owned()),
        ("certificate", authority.client.certificate.clone()),
        ("certificate", foreign_key),
        ("address", "http://pix.example.com".to_owned()),
        ("address", "localhost".to_owned()),
        // What went to the other address would go to the bank itself.
        ("address", String::new()),
        ("charges_address", String::new()),
        ("authority", "no PEM".to_owned()),
    ];
    for (field, value) in table {
        let mut entered = given(&bank.fake);
        entered.values.insert(field.to_owned(), value.clone());
        let refused = Efi.connect(&entered).err().expect("is refused");
        assert_eq!(refused.field, field, "{value}: {refused}");
    }
    assert_eq!(bank.calls("*").await, 0);
}

#[tokio::test]
async fn a_check_returns_what_is_missing_and_the_balance_is_read_beside_it() {
    let bank = Bank::efi().await;
    bank.admin("/__balance", json!({ "cents": 12_345 })).await;
    let scopes = "cob.read cob.write pix.read pix.write webhook.read webhook.write gn.balance.read";
    bank.admin("/__settings", json!({ "efi_scopes": scopes })).await;
    let connection = &bank.connected.connection;
    let health = connection.check().await.expect("answers");
    let balance = connection.balance().await.expect("answers");
    assert_eq!(balance.map(|balance| balance.available), Some(Cents::new(12_345)));
    assert_eq!(
        health.missing,
        ["pix.send", "gn.pix.send.read", "gn.infractions.read"]
            .map(|name| Lack::Permission(name.to_owned()))
    );
    assert_eq!(health.notices_to, None);
}

#[tokio::test]
async fn a_foreign_expired_or_revoked_certificate_is_a_matter_of_the_operators_and_nothing_is_done()
{
    let bank = Bank::efi().await;
    let authority = bank.fake.authority();
    for identity in
        [&authority.client_foreign, &authority.client_expired, &authority.client_revoked]
    {
        let mut entered = given(&bank.fake);
        let pem = format!("{}\n{}", identity.certificate, identity.key);
        entered.values.insert("certificate".to_owned(), pem);
        let efi = Efi.connect(&entered).expect("can be made");
        let pix = efi.pix.expect("serves PIX");
        let refused = pix.issue(&charge(TXID, 100)).await;
        assert!(matches!(refused, Err(ProviderError::Misconfigured(_))), "{refused:?}");
    }
    assert_eq!(bank.pix().find(TXID).await.expect("answers"), None);
}

#[tokio::test]
async fn a_token_that_ends_early_is_replaced_once_and_the_call_repeated() {
    let bank = Bank::efi().await;
    bank.pix().issue(&charge(TXID, 100)).await.expect("is issued");
    bank.admin("/__fault", json!({ "fault": "expire_tokens" })).await;
    bank.pix().find(TXID).await.expect("answers").expect("is known");
    assert_eq!(bank.calls("token").await, 2);
}

#[tokio::test]
async fn inter_has_one_address_for_charges_boletos_and_payouts() {
    let bank = Bank::inter().await;
    bank.admin("/__balance", json!({ "dialect": "inter", "cents": 12_345 })).await;
    let connection = &bank.connected.connection;
    let health = connection.check().await.expect("answers");
    let balance = connection.balance().await.expect("answers");
    assert_eq!(balance.map(|balance| balance.available), Some(Cents::new(12_345)));
    assert_eq!(health.notices_to, None);
    let door = "https://pay.example.com/providers/0a1b";
    connection.register(door).await.expect("registers");
    let health = connection.check().await.expect("answers");
    assert_eq!((health.notices_to.as_deref(), health.missing), (Some(door), vec![]));
    for operation in ["webhook.put", "slip.webhook.put", "payout.webhook.put"] {
        assert_eq!(bank.calls(operation).await, 1, "{operation}");
    }
}

#[tokio::test]
async fn checks_use_the_token_at_hand_and_ask_for_another_only_where_it_lacks_a_permission() {
    let bank = Bank::efi().await;
    let connection = &bank.connected.connection;
    bank.admin("/__settings", json!({ "efi_scopes": "cob.read webhook.read" })).await;
    let missing = async || connection.check().await.expect("answers").missing.len();
    let (first, tokens) = (missing().await, bank.calls("token").await);
    assert_eq!((first > 0, tokens), (true, 1), "a new token says what is granted now");
    let all = "cob.write cob.read pix.write pix.read pix.send gn.pix.send.read gn.balance.read \
               gn.infractions.read webhook.write webhook.read";
    bank.admin("/__settings", json!({ "efi_scopes": all })).await;
    assert_eq!((missing().await, bank.calls("token").await), (0, 2));
    for _ in 0..5 {
        assert_eq!((missing().await, bank.calls("token").await), (0, 2));
    }
}
