//! The state of slips, and how it is written as JSON.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::brcode;
use crate::clock::local;
use crate::notices::Content;
use crate::route::Dialect;
use crate::slip::Numbers;
use crate::world::World;

#[derive(Debug)]
pub struct Slips {
    pub all: Vec<Slip>,
    pub next_id: u64,
}

impl Default for Slips {
    fn default() -> Self {
        Self { all: Vec::new(), next_id: 40_000_001 }
    }
}

#[derive(Debug, Clone)]
pub struct Slip {
    pub id: u64,
    /// The same for the charge's whole life.
    pub token: String,
    pub custom_id: Option<String>,
    pub notification_url: Option<String>,
    pub total_cents: i64,
    pub due_on: Date,
    pub items: Value,
    pub customer: Value,
    pub configurations: Value,
    pub message: Option<String>,
    pub created_at: Timestamp,
    pub numbers: Numbers,
    pub location: String,
    pub changes: Vec<Change>,
    /// Changes that the merchant has asked for; the others are repeated.
    pub read_changes: usize,
}

#[derive(Debug, Clone)]
pub struct Change {
    pub status: &'static str,
    pub at: Timestamp,
    pub paid_cents: Option<i64>,
}

impl Slip {
    pub fn status(&self) -> &'static str {
        self.changes.last().map_or("new", |change| change.status)
    }

    pub fn paid(&self) -> Option<&Change> {
        self.changes.iter().rev().find(|change| change.paid_cents.is_some())
    }

    /// What the answer to the creation holds.
    pub fn created_json(&self) -> Value {
        let mut value = self.billet_json();
        value["charge_id"] = json!(self.id);
        value["status"] = json!(self.status());
        value["total"] = json!(self.total_cents);
        value["payment"] = json!("banking_billet");
        value
    }

    pub fn json(&self) -> Value {
        let history = self.changes.iter().map(|change| {
            let message = format!("Cobrança {}", change.status);
            json!({ "message": message, "created_at": local(change.at) })
        });
        let mut billet = self.billet_json();
        billet["configurations"] = self.configurations.clone();
        json!({
            "charge_id": self.id,
            "total": self.total_cents,
            "status": self.status(),
            "custom_id": self.custom_id,
            "created_at": local(self.created_at),
            "notification_url": self.notification_url,
            "items": self.items,
            "history": history.collect::<Vec<_>>(),
            "customer": self.customer,
            "payment": {
                "method": "banking_billet",
                "created_at": local(self.created_at),
                "message": self.message,
                "banking_billet": billet,
            },
        })
    }

    pub fn listed_json(&self) -> Value {
        let paid = self.paid();
        let mut payment = json!({
            "payment_method": "banking_billet",
            "paid_at": paid.map(|change| local(change.at)),
            "banking_billet": self.billet_json(),
        });
        if let Some(change) = paid {
            payment["received_by_bank_at"] = json!(crate::clock::day(change.at));
            payment["paid_value"] = json!(change.paid_cents);
        }
        let customer = &self.customer;
        let is_person = customer["cpf"].is_string();
        let (document, name) = if is_person { ("cpf", "name") } else { ("cnpj", "corporate_name") };
        json!({
            "id": self.id,
            "total": self.total_cents,
            "status": self.status(),
            "custom_id": self.custom_id,
            "created_at": local(self.created_at),
            "customer": {
                "phone_number": customer["phone_number"],
                document: customer[document],
                name: customer[name],
            },
            "payment": payment,
        })
    }

    fn billet_json(&self) -> Value {
        let link = format!("https://visualizacao.gerencianet.com.br/emissao/{}", self.token);
        json!({
            "barcode": self.numbers.printed(),
            "pix": {
                "qrcode": brcode::dynamic(&self.location, "EFISA", "SAOPAULO"),
                "qrcode_image": "data:image/svg+xml;base64,PHN2Zy8+",
            },
            "link": link,
            "billet_link": link,
            "pdf": { "charge": format!("{link}.pdf") },
            "expire_at": self.due_on.to_string(),
        })
    }
}

impl Slips {
    pub fn find(&self, wanted: &str) -> Option<&Slip> {
        let is_it = |slip: &&Slip| {
            slip.id.to_string() == wanted || slip.custom_id.as_deref() == Some(wanted)
        };
        self.all.iter().find(is_it)
    }

    pub fn json(&self) -> Value {
        self.all
            .iter()
            .map(|slip| {
                let mut value = slip.json();
                value["paid_cents"] = json!(slip.paid().and_then(|change| change.paid_cents));
                value["payments"] =
                    json!(slip.changes.iter().filter(|change| change.paid_cents.is_some()).count());
                value
            })
            .collect()
    }
}

/// Gives a slip another status and says so.
pub fn change(world: &mut World, id: u64, status: &'static str, paid_cents: Option<i64>) {
    let at = world.now();
    let Some(slip) = world.slips.all.iter_mut().find(|slip| slip.id == id) else { return };
    slip.changes.push(Change { status, at, paid_cents });
    notify(world, id);
}

/// A notice holds the token and nothing else.
pub fn notify(world: &mut World, id: u64) {
    let Some(slip) = world.slips.all.iter().find(|slip| slip.id == id) else { return };
    let Some(url) = slip.notification_url.clone() else { return };
    let content = Content::Form(vec![("notification".to_owned(), slip.token.clone())]);
    world.notices.emit(Dialect::Cobrancas, "slip", &url, &content);
}
