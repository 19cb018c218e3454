//! Closing the account.

use crate::platform::messages::Lang;

messages! { CLOSING:
    closing_title => "Encerrar a conta", "Close the account";
    closing_obstacles => "O que impede o encerramento", "What keeps it open";
    closing_no_obstacle => "Nada: a conta pode ser encerrada.", "Nothing: it can be closed.";
    closing_available => "Saldo disponível, que você pode sacar", "Available balance, to withdraw";
    closing_pending => "Saldo a receber", "Pending balance";
    closing_refunding => "Devoluções a caminho", "Refunds on their way";
    closing_disputed => "Valores em disputa", "Amounts in dispute";
    closing_withdrawing => "Saques a caminho", "Withdrawals on their way";
    closing_unmatched => "Dinheiro separado, à espera da sua decisão",
        "Money that is set aside and awaits your decision";
    closing_advanced => "Antecipações em aberto, a cobrir", "Advances that are not covered yet";
    closing_referral_pending => "Recompensas de indicação a liberar", "Pending referral rewards";
    closing_referral_available => "Recompensas de indicação a sacar",
        "Referral rewards to move to the balance";
    closing_commissions_pending => "Comissões de afiliado a liberar",
        "Pending affiliate commissions";
    closing_commissions_owed => "Comissões de afiliado que a conta deve",
        "Affiliate commissions that the account owes";
    closing_commissions_contested => "Comissões de afiliado em disputa",
        "Affiliate commissions in dispute";
    closing_payments => "Pagamentos que ainda podem ser pagos", "Payments that can still be paid";
    closing_advances => "Antecipações em andamento", "Advances under way";
    closing_subscriptions => "Assinaturas em andamento", "Subscriptions that go on";
    closing_administrator => "A conta administra o servidor: outra pessoa precisa assumir antes.",
        "The account administers the server: another one has to take over first.";
    closing_ends => "O que termina", "What ends";
    closing_ends_for_good => "A conta, nos dois modos e de vez: ela não pode ser reaberta.",
        "The account, in both modes and for good: it cannot be opened again.";
    closing_ends_access => "O acesso de toda a equipe, as chaves de API e os webhooks.",
        "The access of the whole team, the API keys and the webhooks.";
    closing_ends_selling => "Links, planos, programas e cupons: nada mais é vendido. O logotipo \
        deixa de ser mostrado.",
        "Links, plans, programs and coupons: nothing is sold any more. The logo is not shown any \
        more.";
    closing_ends_test => "Os dados de teste, e os eventos e respostas guardados.",
        "The test data, and the stored events and responses.";
    closing_stays => "O que fica, e por quê", "What stays, and why";
    closing_stays_paid(until) => "Os dados do que foi pago, até {until}, como a lei exige.",
        "The data of what was paid, until {until}, as the law requires.";
    closing_stays_nothing_paid => "Nenhum dado de pagamento: nada foi pago que deva ser guardado.",
        "No data of payments: nothing was paid that has to be kept.";
    closing_stays_books => "Os lançamentos, sem nomes: eles provam que as contas fecham.",
        "The ledger's entries, without names: they prove that the books balance.";
    closing_stays_history => "O histórico, por um ano: ele mostra quem fez o quê.",
        "The history, for a year: it shows who did what.";
    closing_now => "Encerrar a conta de vez", "Close the account for good";
    closing_refused => "Ainda há o que impede o encerramento. Resolva e tente de novo.",
        "Something still keeps the account open. Settle it and try again.";
    closing_done => "A conta foi encerrada, e você saiu dela.",
        "The account is closed, and you are signed out of it.";
    closing_done_until(until) => "A conta foi encerrada, e você saiu dela. Os dados do que foi \
        pago ficam até {until}.",
        "The account is closed, and you are signed out of it. The data of what was paid stays \
        until {until}.";
}
