//! Every sentence that a buyer reads, in Portuguese and in English, side by side.
//!
//! A message is a method of [`Lang`], so a page cannot use one that does not exist, and a missing
//! translation or placeholder does not compile. Dates and amounts are formatted here too, because
//! their form depends on the language.

use std::sync::LazyLock;

use brazil::calendar::sao_paulo_date;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

// The macro must precede the modules that use it.
#[macro_use]
mod table;
mod card;
mod commands;
mod demo;
mod desk;
mod diagnosis;
mod mails;
mod pages;
mod subscription_pages;
mod work;

/// The documentation's path, as messages name it.
const DOCUMENTATION: &str = "/docs/";

/// A message that names pages of the documentation, with their whole addresses.
pub fn with_addresses(message: &str, base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    message.replace(DOCUMENTATION, &format!("{base}{DOCUMENTATION}"))
}

/// A language of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    PtBr,
    En,
}

static SAO_PAULO: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the time zone table is compiled into the program")
});

impl Lang {
    /// Parses a tag such as `pt-BR` or `en-US`; `None` for an unsupported language.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        let named = [("pt", Self::PtBr), ("en", Self::En)];
        let found = named.into_iter().find(|(name, _)| primary.eq_ignore_ascii_case(name));
        found.map(|(_, lang)| lang)
    }

    /// Picks from an `Accept-Language` header; Portuguese if it names neither language.
    pub fn from_header(accept_language: Option<&str>) -> Self {
        let mut best = (Self::default(), 0);
        for range in accept_language.unwrap_or_default().split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight = per_mille(weight);
            // Only a strictly greater weight wins: among equals the order of the header counts.
            if let Some(lang) = Self::parse(tag)
                && weight > best.1
            {
                best = (lang, weight);
            }
        }
        best.0
    }

    /// The value of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::PtBr => "pt-BR",
            Self::En => "en",
        }
    }

    /// The language to offer as the alternative.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::PtBr => Self::En,
            Self::En => Self::PtBr,
        }
    }

    /// Formats an instant, in microseconds since 1970, in São Paulo time.
    pub fn date_time(self, micros: i64) -> String {
        let instant = Timestamp::from_microsecond(micros).unwrap_or_default();
        let local = instant.to_zoned(SAO_PAULO.clone());
        match self {
            Self::PtBr => local.strftime("%d/%m/%Y às %H:%M").to_string(),
            Self::En => local.strftime("%-d %b %Y, %H:%M").to_string(),
        }
    }

    /// Formats a day: `24/11/2026`, or `24 Nov 2026`.
    pub fn date(self, day: Date) -> String {
        let form = match self {
            Self::PtBr => "%d/%m/%Y",
            Self::En => "%-d %b %Y",
        };
        day.strftime(form).to_string()
    }

    /// Formats the São Paulo day of an instant, in microseconds since 1970.
    pub fn day(self, micros: i64) -> String {
        self.date(sao_paulo_date(micros))
    }

    /// Formats cents: `R$ 1.234,56` with a no-break space, or `R$1,234.56`.
    pub fn money(self, cents: i64) -> String {
        let (symbol, thousands, decimal) = match self {
            Self::PtBr => ("R$\u{a0}", ".", ","),
            Self::En => ("R$", ",", "."),
        };
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        format!("{sign}{symbol}{}{decimal}{rest:02}", grouped(whole, thousands))
    }
}

/// Parses `q=0.8` as 800; anything else is 0.
fn per_mille(parameter: &str) -> u32 {
    let Some(value) = parameter.trim().strip_prefix("q=") else {
        return 0;
    };
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    match whole {
        "1" => 1000,
        "0" if fraction.len() <= 3 => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

fn grouped(number: u64, separator: &str) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
        pages::ALL
            .iter()
            .chain(card::CARD)
            .chain(commands::COMMANDS)
            .chain(demo::DEMO)
            .chain(diagnosis::DIAGNOSIS)
            .chain(mails::MAILS)
            .chain(subscription_pages::SUBSCRIPTION_PAGES)
            .chain(desk::all())
    }

    fn placeholders(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn every_message_exists_in_both_languages() {
        for (name, pt, en) in all() {
            assert!(!pt.trim().is_empty() && !en.trim().is_empty(), "{name} is empty");
            // On a terminal, spaces separate columns.
            let is_column = name.starts_with("cli_") || name.starts_with("demo_");
            let has_gap = !is_column && (pt.contains("  ") || en.contains("  "));
            assert!(!has_gap, "{name} has a double space");
            assert_eq!(placeholders(pt), placeholders(en), "{name} has other placeholders");
        }
    }

    #[test]
    fn only_words_shared_by_both_languages_read_the_same() {
        let same: Vec<&str> =
            all().filter(|(_, pt, en)| pt == en).map(|(name, _, _)| *name).collect();
        assert_eq!(same, ["total", "email", "pix", "webhooks_title"]);
    }

    #[test]
    fn placeholders_are_filled() {
        assert_eq!(Lang::PtBr.wait_seconds(30), "Espere 30 s e tente de novo.");
        assert_eq!(
            Lang::En.step_confirm("Loja", "R$5.00"),
            "Check that it is R$5.00 to Loja, and confirm."
        );
    }

    #[test]
    fn the_header_chooses_the_language() {
        let rows = [
            (None, Lang::PtBr),
            (Some(""), Lang::PtBr),
            (Some("en"), Lang::En),
            (Some("en-US,en;q=0.9,pt;q=0.8"), Lang::En),
            (Some("pt-BR,pt;q=0.9,en;q=0.8"), Lang::PtBr),
            (Some("pt;q=0.5, en;q=0.75"), Lang::En),
            (Some("fr, de;q=0.9, en;q=0.1"), Lang::En),
            (Some("fr"), Lang::PtBr),
            (Some("en;q=0"), Lang::PtBr),
            (Some("en;q=x, *;q=0.1"), Lang::PtBr),
            (Some("pt;q=0.8,en;q=0.8"), Lang::PtBr),
        ];
        for (header, lang) in rows {
            assert_eq!(Lang::from_header(header), lang, "{header:?}");
        }
    }

    #[test]
    fn instants_are_written_in_sao_paulo_time() {
        let rows = [
            (1_795_261_380_000_000, "21/11/2026 às 08:43", "21 Nov 2026, 08:43"),
            // Midnight in UTC is still the evening before in São Paulo.
            (1_767_225_600_000_000, "31/12/2025 às 21:00", "31 Dec 2025, 21:00"),
            // Brazil had daylight-saving time until 2019.
            (1_546_300_800_000_000, "31/12/2018 às 22:00", "31 Dec 2018, 22:00"),
        ];
        for (micros, pt, en) in rows {
            assert_eq!(Lang::PtBr.date_time(micros), pt);
            assert_eq!(Lang::En.date_time(micros), en);
        }
    }

    #[test]
    fn days_are_written_as_each_language_writes_them() {
        let day = jiff::civil::date(2026, 1, 4);
        assert_eq!(Lang::PtBr.date(day), "04/01/2026");
        assert_eq!(Lang::En.date(day), "4 Jan 2026");
    }

    #[test]
    fn amounts_are_written_as_each_language_writes_them() {
        let rows = [
            (0, "R$\u{a0}0,00", "R$0.00"),
            (5, "R$\u{a0}0,05", "R$0.05"),
            (99_999, "R$\u{a0}999,99", "R$999.99"),
            (123_456, "R$\u{a0}1.234,56", "R$1,234.56"),
            (-100_000_000, "-R$\u{a0}1.000.000,00", "-R$1,000,000.00"),
        ];
        for (cents, pt, en) in rows {
            assert_eq!(Lang::PtBr.money(cents), pt);
            assert_eq!(Lang::En.money(cents), en);
        }
    }
}
