//! Why a payment that was not declined by a card's issuer failed or was cancelled.

use db::text_enum;

text_enum! {
    /// The reason, as `failureReason` says it.
    pub enum FailureReason {
        /// The acquirer did not accept the charge.
        RefusedByAcquirer = "refused_by_acquirer",
        /// The charge did not reach the acquirer, for certain.
        AcquirerUnavailable = "acquirer_unavailable",
        /// An administrator resolved it as failed.
        ResolvedByAdministrator = "resolved_by_administrator",
        /// The token had just been used by another payment or had just expired.
        CardTokenUnusable = "card_token_unusable",
        /// The charge has not reached the acquirer after ten minutes.
        NeverArrived = "never_arrived",
        /// The bank did not make the boleto.
        BoletoNotMade = "boleto_not_made",
        /// It was cancelled in favor of the one that its buyer pays instead.
        Replaced = "replaced",
    }
}
