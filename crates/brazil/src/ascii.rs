//! Folds Portuguese text to plain ASCII.
//!
//! Names in a BR Code are ASCII in practice: banks' apps count, cut and display anything else
//! differently.

/// Removes accents and replaces each run of characters without an ASCII form by one space.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_combining_mark(*c)) {
        if c.is_ascii_graphic() {
            folded.push(c);
        } else {
            match unaccented(c) {
                Some(plain) => folded.push_str(plain),
                None if folded.is_empty() || folded.ends_with(' ') => {}
                None => folded.push(' '),
            }
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// Truncates a folded text to at most `longest` characters, without a trailing space.
pub fn fold_to(text: &str, longest: usize) -> String {
    let mut folded = fold(text);
    folded.truncate(longest);
    folded.truncate(folded.trim_end().len());
    folded
}

/// Some systems write the accent as a separate character after the letter.
fn is_combining_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn unaccented(c: char) -> Option<&'static str> {
    Some(match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' | 'å' | 'ª' => "a",
        'Á' | 'À' | 'Â' | 'Ã' | 'Ä' | 'Å' => "A",
        'é' | 'è' | 'ê' | 'ë' => "e",
        'É' | 'È' | 'Ê' | 'Ë' => "E",
        'í' | 'ì' | 'î' | 'ï' => "i",
        'Í' | 'Ì' | 'Î' | 'Ï' => "I",
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' | 'ø' | 'º' | '°' => "o",
        'Ó' | 'Ò' | 'Ô' | 'Õ' | 'Ö' | 'Ø' => "O",
        'ú' | 'ù' | 'û' | 'ü' => "u",
        'Ú' | 'Ù' | 'Û' | 'Ü' => "U",
        'ç' => "c",
        'Ç' => "C",
        'ñ' => "n",
        'Ñ' => "N",
        'ý' | 'ÿ' => "y",
        'Ý' => "Y",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ß' => "ss",
        '‘' | '’' | '´' => "'",
        '“' | '”' => "\"",
        '‐' | '‑' | '–' | '—' => "-",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{fold, fold_to};
    use crate::testing::repeatable;

    #[test]
    fn accents_go_and_letters_stay() {
        let rows = [
            ("Pão de Açúcar", "Pao de Acucar"),
            ("SÃO JOÃO DEL-REI", "SAO JOAO DEL-REI"),
            ("Sa\u{303}o Paulo", "Sao Paulo"),
            ("Água & Cia. nº 2", "Agua & Cia. no 2"),
            ("D’Ávila – Müller", "D'Avila - Muller"),
            ("  Loja 💜💜 Flor\t", "Loja Flor"),
            ("東京", ""),
        ];
        for (text, folded) in rows {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn a_cut_text_does_not_end_in_a_space() {
        let rows = [
            ("Comércio de Flores do Vale do Itajaí", 25, "Comercio de Flores do Val"),
            ("São José dos Campos", 15, "Sao Jose dos Ca"),
            ("Rio de Janeiro", 7, "Rio de"),
            ("Rio", 15, "Rio"),
        ];
        for (text, longest, cut) in rows {
            assert_eq!(fold_to(text, longest), cut, "{text}");
        }
    }

    proptest! {
        #![proptest_config(repeatable())]

        #[test]
        fn folded_text_is_printable_ascii_and_folds_to_itself(text in ".{0,60}") {
            let folded = fold(&text);
            prop_assert!(folded.bytes().all(|b| b == b' ' || b.is_ascii_graphic()));
            prop_assert_eq!(fold(&folded), folded.clone());
            prop_assert!(fold_to(&text, 15).len() <= 15);
        }
    }
}
