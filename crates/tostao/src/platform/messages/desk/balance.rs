//! The balance, receivables and withdrawals.

use crate::platform::messages::Lang;

messages! { BALANCE:
    balance_title => "Saldo", "Balance";
    balance_available => "Disponível", "Available";
    balance_available_note => "Pode ser sacado agora", "Can be withdrawn now";
    balance_pending => "A receber", "Pending";
    balance_pending_note => "Já é seu, ainda não liquidou", "Yours, not settled yet";
    balance_pending_until(day) => "Já é seu, ainda não liquidou; próximo em {day}",
        "Yours, not settled yet; next on {day}";
    balance_held => "Retido", "Held";
    balance_held_note => "Em disputa ou à espera da sua decisão",
        "Disputed, or waiting for your decision";
    balance_refunding => "Em devolução", "Being refunded";
    balance_withdrawing => "Em saque", "Being withdrawn";
    balance_withdrawing_note => "Já saiu do disponível, ainda não foi pago",
        "Has left what is available, not paid yet";
    balance_withdrawn => "Sacado", "Withdrawn";
    balance_withdrawn_note => "Pago em saques, com as tarifas",
        "Paid by withdrawals, with the fees";
    balance_withdrawn_returned(amount) => "Pago em saques, com as tarifas; {amount} voltaram do \
        banco",
        "Paid by withdrawals, with the fees; {amount} came back from the bank";
    balance_disputed => "Em disputa", "Disputed";
    balance_suspense => "À espera de decisão", "Waiting for a decision";
    balance_advanced => "Antecipado", "Advanced";
    balance_negative => "O saldo está negativo: devoluções ou disputas levaram mais do que havia. \
        As próximas vendas o completam antes de qualquer saque.",
        "The balance is negative: refunds or disputes took more than there was. The next sales \
        make up for it before any withdrawal.";
    balance_statement => "Extrato", "Statement";
    balance_account => "Conta", "Account";
    balance_kind => "O que foi", "What it was";
    balance_any_kind => "Qualquer coisa", "Anything";
    balance_show => "Mostrar", "Show";
    balance_payment => "Pagamento", "Payment";
    balance_payment_hint => "O identificador, como na página do pagamento",
        "Its id, as on the payment's page";
    balance_part => "Só os lançamentos entre dois saques, ou desde o último.",
        "Only the entries between two withdrawals, or since the last one.";
    balance_older(newest) => "Só entram as {newest} devoluções mais novas deste pagamento, e no \
        máximo outros tantos pagamentos fora do esperado; os lançamentos mais antigos ficam de \
        fora.",
        "Only the newest {newest} refunds of this payment are here, and at most as many unmatched \
        payments; older entries are left out.";
    balance_since_withdrawal(when) => "O que veio desde o último saque, pedido em {when}, menos o \
        que saiu:",
        "What came since the last withdrawal, requested on {when}, less what was taken:";
    withdrawal_came => "O que veio antes dele", "What came before it";
    withdrawal_since_previous(when) => "Desde o saque anterior, pedido em {when}, menos o que \
        saiu:",
        "Since the previous withdrawal, requested on {when}, less what was taken:";
    withdrawal_since_first => "Desde o primeiro lançamento, menos o que saiu:",
        "Since the first entry, less what was taken:";
    balance_no_entry => "Nenhum lançamento ainda.", "No entry yet.";
    balance_none_match => "Nenhum lançamento passa por este filtro.",
        "No entry passes this filter.";
    explain_of(figure) => "De onde vem: {figure}", "Where it comes from: {figure}";
    explain_period(from, to) => "De {from} a {to}. Cada linha abre os lançamentos que ela soma.",
        "From {from} to {to}. Each line opens the entries that it sums.";
    explain_opening => "Saldo antes", "Balance before";
    explain_closing => "Saldo depois", "Balance after";
    balance_newest_first => "Do mais novo ao mais antigo", "Newest first";
    balance_after => "Saldo depois", "Balance after";
    moved_sale => "Venda", "Sale";
    moved_sales => "Vendas, menos tarifas e comissões", "Sales, less fees and commissions";
    moved_share => "Tarifa ou comissão da venda", "Fee or commission of the sale";
    moved_sale_or_commission => "Venda ou comissão", "Sale or commission";
    moved_commission => "Comissão de afiliado", "Affiliate's commission";
    moved_receivable => "Parcela liquidada", "Receivable settled";
    moved_advance => "Antecipação", "Advance";
    moved_advance_debited => "Antecipação: garantia perdida", "Advance: lost security";
    moved_unmatched => "Pagamento fora do esperado", "Unmatched payment";
    moved_matched => "Pagamento identificado", "Payment matched";
    moved_return => "Retorno ao pagador", "Return to the payer";
    moved_return_done => "Retorno concluído", "Return completed";
    moved_return_failed => "Retorno recusado", "Return refused";
    moved_accepted => "Pagamento aceito", "Payment accepted";
    moved_refund => "Devolução", "Refund";
    moved_refund_done => "Devolução concluída", "Refund completed";
    moved_refund_failed => "Devolução recusada", "Refund refused";
    moved_dispute => "Disputa aberta", "Dispute opened";
    moved_dispute_won => "Disputa ganha", "Dispute won";
    moved_dispute_lost => "Disputa perdida", "Dispute lost";
    moved_withdrawal => "Saque", "Withdrawal";
    moved_withdrawal_done => "Saque pago", "Withdrawal paid";
    moved_withdrawal_failed => "Saque não pago: de volta ao saldo",
        "Withdrawal not paid: back on the balance";
    moved_withdrawal_returned => "Saque devolvido pelo banco", "Withdrawal returned by the bank";
    moved_referral => "Recompensas de indicações", "Referral rewards";
    moved_referral_earned => "Recompensa de indicação ganha", "Referral reward earned";
    moved_referral_released => "Recompensa de indicação liberada", "Referral reward released";
    moved_referral_taken_back => "Recompensa de indicação desfeita", "Referral reward taken back";
    moved_commission_cleared => "Comissão de teste apagada", "Test commission deleted";
    moved_cleared => "Dados de teste apagados", "Test data deleted";
    receivables_title => "Recebíveis", "Receivables";
    receivables_none => "Nada a receber", "Nothing pending";
    receivables_none_note => "Parcelas de cartão e boletos pagos aparecem aqui até caírem no \
        saldo. Um PIX cai na hora.",
        "Card installments and paid slips appear here until they settle. A PIX settles at once.";
    receivables_soonest_first => "Do que cai primeiro ao que cai por último", "Soonest first";
    receivable_day => "Cai em", "Settles on";
    receivable_net => "Líquido", "Net";
    receivable_installment(number) => "Parcela {number}", "Installment {number}";
    receivable_pledged => "garante uma antecipação", "secures an advance";
    advances_title => "Antecipações", "Advances";
    advances_none => "Nenhuma antecipação ainda", "No advance yet";
    advances_none_note => "Uma antecipação paga hoje as parcelas de cartão que cairiam depois.",
        "An advance pays today the card installments that would settle later.";
    advance_new => "Antecipar", "Get an advance";
    advance_most(amount) => "Até {amount} podem ser antecipados agora.",
        "Up to {amount} can be advanced now.";
    advance_too_much(most) => "É mais do que pode ser antecipado. {most}",
        "That is more than can be advanced. {most}";
    advance_reason => "Motivo (opcional)", "Reason (optional)";
    advance_review(amount) => "Antecipar {amount}", "Advance {amount}";
    advance_do(amount) => "Pedir antecipação de {amount}", "Request an advance of {amount}";
    advance_offer(net, fee, rate) => "Hoje você receberia {net}: custa {fee} ({rate}).",
        "Today you would get {net}: it costs {fee} ({rate}).";
    advance_monthly(percent) => "{percent}% ao mês", "{percent}% a month";
    advance_after_approval => "Quem opera o servidor decide. O custo é o do dia da aprovação.",
        "The operator of the server decides. The cost is that of the day of the approval.";
    advance_secured => "Estas parcelas garantem a antecipação, e a pagam quando caem. Se uma for \
        devolvida ou disputada, outra a substitui; não havendo outra, o saldo paga.",
        "These installments secure the advance, and repay it when they settle. If one is refunded \
        or disputed, another one replaces it; if there is none, the balance pays.";
    advance_securities => "Parcelas que a garantem", "Installments that secure it";
    advance_would_secure => "Parcelas que a garantiriam", "Installments that would secure it";
    advance_not_enough => "Hoje ela não poderia ser aprovada: as parcelas que você tem a receber \
        não bastam.",
        "It could not be approved today: the installments that you have coming are not enough.";
    advance_asked => "A antecipação foi pedida.", "The advance was requested.";
    advance_one_is_open => "Já existe uma antecipação em aberto.", "An advance is open already.";
    advance_open => "Ver a antecipação em aberto", "See the open advance";
    advance_of(amount) => "Antecipação de {amount}", "Advance of {amount}";
    advance_rate => "Taxa", "Rate";
    advance_cost => "Custo", "Cost";
    advance_cost_today => "Custo, se aprovada hoje", "Cost, if approved today";
    advance_arrives_today => "Chega, se aprovada hoje", "Arrives, if approved today";
    advance_outstanding => "Ainda a pagar", "Outstanding";
    advance_settled_at => "Quitada em", "Settled at";
    advance_paid_out => "Paga a você", "Paid out";
    advance_rejected => "Recusada", "Rejected";
    advance_settled => "Quitada", "Settled";
    advance_waits_why => "Quem opera o servidor ainda vai decidir. Até lá você pode cancelá-la.",
        "The operator of the server has yet to decide. Until then you can cancel it.";
    advance_paid_out_why(left) => "O valor está no seu saldo. Faltam {left}, que as parcelas \
        abaixo pagam quando caem.",
        "The amount is on your balance. {left} is outstanding, and the installments below repay it \
        when they settle.";
    advance_rejected_why(reason) => "Quem opera o servidor recusou: {reason}.",
        "The operator of the server rejected it: {reason}.";
    advance_rejected_unsaid_why => "Quem opera o servidor a recusou.",
        "The operator of the server rejected it.";
    advance_cancelled_why => "Foi cancelada por alguém da conta.",
        "A member of the account cancelled it.";
    advance_settled_why => "As parcelas pagaram tudo.", "The installments have repaid all of it.";
    advance_cancel => "Cancelar antecipação", "Cancel the advance";
    advance_was_cancelled => "A antecipação foi cancelada.", "The advance is cancelled.";
    test_money => "Dinheiro de teste", "Test money";
    test_money_waits => "Nenhuma conta decide sobre o próprio dinheiro, nem no modo de teste. Quem \
        administra o servidor, com outra conta, aprova ou recusa este pedido nesta página:",
        "No account decides about its own money, not in test mode either. An administrator of the \
        server, with another account, approves or rejects this request at this page:";
    test_money_sent => "O banco simulado responde na hora, ou, para chaves como slow@example.com, \
        quando o relógio de teste avança.",
        "The simulated bank answers at once or, for keys such as slow@example.com, when the test \
        clock moves on.";
    test_money_advanced => "No modo de teste as parcelas caem, e pagam a antecipação, quando o \
        relógio de teste chega ao dia delas.",
        "In test mode the installments settle, and repay the advance, when the test clock reaches \
        their day.";
    withdrawals_title => "Saques", "Withdrawals";
    withdrawals_none => "Nenhum saque ainda", "No withdrawal yet";
    withdrawals_none_note => "O que está disponível vai para a sua chave PIX.",
        "What is available goes to your PIX key.";
    withdrawals_none_match => "Nenhum saque passa por este filtro",
        "No withdrawal passes this filter";
    withdrawals_returned(amount) => "Do que foi pago, {amount} voltaram do banco e estão no saldo \
        de novo.",
        "Of what was paid, {amount} came back from the bank and is on the balance again.";
    withdraw_title => "Sacar", "Withdraw";
    withdraw_available(amount) => "Disponível: {amount}.", "Available: {amount}.";
    withdraw_day_left(amount) => "Hoje ainda cabem {amount}.", "{amount} more today.";
    withdraw_night_left(amount) => "Das 20h às 6h ainda cabem {amount}; depois, o limite do dia.",
        "{amount} more from 20:00 to 6:00; afterwards, the limit of the day.";
    withdraw_amount => "Valor", "Amount";
    withdraw_amount_hint => "Como 5.000,00. A tarifa sai dele.",
        "Such as 5,000.00. The fee is part of it.";
    withdraw_key_type => "Tipo da chave PIX", "Type of the PIX key";
    withdraw_key => "Chave PIX", "PIX key";
    withdraw_cnpj => "CNPJ da empresa", "CNPJ of the company";
    withdraw_cpf => "CPF da pessoa", "CPF of the person";
    withdraw_email => "E-mail", "Email";
    withdraw_phone => "Telefone", "Phone";
    withdraw_random => "Aleatória", "Random";
    withdraw_description => "Descrição (opcional)", "Description (optional)";
    withdraw_review(amount, key) => "Sacar {amount} para {key}", "Withdraw {amount} to {key}";
    withdraw_do(amount) => "Sacar {amount}", "Withdraw {amount}";
    withdraw_fee(fee, net) => "Tarifa de {fee}: chegam {net}.", "Fee of {fee}: {net} arrives.";
    withdraw_at_once => "A ordem vai ao banco em seguida, e não pode mais ser cancelada.",
        "The order goes to the bank at once, and cannot be cancelled any more.";
    withdraw_after_approval => "Quem opera o servidor aprova o saque; até lá você pode cancelá-lo.",
        "The operator of the server approves the withdrawal; until then you can cancel it.";
    withdraw_in_test => "No modo de teste a chave PIX diz o que o banco simulado faz depois da \
        aprovação: paga qualquer uma, menos as que representam uma falha, como \
        account-closed@example.com; a de slow@example.com só quando o relógio de teste avança um \
        minuto.",
        "In test mode the PIX key says what the simulated bank does after the approval: it pays \
        any except those that stand for a failure, such as account-closed@example.com; \
        slow@example.com only when the test clock moves on by a minute.";
    withdraw_test_guide => "Como testar saques", "How to test withdrawals";
    withdraw_test_guide_url => "/docs/pt/testing#reembolsos-e-saques",
        "/docs/testing#refunds-and-withdrawals";
    withdraw_asked => "O saque foi pedido.", "The withdrawal was requested.";
    withdraw_too_much(available) => "O saldo não basta: há {available} disponíveis, menos o que é \
        de afiliados.",
        "The balance is not enough: {available} is available, less what belongs to affiliates.";
    withdraw_day_limit => "Passa do limite de saques do dia. Tente um valor menor, ou amanhã.",
        "This exceeds the limit of withdrawals in a day. Try a smaller amount, or tomorrow.";
    withdraw_night_limit => "Passa do limite das 20h às 6h. Tente um valor menor, ou \
        depois das 6h.",
        "This exceeds the limit from 20:00 to 6:00. Try a smaller amount, or after 6:00.";
    withdraw_no_bank => "Quem opera o servidor ainda não ligou um banco para saques.",
        "The operator of the server has not connected a bank for withdrawals yet.";
    withdrawal_of(amount) => "Saque de {amount}", "Withdrawal of {amount}";
    withdrawal_waits => "À espera de aprovação", "Waiting for approval";
    withdrawal_waits_why => "Quem opera o servidor ainda vai aprovar o saque. O valor já está \
        reservado.",
        "The operator of the server has yet to approve the withdrawal. The amount is held already.";
    withdrawal_sending => "A caminho", "On its way";
    withdrawal_sending_why => "O saque foi aprovado, e a ordem vai ao banco em instantes.",
        "The withdrawal is approved, and the order goes to the bank in a moment.";
    withdrawal_sent_why => "A ordem está no banco, e a resposta dele ainda não veio. Enquanto não \
        vier, o valor fica reservado e nada é enviado outra vez.",
        "The order is at the bank, and its answer has not come yet. Until then the amount is held, \
        and nothing is sent again.";
    withdrawal_paid => "Pago", "Paid";
    withdrawal_paid_why => "O banco pagou o saque.", "The bank paid the withdrawal.";
    withdrawal_returned_why(amount) => "O banco pagou o saque, e depois {amount} voltaram: estão \
        no saldo de novo.",
        "The bank paid the withdrawal, and {amount} came back later: it is on the balance again.";
    withdrawal_failed => "Não pago", "Not paid";
    withdrawal_cancelled_why => "Foi cancelado por alguém da conta. O valor está no saldo de novo.",
        "A member of the account cancelled it. The amount is on the balance again.";
    withdrawal_rejected_why(message) => "Quem opera o servidor recusou o saque: {message}. O valor \
        está no saldo de novo.",
        "The operator of the server rejected the withdrawal: {message}. The amount is on the \
        balance again.";
    withdrawal_rejected_unsaid_why => "Quem opera o servidor recusou o saque. O valor está no \
        saldo de novo.",
        "The operator of the server rejected the withdrawal. The amount is on the balance again.";
    withdrawal_refused_why(said) => "O banco não pagou o saque. {said} O valor está no saldo de \
        novo.",
        "The bank did not pay the withdrawal. {said} The amount is on the balance again.";
    withdrawal_refused_unsaid_why => "O banco não pagou o saque. O valor está no saldo de novo.",
        "The bank did not pay the withdrawal. The amount is on the balance again.";
    withdrawal_refused_key_why(said) => "O banco não pagou o saque. {said} O valor está no saldo \
        de novo: confira a chave antes de tentar outra vez.",
        "The bank did not pay the withdrawal. {said} The amount is on the balance again: check the \
        key before you try again.";
    withdrawal_fee => "Tarifa", "Fee";
    withdrawal_arrives => "Chega", "Arrives";
    withdrawal_asked_at => "Pedido em", "Requested at";
    withdrawal_approved_at => "Aprovado em", "Approved at";
    withdrawal_paid_at => "Pago em", "Paid at";
    withdrawal_failed_at => "Encerrado em", "Ended at";
    withdrawal_end_to_end => "Código de ponta a ponta", "End-to-end ID";
    withdrawal_receipt => "Comprovante", "Receipt";
    withdrawal_cancel => "Cancelar saque", "Cancel the withdrawal";
    withdrawal_too_late => "Só um saque que ainda não foi aprovado pode ser cancelado.",
        "Only a withdrawal that is not approved yet can be cancelled.";
    withdrawal_was_cancelled => "O saque foi cancelado, e o valor está no saldo de novo.",
        "The withdrawal is cancelled, and the amount is on the balance again.";
}
