//! The first page of developers, keys of retries, the test clock and mails.

use crate::platform::messages::Lang;

messages! { DEVELOPERS_TOOLS:
    developers_title => "Desenvolvedores", "Developers";
    developers_address => "Endereço da API", "Address of the API";
    developers_mode_note => "O mesmo endereço serve teste e produção: a chave diz qual.",
        "The same address serves test and production: the key says which.";
    developers_keys(count) => "{count} neste modo", "{count} in this mode";
    developers_webhooks(count) => "Webhooks neste modo: {count}", "Webhooks in this mode: {count}";
    developers_none_failing => "Nenhum está falhando.", "None is failing.";
    developers_refused => "Últimas requisições recusadas", "Last refused requests";
    developers_none_refused => "Nenhuma nos últimos 30 dias.", "None in the last 30 days.";
    developers_all_refused => "Ver todas as recusadas", "See all that were refused";
    developers_quickstart => "Primeiros cinco minutos", "The first five minutes";
    developers_quickstart_url => "/docs/pt/quickstart", "/docs/quickstart";
    developers_errors => "Códigos de erro (em inglês)", "Error codes";
    developers_reference => "Referência da API", "API reference";

    idempotency_title => "Chaves de idempotência", "Idempotency keys";
    idempotency_note => "Depois de uma queda de conexão: aconteceu? Procure a chave que o seu \
        programa enviou.",
        "After a lost connection: did it happen? Look up the key that your program sent.";
    idempotency_look_up => "Procurar", "Look up";
    idempotency_unknown => "Nenhuma rota conhece esta chave", "No route knows this key";
    idempotency_unknown_note => "Ou a requisição não chegou, ou a chave venceu: elas ficam um dia, \
        e sete nas cobranças, saques e antecipações. Repetir com esta chave executa o pedido.",
        "Either the request has not arrived, or the key has expired: keys are kept for a day, and \
        for seven on charges, withdrawals and advances. A retry with this key is carried out.";
    idempotency_running => "Em andamento", "In progress";
    idempotency_running_why => "Ainda não há resposta: uma repetição espera por ela ou continua o \
        pedido.",
        "There is no response yet: a retry waits for it or continues the request.";
    idempotency_done => "Respondida", "Answered";
    idempotency_done_why => "O pedido aconteceu. Uma repetição recebe esta mesma resposta.",
        "The request was carried out. A retry gets this same response.";
    idempotency_refused_why => "O pedido foi recusado. Uma repetição recebe a mesma recusa: \
        corrija-o e use outra chave.",
        "The request was refused. A retry gets the same refusal: correct it and use another key.";
    idempotency_subject => "Criou", "Created";
    idempotency_expires => "Vale até", "Valid until";
    idempotency_request => "Ver a requisição no registro", "See the request in the log";
    idempotency_sealed => "A resposta tem um segredo: só uma repetição do pedido a recebe.",
        "The response holds a secret: only a retry of the request gets it.";
    idempotency_no_answer => "Ainda não há resposta.", "There is no response yet.";
    idempotency_withheld => "A resposta não está mais guardada, ou o seu papel não a mostra.",
        "The response is not kept any more, or your role does not show it.";

    clock_title => "Relógio de teste", "Test clock";
    clock_note => "O que depende do tempo acontece ao avançar: prazos, cobranças, liquidações. \
        Só os dados de teste mudam. O relógio não volta sem apagá-los.",
        "What depends on the time happens when you advance: deadlines, charges, settlements. Only \
        test data changes. The clock does not go back without deleting it.";
    clock_is_servers => "É o relógio do servidor.", "It is the server's clock.";
    clock_hour => "1 hora", "1 hour";
    clock_day => "1 dia", "1 day";
    clock_month => "1 mês (30 dias)", "1 month (30 days)";
    clock_to => "Até o dia", "Until the day";
    clock_to_hint => "O relógio fica no começo desse dia.",
        "The clock then stands at the beginning of that day.";
    clock_advance_to => "Avançar até lá", "Advance until then";
    clock_advanced => "O relógio avançou, e o que venceu no caminho foi feito.",
        "The clock was advanced, and what fell due on the way is done.";
    clock_too_far => "O relógio não avança tanto: ele fica no máximo 50 anos à frente.",
        "The clock does not advance that far: it is at most 50 years ahead.";
    clock_due => "O que aconteceria", "What would happen";
    clock_until(at) => "Ao avançar até {at}:", "Advancing until {at}:";
    clock_nothing_due => "Nada vence até lá.", "Nothing falls due until then.";
    clock_see_others => "Ver outro avanço:", "See another step:";
    clock_see_until => "Ou até o dia", "Or until the day";
    clock_see => "Ver o que aconteceria", "See what would happen";
    clock_expires => "Cobranças que expiram", "Charges that expire";
    clock_charges => "Assinaturas que cobram, tentam de novo ou terminam",
        "Subscriptions that charge, retry or end";
    clock_settles => "Parcelas que liquidam", "Receivables that settle";
    clock_commissions => "Comissões liberadas", "Commissions released";
    clock_deliveries => "Entregas a webhooks", "Deliveries to webhooks";
    clock_links => "Links que expiram", "Links that expire";
    clock_coupons => "Cupons que vencem", "Coupons that expire";
    clock_carts => "Carrinhos abandonados", "Abandoned carts";
    clock_referrals => "Indicações", "Referrals";
    clock_payouts => "Saques e devoluções", "Withdrawals and refunds";
    clock_other(kind) => "Outro trabalho ({kind})", "Other work ({kind})";
    clock_reset => "Voltar ao relógio do servidor", "Back to the server's clock";
    clock_reset_why => "O relógio só volta quando nada mais tem data dele: os dados de teste são \
        apagados.",
        "The clock goes back only once nothing has a date by it: the test data is deleted.";
    clock_reset_open => "Apagar os dados de teste", "Delete the test data";
    clock_reset_gone => "Produtos, links, cobranças, compradores, assinaturas e eventos de teste \
        são apagados, e o saldo de teste volta a zero.",
        "Test products, links, charges, buyers, subscriptions and events are deleted, and the test \
        balance is zero again.";
    clock_reset_stays => "Chaves e webhooks ficam. Produção não muda.",
        "Keys and webhooks stay. Production does not change.";
    clock_reset_now => "Apagar e voltar o relógio", "Delete, and put the clock back";
    clock_was_reset => "Os dados de teste foram apagados, e o relógio é o do servidor.",
        "The test data is deleted, and the clock is the server's.";
    clock_not_here => "Em produção não há relógio de teste",
        "There is no test clock in production";
    clock_not_here_note => "Aqui o dinheiro é de verdade, e o tempo é o do servidor. O relógio que \
        avança existe só no modo de teste.",
        "Money is real here, and the time is the server's. The clock that can be advanced exists \
        in test mode only.";
    clock_to_test => "Ir ao modo de teste", "Go to test mode";

    mails_title => "E-mails", "Mails";
    mails_note_test => "No modo de teste nenhum e-mail sai daqui: leia o que seria enviado. Cada \
        um fica por 30 dias.",
        "In test mode no mail leaves: read here what would be sent. Each one is kept for 30 days.";
    mails_note => "Os e-mails desta conta e como estão. O texto é só de quem o recebe.",
        "The mails of this account, and how they stand. The text is only for its recipient.";
    mails_none => "Nenhum e-mail", "No mail";
    mails_none_note_test => "Um saque, um convite ou um webhook desligado escreve um.",
        "A withdrawal, an invitation or a webhook that is switched off writes one.";
    mails_none_note => "Um saque ou um webhook desligado escreve um.",
        "A withdrawal or a webhook that is switched off writes one.";
    mails_subject => "Assunto", "Subject";
    mails_to => "Para", "To";
    mails_kind => "Sobre", "About";
    mails_tried => "Última tentativa", "Last attempt";
    mails_error => "Último erro", "Last error";
    mails_text => "Texto", "Text";
    mails_no_text => "O texto não é mostrado: pode ter um link que só quem recebe deve abrir.",
        "The text is not shown: it may have a link that only its recipient should open.";
    mails_kept => "Não enviado", "Not sent";
    mails_kept_why => "É de teste: fica aqui para ser lido.",
        "It is a test: it stays here to be read.";
    mails_waits => "À espera", "Waiting";
    mails_no_server => "Este servidor não tem um servidor de e-mail: os e-mails esperam até que \
        quem o opera configure um.",
        "This server has no mail server: mails wait until its operator sets one up.";
    mails_waits_why(until) => "É tentado de novo até {until}.", "It is tried again until {until}.";
    mails_sent => "Enviado", "Sent";
    mails_sent_why => "O servidor de e-mail o aceitou.", "The mail server has accepted it.";
    mails_failed => "Falhou", "Failed";
    mails_failed_why => "O servidor de e-mail não o aceitou, e não há mais tentativas.",
        "The mail server has not accepted it, and there are no more attempts.";
    mails_cancelled => "Cancelado", "Cancelled";
    mails_cancelled_why => "O motivo dele acabou antes do envio.",
        "What it is about ended before it left.";
    mails_reset => "Senha nova", "New password";
    mails_password => "Senha trocada", "Password changed";
    mails_device => "Acesso de um aparelho novo", "Sign-in on a new device";
    mails_step_on => "Segunda etapa ligada", "Second step switched on";
    mails_step_off => "Segunda etapa desligada", "Second step switched off";
    mails_codes => "Códigos reserva trocados", "Backup codes replaced";
    mails_wrong_codes => "Códigos errados digitados", "Wrong codes typed";
    mails_invitation => "Convite", "Invitation";
    mails_withdrawal_paid => "Saque pago", "Withdrawal paid";
    mails_withdrawal_failed => "Saque não pago", "Withdrawal not paid";
    mails_payout_key => "Chave PIX nova para saques", "New PIX key to withdraw to";
    mails_payee => "Chave PIX de uma devolução", "PIX key of a refund";
    mails_receipt => "Recibo", "Receipt";
    mails_webhook_off => "Webhook desligado", "Webhook switched off";
    mails_key_made => "Chave de API criada", "API key made";
    mails_key_rotated => "Chave de API trocada", "API key rotated";
    mails_address => "Novo e-mail", "New address";
    mails_address_asked => "Pedido de troca de e-mail", "Change of address asked for";
    mails_address_changed => "E-mail trocado", "Address replaced";
    mails_webhook_failing => "Webhook falhando", "Webhook failing";
    mails_webhook_recovered => "Webhook de volta", "Webhook back";
    mails_late_money => "Dinheiro fora de hora", "Late money";
    mails_payment => "Pagamento recebido", "Payment received";
}
