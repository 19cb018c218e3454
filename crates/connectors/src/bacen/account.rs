//! An account that is paid by PIX through the central bank's API.

use rails::pix::{IssuedPix, PixChargeRequest, PixChargeState, PixProvider, PixReturnRequest};
use rails::provider::{Call, Provider};
use rails::refund::RefundState;

use crate::bacen::session::Session;

/// The account of a connection.
pub struct PixAccount {
    /// The connection's name.
    pub name: String,
    pub session: Session,
    /// The key that charges are paid to.
    pub key: String,
}

impl Provider for PixAccount {
    fn name(&self) -> &str {
        &self.name
    }
}

impl PixProvider for PixAccount {
    fn issue<'a>(&'a self, order: &'a PixChargeRequest) -> Call<'a, IssuedPix> {
        Box::pin(self.session.issue(&self.key, order))
    }

    fn find<'a>(&'a self, txid: &'a str) -> Call<'a, Option<PixChargeState>> {
        Box::pin(self.session.find_charge(&self.key, txid))
    }

    fn cancel<'a>(&'a self, txid: &'a str) -> Call<'a, ()> {
        Box::pin(self.session.close_charge(txid))
    }

    fn refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, RefundState> {
        Box::pin(self.session.refund(order))
    }

    fn find_refund<'a>(&'a self, order: &'a PixReturnRequest) -> Call<'a, Option<RefundState>> {
        Box::pin(self.session.find_refund(order))
    }
}
