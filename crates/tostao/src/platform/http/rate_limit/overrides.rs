//! Limits set by the operator: `login=10/60+30/3600,public=500/1`.
//!
//! Each zone has one or more `count/seconds`, joined by `+`. A paced zone takes one rate, a count
//! per one second, and allows a burst of twice as many.

use std::borrow::Cow;
use std::fmt::{Display, Formatter};
use std::str::FromStr;

use anyhow::{Context, bail, ensure};

use crate::platform::http::rate_limit::{Rule, Window, ZONES, Zone};

/// An exact zone stores every attempt, so its count is bounded.
const COUNT_MAX: u64 = 10_000;
const SECONDS_MAX: u64 = 24 * 3_600;
const PER_SECOND_MAX: u64 = 1_000_000;

/// The zones whose limits the operator has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides(Vec<Zone>);

impl Overrides {
    /// The operator's version of the zone, or the zone itself.
    pub fn of<'a>(&'a self, zone: &'a Zone) -> &'a Zone {
        self.0.iter().find(|other| other.name == zone.name).unwrap_or(zone)
    }
}

impl FromStr for Overrides {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let mut zones: Vec<Zone> = Vec::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let zone = read(item)?;
            ensure!(zones.iter().all(|other| other.name != zone.name), "{} twice", zone.name);
            zones.push(zone);
        }
        Ok(Self(zones))
    }
}

impl Display for Overrides {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let shown = self.0.iter().map(|zone| {
            let rule = match &zone.rule {
                Rule::Paced { per_second, .. } => format!("{per_second}/1"),
                Rule::Windows(windows) => {
                    let windows = windows.iter().map(|w| format!("{}/{}", w.max, w.seconds));
                    windows.collect::<Vec<_>>().join("+")
                }
            };
            format!("{}={rule}", zone.name)
        });
        out.write_str(&shown.collect::<Vec<_>>().join(","))
    }
}

fn read(item: &str) -> anyhow::Result<Zone> {
    let (name, limits) =
        item.split_once('=').with_context(|| format!("`{item}` is not zone=count/seconds"))?;
    let Some(zone) = ZONES.into_iter().find(|zone| zone.name == name.trim()) else {
        let known: Vec<_> = ZONES.iter().map(|zone| zone.name).collect();
        bail!("`{name}` is not a zone; the zones are {}", known.join(", "));
    };
    let windows = limits.split('+').map(window).collect::<anyhow::Result<Vec<_>>>()?;
    let rule = match (&zone.rule, windows.as_slice()) {
        (Rule::Paced { .. }, [Window { max, seconds: 1 }]) => {
            ensure!(*max <= PER_SECOND_MAX, "{name} allows at most {PER_SECOND_MAX} a second");
            let per_second = u32::try_from(*max)?;
            Rule::Paced { per_second, burst: per_second.saturating_mul(2) }
        }
        (Rule::Paced { .. }, _) => bail!("{name} takes one pace, like {name}=500/1"),
        (Rule::Windows(_), _) => {
            ensure!(windows.iter().all(|w| w.max <= COUNT_MAX), "{name} counts to {COUNT_MAX}");
            Rule::Windows(Cow::Owned(windows))
        }
    };
    Ok(Zone { rule, ..zone.clone() })
}

fn window(text: &str) -> anyhow::Result<Window> {
    let misread = || format!("`{text}` is not count/seconds");
    let (max, seconds) = text.split_once('/').with_context(misread)?;
    let number = |text: &str| text.trim().parse::<u64>().with_context(misread);
    let (max, seconds) = (number(max)?, number(seconds)?);
    ensure!(max >= 1, "`{text}` allows no request");
    ensure!((1..=SECONDS_MAX).contains(&seconds), "`{text}` is not between 1 and {SECONDS_MAX} s");
    Ok(Window { max, seconds })
}

#[cfg(test)]
mod tests {
    use super::Overrides;
    use crate::platform::http::rate_limit::{AUTHENTICATED, LOGIN, REGISTER, Rule};

    #[test]
    fn a_zone_takes_the_limits_that_are_set_and_the_others_keep_theirs() {
        let text = "login=10/60+30/3600,authenticated=500/1";
        let set: Overrides = format!(" {text} ,").parse().expect("makes sense");
        assert_eq!(set.to_string(), text);
        let Rule::Windows(windows) = &set.of(&LOGIN).rule else { panic!("is exact") };
        let windows: Vec<_> = windows.iter().map(|window| (window.max, window.seconds)).collect();
        assert_eq!(windows, [(10, 60), (30, 3_600)]);
        assert_eq!(set.of(&LOGIN).block_seconds, LOGIN.block_seconds);
        let pace = Rule::Paced { per_second: 500, burst: 1_000 };
        assert_eq!(set.of(&AUTHENTICATED).rule, pace);
        assert_eq!(set.of(&REGISTER), &REGISTER);
        assert_eq!("".parse::<Overrides>().expect("is none").to_string(), "");
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        let table = [
            ("logins=1/1", "`logins` is not a zone; the zones are public, authenticated, login"),
            ("login", "`login` is not zone=count/seconds"),
            ("login=1", "`1` is not count/seconds"),
            ("login=1/x", "`1/x` is not count/seconds"),
            ("login=-1/60", "`-1/60` is not count/seconds"),
            ("login=0/60", "`0/60` allows no request"),
            ("login=1/0", "`1/0` is not between 1 and 86400 s"),
            ("login=10001/60", "login counts to 10000"),
            ("login=1/60,login=2/60", "login twice"),
            ("authenticated=100/60", "authenticated takes one pace"),
            ("authenticated=1/1+2/1", "authenticated takes one pace"),
        ];
        for (text, reason) in table {
            let refused = text.parse::<Overrides>().expect_err(text).to_string();
            assert!(refused.starts_with(reason), "{text}: {refused}");
        }
    }
}
