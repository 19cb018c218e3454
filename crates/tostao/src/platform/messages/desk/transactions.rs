//! The list of payments, a payment, and its refund.

use crate::platform::messages::Lang;

messages! { TRANSACTIONS:
    payments_title => "Transações", "Transactions";
    payments_search => "Buscar", "Search";
    payments_search_hint => "Nome, e-mail, valor, sua referência, nosso ID, txid ou código do PIX",
        "Name, email, amount, your reference, our ID, txid or end-to-end ID";
    payments_filter => "Filtrar", "Filter";
    payments_state => "Situação", "State";
    payments_method => "Forma de pagamento", "Method";
    payments_any => "Todas", "All";
    payments_from => "Do dia", "From";
    payments_to => "Até o dia", "To";
    payments_do_search => "Buscar transações", "Search transactions";
    payments_recent => "Só os últimos 30 dias foram procurados.",
        "Only the last 30 days were searched.";
    payments_search_all => "Buscar em tudo", "Search everything";
    payments_none_match => "Nenhuma transação passa por este filtro",
        "No transaction passes this filter";
    payments_one => "1 transação", "1 transaction";
    payments_count(count) => "{count} transações", "{count} transactions";
    payments_many => "Mais de 1.000 transações", "More than 1,000 transactions";
    payments_more => "Mais", "More";
    payments_more_of(amount) => "Mais sobre {amount}", "More about {amount}";
    payments_id => "ID", "Our ID";
    payments_copy_id => "Copiar ID", "Copy ID";
    payments_copy_curl => "Copiar curl", "Copy curl";

    payment_why => "Por quê", "Why";
    payment_timeline => "Linha do tempo", "Timeline";
    payment_money => "Dinheiro", "Money";
    payment_entries => "No extrato:", "In the statement:";
    payment_buyer => "Comprador", "Buyer";
    payment_show_buyer => "mostrar", "show";
    payment_buyer_hidden => "O seu papel nesta conta não mostra dados de compradores.",
        "Your role in this account shows no data of buyers.";
    payment_buyer_name => "Nome do comprador", "Buyer's name";
    payment_buyer_email => "E-mail do comprador", "Buyer's email";
    payment_buyer_document => "Documento", "Document";
    payment_buyer_phone => "Telefone", "Phone";
    payment_method => "Forma de pagamento", "Payment method";
    payment_reference => "Sua referência", "Your reference";
    payment_txid => "Código txid", "The txid";
    payment_end_to_end => "Código do PIX (E2E)", "End-to-end ID";
    payment_link => "Link de pagamento", "Payment link";
    payment_of_subscription => "Paga um período de uma assinatura: abrir",
        "It pays a period of a subscription: open it";
    payment_coupon => "Cupom", "Coupon";
    payment_affiliate => "Afiliado", "Affiliate";
    payment_refunds => "Devoluções", "Refunds";
    payment_amount => "Valor", "Amount";
    payment_came_in => "Entrou", "Came in";
    payment_fee => "Tarifa", "Fee";
    payment_refunded_part => "Devolvido ao comprador", "Refunded to the buyer";
    payment_refunding_part => "A caminho do comprador", "On its way to the buyer";
    payment_left => "Ficou", "Left";
    payment_refund => "Devolver", "Refund";
    payment_cancel => "Cancelar a cobrança", "Cancel the charge";
    payment_cancel_note => "O comprador não poderá mais pagar por este código. Se já estiver \
        pagando, o valor entra no saldo como pago com atraso.",
        "The buyer can no longer pay by this code. If they are paying right now, the amount is \
        booked as paid late.";
    payment_cancel_now => "Cancelar agora", "Cancel now";
    payment_was_cancelled => "A cobrança foi cancelada.", "The charge was cancelled.";
    payment_only_waiting_is_cancelled => "Só uma cobrança que espera pagamento pode ser cancelada.",
        "Only a charge that awaits its payment can be cancelled.";
    payment_role_may_not => "O seu papel nesta conta não inclui isto.",
        "Your role in this account does not include this.";

    step_created => "Criada", "Created";
    step_paid => "Foi paga", "Was paid";
    step_oversold => "Já tinha acabado", "Was sold out";
    step_failed => "Falhou", "Failed";
    step_expired => "Expirou", "Expired";
    step_cancelled => "Foi cancelada", "Was cancelled";
    step_set_aside => "Valor separado", "Money set aside";
    step_released => "Valor aceito", "Money accepted";
    step_return_requested => "Devolução do valor separado pedida", "Return requested";
    step_returned => "Valor separado devolvido", "Money returned";
    step_refund_requested => "Devolução pedida", "Refund requested";
    step_refunded => "Foi devolvida", "Was refunded";
    step_refund_failed => "A devolução falhou", "The refund failed";
    step_disputed => "Foi contestada", "Was disputed";
    step_dispute_won => "Contestação ganha", "Dispute won";
    step_charged_back => "Contestação perdida", "Dispute lost";

    refund_pending => "A caminho", "On its way";
    refund_completed => "Concluída", "Done";
    refund_failed => "Não concluída", "Not done";
    refund_title => "Devolver ao comprador", "Refund the buyer";
    refund_step(step) => "Passo {step} de 2", "Step {step} of 2";
    refund_back => "Voltar à transação", "Back to the transaction";
    refund_left(left, amount) => "Ainda podem ser devolvidos {left} de {amount}.",
        "{left} of {amount} can still be refunded.";
    refund_by_pix => "Volta por PIX a quem pagou.", "It goes back by PIX to the payer.";
    refund_by_card => "Volta ao cartão que pagou.", "It goes back to the card that paid.";
    refund_by_key => "Um boleto não diz quem pagou: informe a chave PIX do comprador.",
        "A slip does not say who paid it: name the buyer's PIX key.";
    refund_key_withheld => "Este boleto volta a uma chave PIX, e só quem pode sacar a informa. \
        Peça a titulares, à gerência ou ao financeiro.",
        "This boleto goes back to a PIX key, which only roles that withdraw may name. Ask an \
        owner, a manager or finance.";
    refund_amount => "Quanto devolver", "How much to refund";
    refund_amount_hint => "Vazio devolve tudo o que resta.", "Empty refunds all that is left.";
    refund_reason => "Motivo", "Reason";
    refund_reason_hint => "O comprador não o vê; o seu webhook, sim.",
        "The buyer does not see it; your webhook does.";
    refund_key => "Chave PIX do comprador", "The buyer's PIX key";
    refund_reference_hint => "Opcional; a mesma referência devolve uma vez só.",
        "Optional; the same reference refunds only once.";
    refund_restock => "Repor o estoque quando tudo for devolvido",
        "Restock once all of it is refunded";
    refund_go_on => "Ver o que vai acontecer", "See what will happen";
    refund_review(amount, whole) => "Devolver {amount} de {whole}", "Refund {amount} of {whole}";
    refund_review_to(amount, whole, name) => "Devolver {amount} de {whole} a {name}",
        "Refund {amount} of {whole} to {name}";
    refund_effect => "Vai acontecer", "What will happen";
    refund_do(amount) => "Devolver {amount} agora", "Refund {amount} now";
    refund_from_available => "Disponível", "Available balance";
    refund_from_pending => "A receber", "Receivables";
    refund_moves(name, before, after) => "{name}: {before} → {after}",
        "{name}: {before} becomes {after}";
    refund_takes(name, amount) => "{name}: sai {amount}", "{name}: {amount} less";
    refund_commission(affiliate, amount) => "O afiliado {affiliate} devolve {amount} da comissão.",
        "The affiliate {affiliate} gives back {amount} of the commission.";
    refund_fee_stays(fee) => "A tarifa de {fee} não volta.", "The fee of {fee} does not come back.";
    refund_asked => "A devolução foi pedida.", "The refund was requested.";
    refund_too_little(available, missing) => "O saldo não basta: há {available} disponíveis e \
        faltam {missing}.",
        "The balance is not enough: {available} is available, and {missing} is missing.";
    refund_at_most(left) => "No máximo {left} ainda podem ser devolvidos.",
        "At most {left} can still be refunded.";
    refund_exists => "Esta transação já tem uma devolução com esta referência.",
        "This transaction has a refund with this reference already.";
    refund_not_possible => "Esta transação não pode ser devolvida no estado em que está.",
        "This transaction cannot be refunded in its present state.";
}
