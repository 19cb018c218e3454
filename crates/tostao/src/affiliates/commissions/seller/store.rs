//! The table of commissions, by affiliate and payment.

use db::args;
use db::tx::Tx;

use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Scope, TransactionId};

pub async fn find(tx: &Tx, affiliate: Scope, of: TransactionId) -> Result<Option<MerchantId>> {
    let row = tx
        .opt(
            "select merchant_id
               from affiliate_commissions
              where affiliate_id = $1 and mode = $2 and transaction_id = $3
                and type <> 'CLAWBACK'",
            args![affiliate.merchant, affiliate.mode, of],
        )
        .await?;
    row.map(|mut row| Ok(row.take()?)).transpose()
}
