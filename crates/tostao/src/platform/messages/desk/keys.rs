//! API keys.

use crate::platform::messages::Lang;

messages! { KEYS:
    keys_title => "Chaves de API", "API keys";
    keys_none => "Nenhuma chave neste modo", "No key in this mode";
    keys_none_note => "Com uma chave, o seu programa cria cobranças e lê o que aconteceu.",
        "With a key, your program creates charges and reads what has happened.";
    keys_too_many => "Uma conta tem no máximo 50 chaves. Revogue uma que não usa mais.",
        "An account has at most 50 keys. Revoke one that you do not use any more.";
    key_new => "Nova chave", "New key";
    key_make => "Criar chave", "Create the key";
    key_name => "Nome", "Name";
    key_name_hint => "De onde ela será usada, como loja-web.",
        "Where it will be used, such as shop-web.";
    key_may => "Permissões", "Permissions";
    key_everything => "Tudo o que o seu papel permite", "Everything that your role permits";
    key_or_these => "Ou só estas:", "Or only these:";
    key_read => "Ler", "Read";
    key_write => "Escrever", "Write";
    key_expires => "Vale até (opcional)", "Valid until (optional)";
    key_expires_hint => "O dia inteiro conta. Sem data, vale até você revogar.",
        "The whole day counts. Without a date, it is valid until you revoke it.";
    key_addresses => "Endereços IP que podem usá-la", "IP addresses that may use it";
    key_addresses_hint => "Endereços ou redes, separados por vírgulas. Vazio: qualquer um.",
        "Addresses or networks, separated by commas. Empty: any.";
    key_withdrawals => "Saques", "Withdrawals";
    key_affiliates => "Afiliados", "Affiliates";
    key_subscriptions => "Assinaturas", "Subscriptions";
    key_advances => "Antecipações", "Advances";
    key_referrals => "Indicações", "Referrals";
    key_valid => "Ativa", "Active";
    key_soon_over => "Vence em breve", "Expires soon";
    key_over => "Vencida", "Expired";
    key_used(at) => "Usada pela última vez em {at}.", "Last used at {at}.";
    key_unused => "Ainda não foi usada.", "Not used yet.";
    key_expires_at => "Vence em", "Expires at";
    key_never => "nunca", "never";
    key_rotate => "Trocar", "Rotate";
    key_rotate_of(name) => "Trocar o segredo de {name}", "Rotate the secret of {name}";
    key_rotate_note => "A chave ganha um segredo novo, com as mesmas permissões. O antigo continua \
        valendo pelo tempo que você escolher, para você trocar nos seus programas sem parar.",
        "The key gets a new secret with the same permissions. The old one stays valid for as long \
        as you choose, so that you replace it in your programs without a stop.";
    key_grace => "O segredo antigo vale por mais", "The old secret stays valid for";
    key_grace_none => "nada: ele vazou, e para agora", "no longer: it leaked, and ends now";
    key_grace_hour => "uma hora", "an hour";
    key_grace_day => "um dia", "a day";
    key_grace_week => "sete dias", "seven days";
    key_old_until(grace) => "O segredo antigo ainda vale por: {grace}.",
        "The old secret is still valid for: {grace}.";
    key_old_over => "O segredo antigo já não vale.", "The old secret is no longer valid.";
    key_previous => "Segredo antigo", "Old secret";
    key_previous_until(last4, at) => "…{last4} ainda vale até {at}", "…{last4} is valid until {at}";
    key_requests => "Ver as requisições desta chave", "See the requests of this key";
    key_revoke => "Revogar", "Revoke";
    key_revoke_of(name) => "Revogar {name}", "Revoke {name}";
    key_revoke_effect => "Cada requisição com esta chave é recusada a partir de agora, também com \
        segredos antigos dela.",
        "From now on each request with this key is refused, also with its older secrets.";
    key_revoke_stays => "O que ela criou fica como está.", "What it has created stays as it is.";
    key_revoke_now => "Revogar a chave", "Revoke the key";
    key_revoked => "A chave foi revogada.", "The key is revoked.";
    key_shown_once => "Guarde o segredo agora", "Store the secret now";
    key_shown_once_note => "Guarde-o agora, e nunca no navegador ou no aplicativo do comprador.",
        "Store it now, and never in the browser or the app of a buyer.";
    secret_shown_for => "Por dez minutos, recarregar esta página mostra tudo outra vez, só a você \
        e nesta sessão. Depois ninguém mais vê: quem perdeu, troca.",
        "For ten minutes a reload of this page shows it again, only to you and in this session. \
        After that it is not shown to anyone: if it is lost, rotate it.";
    secret_no_more => "Isto já foi feito, e o segredo não aparece mais. Se você não o guardou, \
        troque-o.",
        "This was done already, and the secret is not shown any more. If you have not stored it, \
        rotate it.";
    key_secret => "O segredo", "The secret";
    key_environment => "Para o ambiente do seu programa", "For your program's environment";
    key_try => "Para experimentar", "To try it";
    key_stored => "Guardei a chave", "I have stored the key";
}
