//! The dashboard's pages about what could not be shown or done.

use crate::platform::messages::Lang;

messages! { REFUSALS:
    refused_permission => "Seu papel não permite isto", "Your role does not allow this";
    refused_permission_note(role, permission) =>
        "Como {role}, você não tem a permissão {permission} aqui.",
        "As {role}, you do not have the permission {permission} here.";
    refused_who_can => "Quem pode mudar seu papel:", "Who can change your role:";
    refused_second_step => "Ligue a segunda etapa primeiro", "Turn on your second step first";
    refused_second_step_note => "Dinheiro de verdade, chaves de produção, a equipe e as contas de \
        todos pedem uma segunda etapa ao entrar: um código do seu celular. Assim, uma senha que \
        vazou não basta. Ligue-a, e você volta para cá.",
        "Real money, keys of production, the team and the accounts of everybody ask for a second \
        step at your sign-in: a code of your phone. So a password that leaked is not enough. Turn \
        it on, and you come back here.";
    refused_to_second_step => "Ligar a segunda etapa", "Turn on the second step";
    refused_not_found => "Página não encontrada", "Page not found";
    refused_not_found_note =>
        "O endereço está errado, ou isto não existe nesta conta e neste modo.",
        "The address is wrong, or this does not exist in this account and this mode.";
    refused_search_for(id) => "Buscar {id}", "Search for {id}";
    refused_in_test(list) => "Isto existe no modo de teste desta conta, em {list}: abrir",
        "This exists in this account's test mode, in {list}: open it";
    refused_in_production(list) => "Isto existe na produção desta conta, em {list}: abrir",
        "This exists in this account's production, in {list}: open it";
    refused_too_many => "Muitas tentativas", "Too many attempts";
    refused_foreign => "Este formulário não veio desta página",
        "This form did not come from this page";
    refused_foreign_note => "Outro site ou outra conta o abriu, ou seu navegador não disse de onde \
        veio. Nada foi feito. Abra a página de novo.",
        "Another site or another account opened it, or your browser did not say where it came \
        from. Nothing was done. Open the page again.";
    refused_internal => "Algo deu errado do nosso lado", "Something went wrong on our side";
    refused_internal_note => "Tente de novo em instantes. Se continuar, envie o número da \
        requisição a quem opera o servidor.",
        "Try again in a moment. If it goes on, send the request number to the server's operator.";
    refused_unknown => "Não sabemos se foi feito", "We do not know whether it was done";
    refused_unknown_note => "Pode ter sido feito: confira antes de repetir.",
        "It may have been done: check before you repeat it.";
    refused_otherwise => "Não foi possível", "That was not possible";
    refused_otherwise_note => "Nada foi feito. Volte, confira os dados e tente de novo.",
        "Nothing was done. Go back, check what was sent and try again.";
    refused_used => "Este formulário já foi enviado com outros valores. Abra a página de novo.",
        "This form was sent with other values already. Open the page again.";
    refused_state => "Nada foi feito, porque a situação mudou enquanto a página estava aberta. \
        Abra a página de novo.",
        "Nothing was done, because the state changed while the page was open. Open the page again.";
    refused_reference(id, code) => "Requisição {id}, código {code}", "Request {id}, code {code}";
    refused_back => "Voltar ao início", "Back to the start";
}
