//! Messages about paying by card.

use crate::platform::messages::Lang;

messages! { CARD:
    // The card page.
    card_details => "Dados do cartão", "Card details";
    number_on_card => "Número do cartão", "Card number";
    expiry => "Validade (MM/AA)", "Expiry (MM/YY)";
    security_code => "Código (CVV)", "Code (CVV)";
    cvv_hint => "No verso; no Amex, na frente.", "On the back; on the front of an Amex.";
    holder => "Nome como está no cartão", "Name as it is on the card";
    card_goes_to_acquirer => "O número vai direto para a operadora do cartão, sem passar pela \
        loja.",
        "The number goes straight to the card's acquirer, and never to the shop.";
    sample_card(number) => "Para testar: {number}, com qualquer validade futura e código.",
        "To try it: {number}, with any expiry to come and any code.";
    pay_amount(amount) => "Pagar {amount}", "Pay {amount}";
    pay_with_card_ending(amount, last4) => "Pagar {amount} no cartão final {last4}",
        "Pay {amount} with the card ending in {last4}";
    card_ending(brand, last4) => "Cartão {brand} final {last4}", "{brand} card ending in {last4}";
    confirm_card => "Confirme o pagamento", "Confirm the payment";
    other_card => "Usar outro cartão", "Use another card";
    change_details => "Voltar e mudar os dados", "Go back and change the details";
    or_pay_otherwise => "Ou pague de outro jeito", "Or pay in another way";
    pay_by_pix(amount) => "Pagar {amount} com PIX", "Pay {amount} with PIX";
    pay_by_boleto(amount) => "Pagar {amount} com boleto", "Pay {amount} by bank slip";

    // Validation of the card form.
    invalid_card_number => "Confira o número: há um dígito trocado ou faltando.",
        "Check the number: a digit is wrong or missing.";
    not_a_test_card => "No modo de teste valem só os números publicados para testes.",
        "In test mode only the numbers published for tests are taken.";
    invalid_expiry => "Digite mês e ano, como 08/29.", "Enter month and year, such as 08/29.";
    card_has_expired => "Este cartão já venceu. Use outro.",
        "This card has expired. Use another one.";
    invalid_cvv => "Digite os 3 ou 4 números do código.", "Enter the 3 or 4 digits of the code.";
    invalid_holder => "Confira o nome: só letras e espaços, como está no cartão.",
        "Check the name: letters and spaces only, as it is on the card.";
    card_needs_script => "O cartão precisa de JavaScript", "A card needs JavaScript";
    card_without_script => "Os dados do cartão vão do seu navegador direto para a operadora, e \
        para isso ele precisa do JavaScript, que está desligado. Ligue o JavaScript e recarregue a \
        página.",
        "The card goes from your browser straight to the acquirer, and for that it needs \
        JavaScript, which is switched off. Switch it on and reload the page.";
    card_without_script_or_otherwise => "Os dados do cartão vão do seu navegador direto para a \
        operadora, e para isso ele precisa do JavaScript, que está desligado. Ligue o JavaScript \
        e recarregue a página, ou pague de outro jeito, logo abaixo.",
        "The card goes from your browser straight to the acquirer, and for that it needs \
        JavaScript, which is switched off. Switch it on and reload the page, or pay in another \
        way, below.";
    card_not_sent => "A operadora do cartão não respondeu. Nada foi cobrado. Confira a sua conexão \
        e tente de novo, ou pague de outro jeito.",
        "The card's acquirer did not answer. Nothing was charged. Check your connection and try \
        again, or pay in another way.";
    card_not_taken => "A operadora não aceitou os dados do cartão. Nada foi cobrado. Confira-os e \
        tente de novo, ou use outro cartão.",
        "The acquirer did not accept the card's details. Nothing was charged. Check them and try \
        again, or use another card.";
    type_card_again => "Digite o cartão de novo", "Type the card again";
    card_is_not_kept => "Por segurança, o cartão não fica guardado. Nada foi cobrado.",
        "For your safety the card is not kept. Nothing was charged.";

    // The card page did not open.
    card_page_not_opened => "A página do cartão não abriu", "The card page did not open";
    card_page_lost => "Ela expirou, ou este navegador não guarda cookies. Permita os cookies e \
        tente de novo, ou escolha outro meio de pagamento.",
        "It has expired, or this browser keeps no cookies. Allow cookies and try again, or choose \
        another payment method.";

    // Declined cards.
    declined => "O cartão não foi aprovado", "The card was not approved";
    insufficient_funds => "Falta saldo ou limite para esta compra. Nada foi cobrado. Use outro \
        cartão ou pague de outro jeito.",
        "There is not enough balance or limit for this purchase. Nothing was charged. Use \
        another card or pay in another way.";
    incorrect_cvc => "O código de segurança não confere. Nada foi cobrado. Confira o código e \
        digite o cartão de novo.",
        "The security code is wrong. Nothing was charged. Check the code and type the card again.";
    expired_card => "O cartão está vencido. Nada foi cobrado. Use outro cartão ou pague de outro \
        jeito.",
        "The card has expired. Nothing was charged. Use another card or pay in another way.";
    too_many_charges => "Houve muitas compras com este cartão em pouco tempo. Nada foi cobrado. \
        Use outro cartão, ou tente de novo mais tarde.",
        "This card was used too often in a short time. Nothing was charged. Use another card, or \
        try again later.";
    not_authorized => "O banco não autorizou a compra. Nada foi cobrado. Use outro cartão, pague \
        de outro jeito ou fale com o seu banco.",
        "The bank did not authorize the purchase. Nothing was charged. Use another card, pay in \
        another way, or talk to your bank.";

    // A card whose result is not known yet.
    confirming => "Estamos confirmando o pagamento", "We are confirming the payment";
    confirming_note => "O banco ou a operadora do cartão ainda analisa a compra, o que pode levar \
        de segundos a algumas horas. Não pague outra vez: a resposta aparece nesta página.",
        "The card's bank or acquirer is still reviewing the purchase, which may take from seconds \
        to some hours. Do not pay again: the answer appears on this page.";
    refresh => "Atualizar", "Refresh";
}
