//! Page size, and contrast of colors.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::samples::pages;
use crate::platform::assets;
use crate::platform::messages::Lang;

#[test]
fn the_whole_checkout_fits_thirty_kilobytes() {
    let shared: usize = [assets::checkout_css(), assets::checkout_js(), assets::purchase_js()]
        .iter()
        .map(|url| assets::asset(url.strip_prefix("/assets/").unwrap()).unwrap().text.gzip.len())
        .sum();
    let purchases: [&[&str]; 5] = [
        &["pay, refused", "pix", "receipt"],
        &["pay, refused", "boleto", "boleto document", "receipt"],
        &["pay, refused", "card", "card, to be confirmed", "processing", "receipt"],
        &["plan, refused", "card", "card, to be confirmed", "portal", "cancel"],
        &["plan, refused", "pix", "receipt", "portal", "cancel"],
    ];
    let bytes = |page: &str| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(page.as_bytes()).unwrap();
        gzip.finish().unwrap().len()
    };
    let pages = pages(Lang::PtBr, "Loja Exemplo");
    for shown in purchases {
        let seen = pages.iter().filter(|(name, _)| shown.contains(name));
        let html: usize = seen.map(|(_, page)| bytes(page)).sum();
        assert!(shared + html < 30 * 1024, "{shared} shared and {html} in {shown:?}");
    }
}

/// Parses `--name: #rrggbb;` of one theme as the relative luminance that WCAG defines.
fn luminance(theme: &str, name: &str) -> f64 {
    let (_, rest) = theme.split_once(&format!("--{name}: #")).expect("the color exists");
    let (digits, _) = rest.split_once(';').unwrap();
    let digits: Vec<char> = digits.chars().collect();
    let channel = |index: usize| {
        let [high, low] = match digits.len() {
            3 => [digits[index]; 2],
            _ => [digits[2 * index], digits[2 * index + 1]],
        };
        let value = high.to_digit(16).unwrap() * 16 + low.to_digit(16).unwrap();
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}

#[test]
fn text_and_borders_stand_out_in_both_themes() {
    let source = include_str!("../../../../ui/css/tokens.css");
    let (light, dark) = source.split_once("prefers-color-scheme: dark").unwrap();
    let rows = [
        ("ink", "paper", 4.5),
        ("ink", "card", 4.5),
        ("ink", "tint", 4.5),
        ("ink", "danger-tint", 4.5),
        ("soft", "paper", 4.5),
        ("soft", "card", 4.5),
        ("soft", "tint", 4.5),
        ("brand", "paper", 4.5),
        ("brand", "card", 4.5),
        ("brand", "tint", 4.5),
        ("on-brand", "brand", 4.5),
        ("danger", "card", 4.5),
        ("danger", "danger-tint", 4.5),
        ("on-test", "test", 4.5),
        ("edge", "card", 3.0),
        ("focus", "card", 3.0),
        ("focus", "paper", 3.0),
    ];
    for theme in [light, dark] {
        for (front, back, least) in rows {
            let (a, b) = (luminance(theme, front), luminance(theme, back));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= least, "{front} on {back}: {contrast:.2}");
        }
    }
}
