//! What a workload of charges is compared with: the engine's limit and TPC-B, before and after it.
//!
//! A machine's speed changes within minutes, so a ratio divides by the mean of both.

use anyhow::Result;

use crate::bench::Bench;
use crate::limits::pgbench::TpcB;
use crate::limits::{lanes, rows};
use crate::numbers::rounded;
use crate::report::{Line, Ratio};

/// The limits of the same minutes; nothing if they are skipped.
pub struct Yardsticks<'a> {
    bench: &'a Bench,
    tpcb: Option<TpcB>,
    before: Option<Measured>,
}

/// One measurement of each.
#[derive(Debug, Clone, Copy)]
struct Measured {
    hot: f64,
    /// On PostgreSQL: one merchant's units, each after the one before.
    in_turn: Option<f64>,
    /// Only PostgreSQL knows a difference.
    spread: f64,
    tpcb: Option<f64>,
}

/// The rates of the workload to be compared.
#[derive(Debug, Clone, Copy)]
pub enum Found {
    OneMerchant(f64),
    Spread(f64),
}

impl<'a> Yardsticks<'a> {
    /// Prints the limits before a workload.
    pub async fn before(bench: &'a Bench) -> Result<Self> {
        if bench.options.no_limits {
            return Ok(Self { bench, tpcb: None, before: None });
        }
        let tpcb = match bench.yardstick() {
            Some(cluster) => Some(TpcB::open(bench, cluster).await?),
            None => None,
        };
        let before = Some(Measured::now(bench, tpcb.as_ref()).await?);
        Ok(Self { bench, tpcb, before })
    }

    /// Prints them again, and adds the ratios of what was found in between.
    pub async fn after(self, mut line: Line, found: &[Found]) -> Result<Line> {
        let Some(before) = self.before else { return Ok(line) };
        let after = Measured::now(self.bench, self.tpcb.as_ref()).await?;
        if let Some(tpcb) = self.tpcb {
            tpcb.remove().await?;
        }
        let name = if self.bench.cluster.is_some() { "L5" } else { "L3" };
        let ratios = ratios(name, before, after, found);
        line.ratio = ratios.first().cloned();
        let limits = [before.hot, after.hot].map(rounded);
        let tpcb = before.tpcb.zip(after.tpcb).map(|(before, after)| [before, after].map(rounded));
        line.with("ratios", ratios)?
            .with("limit_before_and_after", limits)?
            .with("tpcb_before_and_after", tpcb)
    }
}

impl Measured {
    async fn now(bench: &Bench, tpcb: Option<&TpcB>) -> Result<Self> {
        let (hot, in_turn, spread) = if bench.cluster.is_some() {
            let found = lanes::run(bench).await?;
            (found.hot, Some(found.in_turn), found.spread)
        } else {
            let found = rows::run_grouped(bench).await?;
            (found, None, found)
        };
        let tpcb = match tpcb {
            Some(tpcb) => Some(tpcb.run(bench).await?),
            None => None,
        };
        Ok(Self { hot, in_turn, spread, tpcb })
    }
}

fn ratios(name: &str, before: Measured, after: Measured, found: &[Found]) -> Vec<Ratio> {
    let mean = |of: fn(&Measured) -> f64| f64::midpoint(of(&before), of(&after));
    let optional = |of: fn(&Measured) -> Option<f64>| {
        of(&before).zip(of(&after)).map(|(before, after)| f64::midpoint(before, after))
    };
    let (tpcb, in_turn) = (optional(|found| found.tpcb), optional(|found| found.in_turn));
    let each = found.iter().flat_map(|found| {
        let (rate, limit, in_turn, suffix) = match *found {
            Found::OneMerchant(rate) => (rate, mean(|measured| measured.hot), in_turn, ""),
            Found::Spread(rate) => (rate, mean(|measured| measured.spread), None, ", spread"),
        };
        let in_turn = in_turn.map(|limit| Ratio::new(&format!("{name}, in turn"), rate, limit));
        let tpcb = tpcb.map(|tpcb| Ratio::new(&format!("TPC-B{suffix}"), rate, tpcb));
        [Some(Ratio::new(&format!("{name}{suffix}"), rate, limit)), in_turn, tpcb]
    });
    each.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{Found, Measured, ratios};

    #[test]
    fn a_ratio_divides_by_the_mean_of_before_and_after() {
        let before =
            Measured { hot: 100.0, in_turn: Some(50.0), spread: 300.0, tpcb: Some(1_000.0) };
        let after =
            Measured { hot: 300.0, in_turn: Some(150.0), spread: 500.0, tpcb: Some(3_000.0) };
        let found = [Found::OneMerchant(100.0), Found::Spread(200.0)];
        let found: Vec<_> = ratios("L5", before, after, &found)
            .into_iter()
            .map(|ratio| (ratio.to, ratio.value.to_string()))
            .collect();
        let expected = [
            ("L5", "0.5"),
            ("L5, in turn", "1"),
            ("TPC-B", "0.05"),
            ("L5, spread", "0.5"),
            ("TPC-B, spread", "0.1"),
        ];
        assert_eq!(found, expected.map(|(to, value)| (to.to_owned(), value.to_owned())));
    }

    #[test]
    fn without_a_cluster_there_is_no_tpcb() {
        let measured = Measured { hot: 100.0, in_turn: None, spread: 100.0, tpcb: None };
        let found = ratios("L3", measured, measured, &[Found::OneMerchant(25.0)]);
        assert_eq!(found.len(), 1);
    }
}
