//! The statements of the product, as its sources write them.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::str::Chars;

/// Where stores are, seen from this crate.
const SOURCES: [&str; 4] = ["src", "../queue/src", "../ledger/src", "../sandbox/src"];
const VERBS: [&str; 5] = ["select ", "insert ", "update ", "delete ", "with "];
/// How the product hands a statement to the engine.
const CALLS: [&str; 13] = [
    ".exec(",
    ".exec_unique(",
    ".defer(",
    ".defer_with_rows(",
    ".insert_row(",
    ".expect_one(",
    ".expect_one_with_rows(",
    ".all(",
    ".all_as(",
    ".opt(",
    ".one(",
    "change(tx, sql, ",
    "delete(tx, scope, left, ",
];
/// How it hands on a statement for everybody, and the same for one merchant, that others write out
/// with a macro that gives both.
const PAIRS: [&str; 2] = ["add_up(tx, ", "page(tx, "];
const HANDED_ON: [&str; 5] = [
    ".all(all_owners, ",
    ".all(own, ",
    ".all_as(all_owners, ",
    ".all_as(own, ",
    ".exec(emptying, ",
];

/// A file of statements.
pub struct Store {
    pub path: PathBuf,
    pub statements: Vec<String>,
    /// How many of them it writes out; a pair is one.
    pub written: usize,
    /// How often it calls the engine.
    pub calls: usize,
}

/// A macro that puts a statement together from the texts that it is given, or more than one.
struct Template {
    parameters: Vec<String>,
    bodies: Vec<Vec<Piece>>,
}

/// A piece of a source file, as far as statements are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Word(String),
    Text(String),
    Mark(char),
}

/// Reads all of them.
pub fn stores() -> Vec<Store> {
    let mut files = Vec::new();
    for folder in SOURCES {
        gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let times = |text: &str, calls: &[&str]| -> usize {
        calls.iter().map(|call| text.matches(call).count()).sum()
    };
    let calls = |text: &str| times(text, &CALLS) + times(text, &PAIRS) - times(text, &HANDED_ON);
    let read: Vec<_> =
        files.into_iter().map(|(path, text)| (path, calls(&text), pieces(&text))).collect();
    let words = read.iter().flat_map(|(_, _, pieces)| words(pieces)).collect();
    let templates = read.iter().flat_map(|(_, _, pieces)| templates(pieces)).collect();
    let store = |(path, calls, pieces): &(PathBuf, usize, Vec<Piece>)| {
        let written = statements(pieces, &words, &templates);
        Store {
            path: path.clone(),
            written: written.len(),
            statements: written.into_iter().flatten().collect(),
            calls: *calls,
        }
    };
    read.iter().map(store).collect()
}

fn gather(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in read_dir(folder).expect("is a folder") {
        let path = entry.expect("can be read").path();
        if path.is_dir() {
            gather(&path, found);
        } else if path.ends_with("store.rs") {
            let text = read_to_string(&path).expect("is text");
            found.push((path, text));
        }
    }
}

/// Every statement of a source file, joined where it is put together from parts; those that one
/// macro gives stand together.
///
/// A macro of the file's own hides one of the same name that another file lends.
fn statements(
    pieces: &[Piece],
    lent: &BTreeMap<&str, String>,
    templates: &BTreeMap<String, Template>,
) -> Vec<Vec<String>> {
    let mut known = lent.clone();
    known.extend(words(pieces));
    let mut found = Vec::new();
    let mut rest = pieces;
    while let [piece, after @ ..] = rest {
        if let Some((_, _, after)) = template(rest) {
            rest = after;
            continue;
        }
        let (texts, after) = match (piece, after) {
            (Piece::Word(word), [Piece::Mark('!'), Piece::Mark('('), parts @ ..]) => {
                match templates.get(word) {
                    Some(template) => filled(template, parts, &known),
                    None if word == "concat" => {
                        let (text, after) = joined(parts, &known);
                        (vec![text], after)
                    }
                    None => (Vec::new(), parts),
                }
            }
            (Piece::Text(text), _) => (vec![text.clone()], after),
            _ => (Vec::new(), after),
        };
        let begins = |text: &String| VERBS.iter().any(|verb| text.trim_start().starts_with(verb));
        if texts.first().is_some_and(begins) {
            found.push(texts);
        }
        rest = after;
    }
    found
}

/// The templates that a source file defines, by their names.
fn templates(pieces: &[Piece]) -> BTreeMap<String, Template> {
    let places = (0..pieces.len()).filter_map(|index| template(&pieces[index..]));
    places.map(|(name, template, _)| (name.to_owned(), template)).collect()
}

/// The template whose definition begins here, its name, and what follows.
fn template(pieces: &[Piece]) -> Option<(&str, Template, &[Piece])> {
    let [Piece::Word(rules), Piece::Mark('!'), Piece::Word(name), ..] = pieces else { return None };
    let arrow = pieces.windows(2).position(|pair| pair == [Piece::Mark('='), Piece::Mark('>')]);
    let (head, body) = pieces.split_at(arrow.filter(|_| rules == "macro_rules")?);
    let parameters = head.windows(2).filter_map(|pair| match pair {
        [Piece::Mark('$'), Piece::Word(name)] => Some(name.clone()),
        _ => None,
    });
    let parameters: Vec<_> = parameters.collect();
    let [_, _, Piece::Mark('{'), rest @ ..] = body else { return None };
    let mut rest = match rest {
        [Piece::Mark('['), inside @ ..] => inside,
        one => one,
    };
    let mut bodies = Vec::new();
    while let [Piece::Word(concat), Piece::Mark('!'), Piece::Mark('('), body @ ..] = rest
        && concat == "concat"
    {
        let after = closed(body);
        bodies.push(body[..body.len() - after.len()].to_vec());
        rest = match after {
            [Piece::Mark(','), next @ ..] => next,
            end => end,
        };
    }
    if bodies.is_empty() || parameters.is_empty() {
        return None;
    }
    Some((name, Template { parameters, bodies }, rest))
}

/// What follows the bracket that closes.
fn closed(mut parts: &[Piece]) -> &[Piece] {
    let mut depth = 1;
    while let [part, after @ ..] = parts {
        parts = after;
        match part {
            Piece::Mark('(') => depth += 1,
            Piece::Mark(')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    parts
}

/// Fills a template with the texts in brackets; answers what follows, too.
fn filled<'a>(
    template: &Template,
    parts: &'a [Piece],
    known: &BTreeMap<&str, String>,
) -> (Vec<String>, &'a [Piece]) {
    let after = closed(parts);
    let texts = parts[..parts.len() - after.len()].iter().filter_map(|part| match part {
        Piece::Text(text) => Some(text.clone()),
        _ => None,
    });
    let mut words = known.clone();
    words.extend(template.parameters.iter().map(String::as_str).zip(texts));
    (template.bodies.iter().map(|body| joined(body, &words).0).collect(), after)
}

/// The texts that macros without arguments stand for, joined where they are put together.
fn words(pieces: &[Piece]) -> BTreeMap<&str, String> {
    let mut words = BTreeMap::new();
    for (index, window) in pieces.windows(3).enumerate() {
        if let [Piece::Word(rules), Piece::Mark('!'), Piece::Word(name)] = window
            && rules == "macro_rules"
        {
            let rest = &pieces[index..];
            let body = rest.iter().position(|piece| *piece == Piece::Mark('>'));
            let text = match &rest[body.map_or(0, |arrow| arrow + 1)..] {
                [
                    Piece::Mark('{'),
                    Piece::Word(concat),
                    Piece::Mark('!'),
                    Piece::Mark('('),
                    parts @ ..,
                ] if concat == "concat" && template(rest).is_none() => joined(parts, &words).0,
                body => {
                    let text = body.iter().find_map(|piece| match piece {
                        Piece::Text(text) => Some(text.clone()),
                        _ => None,
                    });
                    text.expect("a macro stands for a text")
                }
            };
            words.insert(name.as_str(), text);
        }
    }
    words
}

/// Joins the parts of a `concat!` up to its closing bracket; answers what follows, too.
fn joined<'a>(mut parts: &'a [Piece], words: &BTreeMap<&str, String>) -> (String, &'a [Piece]) {
    let (mut text, mut depth) = (String::new(), 1);
    while let [part, after @ ..] = parts {
        parts = after;
        match part {
            Piece::Text(part) => text.push_str(part),
            Piece::Word(word) => text.push_str(&words[word.as_str()]),
            Piece::Mark('(') => depth += 1,
            Piece::Mark(')') => depth -= 1,
            Piece::Mark(_) => {}
        }
        if depth == 0 {
            break;
        }
    }
    (text, parts)
}

fn pieces(source: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = source.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref().find(|c| *c == '\n');
            }
            '"' => found.push(Piece::Text(plain_text(&mut rest))),
            'r' if raw_begins(&rest) => found.push(Piece::Text(raw_text(&mut rest))),
            '\'' => skip_character(&mut rest),
            c if c.is_alphabetic() || c == '_' => found.push(Piece::Word(word(c, &mut rest))),
            c if c.is_whitespace() => {}
            c => found.push(Piece::Mark(c)),
        }
    }
    found
}

fn word(first: char, rest: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::from(first);
    while let Some(next) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
        word.push(next);
    }
    word
}

fn plain_text(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => break,
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('\n') => while rest.next_if(|c| c.is_whitespace()).is_some() {},
                Some(escaped) => text.push(escaped),
                None => {}
            },
            letter => text.push(letter),
        }
    }
    text
}

fn raw_begins(rest: &Peekable<Chars<'_>>) -> bool {
    let mut ahead = rest.clone();
    while ahead.next_if_eq(&'#').is_some() {}
    ahead.peek() == Some(&'"')
}

fn raw_text(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut end = String::from('"');
    while rest.next_if_eq(&'#').is_some() {
        end.push('#');
    }
    rest.next();
    let mut text = String::new();
    while !text.ends_with(&end) {
        text.push(rest.next().expect("the text ends"));
    }
    text.truncate(text.len() - end.len());
    text
}

/// Passes over a character; a lifetime has no second quote to pass over.
fn skip_character(rest: &mut Peekable<Chars<'_>>) {
    let mut ahead = rest.clone();
    if ahead.next() == Some('\\') {
        rest.next();
        rest.next();
        rest.find(|c| *c == '\'');
    } else if ahead.next() == Some('\'') {
        rest.next();
        rest.next();
    }
}

#[test]
fn statements_are_found_whole() {
    let source = r##"
        //! The "select of a merchant's things" in a comment is none.
        macro_rules! columns {
            () => {
                "a, b"
            };
        }
        fn letter(c: char) -> bool { c == '"' || c == '\'' }
        const ONE: &str = "select a from b where c like $1 escape '\\'";
        const TWO: &str = concat!("select ", columns!(), " from b");
        const THREE: &str = r#"update b set "a" = 1"#;
        const FOUR: &str = "delete \
                            from b";
        const NONE: &str = "selection";
        macro_rules! emptying {
            ($table:literal, $key:literal) => {
                concat!("delete from ", $table, " where (", $key, ") in (", $key, ")")
            };
        }
        const FIVE: &str = emptying!("b", "c, d");
        const SIX: &str = concat!("select ", theirs!(), " from b");
        macro_rules! both {
            ($table:literal) => {
                [
                    concat!("select ", columns!(), " from ", $table),
                    concat!("select ", columns!(), " from ", $table, " where d = $1"),
                ]
            };
        }
        const SEVEN: [&str; 2] = both!("b");
        macro_rules! inner {
            () => {
                concat!("(select ", columns!(), " from b)")
            };
        }
        const EIGHT: &str = concat!("select a from ", inner!(), " as c");
    "##;
    let expected: [&[&str]; 8] = [
        &["select a from b where c like $1 escape '\\'"],
        &["select a, b from b"],
        &["update b set \"a\" = 1"],
        &["delete from b"],
        &["delete from b where (c, d) in (c, d)"],
        &["select d from b"],
        &["select a, b from b", "select a, b from b where d = $1"],
        &["select a from (select a, b from b) as c"],
    ];
    let pieces = pieces(source);
    let lent = BTreeMap::from([("columns", "c".to_owned()), ("theirs", "d".to_owned())]);
    assert_eq!(statements(&pieces, &lent, &templates(&pieces)), expected);
}
