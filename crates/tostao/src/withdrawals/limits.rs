//! Limits on withdrawals in a day and in a night, by the clock of São Paulo.
//!
//! The night is the central bank's: from 20:00 to 6:00 a person's account pays out little, so that
//! a robbed owner loses little. Companies are exempt; a merchant without a CNPJ counts as a person.
//! Requests count when they are made, and no longer once they have failed.

use brazil::calendar::{sao_paulo_date, sao_paulo_date_time, sao_paulo_start_of_day};
use brazil::money::format_brl;
use db::time::Timestamp;
use db::tx::Tx;
use jiff::ToSpan;
use ledger::cents::Cents;

use crate::merchants;
use crate::platform::error::{Error, ErrorCode, Result};
use crate::platform::ids::Scope;
use crate::withdrawals::store;
use crate::withdrawals::terms::WithdrawalTerms;

const NIGHT_BEGINS_HOUR: i8 = 20;
const NIGHT_ENDS_HOUR: i8 = 6;

/// What can still be withdrawn.
#[derive(Debug, Clone, Copy)]
pub struct LimitsLeft {
    pub of_day: Cents,
    /// By night, of a merchant who counts as a person.
    pub of_night: Option<Cents>,
}

/// Refuses an amount that would exceed a limit. The caller holds the account's lock.
pub async fn check_limits(
    tx: &Tx,
    scope: Scope,
    terms: &WithdrawalTerms,
    amount: Cents,
) -> Result<()> {
    let Some(left) = left(tx, scope, terms).await? else { return Ok(()) };
    if left.of_day < amount {
        let cap = format_brl(terms.daily_cap.get());
        let message = format!("Withdrawals of a day come to at most {cap}.");
        return Err(Error::refused(ErrorCode::DailyLimitExceeded, message));
    }
    if left.of_night.is_some_and(|left| left < amount) {
        let cap = format_brl(terms.night_cap.get());
        let message = format!("From 20:00 to 6:00 withdrawals come to at most {cap}.");
        return Err(Error::refused(ErrorCode::NightLimitExceeded, message));
    }
    Ok(())
}

/// What is left of the limits now; `None` where there are none.
pub async fn left(tx: &Tx, scope: Scope, terms: &WithdrawalTerms) -> Result<Option<LimitsLeft>> {
    if !terms.has_limits(scope.mode) {
        return Ok(None);
    }
    let now = scope.now(tx);
    let of_day = remaining(tx, scope, terms.daily_cap, day_began(now)).await?;
    let Some(began) = night_began(now) else {
        return Ok(Some(LimitsLeft { of_day, of_night: None }));
    };
    let owner = merchants::find(tx, scope.merchant).await?;
    let is_company = owner.document.as_ref().is_some_and(|document| !document.is_cpf());
    let of_night =
        if is_company { None } else { Some(remaining(tx, scope, terms.night_cap, began).await?) };
    Ok(Some(LimitsLeft { of_day, of_night }))
}

/// What is left of a limit.
async fn remaining(tx: &Tx, scope: Scope, cap: Cents, since: Timestamp) -> Result<Cents> {
    let taken = store::sum_since(tx, scope, since).await?;
    Ok(cap.minus(taken).unwrap_or(Cents::ZERO))
}

/// The start of the day that contains a given time.
fn day_began(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(sao_paulo_start_of_day(sao_paulo_date(at.micros())))
}

/// The start of the night that contains a given time; `None` by day.
fn night_began(at: Timestamp) -> Option<Timestamp> {
    let wall = sao_paulo_date_time(at.micros());
    let evening = match wall.hour() {
        NIGHT_BEGINS_HOUR.. => wall.date(),
        ..NIGHT_ENDS_HOUR => wall.date().saturating_sub(1.day()),
        _ => return None,
    };
    let since = wall.duration_since(evening.at(NIGHT_BEGINS_HOUR, 0, 0, 0));
    Some(at.minus(since.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use db::time::Timestamp;

    use super::{day_began, night_began};

    fn instant(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn a_day_begins_at_midnight_in_sao_paulo() {
        let table = [
            ("2026-11-21T02:59:59.999Z", "2026-11-20T03:00:00Z"),
            ("2026-11-21T03:00:00Z", "2026-11-21T03:00:00Z"),
            ("2026-11-22T02:59:59Z", "2026-11-21T03:00:00Z"),
        ];
        for (at, began) in table {
            assert_eq!(day_began(instant(at)), instant(began), "{at}");
        }
    }

    #[test]
    fn a_night_is_one_window_across_midnight() {
        let table = [
            ("2026-11-21T22:59:59.999Z", None),
            ("2026-11-21T23:00:00Z", Some("2026-11-21T23:00:00Z")),
            ("2026-11-22T03:00:00Z", Some("2026-11-21T23:00:00Z")),
            ("2026-11-22T08:59:59.999Z", Some("2026-11-21T23:00:00Z")),
            ("2026-11-22T09:00:00Z", None),
        ];
        for (at, began) in table {
            assert_eq!(night_began(instant(at)), began.map(instant), "{at}");
        }
    }
}
