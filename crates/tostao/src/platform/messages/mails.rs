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
}
