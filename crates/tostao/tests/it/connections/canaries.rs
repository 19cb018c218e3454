//! Recognisable secrets and people on the whole way of real money, and every place that they must
//! not be found in afterwards.

use std::fmt::Write as _;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::database::Dialect;
use http::Method;
use serde_json::json;
use tostao::platform::openapi::operation::Security;
use tostao::routes;

use super::payments::pass;
use super::scene::pem;
use super::{Bank, CONNECTIONS, administrator, charge_to, entered, fake, real};
use crate::harness::TestApp;
use crate::harness::client::Client;
use crate::harness::engine::Engine;
use crate::harness::logs::{lines_with, watch};
use crate::harness::receiver::Receiver;
use crate::harness::shop::{Shop, id};

const SECRET: &str = "canary-of-a-bank-4b1f9c";
const NEXT_SECRET: &str = "canary-of-a-bank-8e22d0";
/// A buyer whom no other test knows.
const BUYER: &str = "Zulmira Quaresma Canarinho";
const DOCUMENT: &str = "39053344705";
/// A payee's key that is a document.
const PAYEE: &str = "11144477735";
/// What a bank writes about people in an error.
const REASON: &str = "Pagamento negado: favorecida Zulmira Quaresma Canarinho, CPF 390.533.447-05";

/// What is written nowhere in plain, by what it is.
struct Canaries {
    /// What opens the bank's doors: in no row, no line and no answer.
    secrets: Vec<String>,
    /// Who people are: in no line and no error.
    people: Vec<String>,
    /// The secret part of the address for notices: in no line.
    door: String,
}

impl Canaries {
    fn of(bank: &Bank) -> Self {
        let authority = bank.fake.authority();
        let mut secrets = vec!["PRIVATE KEY".to_owned()];
        for secret in [SECRET, NEXT_SECRET] {
            secrets.push(secret.to_owned());
            secrets.push(STANDARD.encode(secret));
            secrets.push(STANDARD.encode(format!("the client:{secret}")));
        }
        let lines = authority.client.key.lines().filter(|line| !line.starts_with("-----"));
        secrets.extend(lines.filter(|line| line.len() > 20).map(str::to_owned));
        let people = [BUYER, DOCUMENT, "390.533.447-05", PAYEE, "111.444.777-35", REASON];
        let door = bank.door().rsplit('/').next().expect("has a last part").to_owned();
        Self { secrets, people: people.map(str::to_owned).to_vec(), door }
    }

    /// Every text that no line of the log may hold.
    fn unlogged(&self) -> Vec<&str> {
        let secrets = self.secrets.iter().filter(|text| *text != "PRIVATE KEY");
        secrets.chain(&self.people).chain([&self.door]).map(String::as_str).collect()
    }

    #[track_caller]
    fn assert_no_secret_in(&self, place: &str, text: &str) {
        for secret in &self.secrets {
            assert!(!text.contains(secret.as_str()), "{secret} in {place}: {text}");
        }
    }

    #[track_caller]
    fn assert_no_person_in(&self, place: &str, text: &str) {
        for person in &self.people {
            assert!(!text.contains(person.as_str()), "{person} in {place}: {text}");
        }
    }
}

/// Every row of every table, as hexadecimal digits, by the table's name.
async fn dump(engine: &Engine) -> Vec<(String, String)> {
    let tables = match engine.dialect() {
        Dialect::Sqlite => {
            "select m.name, c.name, c.type from sqlite_master m, pragma_table_info(m.name) c
              where m.type = 'table' and m.name not like 'sqlite%'"
        }
        Dialect::Postgres => {
            "select table_name, column_name, data_type from information_schema.columns
              where table_schema = current_schema()"
        }
    };
    let mut all = Vec::new();
    for column in engine.rows(tables).await {
        let [table, column, kind] = &column[..] else { panic!("{column:?}") };
        let digits = match (engine.dialect(), kind.as_str()) {
            (Dialect::Sqlite, _) => format!("hex(\"{column}\")"),
            (Dialect::Postgres, "bytea") => format!("encode(\"{column}\", 'hex')"),
            (Dialect::Postgres, _) => {
                format!("encode(convert_to(cast(\"{column}\" as text), 'UTF8'), 'hex')")
            }
        };
        let sql = format!("select coalesce({digits}, '') from \"{table}\"");
        let rows = engine.rows(&sql).await.concat();
        all.push((format!("{table}.{column}"), rows.join(" ").to_lowercase()));
    }
    all
}

fn digits(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "{byte:02x}").expect("writing to a string does not fail");
        all
    })
}

/// Everything that a caller reads on addresses that name nothing.
async fn everything_shown(caller: &Client, of: impl Fn(Option<Security>) -> bool) -> Vec<String> {
    let mut shown = Vec::new();
    for route in routes::routes() {
        // A stream has no end; what it shows is in a list, too.
        let ends = !route.path.contains('{') && !route.path.ends_with("/stream");
        let is_read = route.method == Method::GET && ends && of(route.needs);
        if is_read {
            let reply = caller.get(route.path).await;
            shown.push(format!("{} {}: {}", reply.status, route.path, reply.text));
        }
    }
    assert!(shown.len() > 5, "{shown:?}");
    shown
}

/// Plays a life of real money with all its failures; returns every error that was answered.
async fn live(test: &TestApp, bank: &Bank, shop: &Shop) -> Vec<String> {
    let mut errors = Vec::new();
    let charge = charge_to(shop, 10_000, BUYER, DOCUMENT).await.expect(201)["transaction"].clone();
    let paid = bank.pays(&charge, json!({ "note": REASON })).await;
    bank.notify(test, &paid).await.expect(200);
    test.run_jobs().await;
    let path = format!("/api/v1/transactions/{}/refund", id(&charge));
    let refund = json!({ "amountCents": 400, "reason": "Devolvido." });
    shop.owner.post(&path, refund).await.expect(201);
    let rejects = json!({
        "outcome": "reject", "status": 400, "name": "pagamento_negado", "text": REASON,
    });
    bank.at("/__payout", rejects).await;
    for _ in 0..2 {
        let wanted = json!({ "amountCents": 1_000, "pixKey": PAYEE, "pixKeyType": "cpf" });
        let asked = shop.owner.post("/api/withdraws", wanted).await.expect(201);
        let path = format!("/api/withdraws/{}/process", id(&asked["data"]));
        administrator(test).await.post(&path, json!({})).await.expect(200);
        pass(test, bank, Duration::from_secs(90)).await;
    }
    // Calls that fail, in every way that says something.
    for (operation, fault) in [
        ("cob.create", json!({ "fault": "status", "status": 500, "times": 1 })),
        ("cob.create", json!({ "fault": "proxy_html", "times": 1 })),
        ("cob.create", json!({ "fault": "unauthorized", "times": 1 })),
        ("cob.create", json!({ "fault": "cut_before", "times": 1 })),
        ("cob.create", json!({ "fault": "too_many", "retry_after": 1, "times": 1 })),
    ] {
        bank.fault(operation, fault).await;
        let tried = charge_to(shop, 10_000, BUYER, DOCUMENT).await;
        if tried.status != 201 {
            errors.push(tried.text);
        }
    }
    assert!(errors.len() > 2, "{errors:?}");
    // Notices that cannot be read, and one whose address is wrong.
    let door = bank.door();
    for (path, body) in [
        (format!("{door}/pix"), REASON.to_owned()),
        (format!("{door}/pix"), json!({ "pix": [{ "infoPagador": REASON }] }).to_string()),
        (format!("{door}x/pix"), json!({ "pix": [{ "infoPagador": REASON }] }).to_string()),
    ] {
        errors.push(test.anyone().post_bytes(&path, body.into_bytes()).await.text);
    }
    errors.extend(failing_setups(test, bank).await);
    for _ in 0..3 {
        pass(test, bank, Duration::from_hours(9)).await;
    }
    errors
}

/// Tests, rotations and additions that do not work; returns what was answered.
async fn failing_setups(test: &TestApp, bank: &Bank) -> Vec<String> {
    let (admin, mut answers) = (administrator(test).await, Vec::new());
    let path = format!("{CONNECTIONS}/{}", id(&bank.connection));
    let authority = bank.fake.authority();
    let foreign_key = format!("{}\n{}", authority.client.certificate, authority.bank.key);
    for values in [
        json!({ "client_secret": "wrong" }),
        json!({ "certificate": pem(&authority.client_expired) }),
        json!({ "certificate": foreign_key }),
        json!({ "certificate": authority.client.key }),
        json!({ "client_secret": format!("{SECRET}\n") , "colour": SECRET }),
    ] {
        let rotated = json!({ "values": values });
        answers.push(admin.post(&format!("{path}/rotate"), rotated).await.text);
        let mut added = entered(&bank.fake, &values);
        added["name"] = json!("efi-other");
        answers.push(admin.post(CONNECTIONS, added).await.text);
    }
    let rotated = json!({ "values": { "client_secret": NEXT_SECRET } });
    answers.push(admin.post(&format!("{path}/rotate"), rotated).await.text);
    for fault in ["unauthorized", "proxy_html"] {
        bank.fault("token", json!({ "fault": fault, "times": 1 })).await;
        answers.push(admin.post(&format!("{path}/test"), json!({})).await.text);
    }
    bank.at("/__tls", json!({ "server": "expired" })).await;
    answers.push(admin.post(&format!("{path}/test"), json!({})).await.text);
    bank.at("/__tls", json!({})).await;
    answers.push(admin.get(&path).await.text);
    answers
}

#[story::test]
async fn secrets_of_banks_are_found_nowhere_and_people_only_where_the_contract_has_them(
    test: &TestApp,
    shop: Shop,
    receiver: Receiver,
) {
    let fake = fake().await;
    let admin = administrator(test).await;
    let body = entered(&fake, &json!({ "client_secret": SECRET }));
    let connection = admin.post(CONNECTIONS, body).await.expect(201)["data"].clone();
    let bank = Bank { fake, admin, connection };
    let canaries = Canaries::of(&bank);
    watch(&canaries.unlogged());
    watch(&[id(&bank.connection)]);
    for rail in ["pix", "payout"] {
        bank.route(rail, id(&bank.connection)).await.expect(200);
    }
    let shop = real(shop).await;
    let hook = json!({ "url": receiver.url, "events": ["*"] });
    shop.owner.post("/api/v1/webhooks/subscriptions", hook).await.expect(201);
    // Efí pays from no key without an address for notices, which it tries.
    bank.register(test, &receiver.url).await;
    receiver.take();
    let errors = live(test, &bank, &shop).await;

    for text in &errors {
        canaries.assert_no_secret_in("an error", text);
        canaries.assert_no_person_in("an error", text);
    }
    let admin = administrator(test).await;
    let of_admin = everything_shown(&admin, |needs| needs == Some(Security::Admin)).await;
    let of_shop = everything_shown(&shop.owner, |needs| needs != Some(Security::Admin)).await;
    for text in of_admin.iter().chain(&of_shop) {
        canaries.assert_no_secret_in("an answer", text);
    }
    for text in &of_shop {
        assert!(!text.contains("efi-main") && !text.contains(&canaries.door), "{text}");
    }
    let audit = admin.get("/api/admin/audit").await;
    canaries.assert_no_person_in("the audit log", &audit.text);
    let events = receiver.take();
    assert!(events.iter().any(|event| event.text().contains("transaction.paid")));
    for event in events.iter().map(crate::harness::receiver::Delivery::text) {
        canaries.assert_no_secret_in("an event", &event);
        // The buyer's name is theirs by the contract, their document is masked.
        for document in [DOCUMENT, "390.533.447-05", REASON] {
            assert!(!event.contains(document), "{document} in {event}");
        }
    }
    let is_read = lines_with("connection.rotated");
    assert!(is_read.iter().any(|line| line.contains(id(&bank.connection))), "the log is not read");
    for text in canaries.unlogged() {
        assert_eq!(lines_with(text), Vec::<String>::new(), "{text}");
    }
    let rows = dump(&Engine::open(test).await).await;
    let name = digits(BUYER);
    assert!(rows.iter().any(|(_, rows)| rows.contains(&name)), "the dump holds no buyer");
    for (column, rows) in rows {
        for secret in &canaries.secrets {
            assert!(!rows.contains(&digits(secret)), "{secret} in {column}");
        }
    }
}
