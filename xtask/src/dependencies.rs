//! Checks of dependencies: licenses, sources and bans, in a second.
//!
//! The rules are those of `deny.toml`, which `cargo deny` also reads; a key that this step does not
//! know is an error, so that both apply every rule. Sources and bans are checked for the whole lock
//! file, licenses for what is built on this machine, because cargo only has those manifests, and
//! needs no network where it has built before. Advisories always need the network, and stay with
//! the workflow that has it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::command::{command, output, root, say};

mod licenses;
pub mod sbom;

/// The prefix of the public registry's packages in the lock file.
const REGISTRY: &str = "registry+https://github.com/rust-lang/";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(rename = "graph")]
    _graph: toml::Table,
    #[serde(rename = "advisories")]
    _advisories: toml::Table,
    licenses: LicenseRules,
    bans: BanRules,
    sources: SourceRules,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LicenseRules {
    allow: BTreeSet<String>,
    unused_allowed_license: Level,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct BanRules {
    multiple_versions: Level,
    wildcards: Level,
    allow_wildcard_paths: bool,
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SourceRules {
    unknown_registry: Level,
    unknown_git: Level,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Deny,
    Warn,
    Allow,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    /// Absent for our own packages.
    source: Option<String>,
    checksum: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Graph,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    dependencies: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    name: String,
    req: String,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Graph {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    /// Absent for normal dependencies.
    kind: Option<String>,
}

/// The findings, by severity.
#[derive(Default)]
struct Findings {
    denied: Vec<String>,
    warned: Vec<String>,
}

impl Findings {
    fn add(&mut self, level: Level, finding: String) {
        match level {
            Level::Deny => self.denied.push(finding),
            Level::Warn => self.warned.push(finding),
            Level::Allow => {}
        }
    }
}

/// Checks every dependency; prints warnings and fails on denials.
pub fn check() -> Result<()> {
    let rules: Rules = read("deny.toml")?;
    let lock: Lock = read("Cargo.lock")?;
    let metadata = metadata(&[])?;
    let mut found = Findings::default();
    sources(&rules.sources, &lock, &mut found);
    bans(&rules.bans, &lock, &metadata, &mut found);
    licenses_of(&rules.licenses, &metadata, &mut found)?;
    for warning in &found.warned {
        say(&format!("warning: {warning}"))?;
    }
    ensure!(found.denied.is_empty(), "{}", found.denied.join("\n"));
    say(&format!("{} packages are as deny.toml wants them", lock.package.len()))
}

fn sources(rules: &SourceRules, lock: &Lock, found: &mut Findings) {
    for package in &lock.package {
        let foreign = |source: &&str| !source.starts_with(REGISTRY);
        let Some(source) = package.source.as_deref().filter(foreign) else { continue };
        let is_git = source.starts_with("git+");
        let level = if is_git { rules.unknown_git } else { rules.unknown_registry };
        found.add(level, format!("{} {} comes from {source}", package.name, package.version));
    }
}

fn bans(rules: &BanRules, lock: &Lock, metadata: &Metadata, found: &mut Findings) {
    let mut versions = BTreeMap::<&str, Vec<&str>>::new();
    for package in &lock.package {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    for Ban { name, reason } in &rules.deny {
        if versions.contains_key(name.as_str()) {
            found.add(Level::Deny, format!("{name} is banned: {reason}"));
        }
    }
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        found.add(rules.multiple_versions, format!("{name} is here as {}", versions.join(", ")));
    }
    for package in metadata.packages.iter().filter(|package| package.source.is_none()) {
        let any = package.dependencies.iter().filter(|wanted| wanted.req == "*");
        for wanted in any.filter(|wanted| wanted.path.is_none() || !rules.allow_wildcard_paths) {
            let (name, wanted) = (&package.name, &wanted.name);
            found.add(rules.wildcards, format!("{name} takes any version of {wanted}"));
        }
    }
}

fn licenses_of(rules: &LicenseRules, metadata: &Metadata, found: &mut Findings) -> Result<()> {
    let mut used = BTreeSet::new();
    for package in &metadata.packages {
        let name = format!("{} {}", package.name, package.version);
        let Some(text) = &package.license else {
            found.add(Level::Deny, format!("{name} names no license"));
            continue;
        };
        let license = licenses::parse(text).with_context(|| format!("the license of {name}"))?;
        match license.satisfied_by(&rules.allow) {
            Some(names) => used.extend(names.into_iter().map(str::to_owned)),
            None => found.add(Level::Deny, format!("{name} is under {text}")),
        }
    }
    for unused in rules.allow.difference(&used) {
        let level = rules.unused_allowed_license;
        found.add(level, format!("no dependency is under {unused} on this machine"));
    }
    Ok(())
}

fn read<T: for<'text> Deserialize<'text>>(name: &str) -> Result<T> {
    let text = std::fs::read_to_string(root().join(name)).with_context(|| name.to_owned())?;
    toml::from_str(&text).with_context(|| name.to_owned())
}

/// cargo's metadata of the packages built for a platform, this machine's by default.
fn metadata(target: &[String]) -> Result<Metadata> {
    let target = match target {
        [] => host()?,
        [target] => target.clone(),
        _ => anyhow::bail!("name one platform at most"),
    };
    let mut cargo = command(&["cargo", "metadata", "--format-version", "1", "--locked"])?;
    cargo.args(["--all-features", "--filter-platform", &target]);
    Ok(serde_json::from_str(&output(&mut cargo)?)?)
}

fn host() -> Result<String> {
    let version = output(&mut command(&["rustc", "-vV"])?)?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{BanRules, Findings, Level, Lock, Locked, Metadata, Rules, SourceRules};
    use super::{Package, Wanted, bans, licenses_of, read, sources};

    fn locked(name: &str, version: &str, source: Option<&str>) -> Locked {
        let (name, version) = (name.to_owned(), version.to_owned());
        Locked { name, version, source: source.map(str::to_owned), checksum: None }
    }

    fn ours(license: Option<&str>, req: &str) -> Metadata {
        let dependencies = vec![Wanted { name: "other".into(), req: req.into(), path: None }];
        let license = license.map(str::to_owned);
        let (id, name, version) = ("id".into(), "ours".into(), "1.0.0".into());
        let package = Package { id, name, version, license, source: None, dependencies };
        Metadata { packages: vec![package], resolve: super::Graph { nodes: Vec::new() } }
    }

    #[test]
    fn a_foreign_source_is_denied() {
        let rules = SourceRules { unknown_registry: Level::Deny, unknown_git: Level::Deny };
        let git = Some("git+https://example.com/x");
        let package = vec![locked("a", "1.0.0", Some(super::REGISTRY)), locked("b", "2.0.0", git)];
        let mut found = Findings::default();
        sources(&rules, &Lock { package }, &mut found);
        assert_eq!(found.denied, ["b 2.0.0 comes from git+https://example.com/x"]);
    }

    #[test]
    fn a_banned_crate_a_wildcard_and_a_second_version_are_reported() {
        let rules: BanRules = read::<Rules>("deny.toml").unwrap().bans;
        let names = [("chrono", "0.4.0"), ("two", "1.0.0"), ("two", "2.0.0")];
        let package = names.map(|(name, version)| locked(name, version, None)).into();
        let mut found = Findings::default();
        bans(&rules, &Lock { package }, &ours(Some("MIT"), "*"), &mut found);
        let banned = "chrono is banned: calendar arithmetic is jiff";
        assert_eq!(found.denied, [banned, "ours takes any version of other"]);
        assert_eq!(found.warned, ["two is here as 1.0.0, 2.0.0"]);
    }

    #[test]
    fn a_license_that_is_not_allowed_or_not_named_is_denied() {
        let rules = read::<Rules>("deny.toml").unwrap().licenses;
        for (license, denied) in [
            (Some("MIT"), None),
            (Some("GPL-3.0-only"), Some("ours 1.0.0 is under GPL-3.0-only")),
            (None, Some("ours 1.0.0 names no license")),
        ] {
            let mut found = Findings::default();
            licenses_of(&rules, &ours(license, "1"), &mut found).unwrap();
            assert_eq!(found.denied.first().map(String::as_str), denied);
        }
    }

    #[test]
    fn a_rule_that_this_step_does_not_know_is_an_error() {
        let known = std::fs::read_to_string(crate::command::root().join("deny.toml")).unwrap();
        assert!(toml::from_str::<Rules>(&known).is_ok());
        assert!(toml::from_str::<Rules>(&format!("{known}\nallow-git = []\n")).is_err());
    }
}
