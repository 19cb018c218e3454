//! What the diagnosis of a webhook says, and what to do about it.

use crate::platform::messages::Lang;

messages! { DIAGNOSIS:
    diagnosis_skipped => "Não foi testado: um passo anterior falhou.",
        "Not tried: a step before it failed.";
    diagnosis_not_asked_for => "Não foi testado: só com `probeRefusals` (`tostao diagnose \
        --probe-refusals`).",
        "Not tried: only with `probeRefusals` (`tostao diagnose --probe-refusals`).";
    diagnosis_no_tls => "Não foi testado: o endereço é http.",
        "Not tried: the address is http.";
    diagnosis_not_accepted => "Não foi testado: o exemplo não foi aceito.",
        "Not tried: the sample was not accepted.";
    diagnosis_too_slow => "Não foi testado: o exemplo levou mais de 2 segundos.",
        "Not tried: the sample took more than 2 seconds.";
    diagnosis_enabled => "O webhook está ativo.", "The webhook is enabled.";
    diagnosis_disabled => "O webhook está desativado: nada é entregue.",
        "The webhook is disabled: nothing is delivered.";
    diagnosis_address_good => "O endereço está bem escrito.", "The address is well formed.";
    diagnosis_secret_in_address(name) => "O parâmetro {name} do endereço parece um segredo: ele \
        aparece nos logs de outros.",
        "The parameter {name} of the address looks like a secret: it appears in other people's \
        logs.";
    diagnosis_address_refused(why) => "O endereço não é aceito: {why}",
        "The address is not accepted: {why}";
    diagnosis_unreadable => "O servidor já não consegue ler o segredo ou o endereço deste webhook.",
        "The server can no longer read the secret or the address of this webhook.";
    diagnosis_resolved(addresses) => "O nome tem {addresses} endereço(s) IP.",
        "The name has {addresses} IP address(es).";
    diagnosis_no_address => "O nome não tem endereço IP.", "The name has no IP address.";
    diagnosis_other_address(other) => "O nome não tem endereço IP; {other} tem.",
        "The name has no IP address; {other} has one.";
    diagnosis_blocked => "O nome leva a um endereço que não é público.",
        "The name leads to an address that is not public.";
    diagnosis_connected => "O servidor aceita conexões.", "The server accepts connections.";
    diagnosis_partly_connected(dead) => "O endereço {dead} não responde, outro responde.",
        "The address {dead} does not answer, another one does.";
    diagnosis_not_connected => "O servidor não aceita conexões.",
        "The server accepts no connections.";
    diagnosis_nothing_listens(port) => "Nenhum programa escuta na porta {port} desta máquina.",
        "Nothing listens on port {port} of this machine.";
    diagnosis_tls_good(version) => "O certificado é válido ({version}).",
        "The certificate is valid ({version}).";
    diagnosis_certificate_ends_soon(days) => "O certificado vale por mais {days} dia(s).",
        "The certificate is valid for {days} more day(s).";
    diagnosis_certificate_ended => "O certificado venceu.", "The certificate has ended.";
    diagnosis_certificate_not_yet_valid => "O certificado ainda não é válido.",
        "The certificate is not valid yet.";
    diagnosis_certificate_of_another_name => "O certificado é de outro nome.",
        "The certificate is for another name.";
    diagnosis_intermediate_missing => "Falta o certificado intermediário: navegadores o buscam, \
        servidores não.",
        "The intermediate certificate is missing: browsers fetch it, servers do not.";
    diagnosis_unknown_authority => "O certificado não é de uma autoridade conhecida.",
        "The certificate is not from a known authority.";
    diagnosis_tls_failed => "O servidor não fala TLS nesta porta, ou só versões antigas.",
        "The server speaks no TLS on this port, or only old versions.";
    diagnosis_tls_timeout => "O servidor não terminou o TLS a tempo.",
        "The server did not finish the TLS handshake in time.";
    diagnosis_accepted(status) => "O exemplo assinado foi aceito ({status}).",
        "The signed sample was accepted ({status}).";
    diagnosis_accepted_slowly => "O exemplo foi aceito, mas levou mais de 3 segundos.",
        "The sample was accepted, but that took more than 3 seconds.";
    diagnosis_redirected(to) => "O servidor redireciona para {to}; redirecionamentos não são \
        seguidos.",
        "The server redirects to {to}; redirects are not followed.";
    diagnosis_login_wanted(status) => "A resposta foi {status}: há um login ou um filtro de robôs \
        na frente.",
        "The response was {status}: a login or a bot filter stands before it.";
    diagnosis_nothing_there(status) => "A resposta foi {status}: não há nada neste caminho.",
        "The response was {status}: there is nothing at this path.";
    diagnosis_post_not_allowed => "A resposta foi 405: este caminho não aceita POST.",
        "The response was 405: this path does not accept POST.";
    diagnosis_json_not_accepted => "A resposta foi 415: o receptor não aceita JSON.",
        "The response was 415: the receiver does not accept JSON.";
    diagnosis_refused(status, excerpt) => "A resposta foi {status}: {excerpt}",
        "The response was {status}: {excerpt}";
    diagnosis_refused_silently(status) => "A resposta foi {status}, sem texto.",
        "The response was {status}, without a text.";
    diagnosis_no_answer(error) => "Não houve resposta ({error}).", "There was no response \
    ({error}).";
    diagnosis_repetition_accepted => "O mesmo evento foi aceito outra vez.",
        "The same event was accepted again.";
    diagnosis_repetition_refused(status) => "A segunda cópia recebeu {status}: eventos podem \
    chegar \
        duas vezes.",
        "The second copy got {status}: events may arrive twice.";
    diagnosis_forgery_refused(status) => "A falsificação foi recusada ({status}).",
        "The forgery was refused ({status}).";
    diagnosis_forgery_accepted => "Uma assinatura errada foi aceita: qualquer um pode dizer que \
        pagou.",
        "A wrong signature was accepted: anybody can say that they have paid.";
    diagnosis_old_accepted => "Uma assinatura de 10 minutos atrás foi aceita: quem grava uma \
    entrega \
        pode repeti-la.",
        "A signature of 10 minutes ago was accepted: a recorded delivery can be replayed.";
    diagnosis_never_delivered => "Nada foi entregue em 30 dias.",
        "Nothing was delivered in 30 days.";
    diagnosis_all_delivered(count) => "As últimas entregas deram certo ({count}).",
        "The last deliveries succeeded ({count}).";
    diagnosis_all_failed(count, error) => "Falharam todas as últimas {count} entregas ({error}).",
        "All of the last {count} deliveries failed ({error}).";
    diagnosis_fails_since(since, error) => "As entregas falham desde {since} ({error}).",
        "Deliveries fail since {since} ({error}).";
    diagnosis_fails_at_hours(from, to) => "As entregas só falham das {from} às {to} h, hora de \
        Brasília.",
        "Deliveries fail only from {from} to {to} h, São Paulo time.";
    diagnosis_fails_sometimes(failed, of, error) => "Falharam {failed} das últimas {of} \
    entregas, a \
        maioria por {error}.",
        "{failed} of the last {of} deliveries failed, most of them by {error}.";

    remedy_disabled(id) => "Quando o receptor estiver pronto, ative-o com POST \
        /api/v1/webhooks/subscriptions/{id}/enable, e reenvie o que faltou: `tostao events resend \
        --failed --since 30d --to {id}`.",
        "Once the receiver is ready, enable it with POST \
        /api/v1/webhooks/subscriptions/{id}/enable, and send again what it missed: `tostao events \
        resend --failed --since 30d --to {id}`.";
    remedy_secret_in_address => "Tire-o do endereço: a assinatura basta.",
        "Remove it from the address: the signature suffices.";
    remedy_address => "Corrija o endereço do webhook.", "Correct the webhook's address.";
    remedy_body => "Veja no seu programa por que recusa o corpo. Se for a assinatura, `tostao \
        verify` diz qual é o erro.",
        "See in your program why it refuses the body. If it is the signature, `tostao verify` \
        names the mistake.";
    remedy_unreadable => "Crie o webhook de novo; avise quem opera o servidor.",
        "Create the webhook again, and report it to the operator of the server.";
    remedy_blocked => "Use um nome que só leve a endereços públicos.",
        "Use a name that leads to public addresses alone.";
    remedy_partly_connected => "Tire esse endereço do DNS, ou abra a porta nele.",
        "Remove that address from the DNS, or open the port on it.";
    remedy_not_connected => "Abra a porta no firewall, e confira se o servidor está no ar.",
        "Open the port in the firewall, and check that the server is running.";
    remedy_start => "Inicie o seu programa, ou corrija a porta do endereço.",
        "Start your program, or correct the port of the address.";
    remedy_renew => "Renove o certificado, e confira o relógio do servidor.",
        "Renew the certificate, and check the server's clock.";
    remedy_name => "Use o nome que está no certificado, ou um certificado deste nome.",
        "Use the name in the certificate, or a certificate for this name.";
    remedy_intermediate => "Configure a cadeia completa (fullchain) no servidor.",
        "Configure the full chain on the server.";
    remedy_authority => "Use um certificado de uma autoridade pública, como Let's Encrypt.",
        "Use a certificate of a public authority, such as Let's Encrypt.";
    remedy_tls => "Ative TLS 1.2 ou 1.3 nesta porta.", "Enable TLS 1.2 or 1.3 on this port.";
    remedy_slow => "Responda primeiro, e trabalhe depois.", "Answer first, and work afterwards.";
    remedy_redirected => "Use esse endereço no webhook.", "Use that address for the webhook.";
    remedy_login => "Deixe este caminho sem login e sem filtro: a assinatura autentica a entrega.",
        "Leave this path without a login and a filter: the signature authenticates the delivery.";
    remedy_post => "Aceite POST neste caminho.", "Accept POST at this path.";
    remedy_json => "Aceite Content-Type: application/json.", "Accept Content-Type: \
    application/json.";
    remedy_receiver => "Veja o log do receptor neste instante.",
        "Look at the receiver's log at this moment.";
    remedy_repetition => "Guarde o id de cada evento, e responda 2xx ao que já foi tratado.",
        "Store each event's id, and answer 2xx to what was handled already.";
    remedy_forgery => "Confira a assinatura antes de tratar o evento: /docs/pt/webhooks",
        "Verify the signature before the event is handled: /docs/webhooks";
    remedy_old => "Recuse assinaturas com mais de um minuto: /docs/pt/webhooks",
        "Refuse signatures that are more than a minute old: /docs/webhooks";
    remedy_past(id) => "Corrija a causa, e reenvie o que falhou: `tostao events resend --failed \
        --since 2h --to {id}`, ou POST /api/v1/webhooks/subscriptions/{id}/recover.",
        "Mend the cause, and send again what failed: `tostao events resend --failed --since 2h \
        --to {id}`, or POST /api/v1/webhooks/subscriptions/{id}/recover.";
}
