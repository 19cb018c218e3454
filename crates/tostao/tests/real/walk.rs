//! The README's walk: what a newcomer pastes into a terminal works as it stands.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::program::{Server, finish};
use crate::harness::receiver::Receiver;
use crate::harness::until;

const MARK: &str = "<!-- walk -->";

#[story::test]
async fn the_walk_of_the_readme_can_be_pasted_from_its_first_line_to_its_last(database_url: &str) {
    let server = Server::start(database_url).await;
    let receiver = Receiver::start().await;
    let mut shell = Command::new("bash");
    shell.args(["-eu", "-c", &walk()]).stdin(Stdio::null());
    shell.env("TOSTAO_SERVER", format!("http://{}", server.address));
    shell.env("WEBHOOK_URL", &receiver.url);
    let printed = finish(shell).await.good();
    assert!(printed.contains("\"availableBalance\":4990"), "{printed}");
    assert!(printed.contains("\"status\":\"DELIVERED\""), "{printed}");
    let printed = until("the webhook arrives", async || receiver.take().pop()).await;
    assert_eq!(printed.json()["event"], "transaction.paid");
    server.stop().await;
}

/// The blocks after the marks, one after the other, as one reads them.
fn walk() -> String {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(readme).expect("there is a README");
    let blocks = text.split(MARK).skip(1).map(|after| {
        let block = after.trim_start().strip_prefix("```sh\n").expect("a block follows its mark");
        block.split_once("```").expect("a block ends").0
    });
    let walk: String = blocks.collect();
    assert!(walk.contains("curl"), "the README has no walk");
    walk
}
