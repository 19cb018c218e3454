//! Bodies from which a changed one may have come.

use crate::webhooks::verification::Mistake;
use crate::webhooks::verification::order::reordered;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Each body from which the given one may have come, with the mistake that changed it; `like` has
/// the fields of the original, in their order.
pub fn restored(body: &[u8], like: Option<&str>) -> impl Iterator<Item = (Mistake, Vec<u8>)> {
    let text = std::str::from_utf8(body).ok();
    let compact = text.map(compact);
    let escaped = text.map(unescaped);
    let both = compact.as_deref().map(unescaped);
    let ordered = both.as_deref().zip(like).and_then(|(both, like)| reordered(both, like));
    let bytes = |text: Option<String>| text.map(String::into_bytes);
    let tried = [
        (Mistake::LineBreakAdded, without_line_break(body)),
        (Mistake::LineBreakLost, Some([body, b"\n"].concat())),
        (Mistake::ByteOrderMark, body.strip_prefix(BYTE_ORDER_MARK).map(<[u8]>::to_vec)),
        (Mistake::CarriageReturns, bytes(text.map(|text| text.replace("\r\n", "\n")))),
        (Mistake::Spaces, bytes(compact)),
        (Mistake::Escapes, bytes(escaped)),
        (Mistake::Escapes, bytes(both)),
        (Mistake::FieldOrder, bytes(ordered)),
        (Mistake::Encoding, Some(body.iter().copied().map(char::from).collect::<String>().into())),
        (Mistake::Encoding, text.and_then(once_less)),
    ];
    let changed = |(_, restored): &(Mistake, Vec<u8>)| restored != body;
    let owned: Vec<_> = tried
        .into_iter()
        .filter_map(|(mistake, restored)| Some((mistake, restored?)))
        .filter(changed)
        .collect();
    owned.into_iter()
}

fn without_line_break(body: &[u8]) -> Option<Vec<u8>> {
    let body = body.strip_suffix(b"\n")?;
    Some(body.strip_suffix(b"\r").unwrap_or(body).to_vec())
}

/// JSON without the spaces between its parts, in the same order.
fn compact(json: &str) -> String {
    let (mut is_inside, mut is_escaped) = (false, false);
    let keep = |c: &char| {
        let kept = is_inside || !c.is_ascii_whitespace();
        if is_escaped {
            is_escaped = false;
        } else if *c == '\\' {
            is_escaped = is_inside;
        } else if *c == '"' {
            is_inside = !is_inside;
        }
        kept
    };
    json.chars().filter(keep).collect()
}

/// JSON without escapes that it does not need: `\/`, and letters as numbers.
fn unescaped(json: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(json.len()), json);
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = &rest[at..];
        let (written, length) = match letter(escape) {
            Some(found) => found,
            None if escape.starts_with("\\/") => ('/', 2),
            None => {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                plain.push_str(&escape[..length]);
                rest = &escape[length..];
                continue;
            }
        };
        plain.push(written);
        rest = &escape[length..];
    }
    plain.push_str(rest);
    plain
}

/// The letter that a text begins with as `\uXXXX`, or as two of them, and how long that is.
fn letter(escape: &str) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let digits = escape.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    let units = std::iter::once(first).chain(unit(6));
    let decoded = char::decode_utf16(units).next()?.ok()?;
    let needs_escape = decoded.is_control() || matches!(decoded, '"' | '\\');
    (!needs_escape).then_some((decoded, 6 * decoded.len_utf16()))
}

/// A text whose UTF-8 was read as Latin-1, as it was before.
fn once_less(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}
