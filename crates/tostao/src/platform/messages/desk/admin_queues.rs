//! The queues of administrators, and the decisions about what waits in them.

use crate::platform::messages::Lang;

messages! { ADMIN_QUEUES:
    admin_title => "Plataforma", "Platform";
    admin_queues => "O que espera por quem administra", "What waits for administrators";
    admin_queue => "Fila", "Queue";
    admin_waiting => "À espera", "Waiting";
    admin_nothing_waits => "Nada espera", "Nothing waits";
    admin_something_waits => "Espera por você", "Waits for you";
    admin_more_than_a_thousand => "mais de 1.000", "more than 1,000";
    admin_queue_empty => "Nada espera aqui", "Nothing waits here";
    admin_oldest_first => "Do mais antigo ao mais novo", "Oldest first";
    admin_by_name => "Por nome", "By name";
    admin_what => "O que espera", "What waits";
    admin_waits_for(time) => "Espera há {time}", "Waiting for {time}";
    admin_account_id => "Código da conta", "Account's ID";
    admin_mode => "Modo", "Mode";
    admin_account_opened => "Conta aberta em", "Account opened";
    admin_yes => "Sim", "Yes";
    admin_no => "Não", "No";

    admin_withdrawals => "Saques à espera de decisão", "Withdrawals that await a decision";
    admin_withdrawals_empty => "Os saques pedidos, e os que o banco contradisser, aparecem aqui.",
        "Withdrawals that are requested, and those that the bank contradicts, appear here.";
    admin_undecided => "Ainda não foi decidido. O valor já saiu do saldo disponível da conta.",
        "It is not decided yet. The amount has left the account's available balance.";
    admin_contradicted(said) => "O banco disse algo que não pode ser. {said} Confira o extrato \
        dele e diga como o saque terminou.",
        "The bank reported what cannot be. {said} Look at its statement, and say how the \
        withdrawal ended.";
    admin_contradicted_line => "O banco contradisse", "The bank contradicted it";
    admin_risks => "Antes de decidir", "Before you decide";
    admin_look => "Olhe de novo", "Look twice";
    admin_account_age => "Idade da conta", "Age of the account";
    admin_verified => "Dono verificado", "Owner verified";
    admin_key_paid => "Chave PIX já paga antes", "PIX key paid before";
    admin_sold => "Vendido em 30 dias", "Sold in 30 days";
    admin_withdrawn => "Sacado em 30 dias", "Withdrawn in 30 days";
    admin_password_changed => "Troca de senha", "Password changed";
    admin_step_changed => "Troca da segunda etapa", "Second step changed";
    admin_email_changed => "Troca de e-mail", "Address replaced";
    admin_payout_key_added => "Chave PIX salva para saques", "PIX key to withdraw to added";
    admin_keys_changed => "Chave de API criada ou trocada", "API key made or rotated";
    admin_team_changed => "Entrada ou troca de papel na equipe", "Team joined or role changed";
    admin_business_changed => "Dados da conta alterados", "Account's data changed";
    admin_unchanged => "Não em 30 dias", "Not in 30 days";
    admin_ago(time, at) => "há {time}, em {at}", "{time} ago, {at}";
    admin_contradiction => "O que o banco contradisse", "What the bank contradicted";
    admin_none_reported => "Nada", "Nothing";

    admin_approve => "Aprovar", "Approve";
    admin_approve_note => "A ordem vai ao banco em instantes, e não volta.",
        "The order goes to the bank in a moment, and does not come back.";
    admin_reject => "Recusar", "Reject";
    admin_reject_note => "O valor volta ao saldo da conta.",
        "The amount goes back to the account's balance.";
    admin_reason => "Motivo", "Reason";
    admin_reason_hint => "A conta o vê.", "The account sees it.";
    admin_paid => "O extrato mostra o pagamento", "The statement shows the payment";
    admin_paid_note => "O saque termina como pago, com o código que está no extrato.",
        "The withdrawal ends as paid, with the ID on the statement.";
    admin_paid_do => "Encerrar como pago", "End as paid";
    admin_end_to_end_hint => "Começa com E e tem 32 letras e números.",
        "It begins with E and has 32 letters and digits.";
    admin_wrong_end_to_end => "Não é o código de ponta a ponta de um PIX, ou é o de outro \
        pagamento.",
        "It is not the end-to-end ID of a PIX, or it is that of another payment.";
    admin_not_paid => "O extrato não mostra o pagamento", "The statement does not show the payment";
    admin_not_paid_note => "O saque termina como não pago, e o valor volta ao saldo da conta.",
        "The withdrawal ends as not paid, and the amount goes back to the account's balance.";
    admin_not_paid_do => "Encerrar como não pago", "End as not paid";
    admin_may_still_arrive => "A ordem ainda pode chegar ao banco. Espere 70 minutos desde o \
        envio.",
        "The order may still reach the bank. Wait for 70 minutes after it was sent.";
    admin_in_debt => "O saldo da conta está negativo. Aprove quando as vendas o cobrirem, \
        ou recuse.",
        "The account's balance is negative. Approve when sales have covered it, or reject.";
    admin_withdrawal_was_approved => "O saque foi aprovado.", "The withdrawal was approved.";
    admin_withdrawal_was_rejected => "O saque foi recusado, e o valor está no saldo da conta.",
        "The withdrawal was rejected, and the amount is in the account's balance.";
    admin_withdrawal_was_paid => "O saque foi encerrado como pago.",
        "The withdrawal was ended as paid.";
    admin_withdrawal_was_not_paid => "O saque foi encerrado como não pago.",
        "The withdrawal was ended as not paid.";
    admin_state_refuses => "Nada foi feito: alguém já decidiu, ou o estado de agora não deixa. A \
        página mostra como está.",
        "Nothing was done: it was decided already, or its present state does not allow it. The \
        page shows how it stands.";
    admin_no_bank => "Nada foi feito: nenhum banco paga por este servidor. Configure uma conexão.",
        "Nothing was done: no bank pays for this server. Set up a connection.";
    admin_own => "Nada foi feito: é da sua própria conta. Outra pessoa que administra decide.",
        "Nothing was done: it is of your own account. Another administrator decides.";

    admin_advances => "Antecipações à espera de decisão", "Advances that await a decision";
    admin_advances_empty => "As antecipações pedidas aparecem aqui.",
        "Advances that are requested appear here.";
    admin_advance_undecided => "Ainda não foi decidida. Nada foi pago nem reservado.",
        "It is not decided yet. Nothing is paid out or reserved.";
    admin_advance_note => "O valor, menos o custo de hoje, entra no saldo da conta, e as parcelas \
        dela o garantem.",
        "The amount, less the cost of today, goes to the account's balance, and its installments \
        secure it.";
    admin_advance_reject_note => "Nada é pago. A conta pode pedir de novo.",
        "Nothing is paid out. The account can ask again.";
    admin_advance_was_approved => "A antecipação foi aprovada e paga.",
        "The advance was approved and paid out.";
    admin_advance_was_rejected => "A antecipação foi recusada.", "The advance was rejected.";
    admin_too_few_receivables => "Nada foi feito: as parcelas livres da conta não bastam.",
        "Nothing was done: the account's free installments are not enough.";

    admin_unknown => "Dinheiro sem dono conhecido", "Money of an unknown owner";
    admin_unknown_note => "Chegou sob uma referência que nenhuma cobrança tem, ou para uma conta \
        fechada.",
        "It came under a reference that no charge has, or for a closed account.";
    admin_unknown_empty => "Todo o dinheiro que chegou tem uma cobrança.",
        "All money that came in has a charge.";
    admin_report => "Aviso do banco que não pode ser lido", "Report of the bank that is unreadable";
    admin_pix_of(amount) => "PIX de {amount}", "PIX of {amount}";
    admin_boleto_of(amount) => "Boleto de {amount}", "Boleto of {amount}";
    admin_money_open => "À espera de decisão", "Awaits a decision";
    admin_money_open_why => "Nenhuma cobrança tem esta referência. Está guardado até você decidir.",
        "No charge has this reference. It is kept until you decide.";
    admin_money_came_back(said) => "O banco não o devolveu. {said} Está guardado até você \
        decidir de novo.",
        "The bank did not return it. {said} It is kept until you decide again.";
    admin_report_why => "Nada foi lançado. O banco é lembrado de mandar o aviso de novo até que \
        alguém o ligue a uma cobrança ou o encerre.",
        "Nothing is booked. The bank is asked to send the report again until it is matched to a \
        charge or closed.";
    admin_money_matched => "Ligado a uma cobrança", "Matched";
    admin_money_matched_why => "Pagou a cobrança que está nos dados.",
        "It paid the charge that the data names.";
    admin_money_returning => "Voltando ao pagador", "Being returned";
    admin_money_returning_why => "A ordem de devolução está a caminho do banco.",
        "The order to return it is on its way to the bank.";
    admin_money_returned => "Devolvido", "Returned";
    admin_money_returned_why => "Voltou a quem pagou.", "It went back to its payer.";
    admin_money_dismissed => "Encerrado", "Closed";
    admin_money_dismissed_why => "O aviso foi encerrado sem cobrança.",
        "The report was closed without a charge.";
    admin_provider => "Banco", "Bank";
    admin_reference => "Referência", "Reference";
    admin_payment_id => "Código do pagamento", "Payment's ID";
    admin_received_at => "Avisado em", "Reported at";
    admin_transaction => "Código da cobrança", "Charge's ID";
    admin_closed_account => "Conta fechada", "Closed account";
    admin_report_text => "Como veio", "As it came";
    admin_note => "Nota", "Note";
    admin_note_hint => "O que o banco mostra, e o que foi feito.",
        "What the bank shows, and what was done.";
    admin_match => "Ligar a uma cobrança", "Match to a charge";
    admin_match_note => "Vale como o pagamento dela. A cobrança tem de ser do mesmo banco e \
        aceitar a forma de pagamento.",
        "It counts as its payment. The charge has to be of the same bank and accept the method.";
    admin_match_do => "Ligar", "Match";
    admin_return => "Devolver ao pagador", "Return to the payer";
    admin_return_note => "Um PIX volta para onde veio. Um boleto, ou um PIX de mais de 90 dias, \
        precisa de uma chave.",
        "A PIX goes back where it came from. A boleto, or a PIX of more than 90 days, needs a key.";
    admin_return_do => "Devolver", "Return";
    admin_return_key => "Chave PIX do pagador", "Payer's PIX key";
    admin_return_key_hint => "Só para um boleto ou um PIX antigo.",
        "Only for a boleto or an old PIX.";
    admin_duplicate => "É o pagamento de um boleto", "It is the payment of a boleto";
    admin_duplicate_note => "O banco avisou o mesmo pagamento duas vezes: ele é lançado uma só.",
        "The bank reported the same payment twice: it is booked once.";
    admin_separate => "É outro dinheiro", "It is other money";
    admin_separate_note => "Você comparou os dois no banco. Depois pode ligá-lo ou devolvê-lo.",
        "You have compared both at the bank. Then it can be matched or returned.";
    admin_dismiss => "Encerrar o aviso", "Close the report";
    admin_dismiss_note => "Só se ele não é sobre nenhuma cobrança.",
        "Only if it is about no charge.";
    admin_money_was_matched => "O dinheiro foi ligado à cobrança.",
        "The money was matched to the charge.";
    admin_money_was_returned => "A devolução começou.", "The return has started.";
    admin_money_was_resolved => "O que se achou foi guardado.", "What was found is stored.";
    admin_report_was_dismissed => "O aviso foi encerrado.", "The report was closed.";

    admin_reconciliation => "Conciliação", "Reconciliation";
    admin_differences_empty => "O que os bancos dizem e nada aqui explica aparece nesta lista.",
        "What banks report and nothing here explains appears in this list.";
    admin_never_verified => "O livro-caixa ainda não foi conferido por inteiro.",
        "The ledger has not been verified as a whole yet.";
    admin_verified_at(at) => "Última conferência completa do livro-caixa: {at}.",
        "Last full verification of the ledger: {at}.";
    admin_unsound(count) => "Livros com falha, ou cuja conferência não termina: {count}.",
        "Ledgers with a fault, or whose verification does not end: {count}.";
    admin_diff_open => "Aberta", "Open";
    admin_diff_resolved => "Encerrada", "Closed";
    admin_diff_open_why => "Nada foi lançado nem corrigido. Descubra a causa, aja e encerre com \
        uma nota.",
        "Nothing is booked or corrected. Find the cause, act on it, and close it with a note.";
    admin_diff_taken_back_why => "Nada foi lançado. Decida primeiro a disputa da venda, se houver. \
        Ao encerrar com uma nota, o que foi tomado do dinheiro que espera uma decisão é lançado, e \
        o restante dele pode ser decidido.",
        "Nothing is booked. First decide the sale's dispute, if there is one. Closing it with a \
        note books what was taken of money that awaits a decision, and the rest of that can be \
        decided on.";
    admin_diff_refund_why => "Nada foi lançado. Ao encerrar com uma nota, o que já voltou ao \
        pagador do dinheiro desse Pix que espera uma decisão é lançado, e o restante dele pode ser \
        decidido. O saldo do lojista não muda.",
        "Nothing is booked. Closing it with a note books what is back with the payer of money of \
        that PIX that awaits a decision, and the rest of that can be decided on. The merchant's \
        balance does not change.";
    admin_diff_resolved_why => "Foi encerrada com a nota que está nos dados.",
        "It was closed with the note that is in the data.";
    admin_diff_refund => "Devolução que não foi pedida aqui", "Refund that was not ordered here";
    admin_diff_payout => "Pagamento que não foi pedido aqui", "Payout that was not ordered here";
    admin_diff_payout_returned => "Pagamento que voltou e não é de nenhum saque",
        "Payout that came back and is of no withdrawal";
    admin_diff_taken_back => "Dinheiro retomado pelo Banco Central sem venda que o explique",
        "Money that the central bank took back and no sale explains";
    admin_diff_other_connection => "Pagamento de uma cobrança de outra conexão",
        "Payment of another connection's charge";
    admin_diff_card => "Venda no cartão com outro fim, ou que não é daqui",
        "Card charge with another end, or not made here";
    admin_diff_chargeback => "Contestação que não é de todo o restante da venda",
        "Chargeback that is not about all that is left of the sale";
    admin_diff_payable => "Parcela da adquirente com outro valor ou dia",
        "Acquirer's part with another amount or day";
    admin_diff_endless => "Lista do banco que não termina", "List of the bank that does not end";
    admin_diff_infraction => "Relato de fraude sobre dinheiro de nenhuma venda",
        "Report of fraud about money of no sale";
    admin_diff_balance => "Saldo do banco diferente dos livros",
        "Balance at the bank that is not that of the books";
    admin_diff_not_taken_in => "Evento que não pôde ser lançado", "Event that could not be booked";
    admin_diff_unreadable => "Item do banco que não pode ser lido",
        "Entry of the bank that cannot be read";
    admin_found_at => "Encontrada em", "Found at";
    admin_details => "O que o banco diz", "What the bank reports";
    admin_close => "Encerrar com uma nota", "Close with a note";
    admin_close_note => "Encerrar não lança nada.", "Closing books nothing.";
    admin_difference_was_resolved => "A diferença foi encerrada.", "The difference was closed.";

    admin_connections => "Conexões", "Connections";
    admin_connection => "Conexão", "Connection";
    admin_no_connection => "Nenhuma conexão", "No connection";
    admin_no_connection_note => "Uma conexão com um banco ou uma adquirente é feita pela linha de \
        comando ou pela API, porque os segredos não passam por uma página.",
        "A connection with a bank or an acquirer is made by the command line or the API, because \
        its secrets pass through no page.";
    admin_rails => "Recebe e paga", "Takes and pays";
    admin_no_rail => "Nada novo", "Nothing new";
    admin_rail_card => "Cartão", "Card";
    admin_rail_payout => "Saques", "Payouts";
    admin_connection_off => "Fora de uso", "Out of use";
    admin_connection_off_why(at) => "Foi tirada de uso em {at}. O que estava em andamento termina.",
        "It was taken out of use on {at}. What was under way is finished.";
    admin_connection_problem => "Com problema", "Has a problem";
    admin_connection_works => "Funciona", "Works";
    admin_connection_works_why(at) => "O último teste, em {at}, não achou nada.",
        "The last test, on {at}, found nothing.";
    admin_connection_unchecked => "Sem teste", "Not tested";
    admin_connection_unchecked_why => "Ainda não foi testada desde que foi feita.",
        "It was not tested since it was made.";
    admin_profile => "Instituição", "Institution";
    admin_environment => "Dinheiro", "Money";
    admin_real_money => "De verdade", "Real";
    admin_test_money => "De teste, da instituição", "The institution's test money";
    admin_certificate_ends => "Certificado vale até", "Certificate valid until";
    admin_checked_at => "Último teste", "Last test";
    admin_added_at => "Feita em", "Made at";
    admin_test => "Testar agora", "Test now";
    admin_test_note => "Pergunta ao banco se a conexão funciona. Nada muda lá.",
        "Asks the bank whether the connection works. Nothing changes there.";
    admin_disable => "Tirar de uso", "Take out of use";
    admin_disable_note => "Cobranças e saques novos não vão mais por ela. O que está em andamento \
        termina.",
        "New charges and payouts do not go to it any more. What is under way is finished.";
    admin_enable => "Pôr em uso", "Put in use";
    admin_enable_note => "Ela pode receber rotas de novo; nenhuma volta sozinha.",
        "Rails can be routed to it again; none comes back by itself.";
    admin_connection_was_tested => "A conexão foi testada. O resultado está abaixo.",
        "The connection was tested. The result is below.";
    admin_connection_was_disabled => "A conexão está fora de uso.",
        "The connection is out of use.";
    admin_connection_was_enabled => "A conexão está em uso de novo.",
        "The connection is in use again.";
    admin_connection_refused => "O teste falhou: a conexão não funciona. O motivo está abaixo.",
        "The test failed: the connection does not work. The reason is below.";

    admin_mail => "E-mails que não saíram", "Mails that have not left";
    admin_mail_empty => "Todos os e-mails de produção foram entregues ao servidor de e-mail.",
        "All mails of production were handed to the mail server.";
    admin_all_mails => "Todos", "All";
    admin_attempts => "Tentativas", "Attempts";
    admin_gives_up_at => "Tentado até", "Tried until";
    admin_retry => "Tentar agora", "Try now";
    admin_retry_note => "É oferecido ao servidor de e-mail sem esperar a próxima vez. O texto e o \
        endereço inteiro não são mostrados a quem administra.",
        "It is offered to the mail server without waiting for its next turn. The text and the \
        whole address are not shown to administrators.";
    admin_no_smtp => "Este servidor não tem um servidor de e-mail.",
        "This server has no mail server.";
    admin_mail_erased => "O texto foi apagado quando falhou: o que o causou tem de ser feito de \
        novo.",
        "Its text was erased when it failed: what it was about has to be done again.";
    admin_mail_was_retried => "O e-mail é oferecido de novo agora.",
        "The mail is offered again now.";
}
