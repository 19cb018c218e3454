//! Boletos: a bank registers them, and any bank accepts their payment.

use brazil::boleto::Barcode;
use brazil::document::Document;
use db::time::Timestamp;
use jiff::civil::Date;
use ledger::cents::Cents;

use crate::address::Address;
use crate::provider::{Call, Provider};

/// A request to a bank.
#[derive(Debug, Clone)]
pub struct BoletoRequest {
    /// Our reference for the charge, unique for ever.
    pub reference: String,
    /// Our reference where a bank has no room for the other: 1 to 15 digits and capital letters,
    /// unique for the connection, and stored before the call.
    pub short_reference: String,
    pub amount: Cents,
    pub due_on: Date,
    /// The day of the request in São Paulo, by which a bank's lists are searched.
    pub issued_on: Date,
    pub payer: Payer,
    pub merchant_name: String,
    /// The identifier under which a payment of the boleto's PIX code arrives.
    pub txid: String,
}

/// What a boleto is looked for by, and what makes it the one that was ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoletoOrder {
    /// Our reference, as the bank was given it.
    pub reference: String,
    /// The short one, likewise.
    pub short_reference: String,
    pub amount: Cents,
    pub due_on: Date,
    /// The day of the request in São Paulo.
    pub issued_on: Date,
}

impl BoletoRequest {
    /// What the boleto is looked for by.
    pub fn order(&self) -> BoletoOrder {
        BoletoOrder {
            reference: self.reference.clone(),
            short_reference: self.short_reference.clone(),
            amount: self.amount,
            due_on: self.due_on,
            issued_on: self.issued_on,
        }
    }
}

/// The payer; no boleto is registered without their document.
#[derive(Debug, Clone)]
pub struct Payer {
    pub name: String,
    pub document: Document,
    /// Some banks register no boleto without it.
    pub address: Option<Address>,
}

/// How far a bank has come with a boleto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// It can be paid.
    Issued(IssuedBoleto),
    /// The bank makes it within seconds; until then it is asked by its own code.
    Later { bank_code: String },
}

/// A registered boleto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedBoleto {
    /// What the bank is asked by, and what it closes the boleto by.
    pub bank_code: String,
    /// The bank's number of the boleto (*nosso número*).
    pub our_number: String,
    /// The barcode; the line that people type is another form of it.
    pub barcode: Barcode,
    /// Pays the same boleto by PIX, where the bank offers that.
    pub pix_code: Option<String>,
    /// The bank's own identifier under which a payment of the PIX code arrives, if it says one.
    pub pix_txid: Option<String>,
}

/// How a boleto was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidBy {
    /// By its barcode, at a counter or in an app.
    Barcode,
    /// By its PIX code.
    Pix,
}

/// What the amount of a report covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// One payment, which the bank reports in no other form.
    Payment,
    /// All that was ever paid to the boleto, and how; `None` if the bank does not say. A payment
    /// of the boleto's PIX code is part of it, and the bank may report that as a PIX as well.
    Total(Option<PaidBy>),
}

/// A bank's report that a boleto was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoletoConfirmation {
    /// What the bank names the boleto by from its order on.
    pub bank_code: String,
    /// Our reference for the charge, the short one where the bank has no other; empty if the bank
    /// gives none.
    pub reference: String,
    /// The bank's identifier of this payment; a boleto paid twice has two. That of a total names
    /// its amount, because each greater one is another report.
    pub payment_id: String,
    pub amount: Cents,
    /// When the payer paid.
    pub paid_at: Timestamp,
    pub covers: Covers,
}

/// A bank that registers boletos.
pub trait BoletoProvider: Provider {
    /// Registers a boleto. A reference is registered once: after an unknown outcome it is looked
    /// for, and not registered again.
    ///
    /// A boleto whose answer was lost is registered all the same. It shows up in its payer's bank,
    /// and can be paid.
    fn issue<'a>(&'a self, order: &'a BoletoRequest) -> Call<'a, Registration>;

    /// Whether it registers no boleto without its payer's address.
    fn needs_address(&self) -> bool {
        false
    }

    /// Returns the boleto that was ordered, by the bank's code if it is known, or else by our
    /// reference; `None` if it was never registered.
    ///
    /// A boleto that the bank did not make, or that is closed, is refused.
    fn find<'a>(
        &'a self,
        order: &'a BoletoOrder,
        bank_code: Option<&'a str>,
    ) -> Call<'a, Option<Registration>>;

    /// Returns what was paid to the boleto with the bank's code: each payment with its own id, or
    /// the total.
    fn find_payments<'a>(
        &'a self,
        order: &'a BoletoOrder,
        bank_code: &'a str,
    ) -> Call<'a, Vec<BoletoConfirmation>>;

    /// Closes a boleto by the bank's code, so that nothing more can be paid to it; one that is
    /// closed or paid stays as it is.
    fn cancel<'a>(&'a self, bank_code: &'a str) -> Call<'a, ()>;
}
