//! The job that expires links.

use queue::job::{Claimed, Job, WORK};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::jobs::{RunJob, carry_out};
use crate::payment_links::expire_if_due;
use crate::platform::error::Result;
use crate::platform::ids::{MerchantId, Mode, PaymentLinkId};

/// A link may have expired; the row decides whether it has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Expire {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: PaymentLinkId,
}

impl Job for Expire {
    const KIND: &'static str = "expire_payment_link";
    const LANE: &'static str = WORK;
}

impl RunJob for Expire {
    const ABOUT: &'static [&'static str] = &["Payment link"];

    /// Expires a link, unless its date was moved or the link was deleted meanwhile.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let checkout_url = app.settings.checkout_url();
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            expire_if_due(tx, scope, &checkout_url, id).await
        })
        .await
    }
}
