//! Webhooks with their deliveries, and the request log.

use crate::platform::messages::Lang;

messages! { DEVELOPERS:
    webhooks_title => "Webhooks", "Webhooks";
    webhooks_none => "Nenhum webhook ainda", "No webhook yet";
    webhooks_none_note => "Um webhook avisa o seu sistema de cada pagamento, assinado, na hora.",
        "A webhook informs your system of each payment, signed, at once.";
    webhooks_guide => "/docs/pt/webhooks", "/docs/webhooks";
    webhook_receives => "Recebendo", "Receiving";
    webhook_last(at) => "A última entrega aceita foi em {at}.",
        "The last accepted delivery was at {at}.";
    webhook_waits => "À espera", "Waiting";
    webhook_waits_why => "Nada foi entregue ainda: envie um evento de teste.",
        "Nothing was delivered yet: send a test event.";
    webhook_failing => "Falhando", "Failing";
    webhook_paused => "Pausado", "Paused";
    webhook_paused_why => "Alguém da conta o desligou: nada é enviado.",
        "A member of the account switched it off: nothing is sent.";
    webhook_disabled => "Desligado", "Switched off";
    webhook_since(at) => "Desde {at}.", "Since {at}.";
    webhooks_too_many => "O limite de webhooks foi atingido. Exclua um que não usa mais.",
        "The limit of webhooks is reached. Delete one that you do not use any more.";
    webhook_new => "Novo webhook", "New webhook";
    webhook_make => "Criar webhook", "Create the webhook";
    webhook_edit => "Editar webhook", "Edit webhook";
    webhook_back => "Voltar ao webhook", "Back to the webhook";
    webhook_saved => "O webhook foi salvo.", "The webhook is saved.";
    webhook_url => "Endereço (URL)", "Address (URL)";
    webhook_url_hint => "Com https, na porta 443 ou 8443, alcançável pela internet.",
        "With https, on port 443 or 8443, reachable from the internet.";
    webhook_all_events => "todos", "all of them";
    webhook_every_event => "Todos os eventos, também os que surgirem depois",
        "Every event, also those that are added later";
    webhook_or_these => "Ou só estes", "Or only these";
    webhook_secret_note => "Com ele o seu programa confere que um evento veio daqui. Guarde-o \
        agora.",
        "With it your program checks that an event came from here. Store it now.";
    webhook_stored => "Guardei o segredo", "I have stored the secret";
    webhook_rotate => "Trocar o segredo", "Rotate the secret";
    webhook_rotate_note => "O webhook ganha um segredo novo. Pelo tempo que você escolher cada \
        entrega leva as duas assinaturas, para você trocar no seu programa sem perder nenhuma.",
        "The webhook gets a new secret. For as long as you choose each delivery has both \
        signatures, so that you replace it in your program without losing one.";
    webhook_pause => "Pausar", "Pause";
    webhook_was_paused => "O webhook está pausado: nada é enviado.",
        "The webhook is paused: nothing is sent.";
    webhook_delete => "Excluir webhook", "Delete webhook";
    webhook_delete_effect => "Nada mais é enviado a este endereço, nem o que ainda espera.",
        "Nothing is sent to this address any more, not even what still waits.";
    webhook_delete_stays => "Os eventos continuam na lista de eventos por 30 dias.",
        "The events stay in the list of events for 30 days.";
    webhook_delete_now => "Excluir o webhook", "Delete the webhook";
    webhook_was_deleted => "O webhook foi excluído.", "The webhook is deleted.";
    webhook_about => "Cadastro", "Settings";
    webhook_description => "Descrição", "Description";
    webhook_events => "Eventos", "Events";
    webhook_created => "Criado em", "Created at";
    webhook_deliveries => "Entregas", "Deliveries";
    webhook_no_delivery => "Nenhuma entrega nos últimos 30 dias.",
        "No delivery in the last 30 days.";
    webhook_attempts(count) => "Tentativas: {count}", "Attempts: {count}";
    webhook_event_id => "ID do evento", "Event ID";
    webhook_resend => "Enviar agora", "Send now";
    webhook_resent => "O evento será enviado de novo.", "The event will be sent again.";
    webhook_diagnose => "Diagnosticar", "Diagnose";
    webhook_diagnose_again => "Diagnosticar de novo", "Diagnose again";
    webhook_diagnose_note => "Experimenta agora cada passo, do endereço à resposta, com um evento \
        de teste.",
        "Tries each step now, from the address to the response, with a test event.";
    webhook_probe_refusals => "Enviar também uma assinatura errada e uma antiga, que devem ser \
        recusadas",
        "Also send a wrong and an old signature, which should be refused";
    webhook_enable => "Ligar de novo", "Switch on again";
    webhook_enabled => "O webhook está ligado. Recupere agora o que ele perdeu.",
        "The webhook is on. Now recover what it missed.";
    webhook_test => "Enviar um evento de teste", "Send a test event";
    webhook_test_event => "Evento", "Event";
    webhook_test_now => "Enviar teste", "Send the test";
    webhook_tested => "O evento de teste foi enviado. A entrega aparece abaixo.",
        "The test event was sent. Its delivery appears below.";
    webhook_recover => "Recuperar o que ele perdeu", "Recover what it missed";
    webhook_recover_note => "Envia de novo, do mais antigo ao mais novo, o que ele não aceitou e o \
        que aconteceu enquanto estava desligado.",
        "Sends again, oldest first, what it has not accepted and what happened while it was off.";
    webhook_recover_later => "Ligue o webhook primeiro: desligado, ele não recebe nada.",
        "Switch the webhook on first: while it is off it gets nothing.";
    webhook_recover_since => "Desde", "Since";
    webhook_recover_now => "Recuperar", "Recover";
    webhook_recovery_started => "A recuperação começou.", "The recovery has started.";
    webhook_last_hour => "A última hora", "The last hour";
    webhook_last_day => "As últimas 24 horas", "The last 24 hours";
    webhook_last_week => "Os últimos 7 dias", "The last 7 days";
    webhook_last_month => "Os últimos 29 dias", "The last 29 days";
    webhook_recovering(since, count) => "Recuperação em andamento, desde {since}. Enviados de novo \
        até agora: {count}.",
        "Recovery under way, since {since}. Sent again so far: {count}.";
    webhook_recovered(since, count) => "Recuperação terminada, desde {since}. Enviados de novo: \
        {count}.",
        "Recovery finished, since {since}. Sent again: {count}.";
    webhook_recovery_stopped(since, count) => "A recuperação desde {since} parou porque o webhook \
        foi desligado. Enviados de novo: {count}.",
        "The recovery since {since} stopped because the webhook was switched off. Sent again: \
        {count}.";

    delivery_delivered => "Entregue", "Delivered";
    delivery_queued => "Na fila", "Queued";
    delivery_retried => "Tentando de novo", "Retrying";
    delivery_failed => "Falhou", "Failed";
    delivery_held => "Parada", "Held";
    delivery_held_until(at) => "O webhook está desligado. Se ele continuar assim até {at}, esta \
        entrega termina sem envio; depois de ligá-lo, recupere-a.",
        "The webhook is off. If it still is at {at}, this delivery ends without being sent; \
        recover it after switching the webhook on.";
    delivery_disabled => "Não foi enviada: o webhook estava desligado. Ligue-o e recupere o que \
        ele perdeu.",
        "It was not sent: the webhook was off. Switch it on and recover what it missed.";
    delivery_accepted(status) => "Aceito ({status}).", "Accepted ({status}).";
    delivery_next(number, most, at) => "Tentativa {number} de {most} em {at}.",
        "Attempt {number} of {most} at {at}.";
    delivery_redirect(status) => "O endereço redireciona ({status}), e redirecionamentos não são \
        seguidos.",
        "The address redirects ({status}), and redirects are not followed.";
    delivery_status(status) => "O receptor respondeu {status}.", "The receiver answered {status}.";
    delivery_dns => "O nome do servidor não foi encontrado.", "The server's name was not found.";
    delivery_blocked => "O nome leva a um endereço que não é público.",
        "The name leads to an address that is not public.";
    delivery_connect => "Não houve conexão com o servidor.", "There was no connection.";
    delivery_tls => "A conexão segura falhou: veja o certificado.",
        "The secure connection failed: see the certificate.";
    delivery_timeout => "O receptor não respondeu a tempo.", "The receiver did not answer in time.";
    delivery_closed => "O receptor fechou a conexão sem responder.",
        "The receiver closed the connection without an answer.";
    delivery_malformed => "A resposta não pôde ser lida.", "The answer could not be read.";
    delivery_invalid_url => "O endereço não é permitido.", "The address is not allowed.";
    delivery_unreadable => "O segredo não pode mais ser lido: crie o webhook de novo.",
        "The secret cannot be read any more: create the webhook again.";
    delivery_other(code) => "Falhou ({code}).", "It failed ({code}).";

    events_title => "Eventos", "Events";
    events_kept => "O que aconteceu nesta conta, do mais novo ao mais antigo. Cada evento fica \
        guardado por 30 dias.",
        "What has happened in this account, newest first. Each event is kept for 30 days.";
    events_none => "Nenhum evento nos últimos 30 dias", "No event in the last 30 days";
    events_none_note => "Cada venda, devolução ou mudança gera um evento, que os webhooks recebem.",
        "Each sale, refund or change makes an event, which webhooks receive.";
    events_none_match => "Nenhum evento passa por este filtro.", "No event passes this filter.";
    event_type => "Tipo de evento", "Event type";
    events_any => "Todos", "All";
    event_delivery => "Entrega", "Delivery";
    event_object => "ID do objeto", "Object ID";
    event_object_hint => "Da cobrança, do link ou do que mudou.",
        "Of the charge, the link or what has changed.";
    event_delivered(done, all) => "{done} de {all}", "{done} of {all}";
    event_state_none => "Sem webhook", "No webhook";
    event_state_under_way => "A caminho", "Under way";
    event_why_none => "Nenhum webhook o pediu quando ele aconteceu, então nada foi enviado.",
        "No webhook subscribed to it when it happened, so nothing was sent.";
    event_why_failed => "Um webhook não o aceitou, e não há mais tentativas. Corrija a causa e \
        envie de novo.",
        "A webhook has not accepted it, and there are no more attempts. Mend the cause and send it \
        again.";
    event_why_under_way => "Ainda há entregas na fila ou à espera da próxima tentativa.",
        "Deliveries are still queued, or wait for their next attempt.";
    event_why_delivered => "Cada webhook que o pediu o aceitou.",
        "Each webhook that subscribes to it has accepted it.";
    event_resend_all => "Enviar de novo a todos", "Send again to all";
    event_no_receiver => "Nenhum webhook ligado o recebe.",
        "No webhook that is on receives it.";
    event_sequence => "Versão do objeto", "Version of the object";
    event_test => "Teste", "Test";
    event_is_test => "Enviado para experimentar um webhook", "Sent to try out a webhook";
    event_kept => "Guardado até", "Kept until";
    event_open_object => "Abrir o objeto", "Open the object";
    event_to_whom => "Para quem", "To whom";
    event_to_none => "A nenhum webhook.", "To no webhook.";
    event_last_attempt => "última tentativa em", "last attempt at";
    event_payload => "Conteúdo (data)", "Payload (data)";
    event_withheld => "O seu papel não mostra este conteúdo. Faltam:",
        "Your role does not include this payload. Missing:";

    diagnosis_title => "Diagnóstico", "Diagnosis";
    diagnosis_not_chosen => "Não foi testado: marque a opção abaixo e diagnostique de novo.",
        "Not tried: choose the option below and diagnose again.";
    diagnosis_recover_here => "Corrija a causa, e na página do webhook recupere o que ele perdeu.",
        "Mend the cause, and recover what it missed on the webhook's page.";
    diagnosis_enable_here => "Quando o receptor estiver pronto, ligue o webhook de novo na página \
        dele.",
        "Once the receiver is ready, switch the webhook on again on its page.";
    diagnosis_step_state => "Situação", "State";
    diagnosis_step_address => "Endereço", "Address";
    diagnosis_step_dns => "Nome (DNS)", "Name (DNS)";
    diagnosis_step_connect => "Conexão", "Connection";
    diagnosis_step_tls => "Conexão segura (TLS)", "Secure connection (TLS)";
    diagnosis_step_answer => "Resposta", "Response";
    diagnosis_step_again => "Repetição", "Repetition";
    diagnosis_step_unsigned => "Assinatura errada", "Wrong signature";
    diagnosis_step_stale => "Assinatura antiga", "Old signature";
    diagnosis_step_history => "Histórico", "History";
    diagnosis_outcome_ok => "Certo", "Good";
    diagnosis_outcome_warn => "Atenção", "Warning";
    diagnosis_outcome_fail => "Falha", "Failure";
    diagnosis_outcome_skipped => "Não tentado", "Not tried";

    requests_title => "Requisições", "Requests";
    requests_status => "Situação", "Status";
    requests_any => "Todas", "All";
    requests_good => "Aceitas (2xx)", "Accepted (2xx)";
    requests_refused => "Recusadas (4xx e 5xx)", "Refused (4xx and 5xx)";
    requests_faults => "Falhas do servidor (5xx)", "Server's faults (5xx)";
    request_accepted => "Aceita", "Accepted";
    request_refused => "Recusada", "Refused";
    request_faulty => "Falha do servidor", "Server's fault";
    requests_method => "Método", "Method";
    requests_route => "Rota", "Route";
    requests_route_hint => "Como /api/v1/transactions; com * no fim, todas que começam assim",
        "Such as /api/v1/transactions; with * at the end, all that begin so";
    requests_code => "Código do erro", "Error code";
    requests_search => "Buscar requisições", "Search requests";
    requests_none => "Nenhuma requisição ainda", "No request yet";
    requests_none_note => "Aqui fica cada requisição das suas chaves, por 30 dias, sem \
        segredos nem dados pessoais.",
        "Each request of your keys stands here for 30 days, without secrets and personal data.";
    requests_none_match => "Nenhuma requisição com este filtro", "No request with this filter";
    requests_when => "Quando", "When";
    requests_what => "Requisição", "Request";
    requests_result => "Código", "Code";
    requests_took => "Tempo", "Time";
    requests_groups => "O que foi recusado", "What was refused";
    requests_times(count) => "{count} vezes, por último em", "{count} times, last at";
    requests_once => "1 vez, em", "Once, at";
    requests_example => "ver a última", "see the last one";
    requests_why => "Por quê", "Why";
    requests_field(field, code) => "Campo {field}: {code}", "Field {field}: {code}";
    requests_doc => "O que significa e como corrigir", "What it means and how to mend it";
    requests_facts => "Detalhes", "Details";
    requests_path => "Caminho", "Path";
    requests_network => "Rede", "Network";
    requests_api_key => "Chave de API", "API key";
    requests_ends_in(last4) => "termina em {last4}", "ends in {last4}";
    requests_person => "Uma pessoa, com o token da sessão", "A person, with a session's token";
    requests_replayed => "Resposta repetida de uma chave de idempotência",
        "Replayed answer of an idempotency key";
    requests_dry_run => "Ensaio: nada foi feito", "Dry run: nothing was done";
    requests_object => "Objeto", "Object";
    requests_sent => "Corpo enviado", "Body that was sent";
    requests_answered => "Corpo da resposta", "Body of the response";
    requests_not_kept => "Não foi guardado. Em produção só se guarda o das recusadas, sem textos.",
        "It was not kept. In production only that of refusals is, without texts.";
}
