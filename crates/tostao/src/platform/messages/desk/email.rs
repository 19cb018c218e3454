//! The pages about a change of the address that a person signs in with.

use crate::platform::messages::Lang;

messages! { EMAIL:
    // The form and what waits.
    email_title => "Trocar o e-mail", "Change the address";
    email_note(current) => "Você entra com {current}. Um link vai ao novo endereço e um aviso ao \
        atual, que pode impedir a troca.",
        "You sign in with {current}. A link goes to the new address, and a notice to the current \
        one, which can stop the change.";
    email_waits => "Sem a segunda etapa, o link do novo endereço só funciona depois de 24 horas.",
        "Without a second step the link at the new address works only after 24 hours.";
    email_new => "Novo e-mail", "New address";
    email_ask => "Enviar o link", "Send the link";
    email_same => "É o endereço que você já usa.", "It is the address that you use already.";
    email_asked => "Abra o link que foi ao novo endereço.",
        "Open the link that went to the new address.";
    email_pending => "Troca à espera", "Change that waits";
    email_pending_now(email, until) => "O link que foi a {email} vale até {until}.",
        "The link that went to {email} works until {until}.";
    email_pending_from(email, from, until) => "O link que foi a {email} vale de {from} até \
    {until}.",
        "The link that went to {email} works from {from} until {until}.";
    email_pending_ends => "Sair desta sessão, mudar a senha ou ligar a segunda etapa também a \
    encerra.",
        "Signing out of this session, changing the password or turning the second step on ends it, \
        too.";
    email_cancel => "Cancelar a troca", "Cancel the change";
    email_cancelled => "A troca foi cancelada.", "The change is cancelled.";

    // The link at the new address.
    email_confirm => "Confirmar o novo e-mail", "Confirm the new address";
    email_confirm_note(email) => "Daqui em diante você entra com {email}.",
        "From now on you sign in with {email}.";
    email_confirm_do => "Confirmar", "Confirm";
    email_not_yet => "Ainda não", "Not yet";
    email_not_yet_note(from) => "Este link funciona a partir de {from}: até lá, o endereço \
        anterior pode impedir a troca. Abra-o de novo depois.",
        "This link works from {from} on: until then the earlier address can stop the change. Open \
        it again later.";
    email_not_yet_short => "Este link funciona mais tarde. Abra-o de novo para ver quando.",
        "This link works later. Open it again to see when.";
    email_confirmed => "O endereço foi trocado. Entre com ele.",
        "The address is replaced. Sign in with it.";
    email_taken => "A troca não é possível", "The change is not possible";
    email_taken_note => "Outra pessoa já entra com este endereço. Peça a troca para outro.",
        "Another person signs in with this address already. Ask for a change to another one.";
    email_over => "Este link não vale mais", "This link no longer works";
    email_over_note => "Ele já foi usado, ou a troca terminou. Se não foi você, mude a senha.",
        "It was used, or the change has ended. If it was not you, change the password.";

    // The link at the old address.
    email_stop => "Impedir a troca de e-mail", "Stop the change of the address";
    email_stop_note => "A troca termina, e com ela todas as suas sessões. Depois, crie uma senha \
        nova: quem pediu a troca conhece a atual.",
        "The change ends, and with it all your sessions. Then set a new password: who asked for \
        the change knows the current one.";
    email_stop_do => "Impedir e encerrar as sessões", "Stop it and end the sessions";
    email_stopped => "A troca foi impedida", "The change is stopped";
    email_stopped_note => "Todas as sessões terminaram. Crie agora uma senha nova.",
        "All sessions have ended. Set a new password now.";
}
