//! Whose payment, refund or return a provider names.

use db::tx::Tx;
use uuid::Uuid;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, RefundId, ReturnId, Scope, TransactionId};
use crate::transactions::receive::ChargeReference;
use crate::transactions::{refunds, returns, store};

/// The merchant of a card charge, by our reference of it at its acquirer.
pub async fn of_charge(tx: &Tx, reference: &str) -> Result<Option<MerchantId>> {
    let Ok(id) = Uuid::try_parse(reference) else { return Ok(None) };
    let scope = store::scope_of(tx, Mode::Production, TransactionId(id)).await?;
    Ok(scope.map(|scope| scope.merchant))
}

/// The payment of a card charge, or that a refund is of, by our reference at its provider.
pub async fn sale_of(tx: &Tx, reference: &str) -> Result<Option<(Scope, TransactionId)>> {
    let Ok(id) = Uuid::try_parse(reference) else { return Ok(None) };
    match store::scope_of(tx, Mode::Production, TransactionId(id)).await? {
        Some(scope) => Ok(Some((scope, TransactionId(id)))),
        None => refunds::sale_of(tx, RefundId(id)).await,
    }
}

/// The merchant of the payment whose PIX code has a txid.
pub async fn of_txid(tx: &Tx, txid: &str) -> Result<Option<MerchantId>> {
    Ok(store::merchant_of_txid(tx, txid).await?.map(|(merchant, _)| merchant))
}

/// The provider that issued the PIX code with a txid.
pub async fn issuer_of_txid(tx: &Tx, txid: &str) -> Result<Option<String>> {
    Ok(store::merchant_of_txid(tx, txid).await?.map(|(_, issuer)| issuer))
}

/// The merchant of the payment whose charge a bank names.
pub async fn of_named(
    tx: &Tx,
    provider: &str,
    charge: ChargeReference<'_>,
) -> Result<Option<MerchantId>> {
    match charge {
        ChargeReference::Txid(name) => {
            let found = store::merchant_of_txid(tx, name).await?;
            Ok(found.filter(|(_, issuer)| issuer == provider).map(|(merchant, _)| merchant))
        }
        ChargeReference::Boleto(name) | ChargeReference::TotalOfBoleto(name, _) => {
            store::merchant_of_boleto(tx, provider, name).await
        }
    }
}

/// The merchant of the payment that a PIX paid, whatever charge the PIX names.
pub async fn of_pix(tx: &Tx, end_to_end_id: &str) -> Result<Option<MerchantId>> {
    store::merchant_of_pix(tx, end_to_end_id).await
}

/// The merchant of a refund or a return, by its reference at its bank; the platform's returns have
/// none.
pub async fn of_order(tx: &Tx, reference: &str) -> Result<Option<MerchantId>> {
    let Ok(id) = Uuid::try_parse(reference) else { return Ok(None) };
    let merchant = match refunds::owner(tx, RefundId(id)).await? {
        None => returns::owner(tx, ReturnId(id)).await?,
        merchant => merchant,
    };
    Ok(merchant.filter(|merchant| *merchant != Scope::platform(Mode::Production).merchant))
}
