//! The dashboard's first page.

use crate::platform::messages::Lang;

messages! { HOME:
    home_first_steps => "Primeiros passos", "First steps";
    home_steps_done(done, total) => "{done} de {total} feitos", "{done} of {total} done";
    home_step_done => "feito", "done";
    home_step_open => "falta", "to do";
    home_step_link => "Crie um link de pagamento, sem programar",
        "Create a payment link, without writing code";
    home_step_key => "Para quem programa: crie uma chave de API",
        "For developers: create an API key";
    home_step_sale_test => "Faça uma venda de teste", "Make a test sale";
    home_step_sale => "Receba a primeira venda", "Get the first sale";
    home_step_webhook => "Para quem programa: receba um webhook",
        "For developers: receive a webhook";
    home_webhook_took(time) => "Do cadastro ao primeiro webhook entregue: {time}",
        "From sign-up to the first delivered webhook: {time}";
    home_open_link => "Abra um link", "Open a link";
    home_how => "Como fazer", "How to";

    home_balances => "Saldo", "Balance";

    home_attention => "Pede sua atenção", "Needs your attention";
    home_webhook_disabled(host) => "O webhook {host} foi desligado",
        "The webhook {host} was switched off";
    home_webhook_gone => "O endereço respondeu que não existe mais (410). Corrija e ligue de novo.",
        "The address answered that it is gone (410). Mend it and switch it on again.";
    home_webhook_hopeless => "Todas as entregas falharam por cinco dias. Corrija e ligue de novo.",
        "All deliveries failed for five days. Mend it and switch it on again.";
    home_webhook_failing(host) => "O webhook {host} está falhando",
        "The webhook {host} is failing";
    home_webhook_failing_note(failures, since) => "Falhas seguidas: {failures}, desde {since}.",
        "Failures in a row: {failures}, since {since}.";
    home_unmatched(amount) => "{amount} esperam sua decisão", "{amount} wait for your decision";
    home_unmatched_twice => "Pago de novo, ou depois do fim. Aceite ou devolva.",
        "Paid again, or after the end. Accept or return it.";
    home_unmatched_more => "Pago a mais. Aceite a diferença ou devolva.",
        "Paid too much. Accept the difference or return it.";
    home_unmatched_less => "Pago a menos. Aceite o que veio ou devolva.",
        "Paid too little. Accept what came or return it.";
    home_more_waits(count) => "E mais {count}.", "And {count} more.";

    home_newest => "Últimas transações", "Newest transactions";
    home_newest_caption => "As cinco mais novas, da mais nova para a mais antiga",
        "The five newest, newest first";
    home_all_of_them => "Ver todas as transações", "See all transactions";
    home_when => "Quando", "When";
    home_who => "De quem e o quê", "Who and what";
    home_state => "Situação", "State";
    home_amount => "Valor", "Amount";
    home_no_sale => "Nenhuma venda ainda", "No sale yet";
    home_no_sale_note => "Crie um link de pagamento e abra-o: em modo de teste você mesmo paga.",
        "Create a payment link and open it: in test mode you pay it yourself.";
    home_no_sale_note_production => "Crie um link de pagamento e envie ao seu cliente.",
        "Create a payment link and send it to your customer.";
}
