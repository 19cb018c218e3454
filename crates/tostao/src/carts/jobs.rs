//! Jobs of abandoned carts: publishing, recovering and erasing them.

use queue::job::{Claimed, Job, WORK};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::carts::{CartSelector, RecoveryUrls, erase, publish_if_abandoned, recover};
use crate::jobs::{RunJob, carry_out};
use crate::platform::error::Result;
use crate::platform::ids::{CartId, MerchantId, Mode, PaymentLinkId};

/// A buyer may have left; the row decides whether they have.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PublishAbandoned {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CartId,
}

/// A caller reports that a buyer came back; whether there was a cart is looked up in the
/// background, so that timing reveals nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recover {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub link: PaymentLinkId,
    pub whose: CartSelector,
}

/// The retention period of a buyer's personal data has ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Erase {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CartId,
}

impl Job for PublishAbandoned {
    const KIND: &'static str = "tell_of_cart";
    const LANE: &'static str = WORK;
}

impl Job for Recover {
    const KIND: &'static str = "recover_cart";
    const LANE: &'static str = WORK;
}

impl Job for Erase {
    const KIND: &'static str = "erase_cart";
    const LANE: &'static str = WORK;
}

impl RunJob for PublishAbandoned {
    const ABOUT: &'static [&'static str] = &["Payment link"];

    /// Publishes that a buyer left, unless they came back.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let addresses = RecoveryUrls::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            publish_if_abandoned(tx, scope, &addresses, id).await
        })
        .await
    }
}

impl RunJob for Recover {
    const ABOUT: &'static [&'static str] = &["Payment link"];

    /// Recovers the carts that a buyer came back to, if there are any.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, link, whose } = self;
        let addresses = RecoveryUrls::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            recover(tx, scope, &addresses, link, &whose).await
        })
        .await
    }
}

impl RunJob for Erase {
    /// Erases the buyer's personal data.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| erase(tx, scope, id).await).await
    }
}
