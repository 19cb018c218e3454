//! Connections, as an operator makes them by commands, with a fake of a bank.

use std::path::Path;

use crate::harness::bank::{self, Bank, NAME, SECRET};
use crate::harness::program::{Server, finish, program, tostao};

/// A database with the product's tables.
async fn migrated(database_url: &str) {
    Server::start(database_url).await.stop().await;
}

#[story::test]
async fn an_operator_adds_tests_routes_and_lists_a_connection(database_url: &str) {
    migrated(database_url).await;
    let bank = Bank::open().await;
    let none = tostao(database_url, &["connections", "list"]).await.good();
    assert_eq!(none, "There are no connections.\n");
    let wrong = bank::run(database_url, &bank.words("wrong")).await.refused();
    assert!(wrong.contains("The connection does not work"), "{wrong}");
    let added = bank::run(database_url, &bank.words("secret")).await.good();
    assert!(added.starts_with("efi-main is added and works.\n"), "{added}");
    let tested = tostao(database_url, &["connections", "test", NAME]).await.good();
    for line in [
        "granted: cob",
        "balance: R$",
        "notices: not registered",
        "efi-main works, but no address for notices is registered. The server registers its own \
         while it runs, once a rail goes to efi-main.\n",
    ] {
        assert!(tested.contains(line), "{tested}");
    }
    let refused = tostao(database_url, &["connections", "route", "card", NAME]).await.refused();
    assert!(refused.contains("the connection does not serve the rail card"), "{refused}");
    let routed =
        tostao(database_url, &["connections", "route", "pix", NAME, "--accept-test-money"])
            .await
            .good();
    assert_eq!(routed, "New orders of the rail pix go to efi-main.\n");
    let server = Server::start(database_url).await;
    let listed = tostao(database_url, &["connections", "list"]).await.good();
    server.stop().await;
    assert!(listed.contains("efi-main  efi  production  pix\n"), "{listed}");
    assert!(!listed.contains(SECRET), "{listed}");
    let disabled = tostao(database_url, &["connections", "disable", NAME]).await.good();
    let nowhere = "New orders of each rail now go to:\n  \
                   pix: none\n  boleto: none\n  card: none\n  payout: none\n";
    let said = "efi-main is disabled: nothing new goes to it. What is under way goes on.\n";
    assert_eq!(disabled, format!("{said}{nowhere}"));
    let refused = tostao(database_url, &["connections", "route", "pix", NAME]).await.refused();
    assert!(refused.contains("is disabled. Enable it first."), "{refused}");
    let enabled = tostao(database_url, &["connections", "enable", NAME]).await.good();
    let said = "efi-main is enabled: rails can be routed to it again.\n";
    assert_eq!(enabled, format!("{said}{nowhere}"));
    let unknown = tostao(database_url, &["connections", "test", "other"]).await.refused();
    assert!(unknown.contains("no connection has the name other"), "{unknown}");
}

#[story::test]
async fn what_is_refused_is_named_by_its_flag(database_url: &str) {
    migrated(database_url).await;
    let bank = Bank::open().await;
    let with = |flag: &str, text: &str| {
        let mut words = bank.words("secret");
        words.extend([flag.to_owned(), text.to_owned()]);
        words
    };
    for (flag, text, said) in [
        ("--set", "address=localhost", "--set address (or --file address) "),
        (
            "--file",
            &*format!("authority={}", bank.file("wrong")),
            "--set authority (or --file authority) ",
        ),
        ("--set", "colour=red", "--set colour (or --file colour) is no field of efi"),
        ("--file", &*format!("certificate={}", bank.file("wrong")), "--file certificate "),
    ] {
        let refused = bank::run(database_url, &with(flag, text)).await.refused();
        assert!(refused.contains(said), "{text}: {refused}");
    }
    std::fs::write(bank.file("efi.p12"), [0x30, 0x82, 0x0a, 0x8e]).expect("writes");
    let certificate = format!("certificate={}", bank.file("efi.p12"));
    let refused = bank::run(database_url, &with("--file", &certificate)).await.refused();
    assert!(refused.contains("efi.p12 is no text, and so no PEM"), "{refused}");
    assert!(refused.contains("openssl pkcs12 -in"), "{refused}");
    let mut words = bank.words("secret");
    words[4] = "steam".to_owned();
    let refused = bank::run(database_url, &words).await.refused();
    assert!(refused.contains("--profile must be one of"), "{refused}");
    bank::run(database_url, &bank.words("secret")).await.good();
    let refused = tostao(database_url, &["connections", "route", "pix", NAME]).await.refused();
    assert!(refused.contains("--accept-test-money is required: the"), "{refused}");
}

#[story::test]
async fn a_secret_is_never_an_argument(database_url: &str) {
    migrated(database_url).await;
    let bank = Bank::open().await;
    let mut words = bank.words("secret");
    words.extend(["--set".to_owned(), format!("client_secret={SECRET}")]);
    let refused = bank::run(database_url, &words).await.refused();
    assert!(refused.contains("client_secret is a secret"), "{refused}");
    let mut words: Vec<_> = bank.words("secret");
    let secret = words.iter().position(|word| word.starts_with("client_secret=")).expect("is one");
    words[secret] = "client_secret=-".to_owned();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut by_input = program(database_url, &words);
    let secret = std::fs::File::open(Path::new(&bank.file("secret"))).expect("it was written");
    by_input.stdin(secret);
    let added = finish(by_input).await.good();
    assert!(added.starts_with("efi-main is added and works.\n"), "{added}");
}

#[story::test]
async fn a_file_says_how_connections_and_routes_are_and_applied_again_changes_nothing(
    database_url: &str,
) {
    migrated(database_url).await;
    let bank = Bank::open().await;
    let file = bank.file("connections.toml");
    std::fs::write(&file, bank.wanted()).expect("writes");
    let words = ["connections", "apply", &file];
    let first = tostao(database_url, &words).await.good();
    assert!(first.contains("efi-main is added and works."), "{first}");
    assert!(first.contains("New orders of the rail pix go to efi-main."), "{first}");
    let again = tostao(database_url, &words).await.good();
    assert_eq!(again, "Connections and routes are as the file says.\n");
    std::fs::write(bank.file("secret"), "the next one").expect("writes");
    let changed = tostao(database_url, &words).await.good();
    assert!(changed.contains("efi-main works with the new values."), "{changed}");
    std::fs::write(&file, bank.wanted().replace("caixa@", "other@")).expect("writes");
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("pix_key stays as it is"), "{refused}");
    std::fs::write(&file, bank.wanted().replace("profile", "profil")).expect("writes");
    let refused = tostao(database_url, &words).await.refused();
    assert!(refused.contains("profil"), "{refused}");
}
