//! The tests that failed, found in what a step printed.

/// How many tests are shown; where more failed, they fail for one reason.
const MOST: usize = 20;
/// How many lines of a message are shown: a story may print a whole page.
const LINES: usize = 4;
/// How long a line may be.
const WIDTH: usize = 400;

/// The heads of the tests that failed, each with the first lines of what it said.
pub fn of(printed: &str) -> Vec<String> {
    let lines: Vec<_> = printed.lines().collect();
    let is_panic = |line: &str| line.starts_with("thread '") && line.contains(" panicked at ");
    let panics = (0..lines.len()).filter(|at| is_panic(lines[*at]));
    let message = |at: usize| {
        let end = lines.len().min(at + LINES);
        lines[at..end].iter().map(|line| short(line)).collect::<Vec<_>>().join("\n")
    };
    let failed = |line: &&&str| line.starts_with("test ") && line.ends_with(" ... FAILED");
    let names = lines.iter().filter(failed).map(|line| (*line).to_owned());
    names.take(MOST).chain(panics.take(MOST).map(message)).collect()
}

fn short(line: &str) -> String {
    line.chars().take(WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_failed_test_is_named_with_what_it_said() {
        let printed = "test a::passes ... ok\n\
            test a::fails ... FAILED\n\
            \n---- a::fails stdout ----\n\
            thread 'a::fails' (7) panicked at a.rs:1:1:\n\
            assertion `left == right` failed\n  left: 1\n right: 2\n\
            note: run with a backtrace\n";
        let expected = [
            "test a::fails ... FAILED",
            "thread 'a::fails' (7) panicked at a.rs:1:1:\nassertion `left == right` failed\n  \
             left: 1\n right: 2",
        ];
        assert_eq!(of(printed), expected);
    }

    #[test]
    fn where_nothing_failed_nothing_is_said() {
        assert_eq!(of("test a::passes ... ok\n"), [] as [String; 0]);
    }
}
