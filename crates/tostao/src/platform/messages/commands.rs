//! Messages of the commands that call a server.

use crate::platform::messages::Lang;

messages! { COMMANDS:
    cli_key_is_missing => "Falta a chave: use --key-file, ou `TOSTAO_API_KEY` no ambiente.",
        "The API key is missing: use --key-file, or `TOSTAO_API_KEY` in the environment.";
    cli_unknown_event(event) => "{event} não é um tipo de evento; `tostao events types` lista \
        todos.",
        "{event} is no event type; `tostao events types` lists them all.";

    // whoami
    cli_account => "Conta", "Account";
    cli_mode => "Modo", "Mode";
    cli_key => "Chave", "Key";
    cli_expires => "Expira", "Expires";
    cli_permissions => "Permissões", "Permissions";
    cli_requests_left => "Restam", "Left";
    cli_time => "Hora", "Time";
    cli_version => "Versões", "Versions";

    // listen
    cli_listening(account, secret) => "Ouvindo {account}, modo de teste.  Segredo: {secret}   (o \
        mesmo a cada vez; `TOSTAO_WEBHOOK_SECRET`)",
        "Listening to {account}, test mode.  Secret: {secret}   (the same each time; \
        `TOSTAO_WEBHOOK_SECRET`)";
    cli_tally(delivered, failed) => "Entregues: {delivered}. Com falha: {failed}.",
        "Delivered: {delivered}. Failed: {failed}.";
    cli_listened(delivered, failed) => "Entregues: {delivered}. Com falha: {failed}. O que \
        acontecer nas próximas 24 h chega quando você voltar.",
        "Delivered: {delivered}. Failed: {failed}. What happens in the next 24 h arrives when you \
        are back.";

    // events
    cli_recovering(resent, until) => "{resent} evento(s) a caminho; visto até {until}.",
        "{resent} event(s) on their way; looked at until {until}.";
    cli_recovery_stopped(webhook) => "O webhook foi desativado ou apagado antes do fim: confira \
        com `tostao diagnose {webhook}`.",
        "The webhook was disabled or deleted before the end: check it with `tostao diagnose \
        {webhook}`.";
    cli_recovered(resent) => "Fim: {resent} evento(s) reenviado(s).",
        "Done: {resent} event(s) sent again.";

    // trigger
    cli_card => "cartão", "card";
    cli_issued(amount, method, id) => "{amount} por {method} ({id})", "{amount} by {method} ({id})";
    cli_sample_sent(event, id) => "Enviado o exemplo de {event} ({id}), com \"test\": true.",
        "Sent the example of {event} ({id}), with \"test\": true.";
    cli_sample_instead(event, id) => "Enviado o exemplo de {event} ({id}), com \"test\": true. \
        Este evento depende do tempo, de outra conta ou de um administrador.",
        "Sent the example of {event} ({id}), with \"test\": true. This event takes time, another \
        account or an administrator.";
    cli_trigger_is_for_development => "trigger é para chaves de desenvolvimento.",
        "trigger is for development keys.";
    cli_link_is_not_paid(event) => "--link vale para `payment_link.paid` e cupons, não para \
        {event}.",
        "--link is for `payment_link.paid` and coupons, not for {event}.";
    cli_unanswered(event, webhook) => "{event} ainda não teve resposta de {webhook}.",
        "{event} has no answer from {webhook} yet.";
    cli_delivered(number, ms) => "Entregue a {number} em {ms} ms.",
        "Delivered to {number} in {ms} ms.";
    cli_no_subscriber => "Ninguém recebe este evento: inicie `tostao listen`, ou cadastre um \
        webhook.",
        "No webhook receives this event: start `tostao listen`, or subscribe a webhook.";
    cli_made_transaction(id) => "Transação {id}", "Transaction {id}";
    cli_made_event(event, id) => "Evento {id} ({event}): `tostao events show {id}`",
        "Event {id} ({event}): `tostao events show {id}`";
    cli_made_delivery(webhook, status) => "Entrega a {webhook}: {status}",
        "Delivery to {webhook}: {status}";
    cli_undelivered(event, webhook, answer) => "{event} não foi entregue a {webhook}: {answer}.",
        "{event} was not delivered to {webhook}: {answer}.";

    // clock
    cli_clock(now, ahead) => "{now}  ({ahead} à frente do relógio real)",
        "{now}  ({ahead} ahead of the real clock)";
    cli_would_happen(until) => "Até {until} aconteceria (nada foi feito):",
        "Until {until} this would happen (nothing was done):";
    cli_would_not_happen(until) => "Até {until} nada aconteceria.",
        "Until {until} nothing would happen.";
    cli_reset_question => "Isto apaga todos os dados de desenvolvimento da conta. Continuar? \
        [s/N]",
        "This deletes all development data of the account. Go on? [y/N]";
    cli_reset_needs_yes => "Nada foi apagado: acrescente --yes para apagar os dados de \
        desenvolvimento.",
        "Nothing was deleted: add --yes to delete the development data.";

    // diagnose
    cli_diagnosed => "O diagnóstico encontrou o que corrigir.",
        "The diagnosis has found something to mend.";

    cli_outcome_warn => "aviso", "warn";
    cli_outcome_fail => "falha", "fail";
    cli_outcome_skipped => "pulado", "skipped";
    cli_step_state => "estado", "state";
    cli_step_address => "endereço", "address";
    cli_step_connect => "conexão", "connect";
    cli_step_answer => "resposta", "answer";
    cli_step_again => "repetição", "again";
    cli_step_unsigned => "assinatura errada", "wrong signature";
    cli_step_stale => "assinatura antiga", "old signature";
    cli_step_history => "histórico", "history";

    // events
    cli_no_events => "Nenhum evento.", "No events.";

    // webhooks
    cli_no_webhooks => "Nenhum webhook: cadastre um, ou inicie `tostao listen`.",
        "No webhooks: subscribe one, or start `tostao listen`.";

    // logs
    cli_no_refusals => "Nada foi recusado.", "Nothing was refused.";
    cli_refused_so_often(count, example) => "{count}×   último {example}",
        "{count}×   last {example}";

    // keys
    cli_no_keys => "Nenhuma chave.", "No keys.";
    cli_password => "Senha:", "Password:";
    cli_code => "Código do aplicativo autenticador, ou de reserva:",
        "Code of the authenticator app, or a backup code:";
    cli_code_by_option => "Esta pessoa entra com um código: passe-o com --code.",
        "This person signs in with a code: pass it with --code.";
    cli_password_by_input => "A senha não vai na linha de comando; use --password - e a entrada \
        padrão.",
        "The password does not go on the command line; use --password - and the standard input.";
    cli_revoked(id) => "A chave {id} foi revogada.", "The key {id} was revoked.";
    cli_key_once => "A chave inteira aparece só agora:", "The whole key is shown only now:";

    // verify
    cli_verified => "Confere.", "Verified.";
    cli_not_verified => "Não confere.", "Not verified.";
    cli_unsigned => "Não há assinatura: passe o cabeçalho webhook-signature ou \
        X-Webhook-Signature como veio.",
        "There is no signature: pass the header webhook-signature or X-Webhook-Signature as it \
        came.";
    cli_unexplained => "Não confere, e nenhum erro conhecido explica: confira se o segredo é o \
        deste webhook e se o corpo é o desta entrega.  /docs/pt/webhooks",
        "Not verified, and no known mistake explains it: check that the secret is this webhook's \
        and the body this delivery's.  /docs/webhooks";
    cli_no_header(line) => "\"{line}\" não é um cabeçalho; escreva 'Nome: valor'.",
        "\"{line}\" is no header; write 'Name: value'.";
    cli_difference(received, signed) => "  veio       {received}\n  assinado   {signed}",
        "  received   {received}\n  signed     {signed}";
    cli_stale(seconds) => "A assinatura está certa, mas a hora difere em {seconds} s: uma entrega \
        antiga repetida, ou um relógio errado.",
        "The signature is right, but its time differs by {seconds} s: an old delivery sent again, \
        or a wrong clock.";
    cli_milliseconds => "A hora está em milissegundos; webhook-timestamp é em segundos.",
        "The time is in milliseconds; webhook-timestamp is in seconds.";
    cli_spaces => "Conferiria se o corpo não tivesse sido refeito: os espaços são outros. Use os \
        bytes recebidos, antes de interpretar o JSON.  /docs/pt/webhooks#corpo-bruto",
        "It would be if the body had not been written again: its spaces differ. Use the bytes as \
        they came, before the JSON is parsed.  /docs/webhooks#raw-body";
    cli_escapes => "Conferiria se o corpo não tivesse sido refeito: letras ou barras viraram \
        códigos. Use os bytes recebidos, antes de interpretar o JSON.  \
        /docs/pt/webhooks#corpo-bruto",
        "It would be if the body had not been written again: letters or slashes are escaped. Use \
        the bytes as they came, before the JSON is parsed.  /docs/webhooks#raw-body";
    cli_field_order => "Conferiria se o corpo não tivesse sido refeito: os campos estão em outra \
        ordem. Use os bytes recebidos, antes de interpretar o JSON.  /docs/pt/webhooks#corpo-bruto",
        "It would be if the body had not been written again: its fields are in another order. Use \
        the bytes as they came, before the JSON is parsed.  /docs/webhooks#raw-body";
    cli_line_break_added => "Conferiria sem a quebra de linha no fim: o corpo assinado não \
        a tem.",
        "It would be without the line break at the end, which the signed body lacks.";
    cli_line_break_lost => "Conferiria com a quebra de linha no fim, que se perdeu.",
        "It would be with the line break at the end, which was lost.";
    cli_carriage_returns => "Conferiria com as quebras de linha como vieram: viraram CRLF.",
        "It would be with the line breaks as they came: they were turned into CRLF.";
    cli_encoding => "Conferiria em UTF-8: o corpo foi lido ou gravado em Latin-1.",
        "It would be in UTF-8: the body was read or written as Latin-1.";
    cli_byte_order_mark => "Conferiria sem a marca de ordem de bytes (BOM) no início.",
        "It would be without the byte order mark (BOM) at the beginning.";
    cli_secret_spaced => "Conferiria sem o espaço ou as aspas em volta do segredo.",
        "It would be without the space or the quotes around the secret.";
    cli_secret_without_prefix => "Conferiria com o segredo inteiro, que começa com whsec_.",
        "It would be with the whole secret, which begins with whsec_.";
    cli_other_secret => "Outro dos segredos assina: o do outro modo, de outro webhook, ou o \
        anterior à troca.",
        "Another of the secrets signs it: that of the other mode, of another webhook, or from \
        before a rotation.";
    cli_rotated_secret => "O segredo anterior à troca assina: a entrega é de antes dela. As de \
        agora conferem com o segredo novo.",
        "The secret from before the rotation signs it: the delivery is older than that. Those of \
        now are verified with the new secret.";
    cli_secret_of_other_webhook => "O segredo de outro webhook deste modo assina: cada endereço \
        tem o seu.",
        "The secret of another webhook of this mode signs it: each address has its own.";
    cli_secret_of_other_mode => "O segredo de um webhook do outro modo assina: desenvolvimento e \
        produção têm segredos próprios.",
        "The secret of a webhook of the other mode signs it: development and production have \
        secrets of their own.";
    cli_secret_not_decoded => "webhook-signature usa os bytes do segredo: decodifique de base64 o \
        que vem depois de whsec_.",
        "webhook-signature uses the bytes of the secret: decode what follows whsec_ from base64.";
    cli_secret_decoded => "X-Webhook-Signature usa o texto inteiro do segredo como chave, sem \
        decodificar.",
        "X-Webhook-Signature uses the whole text of the secret as its key, not decoded.";
    cli_hexadecimal => "A assinatura está em hexadecimal; a que vem é base64.",
        "The signature is hexadecimal; the one that is sent is base64.";
    cli_url_alphabet => "A assinatura usa o base64 de URLs; a que vem usa + e /.",
        "The signature uses the base64 of URLs; the one that is sent uses + and /.";
    cli_other_message => "A mensagem é outra: webhook-signature assina id.hora.corpo, \
        X-Webhook-Signature só o corpo.",
        "The message is another one: webhook-signature signs id.time.body, X-Webhook-Signature \
        the body alone.";
}
