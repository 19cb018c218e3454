//! A new charge, what is done with a payment, and money set aside.

use crate::platform::messages::Lang;

messages! { CHARGES:
    charge_new => "Nova cobrança", "New charge";
    charge_again => "Nova cobrança com os mesmos dados", "New charge with the same data";
    charge_make => "Emitir a cobrança", "Issue the charge";
    charge_made => "A cobrança foi emitida. Envie-a ao comprador.",
        "The charge was issued. Send it to the buyer.";
    charge_no_card => "Cartão não é cobrado aqui: só o comprador digita os dados do cartão dele, \
        na página de um link de pagamento.",
        "Cards are not charged here: only the buyer enters their card, on the page of a payment \
        link.";
    charge_amount_hint => "Em reais, como 49,90.", "In reais, such as 49.90.";
    charge_description => "Pelo que é", "What it is for";
    charge_description_hint => "O comprador lê isto na página da cobrança. Opcional.",
        "The buyer reads this on the page of the charge. Optional.";
    charge_document_hint => "Obrigatório para boleto.", "Required for a slip.";
    charge_optional => "Opcional.", "Optional.";
    charge_address => "Endereço do comprador, para boleto", "The buyer's address, for a slip";
    charge_terms => "Prazo e referência", "Deadline and reference";
    charge_span => "O código PIX vale por", "The PIX code is valid for";
    charge_an_hour => "1 hora", "1 hour";
    charge_a_day => "1 dia", "1 day";
    charge_three_days => "3 dias", "3 days";
    charge_a_week => "7 dias", "7 days";
    charge_a_month => "30 dias", "30 days";
    charge_due => "Vencimento do boleto", "Due date of the slip";
    charge_due_hint => "Vazio dá 3 dias.", "Empty gives 3 days.";
    charge_bank_refused => "O banco recusou esta cobrança. Confira os dados e tente de novo.",
        "The bank refused this charge. Check the data and try again.";
    charge_bank_silent => "O banco não respondeu agora; nada foi cobrado. Tente de novo.",
        "The bank does not answer right now; nothing was charged. Try again.";
    charge_no_bank => "Ainda não há banco que emita cobranças aqui",
        "No bank issues charges here yet";
    charge_no_bank_note => "O operador do servidor ainda não ligou um banco a este modo. No modo \
        de teste você já pode emitir.",
        "The operator of the server has not connected a bank with this mode yet. In test mode you \
        can issue charges already.";
    charge_too_many => "Houve cobranças demais com documento em pouco tempo. Espere um minuto.",
        "These were too many charges with a document in a short time. Wait a minute.";

    charge_to_pay => "Para o comprador pagar", "For the buyer to pay";
    charge_title => "Cobrança", "Charge";
    charge_pix_note => "O comprador lê o código com o aplicativo do banco, ou copia e cola.",
        "The buyer scans the code with the app of their bank, or copies and pastes it.";
    charge_copy_pix => "Copiar código PIX", "Copy PIX code";
    charge_pix_qr => "Código QR do PIX", "QR code of the PIX";
    charge_slip_note => "O comprador digita esta linha, ou imprime o boleto.",
        "The buyer types this line, or prints the slip.";
    charge_copy_line => "Copiar linha digitável", "Copy line";
    charge_open_slip => "Abrir o boleto", "Open the slip";
    charge_send_note => "A página do comprador mostra o mesmo, e avisa quando for pago:",
        "The buyer's page shows the same, and says when it is paid:";

    payment_request => "Ver a requisição que a criou", "See the request that made it";
    payment_deliveries => "Avisos aos seus webhooks", "Notices to your webhooks";
    payment_no_events => "Nenhum evento dos últimos 30 dias.", "No event of the last 30 days.";
    payment_all_events => "Ver todos os eventos dela", "See all of its events";

    receipt_send => "Enviar o recibo por e-mail", "Mail the receipt";
    receipt_sent => "O recibo está na fila de e-mails.", "The receipt is in the queue of e-mails.";
    receipt_only_paid => "Só uma cobrança paga tem recibo para enviar.",
        "Only a paid charge has a receipt to send.";
    receipt_too_many => "Este comprador já recebeu muitos recibos hoje. Tente amanhã, ou copie o \
        endereço do recibo.",
        "This buyer has got many receipts today. Try tomorrow, or copy the address of the receipt.";
    receipt_not_possible => "O recibo não pode ser enviado: a cobrança já não está paga, ou o \
        comprador foi apagado.",
        "The receipt cannot be sent: the charge is no longer paid, or the buyer was erased.";

    simulate_title => "Simular", "Simulate";
    simulate_of_test_money => "Dinheiro de teste: escolha o que o banco, a adquirente ou o \
        comprador faz.",
        "Test money: choose what the bank, the acquirer or the buyer does.";
    simulate_outcome => "O que acontece", "What happens";
    simulate_amount => "Quanto é pago", "How much is paid";
    simulate_amount_hint => "Vazio paga o valor da cobrança; outro valor é separado para você \
        decidir.",
        "Empty pays the amount of the charge; another amount is set aside for you to decide.";
    simulate_do => "Simular agora", "Simulate now";
    simulate_done => "Foi simulado.", "It was simulated.";
    simulate_nothing => "Nada mais pode acontecer com esta cobrança.",
        "Nothing more can happen to this charge.";
    simulate_refused => "Isto não pode acontecer no estado em que ela está agora.",
        "This cannot happen in its present state.";
    simulate_paid => "O comprador paga", "The buyer pays";
    simulate_paid_late => "O comprador paga depois do prazo", "The buyer pays after the deadline";
    simulate_paid_again => "O comprador paga de novo", "The buyer pays again";
    simulate_declined => "O emissor recusa o cartão", "The issuer declines the card";
    simulate_expired => "O prazo termina", "The deadline ends";
    simulate_disputed => "O comprador contesta", "The buyer disputes it";
    simulate_dispute_won => "Você ganha a contestação", "You win the dispute";
    simulate_dispute_lost => "Você perde a contestação", "You lose the dispute";
    simulate_refund_fails => "O banco recusa a devolução", "The bank refuses the refund";

    disputes_title => "Contestações", "Disputes";
    dispute_chargeback => "O comprador contestou no emissor do cartão (chargeback).",
        "The buyer contests it at the issuer of their card (chargeback).";
    dispute_med => "O comprador informou fraude ao banco dele (MED, a devolução do Banco Central).",
        "The buyer reported fraud to their bank (MED, the central bank's refund mechanism).";
    dispute_open => "Em análise", "Under review";
    dispute_open_note => "O valor está retido até a decisão.",
        "The amount is held until the decision.";
    dispute_won => "Você ganhou", "You won";
    dispute_won_note => "O valor voltou ao seu saldo.", "The amount is back in your balance.";
    dispute_lost => "Você perdeu", "You lost";
    dispute_lost_note => "O valor foi para o comprador.", "The amount went to the buyer.";
    dispute_replaced => "Substituída", "Replaced";
    dispute_replaced_note => "Outra contestação, de outro valor, tomou o lugar dela.",
        "Another dispute, about another amount, took its place.";
    dispute_since(at) => "desde {at}", "since {at}";
    dispute_from_to(from, to) => "de {from} a {to}", "from {from} to {to}";

    set_aside_title => "Valores separados", "Money set aside";
    set_aside_note => "Pagamentos a mais, a menos, repetidos ou fora do prazo esperam aqui até \
        você decidir. Não estão no seu saldo disponível.",
        "Payments that were too high, too low, repeated or late wait here until you decide. They \
        are not in your available balance.";
    set_aside_none => "Nenhum valor espera sua decisão", "No money waits for your decision";
    set_aside_none_note => "Se alguém pagar a mais, a menos ou depois do fim, o valor \
        aparece aqui.",
        "If somebody pays too much, too little or after the end, the money appears here.";
    set_aside_decide(amount) => "Decidir sobre {amount}", "Decide on {amount}";
    set_aside_open => "Espera decisão", "Awaits a decision";
    set_aside_is_accepted => "Aceito", "Accepted";
    set_aside_is_returned => "Devolvido", "Returned";
    set_aside_decided => "Já foi decidido.", "It was decided on already.";
    set_aside_came_back => "Você pediu a devolução e o banco a recusou; o valor voltou a esperar.",
        "You asked to return it and the bank refused; the money waits again.";
    set_aside_amount => "Valor separado", "Money set aside";
    set_aside_charged => "Valor da cobrança", "Amount of the charge";
    set_aside_received => "Chegou em", "Received";
    set_aside_decided_at => "Decidido em", "Decided";
    set_aside_returned_at => "Devolvido em", "Returned on";
    set_aside_code => "Código do pagamento", "Code of the payment";
    set_aside_accept => "Aceitar", "Accept";
    set_aside_accept_note => "O valor passa a ser seu. A cobrança não muda de situação, e nada \
        mais é entregue por isso.",
        "The money becomes yours. The charge keeps its state, and nothing more is delivered for \
        it.";
    set_aside_review_accept => "Ver o que aceitar faz", "See what accepting does";
    set_aside_accept_of(amount) => "Aceitar {amount}", "Accept {amount}";
    set_aside_accept_now => "Aceitar agora", "Accept now";
    set_aside_accepted => "O valor foi aceito e está no seu saldo.",
        "The money was accepted and is in your balance.";
    set_aside_takes_in(amount) => "Entram {amount} no saldo disponível.",
        "{amount} reach the available balance.";
    set_aside_fee(fee) => "A tarifa é de {fee}.", "The fee is {fee}.";
    set_aside_return => "Devolver a quem pagou", "Return to the payer";
    set_aside_return_note => "Não há tarifa. Se o banco recusar, o valor volta a esperar aqui.",
        "There is no fee. If the bank refuses, the money waits here again.";
    set_aside_needs_key => "O meio de pagamento não devolve sozinho: informe a chave PIX de quem \
        pagou.",
        "Its rail cannot send it back by itself: name the PIX key of the payer.";
    set_aside_review_return => "Ver o que devolver faz", "See what returning does";
    set_aside_return_of(amount) => "Devolver {amount} a quem pagou", "Return {amount} to the payer";
    set_aside_return_now => "Devolver agora", "Return now";
    set_aside_returning => "O valor está voltando a quem pagou.",
        "The money is on its way back to the payer.";
    set_aside_goes_back(amount) => "{amount} voltam por PIX a quem pagou.",
        "{amount} go back by PIX to the payer.";
    set_aside_goes_to(amount, key) => "{amount} vão por PIX para a chave {key}.",
        "{amount} go by PIX to the key {key}.";
    set_aside_not_possible => "Não é possível agora: já foi decidido, ou o banco tem um aviso de \
        fraude sobre este valor.",
        "It is not possible now: it was decided on already, or the bank has a report of fraud \
        about this money.";
}
