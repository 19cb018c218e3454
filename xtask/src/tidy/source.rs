//! Rust text cut into code, comments and literals.
//!
//! A rule that searches for a word must not find it in a sentence about that word. So comments and
//! the contents of literals are replaced by blanks, line by line, and the text of string literals
//! is kept separately.

/// A parsed Rust file for the rules.
pub struct Source {
    /// The masked code, with the file's line count, ASCII only.
    pub code: String,
    pub literals: Vec<Literal>,
    /// For each line, whether it belongs to an item under `#[cfg(test)]`.
    pub tests: Vec<bool>,
}

/// A string literal.
pub struct Literal {
    /// The line on which it starts.
    pub line: usize,
    pub text: String,
}

/// A function with a body.
pub struct Function {
    pub name: String,
    pub first_line: usize,
    pub last_line: usize,
}

/// A path after `crate::`.
pub struct CrateUse {
    pub path: String,
    pub at: usize,
}

impl Source {
    /// Parses the text.
    pub fn read(text: &str) -> Self {
        let (code, literals) = Scanner::new(text).scan();
        let tests = test_lines(&code);
        Self { code, literals, tests }
    }

    /// The functions in the order of the file.
    pub fn functions(&self) -> Vec<Function> {
        words(&self.code).filter_map(|(at, word)| self.function(at, word)).collect()
    }

    /// The whole paths after `crate::`, each name of a `use crate::{…}` with a path of its own.
    pub fn crate_uses(&self) -> Vec<CrateUse> {
        let is_root = |(at, word): (usize, &str)| {
            let after = at + word.len();
            (word == "crate" && self.code[after..].starts_with("::")).then_some(after + 2)
        };
        let mut uses = Vec::new();
        for at in words(&self.code).filter_map(is_root) {
            self.uses_at(at, "", &mut uses);
        }
        uses
    }

    /// Parses one path, or each of a group; returns where it ends.
    fn uses_at(&self, at: usize, before: &str, uses: &mut Vec<CrateUse>) -> usize {
        let mut path = before.to_owned();
        let mut next = at;
        loop {
            let rest = &self.code[next..];
            if rest.starts_with('{') {
                next += 1;
                while let Some(start) = self.code[next..].find(|c| is_word(c) || c == '}') {
                    next += start;
                    if self.code[next..].starts_with('}') {
                        return next + 1;
                    }
                    next = self.uses_at(next, &path, uses);
                    // What follows `as` is a name of this file.
                    let end = self.code[next..].find([',', '}']).unwrap_or(0);
                    next += end;
                }
                return next;
            }
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            if name != "self" {
                path = if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
            }
            next += length;
            if !self.code[next..].starts_with("::") {
                uses.push(CrateUse { path, at });
                return next;
            }
            next += 2;
        }
    }

    /// The number of the line that holds this byte of the code.
    pub fn line(&self, at: usize) -> usize {
        line(&self.code, at)
    }

    fn function(&self, at: usize, word: &str) -> Option<Function> {
        let rest = &self.code[at + word.len()..];
        let name = rest.strip_prefix(' ').filter(|_| word == "fn")?;
        let name: String = name.chars().take_while(|character| is_word(*character)).collect();
        let (_, close) = block(&self.code, at)?;
        let (first_line, last_line) = (self.line(at), self.line(close));
        (!name.is_empty()).then_some(Function { name, first_line, last_line })
    }
}

/// The words of masked code, each with its byte offset.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next + code[next..].find(is_word)?;
        let length = code[start..].find(|character| !is_word(character));
        next = length.map_or(code.len(), |length| start + length);
        Some((start, &code[start..next]))
    })
}

pub fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn line(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// The braces of the item that starts here, unless it ends with a semicolon.
fn block(code: &str, from: usize) -> Option<(usize, usize)> {
    let mut depth = 0;
    let mut open = None;
    for (offset, byte) in code.as_bytes()[from..].iter().enumerate() {
        match byte {
            b'{' if depth == 0 && open.is_none() => {
                open = Some(from + offset);
                depth = 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if let (0, Some(open)) = (depth, open) {
                    return Some((open, from + offset));
                }
            }
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn test_lines(code: &str) -> Vec<bool> {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let mut tests = vec![false; code.lines().count()];
    for (at, _) in code.match_indices(ATTRIBUTE) {
        if let Some((_, close)) = block(code, at + ATTRIBUTE.len()) {
            tests[line(code, at) - 1..line(code, close)].fill(true);
        }
    }
    tests
}

/// Scans the text once, separating code and literals.
struct Scanner {
    text: Vec<char>,
    at: usize,
    line: usize,
    code: String,
    literals: Vec<Literal>,
}

impl Scanner {
    fn new(text: &str) -> Self {
        let text: Vec<char> = text.chars().collect();
        Self { code: String::with_capacity(text.len()), text, at: 0, line: 1, literals: Vec::new() }
    }

    fn scan(mut self) -> (String, Vec<Literal>) {
        while let Some(character) = self.peek(0) {
            match (character, self.peek(1)) {
                ('/', Some('/')) => self.line_comment(),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(),
                ('\'', _) => self.quote(),
                (first, _) if is_word(first) => self.word(),
                _ => self.keep(),
            }
        }
        (self.code, self.literals)
    }

    fn peek(&self, distance: usize) -> Option<char> {
        self.text.get(self.at + distance).copied()
    }

    fn step(&mut self, written: char) {
        if self.peek(0) == Some('\n') {
            self.line += 1;
            self.code.push('\n');
        } else {
            self.code.push(written);
        }
        self.at += 1;
    }

    fn keep(&mut self) {
        let character = self.peek(0).filter(char::is_ascii).unwrap_or('_');
        self.step(character);
    }

    fn blank(&mut self) {
        self.step(' ');
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|character| character != '\n') {
            self.blank();
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (Some(_), _) => {
                    self.blank();
                    continue;
                }
                (None, _) => return,
            }
            self.blank();
            self.blank();
            if depth == 0 {
                return;
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.keep();
        }
        let is_prefix = matches!(&self.text[start..self.at], ['r'] | ['b' | 'c', 'r']);
        let hashes = self.text[self.at..].iter().take_while(|next| **next == '#').count();
        if is_prefix && self.peek(hashes) == Some('"') {
            self.raw_string(hashes);
        }
    }

    fn string(&mut self) {
        let line = self.line;
        let mut text = String::new();
        self.keep();
        while let Some(character) = self.peek(0).filter(|character| *character != '"') {
            self.blank();
            match (character, self.peek(0)) {
                ('\\', Some(escaped)) => {
                    text.push(if matches!(escaped, 'n' | 't' | '\n') { ' ' } else { escaped });
                    self.blank();
                }
                _ => text.push(character),
            }
        }
        self.close(line, text);
    }

    fn raw_string(&mut self, hashes: usize) {
        let line = self.line;
        let mut text = String::new();
        (0..=hashes).for_each(|_| self.keep());
        while let Some(character) = self.peek(0) {
            let closes = (1..=hashes).all(|distance| self.peek(distance) == Some('#'));
            if character == '"' && closes {
                break;
            }
            text.push(character);
            self.blank();
        }
        self.close(line, text);
    }

    fn close(&mut self, line: usize, text: String) {
        if self.peek(0).is_some() {
            self.keep();
        }
        self.literals.push(Literal { line, text });
    }

    /// A quote starts a character or a lifetime.
    fn quote(&mut self) {
        let is_character = self.peek(1) == Some('\\') || self.peek(2) == Some('\'');
        self.keep();
        if !is_character {
            return;
        }
        if self.peek(0) == Some('\\') {
            self.blank();
        }
        self.blank();
        while self.peek(0).is_some_and(|character| character != '\'') {
            self.blank();
        }
        if self.peek(0).is_some() {
            self.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    fn texts(source: &Source) -> Vec<(usize, &str)> {
        source.literals.iter().map(|literal| (literal.line, literal.text.as_str())).collect()
    }

    #[test]
    fn every_path_of_the_crate_is_read_to_its_end() {
        for (text, paths) in [
            ("use crate::one::Two;", vec!["one::Two"]),
            ("use crate::{one::{self, Two as Three}, four};", vec!["one", "one::Two", "four"]),
            ("crate::one::run(); other_crate::two();", vec!["one::run"]),
            ("use crate::{one::{Two, Three}, four};", vec!["one::Two", "one::Three", "four"]),
            ("pub(crate) fn a() {} // crate::one", vec![]),
            (
                "use crate::one::{\n    Two,\n    three::{Four, Five},\n};",
                vec!["one::Two", "one::three::Four", "one::three::Five"],
            ),
        ] {
            let source = Source::read(text);
            let found: Vec<_> = source.crate_uses().into_iter().map(|it| it.path).collect();
            assert_eq!(found, paths, "{text}");
        }
    }

    #[test]
    fn comments_and_insides_of_literals_are_blank() {
        for (text, code) in [
            ("a // b", "a     "),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x // y") // z"#, r#"f("      ")     "#),
            (r#"f("\"x", y)"#, r#"f("   ", y)"#),
            ("f(r#\"a \" b\"#, c)", "f(r#\"     \"#, c)"),
            ("br\"\\\" + c\"x\"", "br\" \" + c\" \""),
            (r"f('{', '\'', b'\n')", r"f(' ', '  ', b'  ')"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("r#type + é", "r#type + _"),
        ] {
            assert_eq!(Source::read(text).code, code, "{text}");
        }
    }

    #[test]
    fn a_literal_is_kept_with_the_line_on_which_it_begins() {
        let source = Source::read("a\n\"one\n two\"\nr\"three\" \"fo\\\n  ur\"");

        assert_eq!(texts(&source), [(2, "one\n two"), (4, "three"), (4, "fo   ur")]);
        assert_eq!(source.code.lines().count(), 5);
    }

    #[test]
    fn a_function_reaches_from_its_keyword_to_its_closing_brace() {
        let text =
            "trait T {\n fn a(x: [u8; 2]);\n fn b() {\n  { }\n }\n}\nfn c(f: fn() -> u8)\n{\n}";
        let functions = Source::read(text).functions();
        let found: Vec<_> =
            functions.iter().map(|it| (it.name.as_str(), it.first_line, it.last_line)).collect();

        assert_eq!(found, [("b", 3, 5), ("c", 7, 9)]);
    }

    #[test]
    fn items_under_cfg_test_are_tests_and_the_code_after_them_is_not() {
        for (text, tests) in [
            ("a\n#[cfg(test)]\nmod tests {\n}\nb", vec![false, true, true, true, false]),
            ("#[cfg(test)]\nmod tests;\nfn a() {}", vec![false, false, false]),
        ] {
            assert_eq!(Source::read(text).tests, tests, "{text}");
        }
    }
}
