//! Signing in, signing up and joining an account.

use crate::platform::messages::Lang;

messages! { ENTRY:
    entry_sign_in => "Entrar", "Sign in";
    entry_password => "Senha", "Password";
    entry_wrong => "E-mail ou senha errados", "Wrong e-mail or password";
    entry_wrong_note => "Confira os dois e tente de novo.", "Check both and try again.";
    entry_wrong_password => "Senha errada. Confira e tente de novo.",
        "Wrong password. Check it and try again.";
    entry_code => "Código de verificação", "Verification code";
    entry_code_hint => "O de seis dígitos do seu aplicativo de autenticação, ou um código reserva.",
        "The six digits of your authenticator app, or a backup code.";
    entry_code_wrong => "Código errado, já usado ou vencido. Digite o código que o aplicativo \
        mostra agora.",
        "The code is wrong, was used already, or is too old. Type the one that the app shows now.";
    entry_code_late => "Entre de novo: a senha já não vale para este código.",
        "Sign in again: the password does not count for this code any more.";
    entry_code_back => "Voltar", "Back";
    entry_wait => "Muitas tentativas", "Too many attempts";
    entry_ended => "Sua sessão terminou. Entre para continuar de onde parou.",
        "Your session has ended. Sign in to go on where you were.";
    entry_form_kept =>
        "Sua sessão terminou. Entre de novo: o formulário volta como você o preencheu.",
        "Your session has ended. Sign in again: the form comes back as you filled it in.";
    entry_form_back => "O formulário está como você o preencheu. Confira e envie de novo.",
        "The form is as you filled it in. Check it and send it again.";
    elevate_title => "Confirme que é você", "Confirm that it is you";
    elevate_note(minutes) => "O que você pediu mexe com dinheiro ou acessos. A confirmação vale \
        por {minutes} minutos.",
        "What you asked for is about money or access. The confirmation counts for {minutes} \
        minutes.";
    elevate_button => "Confirmar", "Confirm";
    elevate_back => "Voltar sem confirmar", "Back without confirming";
    entry_signed_out => "Você saiu.", "You are signed out.";
    entry_no_account => "Ainda não tem conta?", "No account yet?";
    entry_sign_up => "Criar conta", "Create an account";
    entry_have_account => "Já tem conta?", "Do you have an account?";

    // A new password without the old one.
    entry_forgot => "Esqueci a senha", "Forgot your password?";
    entry_forgot_note => "Enviamos um link que cria uma senha nova. Ele vale por meia hora, uma \
        vez.",
        "We send a link that sets a new password. It works for half an hour, once.";
    entry_send_link => "Enviar link", "Send the link";
    entry_link_sent => "Confira seu e-mail", "Check your e-mail";
    entry_link_sent_note => "Se existe uma pessoa com este e-mail, o link está a caminho. A senha \
        de quem administra o servidor só muda no próprio servidor.",
        "If a person has this e-mail, the link is on its way. The password of an administrator of \
        the server changes on the server alone.";
    entry_link_waits_note => "Este servidor não envia e-mails. Peça um link a quem o opera.",
        "This server sends no emails. Ask its operator for a link.";
    entry_reset => "Nova senha", "New password";
    entry_reset_note => "Todas as suas sessões terminam, em todos os aparelhos.",
        "All your sessions end, on every device.";
    entry_set_password => "Salvar senha", "Save the password";
    entry_password_set => "Senha salva. Entre com ela.", "Password saved. Sign in with it.";
    entry_link_over => "Este link não vale mais", "This link is over";
    entry_link_over_note => "Ele já foi usado, passou do prazo, ou a senha mudou depois dele. Peça \
        outro.",
        "It was used, has expired, or the password was changed after it. Ask for another.";

    // A server that is reached without TLS.
    entry_insecure => "Aqui não é possível entrar", "You cannot sign in here";
    entry_insecure_note => "A conexão com este endereço não é segura: senhas e valores poderiam \
        ser lidos no caminho. Quem opera o servidor precisa servi-lo por https e dizer o endereço \
        em TOSTAO_BASE_URL. Na própria máquina, http://localhost funciona.",
        "The connection to this address is not secure: passwords and amounts could be read on the \
        way. The server's operator has to serve it over https and name the address in \
        TOSTAO_BASE_URL. On the machine itself, http://localhost works.";

    entry_shop_name => "Nome da loja", "Shop name";
    entry_new_password => "Crie uma senha", "Choose a password";
    entry_password_hint => "De 8 a 128 caracteres.", "8 to 128 characters.";
    entry_document => "CPF ou CNPJ (opcional)", "CPF or CNPJ (optional)";
    entry_phone => "Telefone com DDD (opcional)", "Phone with area code (optional)";
    entry_opened => "Conta criada. Comece pelo modo de teste: nada é cobrado.",
        "Account created. Begin in test mode: nothing is charged.";
    entry_opened_uninvited => "Conta criada. O código de convite não existe e foi ignorado.",
        "Account created. The invite code does not exist and was ignored.";
    entry_taken => "Já existe uma conta com este e-mail. Entre com ela, ou use outro e-mail.",
        "An account with this e-mail exists. Sign in with it, or use another e-mail.";
    entry_closed => "O cadastro está fechado neste servidor",
        "Registration is closed on this server";
    entry_closed_note => "Peça uma conta a quem opera o servidor, ou um convite a quem já tem uma.",
        "Ask the server's operator for an account, or a member for an invitation.";

    // What the program prints where it starts.
    setup_title => "Primeira conta deste servidor", "First account of this server";
    setup_note => "Este endereço abre uma conta, uma vez. O cadastro continua aberto ou fechado, \
        como está.",
        "This address opens one account, once. Registration stays open or closed, as it is.";
    setup_enter_note => "Este endereço entra na conta uma vez, sem senha.",
        "This address signs in once, without a password.";
    setup_over => "Este endereço não vale mais", "This address no longer works";
    setup_over_note => "Ele já foi usado ou passou do prazo. Peça outro: um servidor sem contas \
        mostra um novo endereço quando é iniciado.",
        "It was used or has expired. Ask for another: a server without accounts shows a new \
        address when it is started.";

    // Invitations.
    entry_invited(shop) => "Convite para {shop}", "Invitation to {shop}";
    entry_invited_as(email, role) => "Para {email}, no papel {role}.", "For {email}, as {role}.";
    entry_your_name => "Seu nome", "Your name";
    entry_invited_known => "Use a senha que você já tem neste servidor.",
        "Use the password that you have on this server.";
    entry_accept => "Aceitar e entrar", "Accept and sign in";
    entry_joined(shop) => "Você agora faz parte de {shop}.", "You are a member of {shop} now.";
    entry_invitation_over => "Este convite não vale mais", "This invitation is over";
    entry_invitation_over_note => "Ele já foi aceito, foi retirado ou passou do prazo. Se já \
        aceitou, entre; senão, peça outro.",
        "It was accepted, was taken back or has expired. If you have accepted it, sign in; \
        otherwise ask for another.";
    entry_invitation_refused => "O convite não pôde ser aceito",
        "The invitation could not be accepted";
    entry_already_member => "Você já faz parte desta conta.",
        "You are a member of this account already.";
    entry_administrator => "Quem administra o servidor não participa de outras contas.",
        "An administrator of the server works in no other account.";
}
