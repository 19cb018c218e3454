//! Boleto: slips that a bank registers, and that any bank takes payment for.

use brazil::boleto::Barcode;
use brazil::document::Document;
use bytes::Bytes;
use db::time::Timestamp;
use http::HeaderMap;
use jiff::civil::Date;
use ledger::cents::Cents;

use crate::providers::Call;

/// What a bank is asked for.
#[derive(Debug, Clone)]
pub struct BoletoOrder {
    /// Our name for the charge, unique for ever.
    pub reference: String,
    pub amount: Cents,
    pub due_on: Date,
    pub payer: Payer,
    pub merchant_name: String,
    /// The name under which a payment of the slip's PIX code arrives.
    pub txid: String,
}

/// Who is to pay; no slip is registered without his document.
#[derive(Debug, Clone)]
pub struct Payer {
    pub name: String,
    pub document: Document,
}

/// A slip, registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedBoleto {
    /// The bank's own name for the slip (*nosso número*).
    pub our_number: String,
    /// The slip itself; the line that people type is another form of it.
    pub barcode: Barcode,
    /// Pays the same slip by PIX, where the bank offers that.
    pub pix_code: Option<String>,
}

/// What a bank tells: a slip was paid at a counter, in an app, by its barcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoletoReceipt {
    pub our_number: String,
    /// Our name for the charge.
    pub reference: String,
    /// The bank's name for this payment; a slip paid twice has two.
    pub payment_id: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
}

/// A bank that registers slips.
pub trait BoletoProvider: Send + Sync {
    /// Its name in the address of the callback door and in the charges it issued.
    fn name(&self) -> &'static str;

    /// Registers a slip; the same reference again gives the same slip.
    ///
    /// A slip that was registered and never shown to anybody is never paid, so a failed answer
    /// needs no repair.
    fn issue<'a>(&'a self, order: &'a BoletoOrder) -> Call<'a, IssuedBoleto>;

    /// Reads a confirmation that arrived at the callback door, and makes sure that it is true.
    fn read_confirmation<'a>(
        &'a self,
        headers: &'a HeaderMap,
        body: &'a Bytes,
    ) -> Call<'a, Vec<BoletoReceipt>>;
}
