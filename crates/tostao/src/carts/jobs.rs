//! What happens to carts by themselves: they are told of, recovered and erased.

use queue::job::{Claimed, Job};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::carts::{Whose, erase, recover, tell_if_left};
use crate::error::Result;
use crate::ids::{CartId, MerchantId, Mode, PaymentLinkId};
use crate::jobs::{WORK, carry_out};

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

/// Tells that a buyer left, unless he came back.
pub async fn tell(app: &App, job: Claimed) -> Result<()> {
    let Tell { merchant, mode, id } = job.read()?;
    let terms = app.terms.clone();
    carry_out(app, job, merchant, mode, async move |tx, scope| {
        tell_if_left(tx, scope, terms.cart_addresses(), id).await
    })
    .await
}

/// Recovers what a buyer came back to, if there is anything.
pub async fn recover_carts(app: &App, job: Claimed) -> Result<()> {
    let Recover { merchant, mode, link, whose } = job.read()?;
    let terms = app.terms.clone();
    carry_out(app, job, merchant, mode, async move |tx, scope| {
        recover(tx, scope, terms.cart_addresses(), link, &whose).await
    })
    .await
}

/// Takes out who a buyer was.
pub async fn erase_cart(app: &App, job: Claimed) -> Result<()> {
    let Erase { merchant, mode, id } = job.read()?;
    carry_out(app, job, merchant, mode, async move |tx, scope| erase(tx, scope, id).await).await
}
