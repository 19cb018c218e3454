//! A throwaway PostgreSQL cluster for the duration of one command.
//!
//! It listens on a free port of 127.0.0.1, never syncs to disk, sorts text by bytes as SQLite does,
//! keeps its files in memory where there is room, and is deleted afterwards. A shell watches the
//! server through a pipe: when this process ends, in any way, the pipe closes and the shell stops
//! the server and deletes its folder.

use std::fs::{DirBuilder, read_to_string, remove_dir_all};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::command;

/// The environment variable that makes the tests use PostgreSQL.
pub const DATABASE_URL: &str = "TOSTAO_TEST_DATABASE_URL";

/// Where Linux keeps files in memory. A disk spends more than the queries do on the hundreds of
/// files that each test's database creates and deletes.
const MEMORY: &str = "/dev/shm";
/// The cluster and the databases of parallel tests take a tenth of it.
const ROOM_KIB: u64 = 1024 * 1024;

/// A free port may be taken before the server binds it.
const ATTEMPTS: usize = 3;

/// Deadlocks, which some tests provoke many of, are found sooner than after the usual second: on a
/// slow machine their statements would otherwise reach their time limit first.
const SETTINGS: [&str; 8] = [
    "deadlock_timeout=100ms",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=400",
    "max_wal_size=256MB",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
];

const WATCH: &str = r#"
trap '' HUP INT TERM
bin=$1 folder=$2 port=$3
shift 3
"$bin/postgres" -D "$folder/data" -p "$port" "$@" </dev/null >"$folder/log" 2>&1 &
server=$!
until grep -qs '^ready' "$folder/data/postmaster.pid"; do
    kill -0 $server 2>/dev/null || exit 1
    sleep 0.1
done
echo ready
read -r _
kill -QUIT $server
wait $server
rm -rf "$folder"
"#;

/// The user that owns the server's files.
#[derive(Clone, Copy)]
struct Account {
    user: u32,
    group: u32,
}

struct Cluster {
    folder: PathBuf,
    port: u16,
    watch: Child,
    /// Kept open while the server is needed.
    leash: Option<ChildStdin>,
}

/// Runs the command after `--` with a cluster, with the terminal as its input.
pub fn run(arguments: &[String]) -> Result<()> {
    let words = match arguments.split_first() {
        Some((dashes, words)) if dashes == "--" => words,
        _ => arguments,
    };
    run_beside(command::command(words)?.stdin(Stdio::inherit()))
}

/// Runs the command with [`DATABASE_URL`] set to a cluster that exists exactly as long.
pub fn run_beside(wanted: &mut Command) -> Result<()> {
    let cluster = Cluster::start()?;
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", cluster.port);
    command::run(wanted.env(DATABASE_URL, url))
}

impl Cluster {
    fn start() -> Result<Self> {
        let bin = binaries()?;
        let account = account()?;
        let mut attempt = Self::start_once(&bin, account);
        for _ in 1..ATTEMPTS {
            if attempt.is_err() {
                attempt = Self::start_once(&bin, account);
            }
        }
        attempt
    }

    fn start_once(bin: &Path, account: Option<Account>) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = new_folder(port, account)?;
        let started = initialise(bin, &folder, account)
            .and_then(|()| watch(bin, &folder, port, account))
            .map(|(watch, leash)| Self { folder: folder.clone(), port, watch, leash });
        if started.is_err() {
            remove_dir_all(&folder)?;
        }
        started
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.leash.take());
        if let Err(error) = self.watch.wait() {
            let folder = self.folder.display();
            drop(command::say(&format!("the PostgreSQL server in {folder} was lost: {error}")));
        }
    }
}

fn initialise(bin: &Path, folder: &Path, account: Option<Account>) -> Result<()> {
    let mut initdb = owned(Command::new(bin.join("initdb")), folder, account);
    initdb.arg("--pgdata").arg(folder.join("data"));
    initdb.args(["--username", "postgres", "--auth", "trust", "--encoding", "UTF8"]);
    command::output(initdb.args(["--locale", "C", "--no-sync"])).map(drop)
}

fn watch(
    bin: &Path,
    folder: &Path,
    port: u16,
    account: Option<Account>,
) -> Result<(Child, Option<ChildStdin>)> {
    let mut shell = owned(Command::new("sh"), folder, account);
    shell.args(["-c", WATCH, "sh"]).arg(bin).arg(folder).arg(port.to_string());
    shell.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    if let Some(answer) = child.stdout.take() {
        BufReader::new(answer).read_line(&mut line)?;
    }
    let leash = child.stdin.take();
    if line.trim() != "ready" {
        drop(leash);
        child.wait()?;
        let log = read_to_string(folder.join("log")).unwrap_or_default();
        bail!("the PostgreSQL server did not start:\n{log}");
    }
    Ok((child, leash))
}

fn owned(mut command: Command, folder: &Path, account: Option<Account>) -> Command {
    command.current_dir(folder).env("LC_ALL", "C");
    if let Some(Account { user, group }) = account {
        command.uid(user).gid(group);
    }
    command
}

fn new_folder(port: u16, account: Option<Account>) -> Result<PathBuf> {
    let name = format!("tostao-postgres-{}-{port}", std::process::id());
    let folder = cluster_folder().join(name);
    DirBuilder::new().mode(0o700).create(&folder).with_context(|| folder.display().to_string())?;
    if let Some(Account { user, group }) = account {
        chown(&folder, Some(user), Some(group))?;
    }
    Ok(folder)
}

/// The folder that the cluster gets its own in.
fn cluster_folder() -> PathBuf {
    let free =
        command::output(Command::new("df").args(["--output=avail", "--block-size=1K", MEMORY]));
    let free = free.ok().and_then(|printed| printed.lines().last()?.trim().parse::<u64>().ok());
    match free {
        Some(free) if free >= ROOM_KIB => MEMORY.into(),
        _ => std::env::temp_dir(),
    }
}

/// PostgreSQL refuses to run as root, so root runs it as another user.
fn account() -> Result<Option<Account>> {
    if !is_root()? {
        return Ok(None);
    }
    let user = ["postgres", "nobody"].into_iter().find(|user| id("-u", Some(user)).is_ok());
    let user = user.context("root needs a user `postgres` or `nobody` to run PostgreSQL as")?;
    Ok(Some(Account { user: id("-u", Some(user))?, group: id("-g", Some(user))? }))
}

fn is_root() -> Result<bool> {
    Ok(id("-u", None)? == 0)
}

fn id(kind: &str, user: Option<&str>) -> Result<u32> {
    let printed = command::output(Command::new("id").arg(kind).args(user))?;
    Ok(printed.trim().parse()?)
}

/// The folder of `initdb` and `postgres`, installing them if necessary.
fn binaries() -> Result<PathBuf> {
    if let Some(bin) = find_binaries() {
        return Ok(bin);
    }
    if !Path::new("/etc/debian_version").exists() || !is_root()? {
        bail!("PostgreSQL is missing: install it, with `initdb` and `postgres` on the PATH");
    }
    install()?;
    find_binaries().context("`apt-get install postgresql` brought no `initdb`")
}

#[expect(clippy::disallowed_methods, reason = "the PATH is not a setting of the product")]
fn find_binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut packaged: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    packaged.sort_by_key(|bin| std::cmp::Reverse(version(bin)));
    let complete =
        |bin: &PathBuf| ["initdb", "postgres"].iter().all(|program| bin.join(program).is_file());
    std::env::split_paths(&path).chain(packaged).find(complete)
}

/// The version number in `/usr/lib/postgresql/15/bin`.
fn version(bin: &Path) -> Option<u32> {
    bin.parent()?.file_name()?.to_str()?.parse().ok()
}

/// Debian would also create and start its own cluster; this disables that first.
fn install() -> Result<()> {
    let answers = Path::new("/etc/postgresql-common/createcluster.d");
    std::fs::create_dir_all(answers)?;
    std::fs::write(answers.join("tostao.conf"), "create_main_cluster = false\n")?;
    command::install(&["postgresql"])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::version;

    #[test]
    fn versions_compare_as_numbers() {
        let [old, new] = ["/usr/lib/postgresql/9/bin", "/usr/lib/postgresql/15/bin"].map(Path::new);

        assert!(version(old) < version(new));
        assert_eq!(version(Path::new("/usr/lib/postgresql/unknown/bin")), None);
    }
}
