//! Why a payment is in its state, what comes next, and what its merchant can do.

use crate::platform::messages::Lang;

messages! { WHY:
    why_waits_pix => "O código PIX foi emitido e ainda não foi pago.",
        "The PIX code was issued and is not paid yet.";
    why_waits_boleto => "O boleto foi emitido e o banco ainda não confirmou o pagamento.",
        "The slip was issued, and the bank has not confirmed its payment yet.";
    why_waits_for_slip => "O banco ainda está emitindo o boleto.",
        "The bank is still making the slip.";
    why_waits_card => "O cartão ainda não foi cobrado.", "The card is not charged yet.";
    why_waits_free => "O cupom cobre tudo; falta a confirmação.",
        "The coupon covers everything; the confirmation is missing.";
    why_expires_at(at) => "Sem pagamento, expira em {at}.", "Without a payment it expires on {at}.";
    why_never_expires => "Ela espera até ser paga ou cancelada.",
        "It waits until it is paid or cancelled.";
    why_slip_takes_seconds => "Costuma levar alguns segundos; depois o webhook recebe \
        transaction.updated.",
        "It usually takes seconds; then the webhook gets transaction.updated.";
    why_slip_is_confirmed_later(at) => "Um boleto pago é confirmado em até 1 dia útil. Sem \
        pagamento, expira em {at}.",
        "A paid slip is confirmed within 1 business day. Without a payment it expires on {at}.";
    why_send_link_or_cancel => "Envie de novo o endereço de pagamento ao comprador, ou cancele.",
        "Send the buyer the payment address again, or cancel it.";
    why_wait => "Não é preciso fazer nada.", "Nothing has to be done.";

    why_processing => "A adquirente recebeu a cobrança e ainda não disse se o cartão foi aceito.",
        "The acquirer has the charge and has not said yet whether the card was accepted.";
    why_processing_next => "O resultado é consultado até ser conhecido; o cartão não é cobrado de \
        novo.",
        "The outcome is asked for until it is known; the card is not charged again.";
    why_processing_action => "Espere o resultado antes de cobrar de outra forma.",
        "Wait for the outcome before you charge in another way.";

    why_paid_pix(at) => "O banco confirmou o PIX em {at}.", "The bank confirmed the PIX on {at}.";
    why_paid_boleto(at) => "O banco confirmou o pagamento do boleto em {at}.",
        "The bank confirmed the payment of the slip on {at}.";
    why_paid_slip_by_pix(at) => "O boleto foi pago pelo seu código PIX em {at}.",
        "The slip was paid by its PIX code on {at}.";
    why_paid_card(at) => "O emissor aceitou o cartão em {at}.",
        "The issuer accepted the card on {at}.";
    why_paid_free(at) => "Um cupom cobriu o valor inteiro em {at}.",
        "A coupon covered the whole amount on {at}.";
    why_paid_late => "Chegou depois do prazo, ou depois de cancelada, e foi aceita.",
        "It came after the deadline, or after it was cancelled, and was accepted.";
    why_oversold => "Quando chegou, o que foi comprado já tinha acabado: o valor é devolvido \
        sozinho, a não ser que tenha vindo por boleto.",
        "When it came, what was bought was sold out: the money goes back by itself, unless it came \
        by a slip.";
    why_settled_at_once => "O valor da cobrança já está no saldo disponível.",
        "The amount of the charge is on the available balance already.";
    why_settles_later => "O valor da cobrança entra no saldo disponível nas datas da agenda de \
        recebíveis.",
        "The amount of the charge reaches the available balance on the dates of the receivables.";
    why_nothing_settles => "Não há valor a receber.", "There is no amount to receive.";
    why_refund_under_way(amount) => "Uma devolução de {amount} está a caminho do comprador.",
        "A refund of {amount} is on its way to the buyer.";
    why_refunded_in_part(amount) => "{amount} já voltaram ao comprador.",
        "{amount} went back to the buyer.";
    why_refundable_until(at) => "Pode ser devolvida até {at}.", "It can be refunded until {at}.";
    why_no_longer_refundable(at) => "O prazo para devolver terminou em {at}.",
        "The term for a refund ended on {at}.";
    why_nothing_to_refund => "Não há nada a devolver.", "There is nothing to refund.";

    why_card_declined => "O emissor recusou o cartão e não disse por quê.",
        "The issuer declined the card and gave no reason.";
    why_insufficient_funds => "O emissor recusou: o limite ou o saldo do cartão não basta.",
        "The issuer declined: the card's limit or balance is not enough.";
    why_do_not_honor => "O emissor recusou; só ele pode explicar ao comprador o motivo.",
        "The issuer declined; the buyer can ask it why.";
    why_velocity_exceeded => "O emissor recusou: houve cobranças demais em pouco tempo.",
        "The issuer declined: there were too many charges in a short time.";
    why_incorrect_cvc => "O código de segurança do cartão está errado.",
        "The card's security code is wrong.";
    why_expired_card => "O cartão está vencido.", "The card has expired.";
    why_lost_card => "O cartão foi bloqueado por perda.", "The card was reported lost.";
    why_stolen_card => "O cartão foi bloqueado por roubo.", "The card was reported stolen.";
    why_acquirer_refused => "A adquirente não aceitou a cobrança.",
        "The acquirer did not accept the charge.";
    why_acquirer_unavailable => "A adquirente não foi alcançada; o cartão não foi cobrado.",
        "The acquirer could not be reached; the card was not charged.";
    why_resolved_as_failed => "O operador verificou com a adquirente que nada foi cobrado.",
        "The operator found out from the acquirer that nothing was charged.";
    why_token_unusable => "Os dados do cartão já tinham sido usados ou tinham vencido.",
        "The card's token had been used already or had expired.";
    why_never_arrived => "A cobrança não chegou à adquirente em dez minutos; nada foi cobrado.",
        "The charge did not reach the acquirer within ten minutes; nothing was charged.";
    why_slip_not_made => "O banco não emitiu o boleto; nada pode ser pago com ele.",
        "The bank did not make the slip; nothing can be paid with it.";
    why_failed_otherwise(reason) => "A cobrança falhou: {reason}.", "The charge failed: {reason}.";
    why_failed_next => "Ela não muda mais: a próxima tentativa é outra cobrança.",
        "It does not change any more: the next attempt is another charge.";
    why_try_same_card => "O comprador pode tentar de novo mais tarde, com outro cartão ou por PIX.",
        "The buyer can try again later, with another card or by PIX.";
    why_try_other_card => "O mesmo cartão será recusado de novo: peça outro cartão ou PIX.",
        "The same card will be declined again: ask for another card or PIX.";
    why_issue_again => "Emita outra cobrança com os mesmos dados.",
        "Issue another charge with the same data.";

    why_expired(at) => "O prazo terminou em {at} sem pagamento confirmado.",
        "The deadline ended on {at} without a confirmed payment.";
    why_cancelled(at) => "Foi cancelada em {at}.", "It was cancelled on {at}.";
    why_replaced(at) => "Foi cancelada em {at}, porque já não era necessária: o comprador pagaria \
        de outra forma ou a assinatura mudou.",
        "It was cancelled on {at}, because it was no longer needed: the buyer was to pay \
        otherwise, or the subscription changed.";
    why_late_money_is_booked => "Se ainda for paga, o valor entra no saldo como pago com atraso.",
        "If it is paid all the same, the amount is booked as paid late.";

    why_refunded(at) => "Tudo o que foi pago voltou ao comprador em {at}.",
        "All that was paid went back to the buyer on {at}.";
    why_refunded_next => "A tarifa da venda não volta.", "The fee of the sale does not come back.";
    why_disputed => "O comprador contestou o pagamento; o valor está retido.",
        "The buyer disputes the payment; the amount is held.";
    why_disputed_next => "O banco ou o emissor decide; então o valor volta ao saldo ou ao \
        comprador.",
        "The bank or the issuer decides; then the amount returns to the balance or to the buyer.";
    why_disputed_action => "Guarde as provas da entrega e responda ao operador.",
        "Keep the proofs of delivery and answer the operator.";
    why_charged_back => "A contestação foi perdida: o valor voltou ao comprador.",
        "The dispute was lost: the amount went back to the buyer.";
    why_charged_back_next => "A decisão é final.", "The decision is final.";

    why_unmatched(amount) => "{amount} chegaram além do valor da cobrança ou no lugar dele, e \
        esperam a sua decisão.",
        "{amount} came beside the amount of the charge or in its place, and await your decision.";
    why_decide => "Decida se aceita esse valor ou o devolve.",
        "Decide whether to accept that amount or to return it.";
}
