//! Messages of every page except the card's.

use crate::platform::messages::Lang;

messages! { ALL:
    // The frame of every page.
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
    email_hint => "A loja o recebe já ao preencher, para falar com você sobre esta compra.",
        "The shop gets it as you fill it in, to reach you about this purchase.";
    document => "CPF ou CNPJ", "CPF or CNPJ";
    document_hint => "Opcional. Diz à loja quem pagou e sai, em parte, no comprovante.",
        "Optional. The shop sees it; the receipt shows part of it.";
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
    boleto => "Boleto", "Bank slip";
    boleto_way_note => "Vence em 3 dias e é confirmado em até 1 dia útil",
        "Due in 3 days, confirmed within 1 business day";
    generate_boleto => "Gerar boleto", "Get the bank slip";
    boleto_next_note => "Você recebe a linha digitável na próxima tela.",
        "You get the line to pay on the next screen.";
    document_hint_boleto => "Necessário para pagar por boleto.",
        "Required to pay by bank slip. Your Brazilian taxpayer number.";
    card => "Cartão de crédito", "Credit card";
    card_at_once => "À vista, aprovado na hora", "In one payment, approved at once";
    card_up_to(count) => "Em até {count}x, aprovado na hora",
        "In up to {count} installments, approved at once";
    go_to_card => "Continuar para o cartão", "Continue to the card";
    card_next_note => "Você digita o cartão na próxima tela.",
        "You type the card on the next screen.";
    installments => "Parcelas", "Installments";
    one_part(amount) => "1x de {amount}", "1 payment of {amount}";
    parts(count, amount) => "{count}x de {amount}", "{count} × {amount}";
    parts_after_first(first, count, amount) => "1x de {first} + {count}x de {amount}",
        "1 × {first} + {count} × {amount}";
    interest_free(parts) => "{parts} sem juros", "{parts}, no interest";
    in_all(parts, total) => "{parts} (total {total})", "{parts} ({total} in all)";
    proceed => "Continuar", "Continue";
    please_wait => "Aguarde…", "Please wait…";
    finish_free => "Concluir o pedido", "Complete the order";
    nothing_to_pay => "Nada a pagar", "Nothing to pay";
    have_coupon => "Tem um cupom de desconto?", "Do you have a coupon?";
    coupon => "Cupom", "Coupon";
    apply => "Aplicar", "Apply";
    coupon_applied(code, amount, total) => "Cupom {code} aplicado: −{amount}. Total: {total}.",
        "Coupon {code} applied: −{amount}. Total: {total}.";
    price => "Preço", "Price";
    discount => "Desconto", "Discount";

    // Validation of fields.
    check_fields => "Confira estes campos", "Please check these fields";
    required => "Preencha este campo.", "Fill in this field.";
    too_long(max) => "Use no máximo {max} caracteres.", "Use at most {max} characters.";
    invalid_characters => "Apague e digite de novo: há caracteres invisíveis.",
        "Delete this and type it again: it has invisible characters.";
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
    coupon_invalid => "Este cupom não vale para esta compra.",
        "This coupon is not good for this purchase.";
    method_unavailable => "Esta forma de pagamento não está disponível. Escolha outra.",
        "This way to pay is not available. Choose another one.";
    installments_unavailable => "Escolha outra quantidade de parcelas.",
        "Choose another number of installments.";
    look_again => "Confira o total", "Check the total";
    price_changed => "O total mudou enquanto você preenchia. Se estiver de acordo, envie de novo.",
        "The total changed while you were filling this in. If you agree, send it again.";
    not_answered => "Não deu certo agora", "It did not work just now";
    not_answered_note => "O banco não respondeu, e nada foi cobrado. Tente de novo em instantes ou \
        pague de outra forma.",
        "The bank did not answer, and nothing was charged. Try again in a moment, or pay in \
        another way.";
    charge_refused_form_note => "Nada foi cobrado. Confira o nome completo e o CPF ou CNPJ, ou \
        pague de outra forma.",
        "Nothing was charged. Check your full name and your CPF or CNPJ, or pay in another way.";
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
        "This page updates as soon as the payment arrives.";
    already_paid => "Já paguei, atualizar", "I have paid, refresh";
    five_minutes_left => "Faltam 5 minutos para o código expirar.",
        "5 minutes left before the code expires.";
    one_minute_left => "Falta 1 minuto para o código expirar.",
        "1 minute left before the code expires.";
    confirmed_opening => "Pagamento confirmado! Abrindo o comprovante…",
        "Payment confirmed! Opening the receipt…";
    simulate => "Simular pagamento", "Simulate the payment";
    simulate_note => "Faz de conta que o banco confirmou este pagamento.",
        "Pretends that the bank confirmed this payment.";
    code_expired => "Este código PIX expirou", "This PIX code has expired";
    code_expired_note => "Gere outro com os mesmos dados, sem preencher nada de novo.",
        "Get another one with the same details, without typing anything again.";
    paid_before_expiry => "Já pagou? Não pague outra vez: a confirmação aparece nesta página.",
        "Already paid? Do not pay again: the confirmation appears on this page.";
    new_code => "Gerar novo código", "Get a new code";
    coupon_lost_note => "O cupom desta cobrança não vale mais. Peça uma nova cobrança ao vendedor.",
        "The coupon of this charge is no longer valid. Ask the seller for a new charge.";

    // The boleto, on screen and on paper.
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
    print_boleto => "Imprimir boleto", "Print the slip";
    pay_boleto_with_pix => "Ou pague agora com PIX", "Or pay now with PIX";
    pix_is_sooner => "O mesmo boleto, confirmado em segundos. Pague de um jeito só.",
        "The same slip, confirmed in seconds. Pay in one way only.";
    open_boleto => "Abrir o boleto para imprimir", "Open the slip to print it";
    boleto_expired => "Este boleto venceu", "This slip is overdue";
    boleto_expired_note => "Gere outro com os mesmos dados e um novo vencimento.",
        "Get another one with the same details and a new due date.";
    new_boleto => "Gerar novo boleto", "Get a new slip";
    boleto_being_made => "Seu boleto está sendo emitido", "Your slip is being made";
    boleto_being_made_note => "O banco leva alguns segundos. Esta página se atualiza sozinha e \
        mostra o boleto assim que ele estiver pronto.",
        "The bank takes a few seconds. This page refreshes itself and shows the slip as soon as it \
        is ready.";
    boleto_not_made => "O banco não emitiu este boleto", "The bank did not make this slip";
    boleto_not_made_note => "Nada foi cobrado. Gere outro boleto com os mesmos dados.",
        "Nothing was charged. Get another slip with the same details.";
    address_for_boleto => "Necessário para pagar por boleto.", "Required to pay by bank slip.";
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
    test_boleto => "Boleto de teste: nenhum banco recebe este pagamento.",
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

    // The server's home page.
    home_note => "Este servidor recebe pagamentos. Para pagar, abra o link que enviaram a você.",
        "This server takes payments. To pay, open the link that was sent to you.";
    api_reference => "Documentação da API", "API reference";
    server_health => "Estado do servidor", "Server health";

    // The page of an error code.
    error_is_kept => "Repetir a requisição com a mesma Idempotency-Key traz a mesma resposta.",
        "A retry with the same Idempotency-Key gets the same answer.";
    error_is_not_kept => "Esta resposta não fica guardada com a Idempotency-Key.",
        "This answer is not kept with the Idempotency-Key.";
    all_errors => "Todos os erros", "All errors";
    guide_contents => "Conteúdo", "Contents";

    // Pages that cannot take a payment.
    link_expired => "Este link expirou", "This link has expired";
    link_expired_note => "O prazo para pagar por aqui terminou. Peça um novo link a quem o enviou.",
        "The time to pay here has ended. Ask the shop for a new link.";
    link_inactive => "Este link está desativado", "This link is switched off";
    link_inactive_note => "Agora não é possível pagar por aqui. Fale com quem enviou o link.",
        "It is not possible to pay here now. Contact the shop.";
    sold_out => "Produto esgotado", "Sold out";
    sold_out_note => "As unidades acabaram antes da sua compra. Nada foi cobrado.",
        "The last unit went before your purchase. Nothing was charged.";
    charge_cancelled => "Cobrança cancelada", "Charge cancelled";
    charge_cancelled_note => "Não pague este código. Se já pagou, fale com quem enviou o link.",
        "Do not pay this code. If you already did, contact the shop.";
    not_configured => "Pagamentos ainda não disponíveis", "Payments are not available yet";
    not_configured_note => "A loja ainda não recebe pagamentos. Nada foi cobrado.",
        "The shop does not take payments yet. Nothing was charged.";
    out_of_service(names) =>
        "Fora do ar no momento: {names}. Pague de outra forma ou volte em alguns minutos.",
        "Unavailable at the moment: {names}. Pay in another way, or come back in some minutes.";
    all_out_of_service => "Pagamentos fora do ar no momento",
        "Payments are unavailable at the moment";
    all_out_of_service_note => "Nada foi cobrado. Tente de novo em alguns minutos.",
        "Nothing was charged. Try again in some minutes.";
    charge_refused => "O banco não aceitou esta cobrança", "The bank refused this charge";
    charge_refused_note => "Nada foi cobrado. Fale com quem enviou o link.",
        "Nothing was charged. Contact the shop.";
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
    form_of_another_site => "Este pedido veio de outro site", "Another site sent this form";
    form_of_another_site_note => "Por segurança, nada foi feito. Abra a página de novo e continue \
        por ela.",
        "For your safety nothing was done. Open the page again and go on from there.";
    open_the_page => "Abrir a página", "Open the page";
}
