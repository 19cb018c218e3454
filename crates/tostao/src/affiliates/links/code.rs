//! The code that identifies an affiliate's buyers: `ANA-7K2M9Q`.

const NAME_MAX: usize = 12;
const NAMELESS: &str = "PARCEIRO";
/// Crockford's digits: no two look alike.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DIGITS: usize = 6;
/// Letters with accents in Portuguese, and the plain letters that replace them.
const PLAIN: [(&str, char); 7] = [
    ("ÁÀÂÃÄÅ", 'A'),
    ("Ç", 'C'),
    ("ÉÈÊË", 'E'),
    ("ÍÌÎÏ", 'I'),
    ("ÓÒÔÕÖ", 'O'),
    ("ÚÙÛÜ", 'U'),
    ("Ñ", 'N'),
];

/// Makes a code of a person's first name and random digits.
pub fn make(name: &str, random: [u8; DIGITS]) -> String {
    let first = name.split_whitespace().next().unwrap_or_default().to_uppercase();
    let letters = first.chars().map(plain).filter(char::is_ascii_uppercase).take(NAME_MAX);
    let mut code: String = letters.collect();
    if code.is_empty() {
        code.push_str(NAMELESS);
    }
    code.push('-');
    // A byte holds the alphabet eight times, so every digit is equally likely.
    code.extend(random.map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()])));
    code
}

/// Parses what was typed or clicked; `None` if it cannot be a code.
pub fn parse(text: &str) -> Option<String> {
    let code = text.trim().to_ascii_uppercase();
    let (name, digits) = code.split_once('-')?;
    let good = (1..=NAME_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_uppercase())
        && digits.len() == DIGITS
        && digits.bytes().all(|byte| ALPHABET.contains(&byte));
    good.then_some(code)
}

fn plain(letter: char) -> char {
    let known = PLAIN.iter().find(|(accented, _)| accented.contains(letter));
    known.map_or(letter, |(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::{make, parse};

    #[test]
    fn a_code_is_a_first_name_in_plain_capitals_and_six_digits() {
        let table = [
            ("Ana Souza", "ANA-"),
            ("joão", "JOAO-"),
            ("Conceição da Silva", "CONCEICAO-"),
            ("Maximilianovitch", "MAXIMILIANOV-"),
            ("Loja 7", "LOJA-"),
            ("7", "PARCEIRO-"),
            ("", "PARCEIRO-"),
        ];
        for (name, begins) in table {
            let code = make(name, [0, 31, 32, 63, 18, 255]);
            assert_eq!(code, format!("{begins}0Z0ZJZ"), "{name}");
            assert_eq!(parse(&code), Some(code));
        }
    }

    #[test]
    fn a_code_is_known_in_any_case_and_nothing_else_is_one() {
        assert_eq!(parse(" ana-7k2m9q ").as_deref(), Some("ANA-7K2M9Q"));
        let others = ["", "ANA", "ANA-", "ANA-7K2M9", "ANA-7K2M9QQ", "-7K2M9Q", "ANA-7K2M9U"];
        for other in others.into_iter().chain(["A7-7K2M9Q", "MAXIMILIANOVI-7K2M9Q", "ÁNA-7K2M9Q"])
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
