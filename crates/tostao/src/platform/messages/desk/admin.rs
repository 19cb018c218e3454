//! The pages of administrators, about the accounts of everybody.

use crate::platform::messages::Lang;

messages! { ADMIN:
    admin_accounts => "Contas da plataforma", "Accounts of the platform";
    admin_api_note => "Com o token de acesso de um administrador na variável do comando.",
        "With an administrator's access token in the command's variable.";

    admin_steps => "Até onde as contas chegam", "How far accounts come";
    admin_steps_note(count) => "Contas contadas: {count}, as mais novas, abertas desde que o \
        servidor guarda os primeiros passos. Nada disto sai do servidor.",
        "Accounts counted: {count}, the newest, opened since the server keeps the first steps. \
        Nothing of this leaves the server.";
    admin_median_webhook(time) => "Mediana do cadastro ao primeiro webhook entregue: {time}",
        "Median from sign-up to the first delivered webhook: {time}";
    admin_step => "Passo", "Step";
    admin_reached => "Chegaram", "Reached it";
    admin_stopped => "Pararam aqui", "Stopped here";
    admin_reached_stopped(reached, stopped) => "Chegaram: {reached}. Pararam aqui: {stopped}.",
        "Reached it: {reached}. Stopped here: {stopped}.";
    admin_median => "Mediana desde o cadastro", "Median since sign-up";
    admin_signed_up => "Cadastro", "Sign-up";

    admin_newest => "Contas mais novas", "Newest accounts";
    admin_account => "Conta", "Account";
    admin_taken => "Passos, desde o cadastro", "Steps, since sign-up";
    admin_furthest => "Último passo", "Last step";
    admin_no_step => "Nenhum passo", "No step";
    admin_none => "Nenhuma conta ainda", "No account yet";
    admin_none_note => "As contas que forem abertas a partir de agora aparecem aqui.",
        "Accounts that are opened from now on appear here.";

    first_step_key => "Chave de API", "API key";
    first_step_link => "Link de pagamento", "Payment link";
    first_step_payment => "Venda paga", "Paid sale";
    first_step_webhook => "Webhook entregue", "Delivered webhook";
}
