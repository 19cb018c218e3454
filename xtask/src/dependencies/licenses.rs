//! License expressions in manifests: names joined by AND, OR and parentheses.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};

/// The license terms of a package.
#[derive(Debug)]
pub enum License {
    /// With its exception, if it has one: `Apache-2.0 WITH LLVM-exception`.
    Name(String),
    Every(Vec<License>),
    Any(Vec<License>),
}

impl License {
    /// The allowed licenses under which it can be used, if any.
    pub fn satisfied_by<'allowed>(
        &self,
        allowed: &'allowed BTreeSet<String>,
    ) -> Option<Vec<&'allowed str>> {
        match self {
            Self::Name(name) => allowed.get(name).map(|name| vec![name.as_str()]),
            Self::Every(parts) => {
                let met: Option<Vec<_>> =
                    parts.iter().map(|part| part.satisfied_by(allowed)).collect();
                met.map(|names| names.concat())
            }
            Self::Any(parts) => {
                let met: Vec<_> =
                    parts.iter().filter_map(|part| part.satisfied_by(allowed)).collect();
                (!met.is_empty()).then(|| met.concat())
            }
        }
    }
}

/// Parses an expression; the slash of old manifests means OR.
pub fn parse(text: &str) -> Result<License> {
    let spaced = text.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let license = any(&mut words)?;
    ensure!(words.peek().is_none(), "`{text}` goes on after its end");
    Ok(license)
}

type Words<'text> = std::iter::Peekable<std::str::SplitWhitespace<'text>>;

fn any(words: &mut Words<'_>) -> Result<License> {
    let mut parts = vec![every(words)?];
    while words.next_if_eq(&"OR").is_some() {
        parts.push(every(words)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { License::Any(parts) })
}

fn every(words: &mut Words<'_>) -> Result<License> {
    let mut parts = vec![one(words)?];
    while words.next_if_eq(&"AND").is_some() {
        parts.push(one(words)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { License::Every(parts) })
}

fn one(words: &mut Words<'_>) -> Result<License> {
    match words.next().context("a name is missing")? {
        "(" => {
            let inner = any(words)?;
            ensure!(words.next() == Some(")"), "a parenthesis stays open");
            Ok(inner)
        }
        word @ (")" | "AND" | "OR" | "WITH") => bail!("`{word}` stands where a name belongs"),
        name => {
            if words.next_if_eq(&"WITH").is_none() {
                return Ok(License::Name(name.to_owned()));
            }
            let exception = words.next().context("the exception has no name")?;
            Ok(License::Name(format!("{name} WITH {exception}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_expression_is_satisfied_by_the_names_that_it_asks_for() {
        let allowed = ["MIT", "Apache-2.0", "ISC"].map(str::to_owned).into();
        let table = [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("GPL-3.0-only OR MIT", true),
            ("GPL-3.0-only AND MIT", false),
            ("MIT/Apache-2.0", true),
            ("ISC AND (GPL-2.0-only OR Apache-2.0)", true),
            ("ISC AND (GPL-2.0-only OR OpenSSL)", false),
            ("OpenSSL AND ISC OR MIT", true),
            ("Apache-2.0 WITH LLVM-exception", false),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0", true),
        ];
        for (text, satisfied) in table {
            assert_eq!(parse(text).unwrap().satisfied_by(&allowed).is_some(), satisfied, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "MIT OR", "(MIT", "MIT)", "OR MIT", "MIT ISC", "MIT WITH"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
