//! Why a bank or an acquirer did not move money.

use crate::platform::messages::Lang;

messages! { BANK_REFUSALS:
    refusal_invalid_key => "A chave PIX não é válida.", "The PIX key is not valid.";
    refusal_key_not_found => "A chave PIX não existe.", "The PIX key does not exist.";
    refusal_account_closed => "A conta da chave PIX está encerrada.",
        "The account of the PIX key is closed.";
    refusal_account_blocked => "A conta da chave PIX está bloqueada.",
        "The account of the PIX key is blocked.";
    refusal_limit_exceeded => "O valor passa de um limite do banco.",
        "The amount exceeds a limit of the bank.";
    refusal_rail_timeout => "O PIX não respondeu a tempo, ou a ordem não chegou ao banco.",
        "PIX did not answer in time, or the order did not reach the bank.";
    refusal_key_owner_mismatch => "A chave PIX é de outra pessoa.",
        "The PIX key belongs to another person.";
    refusal_rejected_by_bank => "O banco recusou por outro motivo.",
        "The bank refused for another reason.";
    refusal_refused_by_bank => "O banco recusou.", "The bank refused.";
    refusal_refused_by_issuer => "O banco ou o emissor do cartão recusou.",
        "The bank or the card's issuer refused.";
    refusal_refused_by_provider => "A instituição que recebeu o pagamento não aceitou a ordem.",
        "The institution that took the payment did not accept the order.";
    refusal_charge_not_found => "A adquirente não conhece a cobrança.",
        "The acquirer does not know the charge.";
    refusal_charge_not_approved => "A cobrança não foi aprovada na adquirente.",
        "The charge was not approved at the acquirer.";
    refusal_exceeds_charge => "O valor passa do que foi cobrado no cartão.",
        "The amount exceeds what the card was charged.";
    refusal_resolved => "Quem opera o servidor verificou que nada foi pago.",
        "The operator of the server found that nothing was paid.";
    refusal_code(code) => "O código que o banco deu: {code}.",
        "The code that the bank gave: {code}.";
    reported_processing => "Ele disse que a ordem está em andamento.",
        "It said that the order is being processed.";
    reported_not_found => "Ele disse que não conhece a ordem.",
        "It said that it does not know the order.";
    reported_paid(id) => "Ele disse que pagou, com o código {id}.",
        "It said that it paid, with the ID {id}.";
    reported_refused(why) => "Ele disse que não pagou. {why}", "It said that it did not pay. {why}";
}
