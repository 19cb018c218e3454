//! What happens to carts by themselves: they are told of, recovered and erased.

use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::carts::{Addresses, Whose, erase, recover, tell_if_left};
use crate::jobs::{Work, carry_out};
use crate::platform::error::Result;
use crate::platform::ids::{CartId, MerchantId, Mode, PaymentLinkId};
use crate::platform::lanes::WORK;

/// A buyer may have left; the row alone says whether he has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Tell {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CartId,
}

/// Somebody says that a buyer came back; whether there was one is looked up where nobody waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recover {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub link: PaymentLinkId,
    pub whose: Whose,
}

/// It was known long enough who a buyer was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Erase {
    pub merchant: MerchantId,
    pub mode: Mode,
    pub id: CartId,
}

impl Job for Tell {
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

impl Work for Tell {
    const ABOUT: &'static [&'static str] = &["Payment link"];

    /// Tells that a buyer left, unless he came back.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        let addresses = Addresses::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            tell_if_left(tx, scope, &addresses, id).await
        })
        .await
    }
}

impl Work for Recover {
    const ABOUT: &'static [&'static str] = &["Payment link"];

    /// Recovers what a buyer came back to, if there is anything.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, link, whose } = self;
        let addresses = Addresses::of(app);
        carry_out(app, job, merchant, mode, async move |tx, scope| {
            recover(tx, scope, &addresses, link, &whose).await
        })
        .await
    }
}

impl Work for Erase {
    /// Takes out who a buyer was.
    async fn run(self, app: &App, job: Claimed) -> Result<()> {
        let Self { merchant, mode, id } = self;
        carry_out(app, job, merchant, mode, async move |tx, scope| erase(tx, scope, id).await).await
    }
}
