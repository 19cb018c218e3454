//! The server is killed again and again while it moves real money through a bank: in the end, what
//! the bank has done is what the books say, once.
//!
//! Buyers pay charges, boletos and by card, and the merchant refunds and withdraws; the bank, which
//! is the acquirer as well, is a fake in the process of the test, which is never killed. A charge
//! that was never shown may remain at the bank: its order died before it was stored, and its
//! repetition made another one. It is never paid. Such a boleto is closed there, because its
//! payer's bank would show it. A card is charged once or never, and never without its payment in
//! the books.
//!
//! The moments of the kills follow from a seed, which is printed; `TOSTAO_TEST_SEED` sets another,
//! and `TOSTAO_TEST_KILLS` how many there are: 12 in the usual run, 200 where there is time for it:
//!
//! ```text
//! TOSTAO_TEST_KILLS=200 cargo test -p tostao --test real -- crash_with_a_bank --nocapture
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fakepsp::fake::Fake;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::harness::bank::{Bank, run_what_is_due_after};
use crate::harness::client::{Client, Unknown};
use crate::harness::front::Front;
use crate::harness::killing::{
    Caller, Chance, Open, everything, kill_again_and_again, number, seed, text,
};
use crate::harness::program::{Server, tostao};
use crate::harness::reply::Reply;
use crate::harness::shop::{Shop, charge};
use crate::harness::until_within;

const KILLS: u64 = 12;
const BUYERS: u64 = 4;
const TRANSACTIONS: &str = "/api/v1/transactions";
const WITHDRAWALS: &str = "/api/withdraws";
/// The statuses of what is not paid.
const UNPAID: [&str; 3] = ["PENDING", "PROCESSING", "FAILED"];
/// What is on the operator's account at the bank before.
const BEFORE_CENTS: i64 = 100_000_000;
/// From then on a boleto is closed that no payment took, and a card's charge has arrived or never
/// will.
const CLOSED_AFTER: Duration = Duration::from_mins(11);
/// Longer than the leases of a killed server on a shared database, and a few tries after them.
const QUIET_WITHIN: Duration = Duration::from_secs(150);

/// A charge that was answered for and paid.
struct Sale {
    id: String,
    /// The txid, or our reference of the charge of a card.
    reference: String,
    cents: i64,
    is_refunded: bool,
}

/// Somebody who buys, and the merchant's clerk who then refunds and withdraws.
struct Buyer<'a> {
    number: u64,
    bank: &'a Bank,
    caller: Caller,
    chance: Chance,
    sales: Vec<Sale>,
    /// How many cards were tried, those without an answer, and those that were charged.
    cards_tried: usize,
    cards_unanswered: Vec<(String, Value)>,
    cards: Vec<Sale>,
    /// The boletos that were answered for and paid, by our references.
    boletos: BTreeMap<String, i64>,
    /// What the server has answered for, by its key.
    refunds: BTreeMap<String, i64>,
    card_refunds: BTreeMap<String, i64>,
    withdrawals: BTreeMap<String, i64>,
}

/// What there is at the end, as the merchant sees it.
struct Books {
    charges: BTreeMap<String, i64>,
    boletos: BTreeMap<String, i64>,
    refunds: BTreeMap<String, i64>,
    payouts: BTreeMap<String, i64>,
    fees: i64,
    /// What was paid by card, and what of it was refunded, by our references.
    cards: BTreeMap<String, (i64, i64)>,
    card_refunds: BTreeMap<String, i64>,
    /// Charges of cards of which it is not known yet whether they reached the acquirer.
    open: usize,
}

#[story::test]
async fn what_the_bank_did_is_what_the_books_say_however_often_the_server_is_killed(
    database_url: &str,
) {
    let kills = usize::try_from(number("TOSTAO_TEST_KILLS", KILLS)).expect("is small");
    let seed = seed();
    println!("TOSTAO_TEST_SEED={seed}");
    let bank = Bank::connected(database_url).await.with_cards(database_url).await;
    let mut front = Front::bind().await;
    let url = front.url.clone();
    let settings = [
        ("TOSTAO_BASE_URL", url.as_str()),
        ("TOSTAO_AUTO_PAYOUTS", "on"),
        ("TOSTAO_WITHDRAWAL_DAILY_CAP_CENTS", "100000000000"),
        ("TOSTAO_WITHDRAWAL_NIGHT_CAP_CENTS", "100000000000"),
    ];
    let start = async || Server::start_with(database_url, &settings).await;
    let server = start().await;
    let (sender, open) = watch::channel(Open::at([server.address]));
    front.serve(open.clone());
    let shop = Shop::open(&server).await.with_real_money(&server).await;
    bank.has_our_address().await;

    let buyers = (0..BUYERS).map(|number| Buyer::new(number, seed, &bank, &shop, &open));
    let mut buyers: Vec<_> = buyers.collect();
    let trading = join_all(buyers.iter_mut().map(Buyer::trade));
    let killing = kill_again_and_again(kills, start, server, seed, &sender);
    let (_, server) = tokio::join!(trading, killing);

    let unknown: usize = buyers.iter().map(|buyer| buyer.caller.unknown).sum();
    assert!(unknown >= kills, "the kills interrupted only {unknown} requests");
    // A bank sends again what was not taken, for hours.
    let again = json!({ "again": 1_000_000 });
    bank.fake.admin("POST", "/__notify", &again).await.expect("answers");
    let shop = Shop { client: shop.client.at(server.address), ..shop };
    let paid = |buyer: &Buyer| buyer.sales.len() + buyer.boletos.len() + buyer.cards.len();
    let paid = buyers.iter().map(paid).sum();
    let books = until_within(QUIET_WITHIN, "everything has ended", async || {
        quiet(&shop.client, paid).await
    })
    .await;
    what_was_answered_for_is_there(&books, &buyers);
    let unshown = the_bank_agrees(&bank.fake, &books).await;
    server.stop().await;
    run_what_is_due_after(database_url, CLOSED_AFTER).await;
    let closed = the_boletos_agree(&bank.fake, &books).await;
    let server = start().await;
    let shop = Shop { client: shop.client.at(server.address), ..shop };
    let books = quiet(&shop.client, paid).await.expect("everything has ended");
    the_cards_agree(&bank.fake, &books, &buyers).await;
    the_balance_agrees(&bank.fake, &books, &shop).await;
    server.stop().await;
    let proof = tostao(database_url, &["ledger", "verify"]).await.good();
    assert!(proof.contains("The books agree"), "{proof}");
    let Books { charges, boletos, cards, refunds, payouts, .. } = &books;
    println!(
        "{kills} kills, {} charges, {} boletos, {} cards, {} refunds, {} payouts, {unknown} \
         requests unanswered, {unshown} charges at the bank that were never shown, {closed} \
         boletos closed",
        charges.len(),
        boletos.len(),
        cards.len(),
        refunds.len() + books.card_refunds.len(),
        payouts.len(),
    );
}

/// Looks for all that buyers and clerks got an answer for, and for nothing else.
fn what_was_answered_for_is_there(books: &Books, buyers: &[Buyer<'_>]) {
    let all = |of: for<'b> fn(&'b Buyer<'_>) -> &'b BTreeMap<String, i64>| {
        buyers.iter().flat_map(|buyer| of(buyer).clone()).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(books.boletos, all(|buyer| &buyer.boletos));
    assert_eq!(books.refunds, all(|buyer| &buyer.refunds));
    assert_eq!(books.card_refunds, all(|buyer| &buyer.card_refunds));
    assert_eq!(books.payouts, all(|buyer| &buyer.withdrawals));
    let sales = buyers.iter().flat_map(|buyer| &buyer.sales);
    assert_eq!(books.charges, sales.map(|sale| (sale.reference.clone(), sale.cents)).collect());
}

/// Compares the balance of the account for PIX with the merchant's, of which some may have settled.
async fn the_balance_agrees(fake: &Fake, books: &Books, shop: &Shop) {
    let at_bank = state(fake).await["efi"]["pix"]["balance_cents"].clone();
    // Money of boletos and cards is not on that account.
    let of_boletos: i64 = books.boletos.values().sum();
    let of_cards: i64 = books.cards.values().map(|(paid, refunded)| paid - refunded).sum();
    let of_pix = shop.available().await + shop.pending().await - of_boletos - of_cards;
    assert_eq!(at_bank, BEFORE_CENTS + of_pix + books.fees, "the balance at the bank, and ours");
}

async fn pay_by_card(server: &Client, key: &str, wanted: &Value) -> Result<Reply, Unknown> {
    server.with("idempotency-key", key).try_post(TRANSACTIONS, wanted).await
}

async fn state(fake: &Fake) -> Value {
    fake.admin("GET", "/__state", &Value::Null).await.expect("answers").1
}

/// The books, once nothing is under way any more.
async fn quiet(key: &Client, sales: usize) -> Option<Books> {
    let cents = |object: &Value, name: &str| object[name].as_i64().expect("is a number");
    let withdrawals = everything(key, WITHDRAWALS).await;
    let ended = withdrawals.iter().all(|withdrawal| withdrawal["status"] == "COMPLETED");
    let transactions = everything(key, TRANSACTIONS).await;
    let is_paid = |it: &Value| !UNPAID.contains(&it["status"].as_str().expect("has one"));
    if !ended || transactions.iter().filter(|it| is_paid(it)).count() < sales {
        return None;
    }
    let (mut charges, mut boletos, mut cards) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let (mut refunds, mut card_refunds) = (BTreeMap::new(), BTreeMap::new());
    for transaction in &transactions {
        let (method, amount) = (text(transaction, "method"), cents(transaction, "amount"));
        let is_card = method == "CREDIT_CARD";
        if is_card {
            if is_paid(transaction) {
                let sums = (amount, cents(transaction, "refundedAmount"));
                cards.insert(text(transaction, "id").replace('-', ""), sums);
            }
        } else {
            let kind = if method == "BOLETO" { &mut boletos } else { &mut charges };
            kind.insert(text(&transaction["pix"], "txid"), amount);
        }
        let path = format!("{TRANSACTIONS}/{}/refunds", text(transaction, "id"));
        for refund in everything(key, &path).await {
            if refund["status"] != "COMPLETED" {
                return None;
            }
            let kind = if is_card { &mut card_refunds } else { &mut refunds };
            kind.insert(text(&refund, "id").replace('-', ""), cents(&refund, "amountCents"));
        }
    }
    let count = |status| transactions.iter().filter(|it| it["status"] == status).count();
    let (open, failed) = (count("PROCESSING"), count("FAILED"));
    let payouts = withdrawals.iter().map(|it| (text(it, "externalId"), cents(it, "netAmount")));
    let (payouts, fees) =
        (payouts.collect(), withdrawals.iter().map(|it| cents(it, "feeCents")).sum());
    let named = charges.len() + boletos.len() + cards.len() + open + failed;
    assert_eq!(named, transactions.len(), "a txid is one charge's");
    Some(Books { charges, boletos, refunds, payouts, fees, cards, card_refunds, open })
}

/// Compares every order at the bank with ours; returns how many charges there were never shown.
async fn the_bank_agrees(fake: &Fake, books: &Books) -> usize {
    let cents = |text: &Value| -> i64 {
        text.as_str().expect("is text").replace('.', "").parse().expect("is an amount")
    };
    let state = state(fake).await;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut unshown = 0;
    let mut found = BTreeMap::new();
    for charge in list(&state["efi"]["pix"]["charges"]) {
        let (txid, paid) = (text(&charge, "txid"), list(&charge["pix"]).len());
        if books.charges.contains_key(&txid) {
            assert_eq!(paid, 1, "{charge}");
            found.insert(txid, cents(&charge["valor"]["original"]));
        } else {
            assert_eq!(paid, 0, "a charge that was never shown was paid: {charge}");
            unshown += 1;
        }
    }
    assert_eq!(found, books.charges);
    let received = list(&state["efi"]["pix"]["received"]);
    assert_eq!(received.len(), books.charges.len());
    let refunds = received.iter().flat_map(|pix| list(&pix["devolucoes"]));
    let refunds: Vec<_> =
        refunds.map(|refund| (text(&refund, "id"), cents(&refund["valor"]))).collect();
    let payouts = list(&state["efi"]["payouts"]);
    let payouts = payouts.iter().map(|payout| (text(payout, "idEnvio"), cents(&payout["valor"])));
    for (at_bank, ours) in [(refunds, &books.refunds), (payouts.collect(), &books.payouts)] {
        let once: BTreeSet<_> = at_bank.iter().map(|(id, _)| id.clone()).collect();
        assert_eq!(once.len(), at_bank.len(), "an order was carried out twice");
        assert_eq!(&at_bank.into_iter().collect::<BTreeMap<_, _>>(), ours);
    }
    unshown
}

/// Compares every charge of a card at the acquirer with ours.
async fn the_cards_agree(fake: &Fake, books: &Books, buyers: &[Buyer<'_>]) {
    assert_eq!(books.open, 0, "a charge is still open");
    for Sale { reference, cents, .. } in buyers.iter().flat_map(|buyer| &buyer.cards) {
        assert_eq!(books.cards.get(reference).map(|(paid, _)| paid), Some(cents), "{reference}");
    }
    let state = state(fake).await;
    let cents = |charge: &Value, name: &str| charge[name].as_i64().unwrap_or_default();
    let mut found = BTreeMap::new();
    for charge in state["pagarme"]["charges"].as_array().expect("is a list") {
        let sums = (cents(charge, "paid_amount"), cents(charge, "canceled_amount"));
        let twice = found.insert(text(charge, "code"), sums);
        assert_eq!(twice, None, "a card was charged twice: {charge}");
    }
    assert_eq!(found, books.cards);
}

/// Compares every boleto at the bank with ours; returns how many were closed that no charge has.
async fn the_boletos_agree(fake: &Fake, books: &Books) -> usize {
    let state = state(fake).await;
    let (mut found, mut closed) = (BTreeMap::new(), 0);
    for boleto in state["cobrancas"].as_array().expect("is a list") {
        let reference = text(boleto, "custom_id");
        if !books.boletos.contains_key(&reference) {
            assert_eq!(boleto["status"], "canceled", "a boleto that no charge has: {boleto}");
            closed += 1;
            continue;
        }
        assert_eq!((&boleto["status"], &boleto["payments"]), (&json!("paid"), &json!(1)));
        let twice = found.insert(reference, boleto["total"].as_i64().expect("is a number"));
        assert_eq!(twice, None, "a boleto was registered twice: {boleto}");
    }
    assert_eq!(found, books.boletos);
    closed
}

impl<'a> Buyer<'a> {
    fn new(
        number: u64,
        seed: u64,
        bank: &'a Bank,
        shop: &Shop,
        open: &watch::Receiver<Open>,
    ) -> Self {
        Self {
            number,
            bank,
            caller: Caller::new(shop.client.clone(), open.clone()),
            chance: Chance(seed ^ (number + 1)),
            sales: Vec::new(),
            cards_tried: 0,
            cards_unanswered: Vec::new(),
            cards: Vec::new(),
            boletos: BTreeMap::new(),
            refunds: BTreeMap::new(),
            card_refunds: BTreeMap::new(),
            withdrawals: BTreeMap::new(),
        }
    }

    /// Buys, by PIX, boleto and card, refunds and withdraws until the day is over.
    async fn trade(&mut self) {
        while self.caller.is_open() {
            self.buy().await;
            match self.chance.within(0..5) {
                0 => self.refund().await,
                1 => self.withdraw().await,
                2 => self.buy_by_boleto().await,
                3 => self.buy_by_card().await,
                _ => {}
            }
        }
        self.ask_again_for_cards().await;
    }

    /// Orders a charge, and pays it at the bank.
    async fn buy(&mut self) {
        let key = format!("buyer-{}-{}", self.number, self.sales.len());
        let cents = i64::try_from(self.chance.within(1_000..100_000)).expect("is small");
        let wanted = charge(cents);
        let made = self.caller.insist(201, async |server| {
            server.with("idempotency-key", &key).try_post(TRANSACTIONS, &wanted).await
        });
        let made = made.await["transaction"].clone();
        let (id, reference) = (text(&made, "id"), text(&made["pix"], "txid"));
        let payment = json!({ "dialect": "efi", "charge": reference });
        let (status, paid) =
            self.bank.fake.admin("POST", "/__pay", &payment).await.expect("answers");
        assert_eq!(status, 200, "{paid}");
        self.sales.push(Sale { id, reference, cents, is_refunded: false });
    }

    /// Orders a boleto, and pays it at the bank.
    async fn buy_by_boleto(&mut self) {
        let key = format!("boleto-{}-{}", self.number, self.boletos.len());
        let cents = i64::try_from(self.chance.within(1_000..100_000)).expect("is small");
        let mut wanted = charge(cents);
        wanted["method"] = json!("BOLETO");
        wanted["customer"]["name"] = json!("Ana Souza");
        let made = self.caller.insist(201, async |server| {
            server.with("idempotency-key", &key).try_post(TRANSACTIONS, &wanted).await
        });
        let reference = text(&made.await["transaction"]["pix"], "txid");
        let payment = json!({ "dialect": "cobrancas", "charge": reference });
        let (status, paid) =
            self.bank.fake.admin("POST", "/__pay", &payment).await.expect("answers");
        assert_eq!(status, 200, "{paid}");
        self.boletos.insert(reference, cents);
    }

    /// Pays by card; what is not answered for is asked again when the day is over.
    async fn buy_by_card(&mut self) {
        let key = format!("card-{}-{}", self.number, self.cards_tried);
        self.cards_tried += 1;
        let cents = i64::try_from(self.chance.within(1_000..100_000)).expect("is small");
        let mut wanted = charge(cents);
        wanted["method"] = json!("CREDIT_CARD");
        wanted["cardToken"] = json!(self.bank.card_token().await);
        wanted["customer"]["name"] = json!("Ana Souza");
        wanted["customer"]["phone"] = json!("11987654321");
        let asked = self.caller.once(async |server| pay_by_card(server, &key, &wanted).await);
        match asked.await {
            Some(reply) => self.paid_by_card(&reply, cents),
            None => self.cards_unanswered.push((key, wanted)),
        }
    }

    /// Asks again for what was not answered for, with the same keys.
    async fn ask_again_for_cards(&mut self) {
        for (key, wanted) in std::mem::take(&mut self.cards_unanswered) {
            let asked = self.caller.answer(async |server| pay_by_card(server, &key, &wanted).await);
            let reply = asked.await;
            self.paid_by_card(&reply, wanted["amountCents"].as_i64().expect("is a number"));
        }
    }

    fn paid_by_card(&mut self, reply: &Reply, cents: i64) {
        let made = reply.json()["transaction"].clone();
        if reply.status == 409 {
            // A server was killed while it asked, so the charge is open for some minutes.
            assert_eq!(reply.json()["code"], "IDEMPOTENCY_KEY_IN_PROGRESS", "{}", reply.text);
        } else if reply.status == 400 {
            // The first request died before it began, and a token lives for a minute.
            assert_eq!(reply.json()["errors"][0]["code"], "INVALID_CARD_TOKEN", "{}", reply.text);
        } else if made["status"] == "PAID" {
            let id = text(&made, "id");
            let reference = id.replace('-', "");
            self.cards.push(Sale { id, reference, cents, is_refunded: false });
        } else {
            assert!(reply.status < 300, "{}", reply.text);
        }
    }

    /// Refunds a part of a sale that was paid, by PIX or card.
    async fn refund(&mut self) {
        let all = u64::try_from(self.sales.len() + self.cards.len()).expect("are few");
        let chosen = usize::try_from(self.chance.within(0..all)).expect("are few");
        let is_card = chosen >= self.sales.len();
        let mut sales = self.sales.iter_mut().chain(&mut self.cards);
        let Sale { id, cents, is_refunded, .. } = sales.nth(chosen).expect("is there");
        let (path, amount) = (format!("{TRANSACTIONS}/{id}"), *cents / 3);
        let now = self.caller.insist(200, async |server| server.try_get(&path).await).await;
        if *is_refunded || now["transaction"]["status"] != "PAID" {
            return;
        }
        *is_refunded = true;
        let key = format!("refund-{id}");
        let wanted = json!({ "amountCents": amount, "reason": "Devolvido." });
        let asked = self.caller.answer(async |server| {
            let server = server.with("idempotency-key", &key);
            server.try_post(&format!("{path}/refund"), &wanted).await
        });
        let asked = asked.await;
        // Another clerk may have withdrawn the money meanwhile.
        if asked.status != 201 {
            assert_eq!(asked.json()["code"], "INSUFFICIENT_BALANCE", "{}", asked.text);
            return;
        }
        let refund = asked.json()["refund"].clone();
        let kind = if is_card { &mut self.card_refunds } else { &mut self.refunds };
        kind.insert(text(&refund, "id").replace('-', ""), amount);
    }

    /// Withdraws a part of what there is.
    async fn withdraw(&mut self) {
        let path = format!("{WITHDRAWALS}/balance");
        let balance = self.caller.insist(200, async |server| server.try_get(&path).await).await;
        let available = balance["data"]["availableBalance"].as_u64().unwrap_or_default();
        if available < 2_000 {
            return;
        }
        let cents = self.chance.within(1_000..available.min(50_000));
        let key = format!("withdrawal-{}-{}", self.number, self.sales.len());
        let wanted =
            json!({ "amountCents": cents, "pixKey": "ana@example.com", "pixKeyType": "email" });
        let asked = self.caller.answer(async |server| {
            server.with("idempotency-key", &key).try_post(WITHDRAWALS, &wanted).await
        });
        let asked = asked.await;
        if asked.status != 201 {
            assert_eq!(asked.json()["code"], "INSUFFICIENT_BALANCE", "{}", asked.text);
            return;
        }
        let withdrawal = asked.json()["data"].clone();
        let net = withdrawal["netAmount"].as_i64().expect("is a number");
        self.withdrawals.insert(text(&withdrawal, "id").replace('-', ""), net);
    }
}
