//! The pages about a person and their account: profile, business, security and mails.

use crate::platform::messages::Lang;

messages! { ACCOUNT:
    account_api_note => "Com o seu token de acesso na variável do comando: POST /api/auth/login.",
        "With your access token in the command's variable: POST /api/auth/login.";
    account_save => "Salvar", "Save";
    account_saved => "Salvo.", "Saved.";
    account_used => "Este formulário já foi enviado com outros valores. Confira e envie de novo.",
        "This form was sent with other values already. Check it and send it again.";

    // Profile.
    profile_title => "Perfil", "Profile";
    profile_name => "Seu nome", "Your name";
    profile_name_hint => "Como as outras pessoas da equipe veem você.",
        "How the other people of the team see you.";
    profile_email => "E-mail", "Email";
    profile_email_signs_in => "Você entra com ele.", "You sign in with it.";
    profile_email_change => "Trocar o e-mail", "Change the address";
    profile_email_pending => "Há uma troca à espera.", "A change is pending.";
    profile_language => "Idioma", "Language";
    profile_language_is => "Português. Este navegador guarda a escolha, e os seus e-mails chegam \
        no idioma em que você pede cada coisa.",
        "English. This browser keeps the choice, and your mails come in the language in which you \
        ask for each thing.";
    profile_other_language => "See the pages in English", "Ver as páginas em português";
    profile_accounts => "Contas em que você trabalha", "Accounts that you work in";
    profile_account_role(account, role) => "{account}: papel de {role}", "{account}: role {role}";

    // Business.
    business_title => "Empresa", "Business";
    business_name => "Nome da loja", "Name of the shop";
    business_name_hint => "Aparece para quem compra, nas páginas de pagamento e nos recibos.",
        "Buyers see it on payment pages and on receipts.";
    business_phone => "Telefone (opcional)", "Phone (optional)";
    business_document => "CPF ou CNPJ", "CPF or CNPJ";
    business_document_hint => "Depois de salvo não muda: limites e indicações dependem dele.",
        "Once saved it does not change: limits and referrals depend on it.";
    business_document_stays => "Não muda, porque limites e indicações dependem dele. Se está \
        errado, fale com quem opera o servidor.",
        "It does not change, because limits and referrals depend on it. If it is wrong, write to \
        the operator of the server.";
    business_document_there => "A conta já tem um documento, e ele não muda.",
        "The account has a document already, and it does not change.";
    business_verified => "Verificação", "Verification";
    business_is_verified => "Verificada por quem opera o servidor.",
        "Verified by the operator of the server.";
    business_unverified => "Ainda não verificada por quem opera o servidor.",
        "Not verified by the operator of the server yet.";
    business_owner_only => "Só titulares mudam os dados da empresa.",
        "Only owners change the business.";
    business_change => "Mudar os dados", "Change the business";

    // Security.
    security_title => "Segurança", "Security";
    security_step => "Segunda etapa ao entrar", "Second step at the sign-in";
    security_on => "Ligada", "On";
    security_off => "Desligada", "Off";
    security_on_since(at) => "Desde {at}, entrar pede também um código do seu aplicativo.",
        "Since {at}, a sign-in also takes a code of your app.";
    security_off_why => "Quem souber a sua senha entra. Saques e chaves de produção, e mudanças na \
        equipe, pedem a segunda etapa.",
        "Who knows your password gets in. Withdrawals and keys of production, and changes of \
        the team, ask for the second step.";
    security_codes_left(left) => "Códigos reserva que restam: {left} de 10.",
        "Backup codes that are left: {left} of 10.";
    security_turn_on => "Ligar a segunda etapa", "Turn on the second step";
    security_turn_off => "Desligar a segunda etapa", "Turn off the second step";
    security_new_codes => "Novos códigos reserva", "New backup codes";
    security_change_password => "Mudar a senha", "Change the password";
    security_password_note => "Mudar a senha encerra as suas outras sessões.",
        "Changing the password ends your other sessions.";
    security_sessions => "Sessões e aparelhos", "Sessions and devices";
    security_sessions_note => "Encerre a que você não reconhece, e mude a senha.",
        "End the one that you do not recognize, and change the password.";
    security_this => "Esta sessão", "This session";
    security_another => "Aberta", "Open";
    security_program => "Programa, pela API", "Program, by the API";
    security_unknown_agent => "Navegador desconhecido", "Unknown browser";
    security_agent_on(browser, system) => "{browser} em {system}", "{browser} on {system}";
    security_account => "Conta", "Account";
    security_address => "Endereço", "Address";
    security_began => "Começou em", "Began at";
    security_seen => "Usada em", "Used at";
    security_until => "Termina em", "Ends at";
    security_end => "Encerrar", "End";
    security_end_this => "É a sua: use Sair.", "It is yours: use Sign out.";
    security_end_others => "Encerrar todas as outras", "End all the others";
    security_ended => "A sessão foi encerrada.", "The session has ended.";
    security_others_ended => "Todas as outras sessões foram encerradas.",
        "All other sessions have ended.";
    security_session_gone => "Essa sessão já tinha terminado.", "That session had ended already.";
    security_codes_ended => "Cinco códigos errados: por segurança, a sessão terminou. Entre de \
        novo.",
        "Five wrong codes: to be safe, the session has ended. Sign in again.";

    // Turning the second step on and off.
    step_begin_note => "Você precisa de um aplicativo de autenticação no celular, como Google \
        Authenticator, Microsoft Authenticator, Aegis ou o do seu gerenciador de senhas.",
        "You need an authenticator app on your phone, such as Google Authenticator, Microsoft \
        Authenticator, Aegis, or the one of your password manager.";
    step_begin => "Começar", "Begin";
    step_begin_password => "A senha confirma que quem liga a segunda etapa é você, e não quem \
        achou o navegador aberto.",
        "The password confirms that you turn the second step on, and not somebody who found the \
        browser open.";
    step_scan => "1. Leia este código QR com o aplicativo", "1. Scan this QR code with the app";
    step_qr => "Código QR do segredo do aplicativo", "QR code with the secret of the app";
    step_or_type => "Ou digite o segredo no aplicativo:", "Or type the secret into the app:";
    step_open_app => "Abrir o aplicativo neste aparelho", "Open the app on this device";
    step_then => "2. Digite o código que ele mostra", "2. Type the code that it shows";
    step_code_hint => "Seis dígitos, que mudam a cada meio minuto.",
        "Six digits, which change every half minute.";
    step_turn_on => "Ligar a segunda etapa", "Turn on the second step";
    step_again => "Comece de novo: o segredo que esperava não vale mais.",
        "Begin again: the secret that waited is over.";
    step_is_on => "A segunda etapa já está ligada.", "The second step is on already.";
    step_is_off => "A segunda etapa está desligada.", "The second step is off.";
    step_codes => "Códigos reserva", "Backup codes";
    step_codes_on => "A segunda etapa está ligada", "The second step is on";
    step_codes_keep => "Guarde os códigos agora", "Store the codes now";
    step_codes_note => "Cada código vale uma vez, se você perder o celular. Guarde-os fora dele: \
        no gerenciador de senhas, ou impressos.",
        "Each code counts once, if you lose your phone. Keep them elsewhere: in your password \
        manager, or on paper.";
    step_codes_stored => "Guardei os códigos", "I have stored the codes";
    step_renew_note => "Os códigos reserva de antes deixam de valer. O pedido leva um código do \
        aplicativo: um código reserva não basta.",
        "The backup codes from before are void. This takes a code of the app: a backup code is not \
        enough.";
    step_renew => "Gerar códigos novos", "Make new codes";
    step_remove_note => "Sem ela, a senha basta para entrar como você, e saques, chaves de \
        produção e mudanças na equipe param até você ligá-la de novo.",
        "Without it, the password is enough to sign in as you, and withdrawals, keys of production \
        and changes of the team stop until you turn it on again.";
    step_removed => "A segunda etapa está desligada.", "The second step is off now.";

    // The password.
    password_current => "Senha atual", "Current password";
    password_new => "Senha nova", "New password";
    password_new_hint => "De 8 a 128 caracteres, e não uma das mais comuns.",
        "8 to 128 characters, and none of the most common ones.";
    password_changed => "A senha mudou, e as suas outras sessões terminaram.",
        "The password has changed, and your other sessions have ended.";

    // Mails.
    notices_title => "E-mails", "Emails";
    notices_note => "O que o Tostão escreve, a quem e quando. Alguns avisos não podem ser \
        desligados: é por eles que você nota o que não fez, ou o que parou.",
        "What Tostão writes, to whom and when. Some notices cannot be turned off: they are how you \
        notice what you did not do, or what has stopped.";
    notices_choose => "Quais você quer receber", "Which ones you want to get";
    notices_state => "Situação", "State";
    notices_on => "Ligado", "On";
    notices_off => "Desligado", "Off";
    notices_yours => "Você escolhe.", "You choose.";
    notices_theirs => "Quem abriu a conta escolhe.", "The person who opened the account chooses.";
    notices_always_sign_in => "Sempre: mostra se outra pessoa usa o seu acesso.",
        "Always: it shows whether somebody else uses your sign-in.";
    notices_always_asked => "Sempre: alguém o pediu, e ele tem o link para continuar.",
        "Always: somebody asked for it, and it has the link to go on.";
    notices_always_access => "Sempre: protege o acesso ao seu dinheiro.",
        "Always: it protects the access to your money.";
    notices_always_money => "Sempre: o dinheiro não foi para onde devia.",
        "Always: money did not go where it was sent.";
    notices_always_stopped => "Sempre: nada mais é entregue até você agir.",
        "Always: nothing more is delivered until you act.";
    notices_to(email) => "Os seus chegam a {email}.", "Yours go to {email}.";
    notices_no_server => "Este servidor não envia e-mails: eles esperam até que quem o opera \
        configure um servidor SMTP.",
        "This server sends no mails: they wait until its operator sets up an SMTP server.";
    notices_which => "E-mail", "Email";
    notices_who => "Quem recebe", "Who gets it";
    notices_you => "Você", "You";
    notices_invited => "A pessoa convidada", "The person who is invited";
    notices_owner => "Titular que abriu a conta", "The owner who opened the account";
    notices_new_address => "O novo endereço", "The new address";
    notice_email_change => "O link que confirma um novo e-mail",
        "The link that confirms a new address";
    notice_email_change_asked => "Alguém pediu a troca do seu e-mail",
        "Somebody asked to replace your address";
    notice_email_changed => "Seu e-mail foi trocado; o aviso vai ao anterior",
        "Your address was replaced; the notice goes to the earlier one";
    notice_password_reset => "O link que cria uma senha nova, quando alguém o pede",
        "The link that sets a new password, when somebody asks for it";
    notice_password_changed => "Sua senha mudou", "Your password has changed";
    notice_new_device => "Alguém entrou com a sua senha em um aparelho e uma rede novos",
        "Somebody signed in with your password on a new device and network";
    notice_two_factor_enabled => "Sua segunda etapa foi ligada", "Your second step was turned on";
    notice_two_factor_disabled => "Sua segunda etapa foi desligada",
        "Your second step was turned off";
    notice_backup_codes => "Você tem códigos reserva novos", "You have new backup codes";
    notice_two_factor_refused => "Vários códigos errados foram digitados em seu nome",
        "Several wrong codes were typed in your name";
    notice_invitation => "O convite para a conta", "The invitation to the account";
    notice_withdrawal_completed => "Um saque foi pago", "A withdrawal was paid";
    notice_withdrawal_failed => "Um saque não foi pago, e o valor voltou ao saldo",
        "A withdrawal was not paid, and the amount is back in the balance";
    notice_payout_key => "Uma chave PIX de produção foi salva para saques",
        "A PIX key of production was saved to withdraw to";
    notice_payee => "Dinheiro real volta para uma chave PIX que alguém da conta digitou",
        "Real money goes back to a PIX key that a member typed";
    notice_receipt => "O recibo de um pagamento, quando alguém da conta o reenvia",
        "The receipt of a payment, when a member has it sent again";
    notice_webhook_disabled => "Um webhook foi desligado, porque o endereço falhou por dias",
        "A webhook was switched off, because its address failed for days";
    notice_api_key_created => "Uma chave de API de produção foi criada",
        "An API key of production was made";
    notice_api_key_rotated => "Uma chave de API de produção foi trocada",
        "An API key of production was rotated";
    notice_webhook_failing => "Um webhook falha há pelo menos uma hora",
        "A webhook has failed for an hour or more";
    notice_webhook_recovered => "Um webhook que falhava voltou a funcionar",
        "A webhook that failed works again";
    notice_late_money => "Chegou dinheiro para uma cobrança já paga ou encerrada",
        "Money arrived for a payment that was paid or had ended already";
    notice_payment_received => "Um pagamento foi recebido", "A payment was received";
}
