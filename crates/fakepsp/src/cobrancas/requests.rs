//! Creating, reading and ending slips.

use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::slips::{Slip, change};
use crate::call::{Answer, Call};
use crate::clock::day;
use crate::documents::{is_cnpj, is_cpf};
use crate::reply::Reply;
use crate::slip;
use crate::world::World;

/// Efí's bank code at the clearing house.
const BANK: &str = "364";
const VALUE_MIN_CENTS: i64 = 500;
const WRITE_OFF_DAYS_MAX: i64 = 120;
const LIMIT_DEFAULT: usize = 100;

pub fn create(world: &mut World, call: &Call) -> Answer {
    let total_cents = total(call)?;
    let due_on = due(world, call, "/payment/banking_billet/expire_at")?;
    let customer = customer(call)?;
    let configurations = configurations(call)?;
    let text = |pointer: &str| call.text_at(pointer).map(str::to_owned);
    let now = world.now();
    let id = world.slips.next_id;
    world.slips.next_id += 1;
    let free = world.ids.digits(25);
    let token = world.ids.uuid();
    let location = format!("qrcodespix.sejaefi.com.br/bolix/v2/cobv/{}", world.ids.hex(32));
    world.slips.all.push(Slip {
        id,
        token,
        custom_id: text("/metadata/custom_id"),
        notification_url: text("/metadata/notification_url"),
        total_cents,
        due_on,
        items: call.at("/items").cloned().unwrap_or_default(),
        customer,
        configurations,
        message: text("/payment/banking_billet/message"),
        created_at: now,
        numbers: slip::numbers(BANK, due_on, total_cents, &free),
        location,
        changes: Vec::new(),
        read_changes: 0,
    });
    change(world, id, "new", None);
    change(world, id, "waiting", None);
    let made = world.slips.all.last().map(Slip::created_json);
    Ok(Reply::json(200, &json!({ "code": 200, "data": made })))
}

pub fn get(world: &mut World, call: &Call) -> Answer {
    let slip = world.slips.all.iter().find(|slip| slip.id.to_string() == call.segment(2));
    let slip = slip.ok_or_else(unknown)?;
    Ok(Reply::json(200, &json!({ "code": 200, "data": slip.json() })))
}

/// A window of days, by creation if nothing else is said.
pub fn list(world: &mut World, call: &Call) -> Answer {
    let date = |name: &str| {
        let text = call.parameter(name).and_then(|text| text.get(..10));
        let date = text.and_then(|text| text.parse::<Date>().ok());
        date.ok_or_else(|| invalid(name, "é obrigatório (AAAA-MM-DD)"))
    };
    let (begin, end) = (date("begin_date")?, date("end_date")?);
    if call.parameter("charge_type") != Some("billet") {
        return Err(invalid("charge_type", "deve ser billet"));
    }
    let number = |name: &str, default: usize| {
        call.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (limit, page) = (number("limit", LIMIT_DEFAULT).max(1), number("page", 1).max(1));
    let wanted = |slip: &&Slip| {
        let on = match call.parameter("date_of") {
            Some("payment") => slip.paid().map(|change| day(change.at)),
            Some("expired") => Some(slip.due_on.to_string()),
            _ => Some(day(slip.created_at)),
        };
        let on = on.and_then(|text| text.parse::<Date>().ok());
        let custom = call.parameter("custom_id");
        on.is_some_and(|on| begin <= on && on <= end)
            && custom.is_none_or(|custom| slip.custom_id.as_deref() == Some(custom))
            && call.parameter("status").is_none_or(|status| slip.status() == status)
    };
    let offset = (page - 1) * limit;
    let slips = world.slips.all.iter().filter(wanted).skip(offset).take(limit);
    let listed: Vec<Value> = slips.map(Slip::listed_json).collect();
    let parameters = json!({
        "begin_date": begin.to_string(),
        "end_date": end.to_string(),
        "pagination": { "limit": limit, "offset": offset, "page": page },
    });
    Ok(Reply::json(200, &json!({ "code": 200, "data": listed, "params": parameters })))
}

pub fn cancel(world: &mut World, call: &Call) -> Answer {
    end(world, call, "canceled")
}

/// Marked as paid by hand: no money came.
pub fn settle(world: &mut World, call: &Call) -> Answer {
    end(world, call, "settled")
}

pub fn metadata(world: &mut World, call: &Call) -> Answer {
    let wanted = call.segment(2);
    let slip = world.slips.all.iter_mut().find(|slip| slip.id.to_string() == wanted);
    let slip = slip.ok_or_else(unknown)?;
    if let Some(custom_id) = call.text_at("/custom_id") {
        slip.custom_id = Some(custom_id.to_owned());
    }
    if let Some(url) = call.text_at("/notification_url") {
        slip.notification_url = Some(url.to_owned());
    }
    Ok(Reply::json(200, &json!({ "code": 200 })))
}

fn end(world: &mut World, call: &Call, status: &'static str) -> Answer {
    let slip = world.slips.all.iter().find(|slip| slip.id.to_string() == call.segment(2));
    let slip = slip.ok_or_else(unknown)?;
    if !matches!(slip.status(), "new" | "waiting" | "unpaid" | "link") {
        return Err(Reply::json(
            400,
            &json!({
                "code": 3_500_043,
                "error": "invalid_status",
                "error_description": "Apenas transações com status [new],[link],[waiting] ou \
                    [unpaid] podem ser canceladas.",
            }),
        ));
    }
    let id = slip.id;
    change(world, id, status, None);
    Ok(Reply::json(200, &json!({ "code": 200 })))
}

fn total(call: &Call) -> Result<i64, Reply> {
    let items = call.at("/items").and_then(Value::as_array).filter(|items| !items.is_empty());
    let items = items.ok_or_else(|| invalid("/items", "é obrigatório"))?;
    let mut total = 0_i64;
    for item in items {
        let value = item["value"].as_i64().filter(|value| *value >= 0);
        let amount = item["amount"].as_i64().filter(|amount| *amount > 0);
        let (Some(value), Some(amount), true) = (value, amount, item["name"].is_string()) else {
            return Err(invalid("/items/0", "precisa de name, value e amount"));
        };
        total = total.saturating_add(value.saturating_mul(amount));
    }
    if total < VALUE_MIN_CENTS {
        return Err(invalid("/items/value", "O valor mínimo de um boleto é R$ 5,00"));
    }
    Ok(total)
}

fn due(world: &World, call: &Call, pointer: &str) -> Result<Date, Reply> {
    let date = call.text_at(pointer).and_then(|text| text.parse::<Date>().ok());
    let date = date.ok_or_else(|| invalid(pointer, "é obrigatório (AAAA-MM-DD)"))?;
    if date.to_string() < day(world.now()) {
        return Err(invalid(pointer, "A data de vencimento não pode ser anterior à atual"));
    }
    Ok(date)
}

/// Flattens a company, as the bank's answers do.
fn customer(call: &Call) -> Result<Value, Reply> {
    let pointer = "/payment/banking_billet/customer";
    let customer = call.at(pointer).and_then(Value::as_object);
    let customer = customer.ok_or_else(|| invalid(pointer, "é obrigatório"))?;
    let mut flat: Map<String, Value> = customer.clone();
    if let Some(company) = flat.remove("juridical_person") {
        let cnpj = company["cnpj"].as_str().filter(|cnpj| is_cnpj(cnpj));
        if cnpj.is_none() || !company["corporate_name"].is_string() {
            return Err(invalid("/customer/juridical_person", "cnpj inválido"));
        }
        flat.extend(company.as_object().cloned().unwrap_or_default());
        return Ok(Value::Object(flat));
    }
    let cpf = flat.get("cpf").and_then(Value::as_str).filter(|cpf| is_cpf(cpf));
    let name = flat.get("name").and_then(Value::as_str).filter(|name| name.contains(' '));
    if cpf.is_none() || name.is_none() {
        return Err(invalid("/customer", "precisa de nome completo e cpf válido"));
    }
    Ok(Value::Object(flat))
}

fn configurations(call: &Call) -> Result<Value, Reply> {
    let given = call.at("/payment/banking_billet/configurations").cloned().unwrap_or(json!({}));
    let days = given.get("days_to_write_off").map_or(Some(89), Value::as_i64);
    let days = days.filter(|days| (0..=WRITE_OFF_DAYS_MAX).contains(days));
    let days = days.ok_or_else(|| invalid("days_to_write_off", "deve ser de 0 a 120"))?;
    let (interest, kind) = match &given["interest"] {
        Value::Object(interest) => (interest["value"].clone(), interest["type"].clone()),
        interest => (interest.clone(), json!("daily")),
    };
    Ok(json!({
        "days_to_write_off": days,
        "interest_type": kind,
        "interest": interest,
        "fine": given["fine"],
    }))
}

fn unknown() -> Reply {
    let error = json!({
        "code": 3_500_010,
        "error": "property_does_not_exists",
        "error_description": "A propriedade [charge_id] informada não existe.",
    });
    Reply::json(404, &error)
}

fn invalid(property: &str, message: &str) -> Reply {
    let error = json!({
        "code": 3_500_034,
        "error": "validation_error",
        "error_description": { "property": property, "message": message },
    });
    Reply::json(400, &error)
}
