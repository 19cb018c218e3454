//! The accent colour of a shop: whether it can be read, and the nearest one that can.
//!
//! Buttons have white text on it, and links have it as their text: on cards, on the page around
//! them and on tinted parts. By night it is lightened until the same holds on dark surfaces. The
//! rule is that of WCAG 2.2 for text, a contrast of 4.5:1.

use std::fmt::{Display, Formatter};

use crate::platform::error::FieldFault;

/// The least contrast between a text and what it stands on.
const CONTRAST_MIN: f64 = 4.5;
/// The largest share of a mixture.
const WHOLE: u16 = 255;
/// How much of the accent a tinted part has, by day and by night.
const TINT: u16 = 20;
const NIGHT_TINT: u16 = 30;

const BLACK: Accent = Accent([0, 0, 0]);
/// The text of buttons, and the cards.
const WHITE: Accent = Accent([0xff, 0xff, 0xff]);
/// The page around the cards, as `tokens.css` has it.
const PAPER: Accent = Accent([0xf5, 0xf3, 0xee]);
/// The same by night; the page is also the text of buttons there.
const NIGHT_CARD: Accent = Accent([0x17, 0x1f, 0x1c]);
const NIGHT_PAPER: Accent = Accent([0x0e, 0x14, 0x12]);

/// A colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accent([u8; 3]);

/// Why a text is no accent colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccentFault {
    /// It is no colour like `#0a6b50`.
    NotAColor,
    /// It cannot be read; the nearest one that can.
    LowContrast(Accent),
}

impl Accent {
    /// Reads a colour that is readable, such as `#0a6b50`.
    pub fn parse(text: &str) -> Result<Self, AccentFault> {
        let digits = text.trim().strip_prefix('#').map(str::to_ascii_lowercase);
        let color = digits.as_deref().and_then(Self::of_digits).ok_or(AccentFault::NotAColor)?;
        if color.is_readable() {
            Ok(color)
        } else {
            Err(AccentFault::LowContrast(color.darkened()))
        }
    }

    /// Finds the colour of a style sheet by its name: each colour that is readable has one.
    pub fn of_sheet(name: &str) -> Option<Self> {
        Self::of_digits(name.strip_suffix(".css")?).filter(|color| color.is_readable())
    }

    /// The path of its style sheet.
    pub fn sheet(self) -> String {
        let [red, green, blue] = self.0;
        format!("/assets/accents/{red:02x}{green:02x}{blue:02x}.css")
    }

    /// The style sheet: the tokens of `tokens.css` that an accent changes. Paper stays black.
    pub fn css(self) -> String {
        let (day, night) = (self, self.by_night());
        let rule = |color: Self, text: Self, tint: Self| {
            format!(":root{{--brand:{color};--on-brand:{text};--tint:{tint}}}")
        };
        let by_day = rule(day, WHITE, day.tint());
        let by_night = rule(night, NIGHT_PAPER, night.night_tint());
        format!(
            "@media screen{{{by_day}}}\n\
             @media screen and (prefers-color-scheme:dark){{{by_night}}}\n"
        )
    }

    /// Reads six lower-case hexadecimal digits.
    fn of_digits(digits: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 6 || !digits.bytes().all(is_digit) {
            return None;
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// Whether it can be read where pages show it by day.
    fn is_readable(self) -> bool {
        [WHITE, PAPER, self.tint()].iter().all(|surface| self.contrast(*surface) >= CONTRAST_MIN)
    }

    /// The nearest readable colour that is darker.
    fn darkened(self) -> Self {
        let mut darker = (0..=WHOLE).map(|part| self.mixed(BLACK, part));
        darker.find(|color| color.is_readable()).unwrap_or(BLACK)
    }

    /// The nearest colour that can be read by night and is lighter.
    fn by_night(self) -> Self {
        let is_readable = |color: &Self| {
            let surfaces = [NIGHT_CARD, NIGHT_PAPER, color.night_tint()];
            surfaces.iter().all(|surface| color.contrast(*surface) >= CONTRAST_MIN)
        };
        (0..=WHOLE).map(|part| self.mixed(WHITE, part)).find(is_readable).unwrap_or(WHITE)
    }

    /// What a tinted part has behind its text.
    fn tint(self) -> Self {
        WHITE.mixed(self, TINT)
    }

    fn night_tint(self) -> Self {
        NIGHT_CARD.mixed(self, NIGHT_TINT)
    }

    /// This colour with so many parts of 255 of another one.
    fn mixed(self, other: Self, part: u16) -> Self {
        let channel = |index: usize| {
            let (own, others) = (u16::from(self.0[index]), u16::from(other.0[index]));
            let mixed = (own * (WHOLE - part) + others * part) / WHOLE;
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        Self([channel(0), channel(1), channel(2)])
    }

    /// The contrast with another colour, from 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let part = f64::from(channel) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl Display for Accent {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(out, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl From<AccentFault> for FieldFault {
    fn from(fault: AccentFault) -> Self {
        match fault {
            AccentFault::NotAColor => Self::new("INVALID_VALUE", "must be a colour like #0a6b50"),
            AccentFault::LowContrast(nearest) => Self::new(
                "LOW_CONTRAST",
                format!(
                    "must have a contrast of 4.5:1 with white and with the page; the nearest \
                     colour that has it is {nearest}"
                ),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Accent, AccentFault, NIGHT_CARD, NIGHT_PAPER, PAPER, WHITE};

    fn color(text: &str) -> Accent {
        Accent::of_digits(text.trim_start_matches('#')).expect("is a colour")
    }

    #[test]
    fn only_six_digits_after_a_mark_are_a_colour() {
        for text in ["", "#", "0a6b50", "#fff", "#0a6b5", "#0a6b500", "#0a6b5g", "red", "#+a6b50"] {
            assert_eq!(Accent::parse(text), Err(AccentFault::NotAColor), "{text}");
        }
        assert_eq!(Accent::parse(" #0A6B50 "), Ok(color("#0a6b50")));
        assert_eq!(color("#0a6b50").to_string(), "#0a6b50");
    }

    #[test]
    fn a_colour_that_cannot_be_read_is_refused_with_the_nearest_darker_one_that_can() {
        for readable in ["#000000", "#0a6b50", "#7a1f1f", "#1a3fa0"] {
            assert_eq!(Accent::parse(readable), Ok(color(readable)), "{readable}");
        }
        for pale in ["#ffffff", "#ffdf80", "#ff6600", "#767676", "#00b37e", "#e91e63"] {
            let Err(AccentFault::LowContrast(nearest)) = Accent::parse(pale) else {
                panic!("{pale} is readable")
            };
            assert_eq!(Accent::parse(&nearest.to_string()), Ok(nearest), "{pale}");
            let share = |part| color(pale).mixed(super::BLACK, part);
            let part = (0..=255).find(|part| share(*part) == nearest).expect("is a mixture");
            assert!(part == 0 || !share(part - 1).is_readable(), "{pale}: {nearest} is not next");
        }
    }

    #[test]
    fn every_accent_is_readable_by_night() {
        for day in ["#000000", "#0a6b50", "#7a1f1f", "#1a3fa0", "#3b0764"] {
            let night = color(day).by_night();
            for surface in [NIGHT_CARD, NIGHT_PAPER, night.night_tint()] {
                assert!(night.contrast(surface) >= 4.5, "{day}: {night} on {surface}");
            }
        }
    }

    #[test]
    fn the_surfaces_are_those_of_the_tokens() {
        let tokens = include_str!("../../../ui/css/tokens.css");
        assert!(tokens.contains(&format!("--paper: {PAPER}; --card: #fff;")), "{PAPER}");
        let night = format!("--paper: {NIGHT_PAPER}; --card: {NIGHT_CARD};");
        assert!(tokens.contains(&night), "{night}");
    }

    #[test]
    fn a_style_sheet_changes_the_tokens_on_screens_by_day_and_by_night() {
        let accent = color("#1a3fa0");
        assert_eq!(accent.sheet(), "/assets/accents/1a3fa0.css");
        assert_eq!(Accent::of_sheet("1a3fa0.css"), Some(accent));
        for unknown in ["1A3FA0.css", "1a3fa0", "ffdf80.css", "../1a3fa0.css", ".css"] {
            assert_eq!(Accent::of_sheet(unknown), None, "{unknown}");
        }
        let css = accent.css();
        let lines: Vec<_> = css.lines().collect();
        assert!(lines[0].starts_with("@media screen{:root{--brand:#1a3fa0;--on-brand:#ffffff;"));
        assert!(lines[1].starts_with("@media screen and (prefers-color-scheme:dark){:root{"));
        assert_eq!((lines.len(), WHITE.to_string()), (2, "#ffffff".to_owned()));
    }
}
