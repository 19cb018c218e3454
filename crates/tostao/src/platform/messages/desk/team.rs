//! The people of an account: members, their roles, and invitations.

use crate::platform::messages::Lang;

messages! { TEAM:
    team_title => "Equipe", "Team";
    team_you => "Você", "You";
    team_member => "Na equipe", "Member";
    team_role => "Papel", "Role";
    team_since => "Desde", "Since";
    team_change_role => "Mudar o papel", "Change the role";
    team_change_role_of(name) => "Mudar o papel de {name}", "Change the role of {name}";
    team_role_changed(name, role) => "{name} agora é: {role}.", "{name} is now: {role}.";
    team_remove => "Remover", "Remove";
    team_remove_of(name) => "Remover {name}", "Remove {name}";
    team_remove_now => "Remover da equipe", "Remove from the team";
    team_remove_effect => "As sessões da pessoa nesta conta terminam agora, e os convites que ela \
        fez deixam de valer.",
        "The person's sessions in this account end now, and the invitations that they made are \
        void.";
    team_remove_stays => "O que a pessoa fez fica no histórico. As chaves de API que ela criou \
        continuam valendo: revogue as que ela conhece.",
        "What the person did stays in the history. API keys that they created stay valid: revoke \
        those that they know.";
    team_removed(name) => "{name} não está mais na equipe.", "{name} is no longer in the team.";
    team_leave => "Sair da equipe", "Leave the team";
    team_leave_of(account) => "Sair da equipe de {account}", "Leave the team of {account}";
    team_leave_effect => "Você perde o acesso a esta conta agora, e os convites que fez deixam de \
        valer.",
        "You lose the access to this account now, and the invitations that you made are void.";
    team_leave_stays => "Para voltar, alguém da equipe convida você outra vez.",
        "To come back, somebody of the team invites you again.";
    team_left => "Você saiu da equipe.", "You have left the team.";
    team_may_not => "Só titulares e gerentes mudam a equipe.",
        "Only owners and managers change the team.";
    team_owner_only => "Só titulares decidem sobre titulares.", "Only owners decide about owners.";
    team_opener_stays => "Quem abriu a conta continua titular.",
        "Who opened the account stays its owner.";
    team_roles => "O que cada papel pode", "What each role may do";
    team_owner_may => "Tudo, e também os dados da empresa, quem é titular e encerrar a conta.",
        "Everything, and also the business, who is an owner, and closing the account.";
    team_manager_may => "Tudo, menos decidir sobre titulares e encerrar a conta.",
        "Everything but deciding about owners and closing the account.";
    team_finance_may => "Pagamentos, devoluções, saques e antecipações, e o histórico. Lê o resto.",
        "Payments, refunds, withdrawals and advances, and the history. Reads the rest.";
    team_support_may => "Pagamentos, devoluções, clientes e assinaturas, com documentos \
        mascarados. Lê o resto.",
        "Payments, refunds, customers and subscriptions, with documents masked. Reads the rest.";
    team_developer_may => "Tudo em teste. Em produção: chaves, webhooks e requisições. Lê o \
        resto, e não move dinheiro.",
        "Everything in test mode. In production: keys, webhooks and requests. Reads the rest, and \
        moves no money.";
    team_viewer_may => "Só lê, e não vê quem comprou.", "Only reads, and does not see buyers.";

    team_invite => "Convidar", "Invite";
    team_invite_title => "Convidar uma pessoa", "Invite a person";
    team_invite_email => "E-mail", "Email";
    team_invite_hint => "O convite vale por sete dias. Só quem já está na equipe pode \
        virar titular.",
        "The invitation is open for seven days. Only somebody in the team becomes an owner.";
    team_invite_send => "Criar convite", "Create the invitation";
    team_invited(email) => "O convite para {email} está a caminho.",
        "The invitation to {email} is on its way.";
    team_invite_there => "Esta pessoa já está na equipe, ou a conta chegou a 50 pessoas e \
        convites.",
        "This person is in the team already, or the account has 50 people and invitations.";
    team_invite_too_many => "Muitos convites por hoje, para este endereço ou desta conta.",
        "Too many invitations for today, to this address or of this account.";
    team_needs_second_step => "A equipe só muda com a sua segunda etapa ligada.",
        "The team changes only with your second step turned on.";
    team_invite_hand_over => "Entregue o endereço agora", "Hand over the address now";
    team_invite_by_hand => "Este servidor não envia e-mails. Entregue este endereço à pessoa: ele \
        aceita o convite, uma vez.",
        "This server sends no mails. Hand this address to the person: it accepts the invitation, \
        once.";
    team_invite_address => "Endereço do convite", "Address of the invitation";
    team_invite_handed => "Copiei o endereço", "I have copied the address";
    team_invitations => "Convites abertos", "Open invitations";
    team_invitation(email) => "Convite para {email}", "Invitation to {email}";
    team_waits => "Espera resposta", "Waits for an answer";
    team_until(at) => "Vale até {at}.", "Open until {at}.";
    team_invited_by => "Quem convidou", "Invited by";
    team_sent_at => "Enviado em", "Sent at";
    team_somebody => "Uma pessoa que saiu da equipe", "A person who has left the team";
    team_resend => "Enviar de novo", "Send again";
    team_resend_note => "Enviar de novo faz um link novo, por mais sete dias; o de antes deixa de \
        valer.",
        "Sending again makes a new link, for seven more days; the one from before is void.";
    team_take_back => "Retirar o convite", "Take the invitation back";
    team_taken_back => "O convite foi retirado.", "The invitation is taken back.";
    team_invitation_gone => "Este convite já foi aceito, retirado ou venceu.",
        "This invitation was accepted or taken back, or is over.";
}
