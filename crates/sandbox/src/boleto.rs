//! The sandbox as a bank that registers boletos.
//!
//! Its bank code in the barcode, 999, belongs to no bank, so no real bank accepts payment for them.
//! What is simulated may be paid late and twice, so nothing is closed.

use std::future::ready;

use brazil::boleto::{Barcode, Boleto};
use bytes::Bytes;
use db::error::Result;
use db::tx::Tx;
use http::HeaderMap;
use rails::boleto::{
    BoletoConfirmation, BoletoOrder, BoletoProvider, BoletoRequest, IssuedBoleto, Registration,
};
use rails::entries::Entry;
use rails::error::ProviderError;
use rails::provider::Call;

use crate::bank::SandboxBank;
use crate::callback_parser::CallbackParser;
use crate::fault_injection::Operation;
use crate::{pix, store};

/// A boleto as the bank stores it.
#[derive(Debug, Clone)]
pub(crate) struct RegisteredBoleto {
    pub reference: String,
    pub our_number: String,
    pub amount_cents: i64,
    pub due_on: String,
    pub barcode: String,
    pub pix_code: String,
}

/// The bank's reply inside a unit; a refusal is a reply, not a failure of the unit.
type BankReply<T> = Result<T, ProviderError>;

const BANK: &str = "999";
/// The merchant's agreement with the bank, the prefix of every number it issues.
const AGREEMENT: &str = "1234567";
const PORTFOLIO: &str = "17";
const NUMBERS: u64 = 10_000_000_000;

impl CallbackParser<BoletoConfirmation> for SandboxBank {
    fn read_callback(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Vec<Entry<BoletoConfirmation>>, ProviderError> {
        self.signer.read_boletos(headers, body)
    }
}

impl BoletoProvider for SandboxBank {
    fn issue<'a>(&'a self, order: &'a BoletoRequest) -> Call<'a, Registration> {
        let owned = order.clone();
        let work = self.transact(async move |tx| issue(tx, &owned).await);
        Box::pin(self.faults.around(Operation::IssueBoleto, async move { work.await? }))
    }

    fn find<'a>(
        &'a self,
        order: &'a BoletoOrder,
        _: Option<&'a str>,
    ) -> Call<'a, Option<Registration>> {
        let owned = order.clone();
        Box::pin(async move {
            let unit = async move |tx: &Tx| {
                let known = store::find_boleto(tx, &owned.reference).await?;
                Ok(known.map(|known| again(&known, &owned)))
            };
            self.read(unit).await?.transpose()
        })
    }

    fn find_payments<'a>(
        &'a self,
        _: &'a BoletoOrder,
        _: &'a str,
    ) -> Call<'a, Vec<BoletoConfirmation>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn cancel<'a>(&'a self, _: &'a str) -> Call<'a, ()> {
        Box::pin(ready(Ok(())))
    }
}

async fn issue(tx: &Tx, order: &BoletoRequest) -> Result<BankReply<Registration>> {
    if let Some(known) = store::find_boleto(tx, &order.reference).await? {
        return Ok(again(&known, &order.order()));
    }
    let boleto = match draft(order, u64::from_le_bytes(tx.random())) {
        Ok(boleto) => boleto,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if !store::insert_boleto(tx, &boleto).await? {
        return Err(tx.collision("the boleto or its number was taken meanwhile"));
    }
    Ok(again(&boleto, &order.order()))
}

fn draft(order: &BoletoRequest, random: u64) -> BankReply<RegisteredBoleto> {
    let our_number = format!("{AGREEMENT}{:010}", random % NUMBERS);
    let boleto = Boleto {
        bank: BANK.into(),
        due: Some(order.due_on),
        amount_cents: order.amount.get(),
        free_field: format!("000000{our_number}{PORTFOLIO}"),
    };
    let barcode = boleto.barcode().map_err(|error| ProviderError::refused(error.to_string()))?;
    Ok(RegisteredBoleto {
        reference: order.reference.clone(),
        our_number,
        amount_cents: order.amount.get(),
        due_on: order.due_on.to_string(),
        barcode: barcode.as_str().to_owned(),
        pix_code: pix::code(&order.txid, &order.merchant_name)?,
    })
}

/// The registered boleto, if the order is the same.
fn again(boleto: &RegisteredBoleto, order: &BoletoOrder) -> BankReply<Registration> {
    if boleto.amount_cents != order.amount.get() || boleto.due_on != order.due_on.to_string() {
        return Err(ProviderError::refused("the reference names another boleto"));
    }
    let barcode = Barcode::parse(&boleto.barcode)
        .map_err(|error| ProviderError::Unknown(error.to_string()))?;
    let (our_number, pix_code) = (boleto.our_number.clone(), Some(boleto.pix_code.clone()));
    let bank_code = our_number.clone();
    Ok(Registration::Issued(IssuedBoleto {
        bank_code,
        our_number,
        barcode,
        pix_code,
        pix_txid: None,
    }))
}
