//! Every sentence a buyer reads, in Portuguese and in English, side by side.
//!
//! A message is a method of [`Lang`], so a page cannot ask for one that does not exist, and a
//! missing translation or placeholder does not compile. Dates and amounts are written here too,
//! because they are the part of a sentence that changes most between the two languages.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A language the pages are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    #[default]
    PtBr,
    En,
}

static SAO_PAULO: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the time zone table is compiled into the program")
});

impl Lang {
    /// Reads a tag such as `pt-BR` or `en-US`; `None` for a language we do not speak.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "pt" => Some(Self::PtBr),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// Picks from an `Accept-Language` header; Portuguese when it names neither language.
    pub fn from_header(accept_language: Option<&str>) -> Self {
        let mut best = (Self::default(), 0);
        for range in accept_language.unwrap_or_default().split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight = per_mille(weight);
            // Only a strictly greater weight wins: among equals the reader's order counts.
            if let Some(lang) = Self::parse(tag)
                && weight > best.1
            {
                best = (lang, weight);
            }
        }
        best.0
    }

    /// The value of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::PtBr => "pt-BR",
            Self::En => "en",
        }
    }

    /// The language the reader may switch to.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::PtBr => Self::En,
            Self::En => Self::PtBr,
        }
    }

    /// Writes an instant, in microseconds since 1970, as the wall clock of São Paulo shows it.
    pub fn date_time(self, micros: i64) -> String {
        let instant = Timestamp::from_microsecond(micros).unwrap_or_default();
        let local = instant.to_zoned(SAO_PAULO.clone());
        match self {
            Self::PtBr => local.strftime("%d/%m/%Y às %H:%M").to_string(),
            Self::En => local.strftime("%-d %b %Y, %H:%M").to_string(),
        }
    }

    /// Writes a day: `24/11/2026`, or `24 Nov 2026`.
    pub fn date(self, day: Date) -> String {
        let form = match self {
            Self::PtBr => "%d/%m/%Y",
            Self::En => "%-d %b %Y",
        };
        day.strftime(form).to_string()
    }

    /// Writes an amount of cents: `R$ 1.234,56` with a no-break space, or `R$1,234.56`.
    pub fn money(self, cents: i64) -> String {
        let (symbol, thousands, decimal) = match self {
            Self::PtBr => ("R$\u{a0}", ".", ","),
            Self::En => ("R$", ",", "."),
        };
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        format!("{sign}{symbol}{}{decimal}{rest:02}", grouped(whole, thousands))
    }
}

/// Reads `q=0.8` as 800; anything else counts for nothing.
fn per_mille(parameter: &str) -> u32 {
    let Some(value) = parameter.trim().strip_prefix("q=") else {
        return 0;
    };
    let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
    match whole {
        "1" => 1000,
        "0" if fraction.len() <= 3 => format!("{fraction:0<3}").parse().unwrap_or(0),
        _ => 0,
    }
}

fn grouped(number: u64, separator: &str) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

/// Turns `name => "português", "English";` into a method of [`Lang`].
macro_rules! messages {
    ($($name:ident $(($($arg:ident),+))? => $pt:literal, $en:literal;)+) => {
        impl Lang {
            $(messages!(@method $name ($($($arg),+)?) $pt, $en);)+
        }

        /// Name, Portuguese and English of every message, for the tests.
        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $pt, $en)),+];
    };
    (@method $name:ident () $pt:literal, $en:literal) => {
        #[doc = $en]
        pub fn $name(self) -> &'static str {
            match self {
                Self::PtBr => $pt,
                Self::En => $en,
            }
        }
    };
    (@method $name:ident ($($arg:ident),+) $pt:literal, $en:literal) => {
        #[doc = $en]
        pub fn $name(self, $($arg: impl std::fmt::Display),+) -> String {
            match self {
                Self::PtBr => format!($pt),
                Self::En => format!($en),
            }
        }
    };
}

// Around every page.
messages! {
    language_name => "Português", "English";
    processed_by => "Pagamento seguro processado por Tostão", "Secure payment processed by Tostão";
    test_mode => "Modo de teste", "Test mode";
    test_mode_note => "Nenhum dinheiro de verdade será movimentado.", "No real money will move.";

    // The pay form.
    you_buy_from => "Você está comprando de", "You are buying from";
    about_product => "Sobre o produto", "About the product";
    items => "Itens", "Items";
    total => "Total", "Total";
    your_details => "Seus dados", "Your details";
    full_name => "Nome completo", "Full name";
    email => "E-mail", "E-mail";
    email_hint => "Para falar com você sobre esta compra.",
        "To reach you about this purchase.";
    document => "CPF ou CNPJ", "CPF or CNPJ";
    document_hint => "Opcional. Diz à loja quem pagou e sai, em parte, no comprovante.",
        "Optional. It tells the shop who paid and stands, in part, on the receipt.";
    phone => "Telefone com DDD", "Phone with area code";
    address => "Endereço", "Address";
    postal_code => "CEP", "Postal code";
    street => "Rua ou avenida", "Street";
    street_number => "Número", "Number";
    complement => "Complemento (opcional)", "Apartment, floor (optional)";
    district => "Bairro", "District";
    city => "Cidade", "City";
    state => "Estado", "State";
    choose_state => "Selecione", "Choose one";
    payment => "Pagamento", "Payment";
    pix => "PIX", "PIX";
    pix_note => "Confirmação em segundos, a qualquer hora", "Confirmed in seconds, at any hour";
    generate_code => "Gerar código PIX", "Get the PIX code";
    generate_note => "Você paga na próxima tela, pelo app do seu banco.",
        "You pay on the next screen, with your bank's app.";

    // What is wrong with a field, and how to put it right.
    check_fields => "Confira estes campos", "Please check these fields";
    required => "Preencha este campo.", "Fill in this field.";
    too_long(max) => "Use no máximo {max} caracteres.", "Use at most {max} characters.";
    invalid_email => "Digite um e-mail completo, como nome@exemplo.com.br.",
        "Enter a complete e-mail address, such as name@example.com.";
    invalid_document => "Confira o CPF ou CNPJ: há um número trocado ou faltando.",
        "Check the CPF or CNPJ: a digit is wrong or missing.";
    invalid_phone => "Digite o telefone com DDD, como (11) 91234-5678.",
        "Enter the phone with its area code, such as (11) 91234-5678.";
    invalid_postal_code => "Digite os 8 números do CEP.",
        "Enter the 8 digits of the postal code (CEP).";
    card_number => "Nunca digite aqui o número de um cartão.",
        "Never type a card number here.";
    invalid_state => "Escolha um estado da lista.", "Choose a state from the list.";

    // The PIX code.
    pay_with_pix => "Pague com PIX", "Pay with PIX";
    pay_to => "Para", "To";
    pay_by => "Pague até", "Pay by";
    time_zone => "(horário de Brasília)", "(Brasília time)";
    time_left => "Tempo restante", "Time left";
    code => "Código PIX copia e cola", "PIX copy-and-paste code";
    copy_code => "Copiar código PIX", "Copy the PIX code";
    copied => "Código copiado. Agora cole no app do seu banco.",
        "Code copied. Now paste it in your bank's app.";
    select_code => "Código selecionado. Copie e cole no app do seu banco.",
        "Code selected. Copy it and paste it in your bank's app.";
    scan => "Aponte a câmera do app do seu banco", "Scan with your bank's app";
    qr_label => "QR Code do PIX. O código copia e cola desta página tem o mesmo conteúdo.",
        "PIX QR code. The copy-and-paste code on this page says the same.";
    how_to_pay => "Como pagar", "How to pay";
    step_open => "Abra o app do seu banco e entre em PIX.",
        "Open your bank's app and go to PIX.";
    step_paste => "Escolha “PIX copia e cola” e cole o código, ou leia o QR Code.",
        "Choose “PIX copia e cola” and paste the code, or scan the QR code.";
    step_confirm(merchant, amount) => "Confira se é {amount} para {merchant} e confirme.",
        "Check that it is {amount} to {merchant}, and confirm.";
    waiting => "Aguardando pagamento…", "Waiting for your payment…";
    waiting_note => "Esta página avisa assim que o pagamento chegar.",
        "This page tells you as soon as the payment arrives.";
    already_paid => "Já paguei, atualizar", "I have paid, refresh";
    five_minutes_left => "Faltam 5 minutos para o código expirar.",
        "5 minutes left before the code expires.";
    one_minute_left => "Falta 1 minuto para o código expirar.",
        "1 minute left before the code expires.";
    confirmed_opening => "Pagamento confirmado! Abrindo o comprovante…",
        "Payment confirmed! Opening the receipt…";
    simulate => "Simular pagamento", "Simulate the payment";
    simulate_note => "Faz de conta que o banco confirmou este PIX.",
        "Pretends that the bank confirmed this PIX.";
    code_expired => "Este código PIX expirou", "This PIX code has expired";
    code_expired_note => "Gere outro com os mesmos dados, sem preencher nada de novo.",
        "Get another one with the same details, without typing anything again.";
    paid_before_expiry => "Já pagou? Não pague outra vez: a confirmação aparece nesta página.",
        "Already paid? Do not pay again: the confirmation appears on this page.";
    new_code => "Gerar novo código", "Get a new code";

    // The slip, on the screen and on paper.
    pay_boleto => "Pague o boleto", "Pay the bank slip";
    boleto_note => "O pagamento do boleto é confirmado em até 1 dia útil.",
        "A paid slip is confirmed within 1 business day.";
    digitable_line => "Linha digitável", "Digitable line";
    copy_line => "Copiar linha digitável", "Copy the digitable line";
    line_copied => "Linha copiada. Agora cole em “pagar boleto” no app do seu banco.",
        "Line copied. Now paste it under “pagar boleto” in your bank's app.";
    line_selected => "Linha selecionada. Copie e cole no app do seu banco.",
        "Line selected. Copy it and paste it in your bank's app.";
    download_pdf => "Baixar o boleto em PDF", "Download the slip as PDF";
    print_slip => "Imprimir boleto", "Print the slip";
    pay_slip_with_pix => "Ou pague agora com PIX", "Or pay now with PIX";
    pix_is_sooner => "O mesmo boleto, confirmado em segundos. Pague de um jeito só.",
        "The same slip, confirmed in seconds. Pay in one way only.";
    payer_receipt => "Recibo do pagador", "Payer's receipt";
    compensation_slip => "Ficha de compensação", "Clearing slip";
    cut_here => "Corte aqui", "Cut here";
    barcode => "Código de barras do boleto", "Barcode of the slip";
    payable_at => "Local de pagamento", "Where to pay";
    payable_anywhere => "Em qualquer banco, lotérica ou app, até o vencimento",
        "At any bank, lottery shop or app, until the due date";
    due_on => "Vencimento", "Due date";
    beneficiary => "Beneficiário", "Beneficiary";
    our_number => "Nosso número", "Bank's number";
    issued_on => "Data do documento", "Date of issue";
    document_number => "Nº do documento", "Document number";
    document_kind => "Espécie doc.", "Kind";
    acceptance => "Aceite", "Accepted";
    document_amount => "(=) Valor do documento", "(=) Amount";
    charged_amount => "(=) Valor cobrado", "(=) Amount charged";
    instructions => "Instruções", "Instructions";
    pay_by_due_date => "Pague até o vencimento. Se cair em fim de semana ou feriado, até o dia \
        útil seguinte.",
        "Pay by the due date; if it is a weekend or holiday, by the next business day.";
    test_slip => "Boleto de teste: nenhum banco recebe este pagamento.",
        "Test slip: no bank takes this payment.";

    // The receipt.
    payment_confirmed => "Pagamento confirmado", "Payment confirmed";
    receipt => "Comprovante", "Receipt";
    purchase => "Compra", "Purchase";
    amount => "Valor", "Amount";
    refunded => "Devolvido", "Refunded";
    paid_at => "Data e hora (Brasília)", "Date and time (Brasília)";
    payee => "Recebedor", "Payee";
    payer => "Pagador", "Payer";
    method => "Forma de pagamento", "Payment method";
    transaction_id => "Transação", "Transaction";
    end_to_end_id => "ID do PIX (E2E)", "PIX id (E2E)";
    print_receipt => "Imprimir comprovante", "Print the receipt";
    back_to_shop => "Voltar para a loja", "Back to the shop";
    returning => "Em 15 segundos você volta para a loja.",
        "In 15 seconds you return to the shop.";
    stay => "Ficar nesta página", "Stay on this page";

    // The receipt of a withdrawal.
    transfer_sent => "Transferência enviada", "Transfer sent";
    pix_key => "Chave PIX", "PIX key";
    withdrawal_id => "Saque", "Withdrawal";

    // The page of the server itself.
    home_note => "Este servidor recebe pagamentos. Para pagar, abra o link que enviaram a você.",
        "This server takes payments. To pay, open the link that was sent to you.";
    api_reference => "Documentação da API", "API reference";
    server_health => "Estado do servidor", "Server health";

    // Pages that cannot take a payment.
    link_expired => "Este link expirou", "This link has expired";
    link_expired_note => "O prazo para pagar por aqui terminou. Peça um novo link a quem o enviou.",
        "The time to pay here is over. Ask whoever sent it for a new link.";
    link_inactive => "Este link está desativado", "This link is switched off";
    link_inactive_note => "Agora não é possível pagar por aqui. Fale com quem enviou o link.",
        "It is not possible to pay here now. Talk to whoever sent you the link.";
    sold_out => "Produto esgotado", "Sold out";
    sold_out_note => "As unidades acabaram antes da sua compra. Nada foi cobrado.",
        "The last unit went before your purchase. Nothing was charged.";
    charge_cancelled => "Cobrança cancelada", "Charge cancelled";
    charge_cancelled_note => "Não pague este código. Se já pagou, fale com quem enviou o link.",
        "Do not pay this code. If you already did, talk to whoever sent you the link.";
    charge_refused => "O banco não aceitou esta cobrança", "The bank refused this charge";
    charge_refused_note => "Nada foi cobrado. Fale com quem enviou o link.",
        "Nothing was charged. Talk to whoever sent you the link.";
    not_found => "Página não encontrada", "Page not found";
    not_found_note => "Confira se o endereço está completo, como foi enviado a você.",
        "Check that the address is complete, as it was sent to you.";
    error => "Algo deu errado do nosso lado", "Something went wrong on our side";
    error_note => "Tente de novo em instantes. Se já pagou, não pague outra vez: o pagamento \
        não se perde.",
        "Try again in a moment. If you have paid, do not pay again: the payment is not lost.";
    request_id => "Código para o atendimento", "Reference for support";
    too_many_requests => "Muitas tentativas seguidas", "Too many attempts";
    wait_seconds(seconds) => "Espere {seconds} s e tente de novo.",
        "Wait {seconds} s and try again.";
    try_again => "Tentar de novo", "Try again";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placeholders(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            text.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn every_message_exists_in_both_languages() {
        for (name, pt, en) in ALL {
            assert!(!pt.trim().is_empty() && !en.trim().is_empty(), "{name} is empty");
            assert!(!pt.contains("  ") && !en.contains("  "), "{name} has a double space");
            assert_eq!(placeholders(pt), placeholders(en), "{name} has other placeholders");
        }
    }

    #[test]
    fn only_words_shared_by_both_languages_read_the_same() {
        let same: Vec<&str> =
            ALL.iter().filter(|(_, pt, en)| pt == en).map(|(name, _, _)| *name).collect();
        assert_eq!(same, ["total", "email", "pix"]);
    }

    #[test]
    fn placeholders_are_filled() {
        assert_eq!(Lang::PtBr.wait_seconds(30), "Espere 30 s e tente de novo.");
        assert_eq!(
            Lang::En.step_confirm("Loja", "R$5.00"),
            "Check that it is R$5.00 to Loja, and confirm."
        );
    }

    #[test]
    fn the_header_chooses_the_language() {
        let rows = [
            (None, Lang::PtBr),
            (Some(""), Lang::PtBr),
            (Some("en"), Lang::En),
            (Some("en-US,en;q=0.9,pt;q=0.8"), Lang::En),
            (Some("pt-BR,pt;q=0.9,en;q=0.8"), Lang::PtBr),
            (Some("pt;q=0.5, en;q=0.75"), Lang::En),
            (Some("fr, de;q=0.9, en;q=0.1"), Lang::En),
            (Some("fr"), Lang::PtBr),
            (Some("en;q=0"), Lang::PtBr),
            (Some("en;q=x, *;q=0.1"), Lang::PtBr),
            (Some("pt;q=0.8,en;q=0.8"), Lang::PtBr),
        ];
        for (header, lang) in rows {
            assert_eq!(Lang::from_header(header), lang, "{header:?}");
        }
    }

    #[test]
    fn instants_are_written_in_sao_paulo_time() {
        let rows = [
            (1_795_261_380_000_000, "21/11/2026 às 08:43", "21 Nov 2026, 08:43"),
            // Midnight in Greenwich is still the evening before in São Paulo.
            (1_767_225_600_000_000, "31/12/2025 às 21:00", "31 Dec 2025, 21:00"),
            // Brazil kept daylight-saving time until 2019.
            (1_546_300_800_000_000, "31/12/2018 às 22:00", "31 Dec 2018, 22:00"),
        ];
        for (micros, pt, en) in rows {
            assert_eq!(Lang::PtBr.date_time(micros), pt);
            assert_eq!(Lang::En.date_time(micros), en);
        }
    }

    #[test]
    fn days_are_written_as_each_language_writes_them() {
        let day = jiff::civil::date(2026, 1, 4);
        assert_eq!(Lang::PtBr.date(day), "04/01/2026");
        assert_eq!(Lang::En.date(day), "4 Jan 2026");
    }

    #[test]
    fn amounts_are_written_as_each_language_writes_them() {
        let rows = [
            (0, "R$\u{a0}0,00", "R$0.00"),
            (5, "R$\u{a0}0,05", "R$0.05"),
            (99_999, "R$\u{a0}999,99", "R$999.99"),
            (123_456, "R$\u{a0}1.234,56", "R$1,234.56"),
            (-100_000_000, "-R$\u{a0}1.000.000,00", "-R$1,000,000.00"),
        ];
        for (cents, pt, en) in rows {
            assert_eq!(Lang::PtBr.money(cents), pt);
            assert_eq!(Lang::En.money(cents), en);
        }
    }
}
