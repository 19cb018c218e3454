//! The gate: all checks that a change must pass, the quick ones first.
//!
//! The list below is complete. To require more, add a step. What failed stands at the end of what
//! the gate prints, because that is what is read first, and often all that is kept.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};

use self::process::Process;
use crate::command::{command, output as stdout, root, run as run_command, say};
use crate::{browser, dependencies, judge, model, packages, postgres, readme, snapshots, tidy};

mod failures;
mod process;

#[derive(Clone, Copy)]
struct Step {
    name: &'static str,
    run: fn() -> Result<()>,
    /// Whether it runs in parallel with the previous step.
    beside: bool,
}

/// The lints and the documents have a target folder of their own, and so has the release build of
/// the first minute: while one of them compiles a large crate on one core, the tests use the other.
/// The browser and the judges run the program that the tests have built.
const STEPS: [Step; 15] = [
    step("readme", readme_keeps_its_promises),
    step("format", format_is_canonical),
    step("tidy", the_tree_is_tidy),
    step("dependencies", dependencies::check),
    step("packaging", packages::check),
    step("tests", tests_pass_on_sqlite),
    beside("lints", no_lint_speaks),
    beside("docs", documentation_builds),
    beside("tests-postgres", tests_pass_on_postgres),
    beside("first-minute", first_minute_works),
    step("snapshots", snapshots::check),
    step("model", lives_on_sqlite),
    beside("model-postgres", lives_on_postgres),
    beside("browser", buyers_arrive),
    beside("judge", others_agree),
];

/// How long a step may take; the slowest one needs a third of it, beside others, on a machine that
/// has nothing else to do.
const LIMIT: Duration = Duration::from_mins(45);

/// Names Cargo's target folder.
const TARGET: &str = "CARGO_TARGET_DIR";

/// Names the file in which tests write what they measured.
const FIGURES_VARIABLE: &str = "TOSTAO_TEST_FIGURES";

/// A completed step.
struct Ran {
    name: &'static str,
    took: Duration,
    outcome: Result<()>,
}

/// Runs the steps in order and stops at the first failure; names select some of them.
pub fn run(names: &[String]) -> Result<()> {
    let steps = choose(&STEPS, names)?;
    if let [alone] = &*steps {
        (alone.run)()?;
        let used = processor_seconds(&std::fs::read_to_string("/proc/self/stat")?)?;
        return say(&format!("processor time: {used} s"));
    }
    std::fs::create_dir_all(root().join("target/ci"))?;
    std::fs::write(figures(), "")?;
    let mut ran = Vec::new();
    for together in steps.chunk_by(|_, next| next.beside) {
        run_together(together, steps.len(), &mut ran)?;
        if ran.iter().any(|step| step.outcome.is_err()) {
            break;
        }
    }
    let measured = std::fs::read_to_string(figures())?;
    say(&format!("\n{}\n{}", summary(&steps, &ran), measured.trim_end()))?;
    for failed in ran.iter().filter(|step| step.outcome.is_err()) {
        let log = std::fs::read(output(failed.name))?;
        for failure in failures::of(&String::from_utf8_lossy(&log)) {
            say(&failure)?;
        }
    }
    for Ran { name, outcome, .. } in ran {
        outcome.with_context(|| format!("the step `{name}` failed"))?;
    }
    Ok(())
}

/// Runs each step in a process of its own. Their outputs are shown one after another, each as it
/// comes.
fn run_together(steps: &[Step], of: usize, ran: &mut Vec<Ran>) -> Result<()> {
    say(&format!("\n[{}/{of}] {}", ran.len() + 1, steps[0].name))?;
    let start = |step: &Step| {
        let mut own = Command::new(std::env::current_exe()?);
        Process::start(own.args(["ci", step.name]), &output(step.name))
    };
    let processes = steps.iter().map(start).collect::<Result<Vec<_>>>()?;
    for (place, (step, process)) in steps.iter().zip(processes).enumerate() {
        if place > 0 {
            say(&format!("\n[{}/{of}] {}, which ran beside it", ran.len() + 1, step.name))?;
        }
        let mut printed = File::open(output(step.name))?;
        let (outcome, took) = process.end(LIMIT, || {
            // A terminal that is gone does not end the gate.
            drop(std::io::copy(&mut printed, &mut std::io::stdout()));
        });
        ran.push(Ran { name: step.name, took, outcome });
    }
    Ok(())
}

/// The file into which a step prints.
fn output(name: &str) -> PathBuf {
    root().join(format!("target/ci/{name}.log"))
}

const fn step(name: &'static str, run: fn() -> Result<()>) -> Step {
    Step { name, run, beside: false }
}

const fn beside(name: &'static str, run: fn() -> Result<()>) -> Step {
    Step { name, run, beside: true }
}

/// The later steps run these commands; checking for them first reports a missing one early.
fn readme_keeps_its_promises() -> Result<()> {
    readme::command(readme::TESTS)?;
    readme::command(readme::FIRST_MINUTE).map(drop)
}

fn format_is_canonical() -> Result<()> {
    run_command(&mut command(&["cargo", "fmt", "--all", "--check"])?)
}

/// The tests run the rules, too; alone, they need no build but that of the gate.
fn the_tree_is_tidy() -> Result<()> {
    tidy::run(&[])
}

const LINTS: [&str; 2] = ["-D", "warnings"];

fn no_lint_speaks() -> Result<()> {
    let lints = ["cargo", "clippy", "--workspace", "--all-targets", "--locked"];
    run_command(command(&lints)?.arg("--").args(LINTS).env(TARGET, checked()))
}

/// The target folder of what is compiled and never run.
fn checked() -> PathBuf {
    root().join("target/checked")
}

fn tests_pass_on_sqlite() -> Result<()> {
    let mut tests = command(&readme::command(readme::TESTS)?)?;
    tests.env(FIGURES_VARIABLE, figures());
    run_command(snapshots::recorded(&mut tests)?.env_remove(postgres::DATABASE_URL))
}

fn figures() -> PathBuf {
    root().join("target/ci/figures.txt")
}

fn tests_pass_on_postgres() -> Result<()> {
    let mut tests = command(&readme::command(readme::TESTS)?)?;
    postgres::run_beside(snapshots::also_recorded(&mut tests))
}

/// What documents need is compiled as for the lints, by Clippy and with its arguments, and so
/// compiled once; if Clippy names them otherwise one day, it is compiled twice.
fn documentation_builds() -> Result<()> {
    let docs = ["cargo", "doc", "--workspace", "--no-deps", "--locked"];
    let sysroot = stdout(&mut command(&["rustc", "--print", "sysroot"])?)?;
    let clippy = Path::new(sysroot.trim()).join("bin/clippy-driver");
    let mut docs = command(&docs)?;
    docs.env("RUSTDOCFLAGS", LINTS.join(" ")).env(TARGET, checked());
    docs.env("RUSTC_WORKSPACE_WRAPPER", clippy);
    docs.env("CLIPPY_ARGS", LINTS.map(|word| format!("{word}__CLIPPY_HACKERY__")).concat());
    run_command(&mut docs)
}

fn first_minute_works() -> Result<()> {
    run_command(&mut command(&readme::command(readme::FIRST_MINUTE)?)?)
}

fn lives_on_sqlite() -> Result<()> {
    model::on_sqlite(&[])
}

fn lives_on_postgres() -> Result<()> {
    model::on_postgres(&[])
}

fn others_agree() -> Result<()> {
    judge::run(&[])?;
    judge::run(&["connectors".to_owned()])
}

fn buyers_arrive() -> Result<()> {
    browser::run(&[])
}

/// What the ended commands of a process have used, by its `/proc/PID/stat`; services that they
/// left running are not in it.
fn processor_seconds(stat: &str) -> Result<u64> {
    const TICKS_PER_SECOND: u64 = 100;
    // A program's name, in parentheses, may contain spaces.
    let (_, fields) = stat.rsplit_once(')').context("the process has a name")?;
    let mut ended = fields.split_whitespace().skip(13);
    let mut ticks = || Ok::<u64, Error>(ended.next().context("it is cut")?.parse()?);
    Ok((ticks()? + ticks()?) / TICKS_PER_SECOND)
}

fn choose(steps: &[Step], names: &[String]) -> Result<Vec<Step>> {
    let known = || steps.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
    if let Some(name) = names.iter().find(|name| steps.iter().all(|step| step.name != **name)) {
        bail!("there is no step `{name}`; the steps are {}", known());
    }
    let chosen = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(steps.iter().filter(chosen).copied().collect())
}

fn summary(steps: &[Step], ran: &[Ran]) -> String {
    let passed = ran.iter().filter(|step| step.outcome.is_ok()).count();
    let mut lines: Vec<String> = ran
        .iter()
        .map(|Ran { name, took, outcome }| {
            let word = if outcome.is_ok() { "passed" } else { "FAILED" };
            format!("{word:<8} {name:<16} {:>7.1} s", took.as_secs_f64())
        })
        .collect();
    lines
        .extend(steps.iter().skip(ran.len()).map(|step| format!("{:<8} {}", "not run", step.name)));
    lines.push(format!("{passed} passed, {} failed", ran.len() - passed));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use anyhow::{Result, anyhow};

    use super::{Ran, STEPS, Step, choose, processor_seconds, step, summary};

    const PAIR: [Step; 2] = [step("first", || Ok(())), step("second", || Ok(()))];

    #[test]
    fn the_first_step_has_none_to_run_beside() {
        assert!(!STEPS[0].beside);
    }

    fn ran(name: &'static str, outcome: Result<()>) -> Ran {
        Ran { name, took: Duration::from_millis(1_500), outcome }
    }

    #[test]
    fn the_summary_counts_every_step_that_ran() {
        assert_eq!(
            summary(&PAIR, &[ran("first", Ok(())), ran("second", Ok(()))]),
            "passed   first                1.5 s\n\
             passed   second               1.5 s\n\
             2 passed, 0 failed"
        );
    }

    #[test]
    fn the_summary_names_the_failed_step_and_those_after_it() {
        assert_eq!(
            summary(&PAIR, &[ran("first", Err(anyhow!("no")))]),
            "FAILED   first                1.5 s\n\
             not run  second\n\
             0 passed, 1 failed"
        );
    }

    #[test]
    fn a_step_uses_what_its_commands_used_in_both_modes() {
        let stat = "7 (x) task) S 1 7 7 0 -1 4194560 9 9 0 0 500 600 1250 370 20 0 1 0 99 4096";

        assert_eq!(processor_seconds(stat).unwrap(), 16);
        assert!(processor_seconds("7 (cut) S 1").is_err());
    }

    #[test]
    fn without_names_every_step_is_chosen() {
        assert_eq!(choose(&STEPS, &[]).unwrap().len(), STEPS.len());
    }

    #[test]
    fn names_choose_steps_and_an_unknown_name_is_refused() {
        let chosen = choose(&PAIR, &["second".to_owned()]).unwrap();

        assert_eq!(chosen.iter().map(|step| step.name).collect::<Vec<_>>(), ["second"]);
        assert!(choose(&PAIR, &["third".to_owned()]).is_err());
    }
}
