//! What the server knows of itself.

use crate::platform::messages::Lang;

messages! { ADMIN_HEALTH:
    admin_health => "Saúde do servidor", "Server's health";
    admin_health_parts => "Cada parte e por quê", "Each part, and why";
    admin_health_is(word) => "No todo: {word}.", "As a whole: {word}.";
    admin_health_at(at) => "Olhado em {at}, pelo relógio do servidor.",
        "Looked at on {at}, by the server's clock.";
    admin_no_backup_known => "As cópias de segurança são feitas por fora: o servidor não sabe \
        delas. Confira você se a última existe e se volta.",
        "Backups are made outside: the server knows nothing of them. See for yourself that the \
        last one exists and can be restored.";
    admin_health_ok => "Bem", "Fine";
    admin_health_warning => "Atenção", "Warning";
    admin_health_error => "Erro", "Error";
    admin_part => "Parte", "Part";
    admin_how_many => "Quantos", "How many";
    admin_since(at) => "Desde {at}", "Since {at}";
    admin_part_database => "Banco de dados", "Database";
    admin_part_jobs => "Tarefas", "Jobs";
    admin_part_mails => "E-mails à espera", "Mails that wait";
    admin_part_smtp => "Servidor de e-mail", "Mail server";
    admin_part_ledger => "Livro-caixa", "Ledger";
    admin_database_answers => "Responde, e está na versão deste servidor.",
        "It answers, and is of this server's version.";
    admin_migrations_missing => "Faltam migrações. Rode tostao migrate.",
        "Migrations are missing. Run tostao migrate.";
    admin_jobs_on_time => "Nenhuma espera além da sua hora.", "None waits past its time.";
    admin_jobs_late => "Uma tarefa espera há mais de cinco minutos além da sua hora.",
        "A job has waited for more than five minutes past its time.";
    admin_jobs_stuck => "Uma tarefa espera há mais de uma hora além da sua hora. Os processos que \
        as fazem estão rodando?",
        "A job has waited for more than an hour past its time. Are the workers running?";
    admin_mails_on_time => "Nenhum e-mail espera há mais de uma hora.",
        "No mail has waited for more than an hour.";
    admin_mails_late => "Um e-mail espera há mais de uma hora.",
        "A mail has waited for more than an hour.";
    admin_mails_stuck => "Um e-mail espera há mais de um dia.",
        "A mail has waited for more than a day.";
    admin_smtp_set => "Está configurado.", "It is set up.";
    admin_smtp_missing => "Não está configurado: os e-mails de produção esperam.",
        "It is not set up: mails of production wait.";
    admin_ledger_sound => "A última conferência não achou nada.",
        "The last verification found nothing.";
    admin_ledger_not_verified => "Nenhuma conferência completa terminou ainda.",
        "No full verification has been completed yet.";
    admin_ledger_late => "Nenhuma conferência completa terminou nos últimos dois dias.",
        "No full verification was completed in the last two days.";
    admin_ledger_unsound => "Uma conferência achou uma falha, ou não termina.",
        "A verification found a fault, or does not end.";
    admin_connections_work => "Nenhuma em uso tem problema.", "None in use has a problem.";
    admin_connections_problem => "O último teste de uma em uso achou um problema.",
        "The last test of one in use found a problem.";
}
