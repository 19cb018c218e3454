//! A merchant's statement, for programs and for spreadsheets.

use serde_json::json;

use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, id};
use crate::methods::days_pass;

const PATH: &str = "/api/balance/entries";
const MARK: char = '\u{feff}';

/// The lines of a table, each as its cells; the first names the columns.
fn table(reply: &Reply) -> Vec<Vec<String>> {
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("text/csv; charset=utf-8"))
    );
    let text = reply.text.strip_prefix(MARK).expect("begins with its mark");
    let lines = text.strip_suffix("\r\n").expect("every line ends").split("\r\n");
    lines.map(|line| line.split(';').map(str::to_owned).collect()).collect()
}

#[story::test]
async fn a_statement_is_a_table_that_a_brazilian_spreadsheet_opens(shop: Shop) {
    let large = shop.charge(123_456).await;
    shop.pay(&large).await;
    let sent = json!({ "amountCents": 10_005, "pixKey": "ana@example.com", "pixKeyType": "email" });
    let sent = shop.key.post("/api/withdraws", sent).await.expect(201)["data"].clone();
    let asked = [
        shop.key.get(&format!("{PATH}?format=csv")).await,
        shop.key.with("accept", "text/csv").get(PATH).await,
        shop.key.with("accept", "application/json;q=0.5, Text/CSV; q=1").get(PATH).await,
    ];
    let named = ["sequence", "createdAt", "kind", "amount", "balance", "subjectId"];
    let noon = "21/11/2026 09:00:00";
    let expected = [
        named,
        ["2", noon, "withdrawal_requested", "-100,05", "1134,51", id(&sent)],
        ["1", noon, "payment_captured", "1234,56", "1234,56", id(&large)],
    ];
    for reply in asked {
        assert_eq!(table(&reply), expected);
        assert_eq!(reply.header("x-next-cursor"), None);
        let name = reply.header("content-disposition");
        assert_eq!(name, Some("attachment; filename=\"statement.csv\""));
    }
}

#[story::test]
async fn a_statement_is_dated_by_the_clock_of_its_merchant(shop: Shop) {
    days_pass(&shop, 40).await;
    shop.earn(1_000).await;
    let listed = shop.key.get(PATH).await.expect(200);
    assert_eq!(listed["data"][0]["createdAt"], "2026-12-31T12:00:00.000Z");
}

#[story::test]
async fn a_table_goes_on_where_its_header_says(shop: Shop) {
    for cents in 1..=5 {
        shop.earn(cents).await;
    }
    let (mut path, mut amounts) = (format!("{PATH}?format=csv&limit=2"), Vec::new());
    loop {
        let reply = shop.key.get(&path).await;
        amounts.extend(table(&reply).into_iter().skip(1).map(|line| line[3].clone()));
        let Some(cursor) = reply.header("x-next-cursor") else { break };
        path = format!("{PATH}?format=csv&limit=2&cursor={cursor}");
    }
    assert_eq!(amounts, ["0,05", "0,04", "0,03", "0,02", "0,01"]);
}

#[story::test]
async fn a_request_that_does_not_ask_for_csv_gets_json(shop: Shop) {
    shop.earn(1_000).await;
    let browser = shop.key.with("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let table = shop.key.with("accept", "text/csv");
    for reply in [
        shop.key.get(PATH).await,
        browser.get(PATH).await,
        table.get(&format!("{PATH}?format=json")).await,
    ] {
        assert_eq!(reply.expect(200)["data"][0]["amountCents"], 1_000);
    }
    let refused = shop.key.get(&format!("{PATH}?format=xml")).await.expect(400);
    assert_eq!(refused["errors"][0]["field"], "format");
    table.get(&format!("{PATH}?limit=101")).await.expect_refusal(400, "VALIDATION_ERROR");
}
