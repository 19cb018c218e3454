//! What the server knows of itself.

use crate::platform::messages::Lang;

messages! { ADMIN_HEALTH:
    admin_health => "Saúde do servidor", "Server's health";
    admin_health_parts => "Cada parte e por quê", "Each part, and why";
    admin_health_is(word) => "Estado geral: {word}.", "As a whole: {word}.";
    admin_health_at(at) => "Olhado em {at}, pelo relógio do servidor.",
        "Looked at on {at}, by the server's clock.";
    admin_health_ok => "Bem", "Fine";
    admin_health_warning => "Atenção", "Warning";
    admin_health_error => "Erro", "Error";
    admin_part => "Parte", "Part";
    admin_how_many => "Quantos", "How many";
    admin_since(at) => "Desde {at}", "Since {at}";
    admin_part_database => "Banco de dados", "Database";
    admin_part_backups => "Cópias de segurança", "Backups";
    admin_part_failing_jobs => "Tarefas que falham", "Jobs that fail";
    admin_part_jobs => "Tarefas", "Jobs";
    admin_part_mails => "E-mails à espera", "Mails that wait";
    admin_part_smtp => "Servidor de e-mail", "Mail server";
    admin_part_ledger => "Livro-caixa", "Ledger";
    admin_database_answers => "Responde, e está na versão deste servidor.",
        "It answers, and is of this server's version.";
    admin_migrations_missing => "Faltam migrações. Rode tostao migrate.",
        "Migrations are missing. Run tostao migrate.";
    admin_backed_up_at(at) => "Última cópia: {at}.", "Last backup: {at}.";
    admin_backup_recent => "Terminou uma cópia nos últimos dois dias. Guarde-a em outra máquina, \
        com o segredo à parte.",
        "A backup was finished in the last two days. Keep it on another machine, and the secret \
        apart from it.";
    admin_backup_late => "A última cópia tem mais de dois dias: o que veio depois se perderia com \
        este disco. Rode tostao backup, e veja por que a cópia de cada dia parou.",
        "The last backup is more than two days old: what came since would be lost with this disk. \
        Run tostao backup, and see why the daily one has stopped.";
    admin_backup_overdue => "A última cópia tem mais de uma semana: o que veio depois se perderia \
        com este disco. Rode tostao backup agora, e veja por que a cópia de cada dia parou.",
        "The last backup is more than a week old: what came since would be lost with this disk. \
        Run tostao backup now, and see why the daily one has stopped.";
    admin_backup_not_recorded => "Nenhuma cópia deste banco está registrada. Rode tostao backup \
        uma vez por dia; de cópias feitas por outro programa o servidor não sabe.",
        "No backup of this database is recorded. Run tostao backup once a day; the server knows \
        nothing of copies that another program makes.";
    admin_backups_elsewhere => "O PostgreSQL é copiado com as suas próprias ferramentas, e o \
        servidor não sabe delas. Confira você se a última cópia existe e se volta.",
        "PostgreSQL is backed up with its own tools, of which the server knows nothing. See for \
        yourself that the last backup exists and can be restored.";
    admin_no_job_failing => "Nenhuma falha em todas as tentativas há mais de uma hora.",
        "None has failed in every try for more than an hour.";
    admin_jobs_failing => "Uma tarefa falha em todas as tentativas há mais de uma hora. Ela é \
        tentada de novo em até quinze minutos; o motivo está no registro do servidor, nas linhas \
        job failed ou logo antes delas.",
        "A job has failed in every try for more than an hour. It is tried again within fifteen \
        minutes; the reason is in the server's log, in the lines job failed or just before them.";
    admin_jobs_dead => "Uma tarefa falha em todas as tentativas há mais de um dia: sozinha ela não \
        termina. O motivo está no registro do servidor, nas linhas job failed ou logo antes \
        delas; corrija-o, e ela é tentada de novo em até quinze minutos.",
        "A job has failed in every try for more than a day: it does not end by itself. The reason \
        is in the server's log, in the lines job failed or just before them; mend it, and the job \
        is tried again within fifteen minutes.";
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
