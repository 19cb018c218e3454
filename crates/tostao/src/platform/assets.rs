//! The style sheets and scripts of the hosted pages, embedded in the binary.
//!
//! Each file's URL carries a hash of its content, so browsers cache it without expiry and a new
//! version has a new URL. Names and compressed bodies are computed at first use, so there is no
//! build step. The content security policy is defined here too, because it names what these files
//! may do.

use std::sync::LazyLock;

use axum::response::Response;
use http::HeaderMap;

use crate::platform::error::{Error, Result};
use crate::platform::http::path::PathParam;
use crate::platform::http::precompressed::{FOR_EVER, PrecompressedText};

/// Where the router serves [`serve`].
pub const ROUTE: &str = "/assets/{name}";

/// A file served to browsers.
pub struct Asset {
    /// The last segment of the path, such as `checkout-0123456789abcdef.css`.
    pub name: String,
    pub content_type: &'static str,
    pub text: PrecompressedText,
}

static CHECKOUT_CSS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/css/tokens.css"),
        include_str!("../../ui/css/layout.css"),
        include_str!("../../ui/css/button.css"),
        include_str!("../../ui/css/notice.css"),
        include_str!("../../ui/css/field.css"),
        include_str!("../../ui/css/summary.css"),
        include_str!("../../ui/css/pix.css"),
        include_str!("../../ui/css/receipt.css"),
        include_str!("../../ui/css/boleto.css"),
        include_str!("../../ui/css/methods.css"),
    );
    Asset::new("checkout", "css", "text/css; charset=utf-8", source)
});

static DOCS_CSS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/css/tokens.css"),
        include_str!("../../ui/css/docs.css"),
        include_str!("../../ui/css/guide.css"),
    );
    Asset::new("docs", "css", "text/css; charset=utf-8", source)
});

static DESK_CSS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/css/tokens.css"),
        include_str!("../../ui/css/desk-tokens.css"),
        include_str!("../../ui/css/desk-shell.css"),
        include_str!("../../ui/css/desk-parts.css"),
        include_str!("../../ui/css/desk-form.css"),
        include_str!("../../ui/css/desk-payments.css"),
        include_str!("../../ui/css/desk-developers.css"),
        include_str!("../../ui/css/desk-links.css"),
    );
    Asset::new("desk", "css", "text/css; charset=utf-8", source)
});

static DESK_JS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/js/desk-form.js"),
        include_str!("../../ui/js/desk-copy.js"),
        include_str!("../../ui/js/desk-menu.js"),
        include_str!("../../ui/js/desk-session.js"),
        include_str!("../../ui/js/desk-live.js"),
    );
    Asset::new("desk", "js", "text/javascript; charset=utf-8", source)
});

static CHECKOUT_JS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/js/reveal.js"),
        include_str!("../../ui/js/form.js"),
        include_str!("../../ui/js/copy.js"),
        include_str!("../../ui/js/countdown.js"),
        include_str!("../../ui/js/status.js"),
        include_str!("../../ui/js/receipt.js"),
    );
    Asset::new("checkout", "js", "text/javascript; charset=utf-8", source)
});

static PURCHASE_JS: LazyLock<Asset> = LazyLock::new(|| {
    let source = concat!(
        include_str!("../../ui/js/coupon.js"),
        include_str!("../../ui/js/card.js"),
        include_str!("../../ui/js/cart.js"),
    );
    Asset::new("purchase", "js", "text/javascript; charset=utf-8", source)
});

impl Asset {
    fn new(stem: &str, extension: &str, content_type: &'static str, source: &str) -> Self {
        let text = PrecompressedText::new(without_margins(source));
        Self { name: format!("{stem}-{}.{extension}", text.hash), content_type, text }
    }
}

/// Path of the checkout's style sheet.
pub fn checkout_css() -> String {
    format!("/assets/{}", CHECKOUT_CSS.name)
}

/// Path of the checkout's script.
pub fn checkout_js() -> String {
    format!("/assets/{}", CHECKOUT_JS.name)
}

/// Path of the script of the pages where a buyer puts a purchase together.
pub fn purchase_js() -> String {
    format!("/assets/{}", PURCHASE_JS.name)
}

/// Path of the style sheet of the API reference page.
pub fn docs_css() -> String {
    format!("/assets/{}", DOCS_CSS.name)
}

/// Path of the dashboard's style sheet.
pub fn desk_css() -> String {
    format!("/assets/{}", DESK_CSS.name)
}

/// Path of the dashboard's script, without which every page is complete, too.
pub fn desk_js() -> String {
    format!("/assets/{}", DESK_JS.name)
}

/// Finds a file by the last segment of its path.
pub fn asset(name: &str) -> Option<&'static Asset> {
    all().into_iter().find(|asset| asset.name == name)
}

fn all() -> [&'static Asset; 6] {
    [&CHECKOUT_CSS, &CHECKOUT_JS, &PURCHASE_JS, &DOCS_CSS, &DESK_CSS, &DESK_JS]
}

/// GET /assets/{name}
pub async fn serve(PathParam(name): PathParam<String>, request: HeaderMap) -> Result<Response> {
    let asset = asset(&name).ok_or(Error::NotFound("File"))?;
    Ok(asset.text.respond(&request, asset.content_type, FOR_EVER))
}

/// The `Content-Security-Policy` of the hosted pages; a receipt with a pixel may load that image.
pub const fn checkout_csp(pixel: bool) -> &'static str {
    macro_rules! policy {
        ($images:literal) => {
            concat!(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:",
                $images,
                "; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; ",
                "base-uri 'none'",
            )
        };
    }
    if pixel { policy!(" https://www.facebook.com") } else { policy!("") }
}

/// The policy of a page whose script may also call one other server, by its origin.
pub fn checkout_csp_reaching(origin: &str) -> String {
    let own = "connect-src 'self'";
    checkout_csp(false).replace(own, &format!("{own} {origin}"))
}

/// Strips indentation and whole-line comments; no file has text that spans lines.
fn without_margins(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use http_body_util::BodyExt as _;

    use http::{StatusCode, header};

    use super::*;

    async fn get(name: &str, request: &[(header::HeaderName, &str)]) -> Response {
        let request = request.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        serve(PathParam(name.to_owned()), request.collect()).await.unwrap()
    }

    #[test]
    fn an_address_carries_the_hash_of_its_content() {
        let name = checkout_css().strip_prefix("/assets/").unwrap().to_owned();
        assert_eq!(asset(&name).unwrap().content_type, "text/css; charset=utf-8");
        assert!(asset("checkout.css").is_none());
        assert!(asset("").is_none());
    }

    #[test]
    fn comments_and_indentation_stay_in_the_source() {
        let source = "// Why.\nif (a) {\n  b(\"//c\"); // how\n}\n\n";
        assert_eq!(without_margins(source), "if (a) {\nb(\"//c\"); // how\n}\n");
    }

    #[test]
    fn both_encodings_hold_the_same_text() {
        for file in all() {
            let mut text = Vec::new();
            GzDecoder::new(&file.text.gzip[..]).read_to_end(&mut text).unwrap();
            assert_eq!(text, file.text.plain, "{}", file.name);
        }
    }

    /// The value of a name in a rule or a group of tokens, from where in the source it starts.
    fn value_of<'a>(source: &'a str, name: &str) -> Option<&'a str> {
        let rule = source.split('}').next()?;
        let (_, rest) = rule.split_once(&format!("--{name}: "))?;
        rest.split(';').next()
    }

    fn lightness(color: &str) -> f64 {
        let digits = color.trim_start_matches('#');
        let part = |at: usize| {
            let pair = if digits.len() == 3 {
                digits[at..=at].repeat(2)
            } else {
                digits[2 * at..2 * at + 2].to_owned()
            };
            let part = f64::from(u8::from_str_radix(&pair, 16).unwrap()) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2)
    }

    #[test]
    fn a_ring_of_the_focus_stands_out_from_every_surface_by_day_and_by_night() {
        let css = str::from_utf8(&CHECKOUT_CSS.text.plain).unwrap();
        let modes: Vec<_> = css.split(":root {").skip(1).take(2).collect();
        for tokens in &modes {
            let color =
                |name: &str| value_of(tokens, name).or_else(|| value_of(modes[0], name)).unwrap();
            let on = |rule: &str| {
                let own =
                    css.split_once(&format!("{rule} {{")).and_then(|(_, it)| value_of(it, "focus"));
                let named = own.map(|own| own.trim_start_matches("var(--").trim_end_matches(')'));
                named.map_or_else(
                    || color("focus"),
                    |named| {
                        if named.starts_with('#') { named } else { color(named) }
                    },
                )
            };
            let surfaces = [
                ("body", color("paper")),
                (".card", color("card")),
                (".watch", color("tint")),
                (".errors", color("danger-tint")),
                (".test-banner", color("test")),
                (".slip", "#fff"),
            ];
            for (rule, surface) in surfaces {
                let (ring, surface) = (lightness(on(rule)), lightness(surface));
                let contrast = (ring.max(surface) + 0.05) / (ring.min(surface) + 0.05);
                assert!(contrast >= 3.0, "{rule}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn every_script_stays_small() {
        for script in [&*CHECKOUT_JS, &*PURCHASE_JS, &*DESK_JS] {
            assert!(
                script.text.plain.len() <= 6 * 1024,
                "{}: {}",
                script.name,
                script.text.plain.len()
            );
        }
    }

    #[test]
    fn the_dashboards_files_are_small_as_they_are_sent() {
        for (file, most) in [(&*DESK_CSS, 8 * 1024), (&*DESK_JS, 5 * 1024)] {
            let size = file.text.gzip.len();
            assert!(size <= most, "{}: {size}", file.name);
        }
    }

    #[tokio::test]
    async fn a_browser_gets_the_encoding_it_accepts() {
        let rows = [
            (None, None, &CHECKOUT_JS.text.plain),
            (Some("gzip, deflate, br"), Some("gzip"), &CHECKOUT_JS.text.gzip),
            (Some("br,gzip"), Some("gzip"), &CHECKOUT_JS.text.gzip),
            (Some("gzip;q=0"), None, &CHECKOUT_JS.text.plain),
        ];
        for (accepted, encoding, body) in rows {
            let request = accepted.map(|value| (header::ACCEPT_ENCODING, value));
            let reply = get(&CHECKOUT_JS.name, request.as_slice()).await;
            assert_eq!(reply.status(), StatusCode::OK);
            let used = reply.headers().get(header::CONTENT_ENCODING);
            assert_eq!(used.map(|value| value.to_str().unwrap()), encoding, "{accepted:?}");
            assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), *body);
        }
    }

    #[tokio::test]
    async fn a_known_version_is_not_sent_again_and_an_unknown_name_is_not_found() {
        let etag = CHECKOUT_CSS.text.etag();
        let known = [(header::IF_NONE_MATCH, etag.as_str())];
        assert_eq!(get(&CHECKOUT_CSS.name, &known).await.status(), StatusCode::NOT_MODIFIED);
        let unknown = serve(PathParam("../Cargo.toml".to_owned()), HeaderMap::new()).await;
        assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
    }

    #[test]
    fn only_a_receipt_with_a_pixel_may_load_an_image_from_elsewhere() {
        assert!(!checkout_csp(false).contains("http"));
        assert!(checkout_csp(true).contains("img-src 'self' data: https://www.facebook.com; "));
        for pixel in [false, true] {
            assert!(checkout_csp(pixel).starts_with("default-src 'none'; script-src 'self'; "));
            assert!(!checkout_csp(pixel).contains("unsafe"));
        }
    }
}
