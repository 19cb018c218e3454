//! W5: buyers validate coupons, half of them with codes that do not exist.
//!
//! Response times must not reveal to an attacker what the responses do not, so the two kinds are
//! also timed separately. The rate limits are off, as in every workload.

use std::cell::Cell;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use crate::bench::Bench;
use crate::client::{Connection, Request, Transport};
use crate::limits::bare;
use crate::load::Meter;
use crate::report::{Ratio, progress};
use crate::shop::{AMOUNT_CENTS, Shop};

const ANSWERED: &str = "answered";
const VALID: &str = "valid";
const INVALID: &str = "invalid";
const CODE: &str = "DEZ";

/// Prints L7 and W5.
pub async fn run(bench: &Bench) -> Result<()> {
    progress("W5: try a coupon");
    let place = bench.place().await?;
    let server = bench.server(&place).await?;
    let shop = Shop::open(server.address, 0).await?;
    let mut connection = Connection::open(server.address).await?;
    connection.send(&new_coupon(&shop.key)).await?.expect(201)?;
    let trials = [(VALID, 200, trial(&shop, CODE)), (INVALID, 400, trial(&shop, "ONZE"))];
    let turn = Cell::new(0_usize);
    let work = async |connection: &mut Connection, intended: Instant, meter: &Meter| {
        let (name, status, request) = &trials[turn.replace(turn.get() + 1) % trials.len()];
        connection.send(request).await?.expect(*status)?;
        meter.lap(name, intended)?;
        meter.lap(ANSWERED, intended)
    };
    let found = bench.target(&server, &place).profile(work).await?;
    server.stop().await?;
    place.remove().await?;
    let at_best = bare::echo(bench, &body(&shop, CODE)).await?;
    let mut line = bench.profile_line("W5", ANSWERED, &found)?;
    line.ratio = at_best.map(|best| Ratio::new("L7", found.closed.per_second, best));
    line.with("closed", found.closed.meter.all_quantiles())?.with("tried", found.done)?.print()
}

fn new_coupon(key: &str) -> Request {
    let coupon = json!({ "code": CODE, "discountType": "PERCENTAGE", "discountValue": 10 });
    Request::post("/api/v1/coupons", &[("api-key", key)], coupon.to_string().as_bytes())
}

fn trial(shop: &Shop, code: &str) -> Request {
    Request::post("/api/coupons/validate", &[], body(shop, code).as_bytes())
}

fn body(shop: &Shop, code: &str) -> String {
    json!({ "code": code, "amountCents": AMOUNT_CENTS, "slug": shop.link.slug }).to_string()
}
