//! Asking for slips, reading and cancelling them.

use jiff::SignedDuration;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::problem::{self, invalid};
use super::slips::{Title, notify};
use crate::call::{Answer, Call};
use crate::clock::day;
use crate::documents::{is_cnpj, is_cpf};
use crate::money;
use crate::reply::Reply;
use crate::slip;
use crate::world::World;

/// Inter's bank code at the clearing house.
const BANK: &str = "077";
const VALUE_MIN_CENTS: i64 = 250;
const AGENDA_DAYS_MAX: i64 = 60;
const PAGE_SIZE: usize = 100;
const REPEATED_WITHIN: SignedDuration = SignedDuration::from_mins(30);

/// Answers with a code; the slip itself comes later.
pub fn create(world: &mut World, call: &Call) -> Answer {
    let order = read(world, call)?;
    let now = world.now();
    let same = |title: &&Title| {
        title.our_number == order.our_number
            && title.cents == order.cents
            && title.due_on == order.due_on
            && title.payer["cpfCnpj"] == order.payer["cpfCnpj"]
            && now.duration_since(title.created_at) < REPEATED_WITHIN
    };
    if world.titles.all.iter().any(|title| same(&title)) {
        let detail = "Cobrança idêntica emitida há menos de 30 minutos.";
        return Err(problem::reply(409, "Cobrança duplicada", detail));
    }
    let code = world.ids.uuid();
    let bank_number = world.ids.digits(11);
    let free = format!("{bank_number}{}", world.ids.digits(14));
    let location = format!("spi-qrcode.bancointer.com.br/spi/pj/v2/cobv/{}", world.ids.hex(32));
    world.titles.all.push(Title {
        code: code.clone(),
        our_number: order.our_number,
        bank_number,
        cents: order.cents,
        due_on: order.due_on,
        payer: order.payer,
        created_at: now,
        changed_at: now,
        status: "EM_PROCESSAMENTO",
        received_cents: None,
        origin: None,
        payments: 0,
        reason: None,
        numbers: slip::numbers(BANK, order.due_on, order.cents, &free),
        txid: world.ids.alphanumeric(32),
        location,
        asks: 0,
    });
    Ok(Reply::json(200, &json!({ "codigoSolicitacao": code })))
}

/// 404 at first, then in process, then registered: each as often as the settings say.
pub fn get(world: &mut World, call: &Call) -> Answer {
    let (unknown_asks, processing_asks) =
        (world.settings.inter_slip_unknown_asks, world.settings.inter_slip_processing_asks);
    let now = world.now();
    let wanted = call.segment(3);
    let title = world.titles.all.iter_mut().find(|title| title.code == wanted);
    let title = title.ok_or_else(unknown)?;
    title.asks = title.asks.saturating_add(1);
    if title.asks <= unknown_asks && title.status == "EM_PROCESSAMENTO" {
        return Err(unknown());
    }
    let is_due = title.asks > unknown_asks.saturating_add(processing_asks);
    if is_due && title.status == "EM_PROCESSAMENTO" {
        title.status = "A_RECEBER";
        title.changed_at = now;
    }
    Ok(Reply::json(200, &title.json()))
}

pub fn list(world: &mut World, call: &Call) -> Answer {
    let date = |name: &str| {
        let date = call.parameter(name).and_then(|text| text.parse::<Date>().ok());
        date.ok_or_else(|| invalid(name, "é obrigatório (AAAA-MM-DD)"))
    };
    let (begin, end) = (date("dataInicial")?, date("dataFinal")?);
    let number = |name: &str, default: usize| {
        call.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let page = number("paginacao.paginaAtual", 0);
    let size = number("paginacao.itensPorPagina", PAGE_SIZE).max(1);
    let equal = |name: &str, value: &str| call.parameter(name).is_none_or(|it| it == value);
    let wanted = |title: &&Title| {
        let on = match call.parameter("filtrarDataPor") {
            Some("EMISSAO") => Some(day(title.created_at)),
            Some("PAGAMENTO") => title.received_cents.map(|_| day(title.changed_at)),
            _ => Some(title.due_on.to_string()),
        };
        let on = on.and_then(|text| text.parse::<Date>().ok());
        on.is_some_and(|on| begin <= on && on <= end)
            && equal("situacao", title.status)
            && equal("seuNumero", &title.our_number)
    };
    let titles: Vec<&Title> = world.titles.all.iter().filter(wanted).collect();
    let total = titles.len();
    let pages = total.div_ceil(size);
    let on_page = titles.into_iter().skip(page.saturating_mul(size)).take(size);
    let on_page: Vec<Value> = on_page.map(Title::json).collect();
    let value = json!({
        "totalPaginas": pages,
        "totalElementos": total,
        "ultimaPagina": page + 1 >= pages,
        "primeiraPagina": page == 0,
        "tamanhoPagina": size,
        "numeroDeElementos": on_page.len(),
        "cobrancas": on_page,
    });
    Ok(Reply::json(200, &value))
}

pub fn cancel(world: &mut World, call: &Call) -> Answer {
    let reason = call.text_at("/motivoCancelamento");
    let reason = reason.filter(|reason| (1..=50).contains(&reason.chars().count()));
    let reason = reason.ok_or_else(|| invalid("motivoCancelamento", "deve ter até 50"))?;
    let now = world.now();
    let code = call.segment(3).to_owned();
    let title = world.titles.all.iter_mut().find(|title| title.code == code);
    let title = title.ok_or_else(unknown)?;
    if matches!(title.status, "RECEBIDO" | "CANCELADO" | "EXPIRADO" | "FALHA_EMISSAO") {
        let detail = "A cobrança não pode mais ser cancelada.";
        return Err(problem::reply(400, "Requisição inválida", detail));
    }
    title.status = "CANCELADO";
    title.changed_at = now;
    title.reason = Some(reason.to_owned());
    notify(world, &code);
    Ok(Reply::empty(202))
}

struct Order {
    our_number: String,
    cents: i64,
    due_on: Date,
    payer: Value,
}

fn read(world: &World, call: &Call) -> Result<Order, Reply> {
    let our_number = call.text_at("/seuNumero");
    let our_number = our_number.filter(|text| (1..=15).contains(&text.chars().count()));
    let our_number = our_number.ok_or_else(|| invalid("seuNumero", "deve ter de 1 a 15"))?;
    let cents = call.at("/valorNominal").and_then(Value::as_number);
    let cents = cents.and_then(money::parse_number).filter(|cents| *cents >= VALUE_MIN_CENTS);
    let cents = cents.ok_or_else(|| invalid("valorNominal", "deve ser um número desde 2.5"))?;
    let due_on = call.text_at("/dataVencimento").and_then(|text| text.parse::<Date>().ok());
    let due_on = due_on.filter(|due_on| due_on.to_string() >= day(world.now()));
    let due_on = due_on.ok_or_else(|| invalid("dataVencimento", "não pode ter passado"))?;
    let days = call.at("/numDiasAgenda").map_or(Some(0), Value::as_i64);
    if !days.is_some_and(|days| (0..=AGENDA_DAYS_MAX).contains(&days)) {
        return Err(invalid("numDiasAgenda", "deve ser de 0 a 60"));
    }
    let payer = call.at("/pagador").cloned().unwrap_or_default();
    for field in ["cpfCnpj", "tipoPessoa", "nome", "endereco", "cidade", "uf", "cep"] {
        if payer[field].as_str().is_none_or(str::is_empty) {
            return Err(invalid(&format!("pagador.{field}"), "é obrigatório"));
        }
    }
    let document = payer["cpfCnpj"].as_str().unwrap_or_default();
    let fits = match payer["tipoPessoa"].as_str() {
        Some("FISICA") => is_cpf(document),
        Some("JURIDICA") => is_cnpj(document),
        _ => false,
    };
    if !fits {
        return Err(invalid("pagador.cpfCnpj", "não é um documento do tipo de pessoa"));
    }
    Ok(Order { our_number: our_number.to_owned(), cents, due_on, payer })
}

fn unknown() -> Reply {
    problem::reply(404, "Não encontrado", "Cobrança não encontrada.")
}
