//! The software bill of materials (SBOM): the program's packages, their sources and licenses.
//!
//! `CycloneDX` in JSON, from the lock file and cargo's dependency graph. It contains no time and no
//! machine name, so the same commit gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Lock, Locked, Metadata, Package, metadata, read};
use crate::command::say;

/// The package whose binary is shipped.
const PRODUCT: &str = "tostao";

/// Prints it for a platform, this machine's by default.
pub fn print(target: &[String]) -> Result<()> {
    let lock: Lock = read("Cargo.lock")?;
    say(&format!("{:#}", document(&metadata(target)?, &lock)?))
}

fn document(metadata: &Metadata, lock: &Lock) -> Result<Value> {
    let packages: BTreeMap<_, _> =
        metadata.packages.iter().map(|it| (it.id.as_str(), it)).collect();
    let product = metadata.packages.iter().find(|package| package.name == PRODUCT);
    let product = product.context("the product is no package of the workspace")?;
    let graph = graph(metadata);
    let mut inside = BTreeSet::new();
    let mut waiting = vec![product.id.as_str()];
    while let Some(id) = waiting.pop() {
        if inside.insert(id) {
            waiting.extend(graph.get(id).into_iter().flatten());
        }
    }
    let find = |id: &&str| packages.get(id).copied().context("an edge leads to no package");
    let members = inside.iter().map(find).collect::<Result<Vec<_>>>()?;
    let parts = members.iter().filter(|package| package.id != product.id);
    let components: Vec<Value> = parts.map(|package| component(package, lock)).collect();
    let needs = |package: &&Package| {
        let needed = graph.get(package.id.as_str()).into_iter().flatten();
        let needed: BTreeSet<String> =
            needed.filter_map(|id| packages.get(id)).map(|it| url(it)).collect();
        json!({ "ref": url(package), "dependsOn": needed })
    };
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": url(product), "name": product.name,
            "version": product.version, "purl": url(product),
            "licenses": [{ "expression": product.license }],
        }},
        "components": components,
        "dependencies": members.iter().map(needs).collect::<Vec<_>>(),
    }))
}

/// The normal dependencies of each package, without tests and build scripts.
fn graph(metadata: &Metadata) -> BTreeMap<&str, Vec<&str>> {
    let edges = metadata.resolve.nodes.iter().map(|node| {
        let linked =
            node.deps.iter().filter(|edge| edge.dep_kinds.iter().any(|it| it.kind.is_none()));
        (node.id.as_str(), linked.map(|edge| edge.pkg.as_str()).collect())
    });
    edges.collect()
}

fn component(package: &Package, lock: &Lock) -> Value {
    let locked = lock.package.iter().find(|locked| is_same(locked, package));
    let mut component = json!({
        "type": "library", "bom-ref": url(package), "name": package.name,
        "version": package.version, "purl": url(package),
    });
    if let Some(license) = &package.license {
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    if let Some(checksum) = locked.and_then(|locked| locked.checksum.as_ref()) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn is_same(locked: &Locked, package: &Package) -> bool {
    locked.name == package.name && locked.version == package.version
}

fn url(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use super::super::{Lock, metadata, read};
    use super::document;

    #[test]
    fn it_holds_what_is_linked_and_nothing_else() {
        let lock: Lock = read("Cargo.lock").unwrap();
        let bill = document(&metadata(&[]).unwrap(), &lock).unwrap();
        let components = bill["components"].as_array().unwrap();
        let names: Vec<_> = components.iter().map(|it| it["name"].as_str().unwrap()).collect();
        for inside in ["db", "ledger", "rusqlite", "rustls", "libsqlite3-sys"] {
            assert!(names.contains(&inside), "{inside}");
        }
        for outside in ["tostao", "xtask", "bench", "insta", "proptest", "cc"] {
            assert!(!names.contains(&outside), "{outside}");
        }
        for component in components {
            let name = &component["name"];
            assert!(component["licenses"][0]["expression"].is_string(), "{name}");
        }
        let hashed = components.iter().filter(|it| it["hashes"][0]["content"].is_string()).count();
        assert!(hashed > components.len() / 2);
        let refs: Vec<_> = components.iter().map(|it| &it["bom-ref"]).collect();
        for wanted in bill["dependencies"].as_array().unwrap() {
            for needed in wanted["dependsOn"].as_array().unwrap() {
                assert!(refs.contains(&needed), "{needed}");
            }
        }
    }
}
