//! Messages of the frame around every page of the dashboard.

use crate::platform::messages::Lang;

messages! { SHELL:
    shell_skip => "Ir para o conteúdo", "Skip to the content";
    shell_test_mode => "Modo de teste", "Test mode";
    shell_production => "Produção", "Production";
    shell_see_test => "Ver o modo de teste", "See test mode";
    shell_see_production => "Ver produção", "See production";
    shell_clock(time, ahead) => "Relógio: {time} ({ahead})", "Clock: {time} ({ahead})";
    shell_days_ahead(days) => "{days} dias à frente", "{days} days ahead";
    shell_a_day_ahead => "1 dia à frente", "1 day ahead";
    shell_under_a_day_ahead => "menos de 1 dia à frente", "less than 1 day ahead";
    shell_sections => "Seções", "Sections";
    shell_you_are(name) => "Conta de {name}", "{name}'s account";
    shell_role(role) => "Papel: {role}", "Role: {role}";
    shell_switch_to(account) => "Trabalhar em {account}", "Work in {account}";
    shell_account => "Sua conta", "Your account";
    shell_to_dashboard => "Voltar ao painel", "Back to the dashboard";
    shell_sign_out => "Sair", "Sign out";
    shell_home => "Início", "Home";
    shell_switched(account) => "Agora você está em {account}.", "You are in {account} now.";

    // The same by the API.
    api_panel => "O mesmo pela API", "The same by the API";
    api_panel_note => "Com uma chave deste modo na variável do comando.",
        "With a key of this mode in the command's variable.";
    api_copy => "Copiar", "Copy";
    api_copied => "Copiado.", "Copied.";
    api_selected => "Selecionado: agora copie.", "Selected: now copy it.";

    // Confirmations.
    confirm_type => "Para confirmar, digite:", "To confirm, type:";
    confirm_label => "Confirmação", "Confirmation";
    confirm_mistyped(name) => "Digite {name} como está escrito acima. Nada foi apagado.",
        "Type {name} as it is written above. Nothing was deleted.";

    // Parts of pages.
    part_unreadable => "Esta parte não pôde ser lida agora. O resto da página vale.",
        "This part could not be read just now. The rest of the page is right.";
    part_request(id) => "Requisição {id}", "Request {id}";
    pager => "Páginas", "Pages";
    pager_first => "Voltar às mais novas", "Back to the newest";
    pager_next => "Mais antigas", "Older ones";
    shell_ending => "Sua sessão termina em dois minutos.", "Your session ends in two minutes.";
    shell_stay => "Continuar aqui", "Stay here";
    remove_filter => "Remover os filtros", "Remove the filters";
}
