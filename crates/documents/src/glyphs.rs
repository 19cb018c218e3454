//! Text in the two fonts that every PDF reader has, Helvetica and its bold weight.
//!
//! They need no embedded font, but the reader does not provide their metrics either: right-aligned
//! figures are placed by the widths below, in thousandths of the font size.

use brazil::ascii;

/// The weight of the font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    Regular,
    Bold,
}

/// Replaces characters that the font lacks.
const UNKNOWN: u8 = b'?';
const FIRST: u8 = b' ';
const LETTERS: usize = 95;

const REGULAR: [u16; LETTERS] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // to ~
];

const BOLD: [u16; LETTERS] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, // to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, // to ?
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778, // to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, // to _
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, // to o
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584, // to ~
];

/// The text in the encoding that PDF calls `WinAnsi`.
pub fn encoded(text: &str) -> Vec<u8> {
    text.chars().map(letter).collect()
}

/// The width of the text at size 1.
pub fn width(text: &str, face: Face) -> f32 {
    let widths = if face == Face::Bold { &BOLD } else { &REGULAR };
    let thousandths = text.chars().map(|c| {
        let place = usize::from(base(c).saturating_sub(FIRST));
        f32::from(widths.get(place).copied().unwrap_or(556))
    });
    thousandths.sum::<f32>() / 1000.0
}

/// The longest prefix of the text that fits, with an ellipsis where something is cut.
pub fn fitted(text: &str, face: Face, room: f32) -> String {
    if width(text, face) <= room {
        return text.to_owned();
    }
    let mut cut = text.to_owned();
    while cut.pop().is_some() {
        let shown = format!("{}…", cut.trim_end());
        if width(&shown, face) <= room {
            return shown;
        }
    }
    String::new()
}

fn letter(c: char) -> u8 {
    match c {
        ' '..='~' | '\u{a0}'..='ÿ' => u8::try_from(u32::from(c)).unwrap_or(UNKNOWN),
        '€' => 0x80,
        '…' => 0x85,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        _ => base(c),
    }
}

/// A plain letter of about the same width.
fn base(c: char) -> u8 {
    match c {
        '\u{a0}' => b' ',
        '…' | '—' => b'W',
        '·' => b'.',
        'º' | 'ª' => b'r',
        _ => ascii::fold(c.encode_utf8(&mut [0; 4])).bytes().next().unwrap_or(match c {
            ' ' => b' ',
            _ => UNKNOWN,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Face, encoded, fitted, width};

    #[test]
    fn portuguese_is_written_letter_by_letter_and_the_rest_as_well_as_it_goes() {
        let rows: [(&str, &[u8]); 6] = [
            ("Ação", &[b'A', 0xe7, 0xe3, b'o']),
            ("R$\u{a0}1", &[b'R', b'$', 0xa0, b'1']),
            ("“a” – b…", &[0x93, b'a', 0x94, b' ', 0x96, b' ', b'b', 0x85]),
            ("€", &[0x80]),
            ("日本", b"??"),
            ("a\nb", b"a?b"),
        ];
        for (text, bytes) in rows {
            assert_eq!(encoded(text), bytes, "{text}");
        }
    }

    #[test]
    fn an_accent_makes_no_letter_wider() {
        for face in [Face::Regular, Face::Bold] {
            for (accented, plain) in [("ção", "cao"), ("ÁÉÍ", "AEI"), ("R$\u{a0}1", "R$ 1")] {
                assert!((width(accented, face) - width(plain, face)).abs() < 1e-6, "{accented}");
            }
        }
        assert!((width("0123456789", Face::Bold) - 5.56).abs() < 1e-4);
    }

    #[test]
    fn what_does_not_fit_is_cut_and_says_so() {
        let long = "Um nome muito comprido mesmo";
        let cut = fitted(long, Face::Regular, 6.0);
        assert!(cut.ends_with('…') && long.starts_with(cut.trim_end_matches('…')), "{cut}");
        assert!(width(&cut, Face::Regular) <= 6.0);
        assert_eq!(fitted("curto", Face::Regular, 6.0), "curto");
        assert_eq!(fitted("W", Face::Regular, 0.1), "");
    }
}
