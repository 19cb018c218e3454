//! The story of production, played against a fake of the banks.

use brazil::money::format_brl;
use fakepsp::fake::{Fake, Options};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::embedded;
use crate::harness::program::{Ended, finish, program, tostao};

const PRODUCTION: [&str; 5] = ["demo", "--production-like", "--exit", "--lang", "pt"];

/// Plays the story with a fake that runs.
async fn play(database_url: &str, fake: &Fake) -> Ended {
    let url = format!("http://{}", fake.addresses().plain.expect("listens"));
    let words: Vec<_> = PRODUCTION.into_iter().chain(["--psp", &url]).collect();
    let mut demo = program(database_url, &words);
    demo.env("TMPDIR", std::env::temp_dir()).env("TOSTAO_LISTEN", "127.0.0.1:0");
    finish(demo).await
}

#[story::test]
async fn the_story_of_production_ends_with_books_that_agree_with_the_banks(database_url: &str) {
    let fake = Fake::start(Options::default()).await.expect("the fake starts");
    let printed = play(database_url, &fake).await.good();
    for line in ["PAID, sem nenhum aviso", "em 3x, PAID", "CHARGED_BACK", "tudo confere"] {
        assert!(printed.contains(line), "{printed}");
    }
    assert_eq!(printed.lines().last(), Some("Tudo certo: cada passo foi conferido."), "{printed}");
    let drift = printed.lines().find(|line| line.contains("Diferença")).expect("is printed");
    assert!(drift.ends_with(&format_brl(0)), "{printed}");
    assert_eq!(printed.matches("devolvidos, COMPLETED").count(), 3, "{printed}");
    let state = fake.admin("GET", "/__state", &Value::Null).await.expect("answers").1;
    assert_eq!(state["efi"]["payouts"][0]["status"], "REALIZADO");
    assert_eq!(state["efi"]["pix"]["infractions"], 1);
    assert_eq!(state["pagarme"]["charges"][0]["status"], "canceled");
    tostao(database_url, &["ledger", "verify"]).await.good();
    let again = play(database_url, &fake).await.refused();
    assert!(again.contains("the database has connections"), "{again}");
}

#[story::in_a_folder]
async fn without_a_fake_the_story_of_production_does_not_start(folder: &TempDir) {
    let url = embedded(folder);
    let missing = folder.path().join("fakepsp").display().to_string();
    let table = [
        (["--fakepsp", &missing], "does not exist. The fake of the banks is in no release"),
        (["--psp", "http://127.0.0.1:1"], "no fakepsp answers at http://127.0.0.1:1"),
        (["--psp", "http://bank.example.com:80"], "is no address of this machine"),
    ];
    for (fake, reason) in table {
        let words: Vec<_> = PRODUCTION.into_iter().chain(fake).collect();
        let refused = tostao(&url, &words).await.refused();
        assert!(refused.contains(reason), "{refused}");
    }
    assert!(!folder.path().join("tostao.db").exists());
    let ended = tostao(&url, &["demo", "--psp", "http://127.0.0.1:1"]).await;
    assert!(ended.errors.contains("--production-like"), "{ended:?}");
}
