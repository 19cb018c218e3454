//! What mails say.

use crate::platform::messages::Lang;

messages! { MAILS:
    mail_link_below => "Se o link não abrir, copie este endereço para o navegador:",
        "If the link does not open, copy this address to your browser:";
    mail_why(server) => "Você recebeu este e-mail por causa da sua conta em {server}. Não é \
        preciso responder.",
        "You get this mail because of your account at {server}. There is no need to answer it.";

    // A new password
    mail_reset_subject => "Crie uma senha nova", "Set a new password";
    mail_reset => "Alguém pediu uma senha nova para a conta com este endereço.",
        "Somebody asked for a new password for the account with this address.";
    mail_reset_link => "Criar uma senha nova", "Set a new password";
    mail_reset_until(at) => "O link vale uma vez, até {at}, e encerra todas as sessões abertas.",
        "The link works once, until {at}, and ends all open sessions.";
    mail_reset_ignore => "Se não foi você, ignore este e-mail: sua senha continua a mesma.",
        "If it was not you, ignore this mail: your password stays as it is.";

    // An invitation
    mail_invitation_subject(account) => "Convite para a conta {account}",
        "Invitation to the account {account}";
    mail_invitation(inviter, account) => "{inviter} convidou você para trabalhar na conta \
        {account}.",
        "{inviter} invites you to work in the account {account}.";
    mail_invitation_link => "Ver o convite", "See the invitation";
    mail_invitation_until(at) => "O convite vale até {at}.", "The invitation is open until {at}.";
    mail_invitation_ignore => "Se você não conhece quem convidou, ignore este e-mail.",
        "If you do not know who invites you, ignore this mail.";
    mail_invitation_why(server) => "Você recebeu este e-mail porque alguém escreveu seu endereço \
        em {server}. Não é preciso responder.",
        "You get this mail because somebody entered your address at {server}. There is no need to \
        answer it.";

    // A password was set
    mail_password_subject => "Sua senha foi trocada", "Your password was changed";
    mail_password(at) => "A senha da sua conta foi trocada em {at}.",
        "The password of your account was changed on {at}.";
    mail_password_not_you(address) => "Se não foi você, crie uma senha nova agora em {address} e \
        confira quem tem acesso ao seu e-mail.",
        "If it was not you, set a new password now at {address} and check who can read your mail.";

    // A sign-in from elsewhere
    mail_sign_in_subject => "Acesso de um aparelho novo", "Sign-in from a new device";
    mail_sign_in(at, network) => "Em {at}, alguém entrou na sua conta com a sua senha, de um \
        aparelho e de uma rede que ela não conhecia: {network}.",
        "On {at}, somebody signed in to your account with your password, on a device and from a \
        network that it did not know: {network}.";
    mail_sign_in_yours => "Se foi você, não é preciso fazer nada.",
        "If it was you, there is nothing to do.";

    // Another address
    mail_address_subject => "Confirme o seu novo e-mail", "Confirm your new address";
    mail_address(server) => "Alguém pediu para entrar em {server} com este endereço.",
        "Somebody asked to sign in at {server} with this address.";
    mail_address_link => "Confirmar o endereço", "Confirm the address";
    mail_address_from(at) => "O link funciona a partir de {at}: até lá, o endereço anterior pode \
        impedir a troca.",
        "The link works from {at} on: until then the earlier address can stop the change.";
    mail_address_until(at) => "O link vale uma vez, até {at}.", "The link works once, until {at}.";
    mail_address_ignore => "Se não foi você, ignore este e-mail: nada muda.",
        "If it was not you, ignore this mail: nothing changes.";
    mail_address_asked_subject => "Pedido para trocar o seu e-mail",
        "Your address is to be replaced";
    mail_address_asked(at, email) => "Em {at}, alguém com a sua senha pediu para entrar na sua \
        conta com outro endereço: {email}.",
        "On {at}, somebody with your password asked to sign in to your account with another \
        address: {email}.";
    mail_address_asked_from(at) => "A troca só pode ser confirmada a partir de {at}.",
        "The change can be confirmed from {at} on.";
    mail_address_asked_now => "A troca vale assim que o novo endereço a confirmar.",
        "The change takes effect as soon as the new address confirms it.";
    mail_address_stop => "Impedir a troca e encerrar as sessões",
        "Stop the change and end the sessions";
    mail_address_asked_not_you(address) => "Se não foi você, use o link agora e crie uma senha \
        nova em {address}.",
        "If it was not you, use the link now and set a new password at {address}.";
    mail_address_changed_subject => "O seu e-mail foi trocado", "Your address was replaced";
    mail_address_changed(at, email) => "Desde {at}, a sua conta usa outro endereço: {email}.",
        "Since {at}, your account uses another address: {email}.";
    mail_address_changed_not_you => "Se não foi você, fale já com quem opera este servidor.",
        "If it was not you, talk to the operator of this server at once.";

    // The second step
    mail_step_on_subject => "Verificação em duas etapas ligada", "Two-factor authentication is on";
    mail_step_on(at) => "Desde {at}, entrar na sua conta exige a senha e um código.",
        "Since {at}, signing in to your account takes the password and a code.";
    mail_step_off_subject => "Verificação em duas etapas desligada",
        "Two-factor authentication is off";
    mail_step_off(at) => "Desde {at}, entrar na sua conta exige só a senha.",
        "Since {at}, signing in to your account takes the password alone.";
    mail_codes_subject => "Códigos de reserva novos", "New backup codes";
    mail_codes(at) => "Em {at}, seus códigos de reserva foram trocados. Os anteriores não valem \
        mais.",
        "On {at}, your backup codes were replaced. The earlier ones are void.";
    mail_wrong_codes_subject => "Códigos errados na sua conta", "Wrong codes for your account";
    mail_wrong_codes(at, codes) => "Até {at}, alguém que conhece a sua senha, ou usa uma sessão \
        sua, digitou {codes} códigos errados da verificação em duas etapas em um dia.",
        "By {at}, somebody who knows your password, or uses a session of yours, had typed {codes} \
        wrong codes of your two-factor authentication within a day.";
    mail_step_not_you(address) => "Se não foi você, crie uma senha nova agora em {address} e fale \
        com quem opera este servidor.",
        "If it was not you, set a new password now at {address} and talk to the operator of this \
        server.";

    // A withdrawal
    mail_paid_subject(amount) => "Saque de {amount} pago", "Withdrawal of {amount} paid";
    mail_paid(net, key) => "O banco confirmou o saque: {net} foram para a chave PIX {key}.",
        "The bank confirmed the withdrawal: {net} went to the PIX key {key}.";
    mail_paid_not_you => "Se você não reconhece este saque, fale já com quem opera este servidor.",
        "If you do not know this withdrawal, talk to the operator of this server at once.";
    mail_unpaid_subject(amount) => "Saque de {amount} não foi pago",
        "Withdrawal of {amount} was not paid";
    mail_unpaid(amount, key) => "O saque de {amount} para a chave PIX {key} não foi pago. O valor \
        voltou para o seu saldo.",
        "The withdrawal of {amount} to the PIX key {key} was not paid. The amount is back in your \
        balance.";

    // An API key
    mail_key_made_subject => "Nova chave de API de produção", "New API key of production";
    mail_key_made(at, person, name, last4) => "Em {at}, {person} criou a chave de API de produção \
        “{name}”, que termina em {last4}.",
        "On {at}, {person} made the API key of production “{name}”, which ends in {last4}.";
    mail_key_rotated_subject => "Chave de API de produção trocada", "API key of production rotated";
    mail_key_rotated(at, person, name, last4) => "Em {at}, {person} trocou o segredo da chave de \
        API de produção “{name}”. O novo termina em {last4}.",
        "On {at}, {person} rotated the secret of the API key of production “{name}”. The new one \
        ends in {last4}.";
    mail_key_one_permission => "A chave tem uma permissão, em dinheiro real.",
        "The key has one permission, with real money.";
    mail_key_permissions(count) => "A chave tem {count} permissões, em dinheiro real.",
        "The key has {count} permissions, with real money.";
    mail_key_wait => "Depois do primeiro dia da conta, uma chave nova ou trocada não saca nas \
        primeiras 24 horas.",
        "After the account's first day, a key that was made or rotated withdraws nothing in its \
        first 24 hours.";
    mail_key_not_you(keys, address) => "Se não foi alguém da sua equipe, revogue a chave agora em \
        {keys}, crie uma senha nova em {address} e fale com quem opera este servidor.",
        "If it was none of your people, revoke the key now at {keys}, set a new password at \
        {address} and talk to the operator of this server.";

    // A key to withdraw to
    mail_payout_key_subject => "Chave PIX nova para saques", "New PIX key to withdraw to";
    mail_payout_key(at, key) => "Em {at}, a chave PIX {key} foi salva na sua conta, para receber \
        saques.",
        "On {at}, the PIX key {key} was saved in your account, to withdraw to.";
    mail_payout_key_from(at) => "Ela pode receber saques a partir de {at}. Se foi você, ou alguém \
        da sua equipe, não é preciso fazer nada.",
        "It can be withdrawn to from {at} on. If it was you, or somebody of your team, there is \
        nothing to do.";
    mail_payout_key_not_you(page, address) => "Se não foi, apague a chave antes disso em {page}, \
        crie uma senha nova em {address} e fale com quem opera este servidor.",
        "If it was not, delete the key before then at {page}, set a new password at {address} and \
        talk to the operator of this server.";

    // A key that money goes back to
    mail_payee_subject(amount) => "{amount} voltam para uma chave PIX digitada",
        "{amount} go back to a PIX key that was typed";
    mail_payee(at, amount, key) => "Em {at}, alguém da sua conta mandou devolver {amount} de um \
        pagamento à chave PIX {key}. O banco não pode mais devolver este pagamento a quem \
        pagou, ou não sabe quem foi; por isso a chave foi digitada.",
        "On {at}, somebody of your account had {amount} of a payment sent back to the PIX key \
        {key}. Its bank can no longer return this payment to its payer, or does not know who that \
        is, so the key was typed.";
    mail_payee_not_you(address) => "Se não foi alguém da sua equipe, crie agora uma senha nova em \
        {address}, veja quem tem acesso à conta e fale com quem opera este servidor.",
        "If it was none of your people, set a new password at {address} now, see who has access to \
        the account and talk to the operator of this server.";

    // A receipt
    mail_receipt_subject(amount, seller) => "Recibo de {amount}, {seller}",
        "Receipt for {amount}, {seller}";
    mail_receipt(amount, seller, at) => "Você pagou {amount} a {seller} em {at}.",
        "You paid {amount} to {seller} on {at}.";
    mail_receipt_link => "Ver o recibo", "See the receipt";
    mail_receipt_why(seller) => "Você recebeu este e-mail porque {seller} enviou o recibo de um \
        pagamento feito com seu endereço. Não é preciso responder.",
        "You get this mail because {seller} sent the receipt of a payment that was made with your \
        address. There is no need to answer it.";

    // A webhook
    mail_webhook_subject(host) => "Webhook de {host} desativado", "Webhook of {host} disabled";
    mail_webhook_failing(host) => "O webhook de {host} foi desativado: há cinco dias nenhuma \
        entrega dá certo.",
        "The webhook of {host} was disabled: no delivery has succeeded for five days.";
    mail_webhook_gone(host) => "O webhook de {host} foi desativado: o endereço respondeu 410 Gone.",
        "The webhook of {host} was disabled: its address answered 410 Gone.";
    mail_webhook_next => "Novos eventos não são entregues até você ativar o webhook de novo. O \
        que aconteceu nos últimos 30 dias ainda pode ser reenviado.",
        "New events are not delivered until you enable the webhook again. What happened in the \
        last 30 days can still be sent again.";
    mail_failing_subject(host) => "Webhook de {host} está falhando", "Webhook of {host} is failing";
    mail_failing(host) => "Há pelo menos uma hora nenhuma entrega ao webhook de {host} dá certo. \
        Cada uma é tentada de novo, com intervalos cada vez maiores.",
        "No delivery to the webhook of {host} has succeeded for an hour or more. Each one is tried \
        again, at growing intervals.";
    mail_failing_next => "Se nada mudar em cinco dias, o webhook é desativado.",
        "If nothing changes within five days, the webhook is disabled.";
    mail_recovered_subject(host) => "Webhook de {host} voltou a funcionar",
        "Webhook of {host} works again";
    mail_recovered(host) => "Uma entrega ao webhook de {host} deu certo de novo.",
        "A delivery to the webhook of {host} succeeded again.";
    mail_see_webhook => "Ver o webhook", "See the webhook";

    // Payments
    mail_late_subject(amount) => "{amount} chegaram fora de hora", "{amount} arrived too late";
    mail_late(amount) => "{amount} chegaram para uma cobrança que já estava paga ou encerrada. O \
        dinheiro está separado até você decidir: ficar com ele ou devolver a quem pagou.",
        "{amount} arrived for a payment that was paid or had ended already. The money is set aside \
        until you decide: accept it, or return it to its payer.";
    mail_received_subject(amount) => "Pagamento de {amount} recebido",
        "Payment of {amount} received";
    mail_received(at) => "O pagamento foi confirmado em {at}.",
        "The payment was confirmed on {at}.";
    mail_see_payment => "Ver o pagamento", "See the payment";
    mail_choice(address) => "Para não receber mais e-mails como este: {address}.",
        "To get no more mails like this one: {address}.";
}
