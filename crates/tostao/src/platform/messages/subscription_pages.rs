//! Messages about plans and subscriptions.

use crate::platform::messages::Lang;

messages! { SUBSCRIPTION_PAGES:
    // Recurring prices.
    per_month(amount) => "{amount} por mês", "{amount} per month";
    per_quarter(amount) => "{amount} a cada 3 meses", "{amount} every 3 months";
    per_semester(amount) => "{amount} a cada 6 meses", "{amount} every 6 months";
    per_year(amount) => "{amount} por ano", "{amount} per year";
    one_free_day => "1 dia grátis", "1 day free";
    free_days(days) => "{days} dias grátis", "{days} days free";
    afterwards(price) => "depois {price}", "then {price}";

    // The plan page.
    you_subscribe_to => "Você está assinando de", "You are subscribing with";
    trial_terms(date, amount) => "A primeira cobrança, de {amount}, será em {date}. Cancele antes \
        e não paga nada.",
        "The first charge, of {amount}, is on {date}. Cancel before it and pay nothing.";
    renewal_terms(date, price) => "Renova sozinha em {date}: {price}, até você cancelar.",
        "It renews by itself on {date}: {price}, until you cancel.";
    pix_renewal_terms(date, price) => "Um novo código PIX em {date}: {price}, até você cancelar.",
        "A new PIX code on {date}: {price}, until you cancel.";
    due_today => "Hoje", "Today";
    first_charge => "Primeira cobrança", "First charge";
    document_hint_plan => "Opcional. Com ele a loja reconhece você: um teste grátis por pessoa.",
        "Optional. The shop knows you by it: one free trial per person.";
    had_trial => "Você já usou o teste grátis deste plano, então a primeira cobrança é hoje. Se \
        estiver de acordo, envie de novo.",
        "You have had the free trial of this plan, so the first charge is today. If you agree, \
        send it again.";
    card_renews => "Renovação automática a cada período", "Renews by itself with every period";
    pix_renews => "Você paga um novo código a cada período",
        "You pay a new code with every period";
    start_trial => "Começar o teste grátis", "Start the free trial";
    start_trial_note => "Nada é cobrado hoje.", "Nothing is charged today.";
    start_trial_with_card(last4) => "Começar com o cartão final {last4}",
        "Start with the card ending in {last4}";
    use_this_card => "Usar este cartão", "Use this card";
    use_card_ending(last4) => "Usar o cartão final {last4}", "Use the card ending in {last4}";
    confirm_kept_card => "Confirme o cartão", "Confirm the card";
    already_subscribed => "Já existe uma assinatura deste plano com este CPF, CNPJ ou \
        e-mail. Para mudar algo nela, abra o endereço que apareceu quando você assinou.",
        "A subscription to this plan already exists with this CPF, CNPJ or email. To change it, \
         open the page that you saw when you subscribed.";
    plan_inactive => "Este plano não aceita novas assinaturas",
        "This plan takes no new subscribers";
    plan_inactive_note => "Fale com quem enviou o endereço. Quem já assina continua assinando.",
        "Contact the shop. Existing subscriptions continue.";
    plan_full => "As vagas deste plano acabaram", "This plan is full";
    plan_full_note => "Nada foi cobrado. Volte mais tarde: uma vaga pode abrir.",
        "Nothing was charged. Come back later: a place may become free.";

    // The subscriber's portal.
    my_subscription => "Ver minha assinatura", "See my subscription";
    subscription_elsewhere => "Para gerar outro código, abra a página da sua assinatura: o \
        endereço apareceu quando você assinou.",
        "To get another code, open the page of your subscription: you saw its address when you \
        subscribed.";
    your_subscription => "Sua assinatura", "Your subscription";
    keep_this_address => "Guarde este endereço: ele abre a sua assinatura. Não o mostre a ninguém.",
        "Keep this address: it opens your subscription. Do not share it.";
    subscribed_news => "Assinatura feita", "You have subscribed";
    cancelled_news => "Assinatura cancelada. Nada mais será cobrado.",
        "Subscription cancelled. Nothing more is charged.";
    ending_news => "A assinatura termina com o período. Nada mais será cobrado.",
        "The subscription ends with the period. Nothing more is charged.";
    paused_news => "Assinatura pausada. Nada será cobrado até você retomar.",
        "Subscription paused. Nothing is charged until you resume it.";
    resumed_news => "Assinatura retomada.", "Subscription resumed.";
    card_news => "Cartão trocado. As próximas cobranças vão para ele.",
        "Card changed. The next charges go to it.";
    situation => "Situação", "Status";
    incomplete => "Aguardando o primeiro pagamento", "Waiting for the first payment";
    trialing => "Em teste grátis", "Free trial";
    active => "Ativa", "Active";
    past_due => "Pagamento atrasado", "Payment overdue";
    paused => "Pausada", "Paused";
    cancelled => "Cancelada", "Cancelled";
    expired => "Encerrada sem pagamento", "Ended without a payment";
    past_due_note => "O último pagamento não deu certo. Troque o cartão para pagar agora.",
        "The last payment failed. Give another card to pay now.";
    recurring_price => "Valor", "Price";
    next_charge => "Próxima cobrança", "Next charge";
    next_try => "Nova tentativa", "Next attempt";
    ends_on => "Termina em", "Ends on";
    ended_on => "Terminou em", "Ended on";
    resumes_on => "Volta em", "Resumes on";
    trial_until => "Teste grátis até", "Free trial until";
    paid_until => "Período pago até", "Paid until";
    subscriber => "Assinante", "Subscriber";
    payments => "Últimos pagamentos", "Last payments";
    pay_now(amount) => "Pagar {amount} agora", "Pay {amount} now";
    change_card => "Trocar o cartão", "Change the card";
    pay_by_card => "Pagar com cartão daqui em diante", "Pay by card from now on";
    pause_subscription => "Pausar", "Pause";
    resume_subscription => "Retomar", "Resume";
    resume_costs(amount) => "Retomar e pagar {amount}", "Resume and pay {amount}";
    cancel_subscription => "Cancelar assinatura", "Cancel the subscription";
    subscribe_again => "Assinar de novo", "Subscribe again";
    status_pending => "Aguardando", "Waiting";
    status_processing => "Em confirmação", "Being confirmed";
    status_paid => "Pago", "Paid";
    status_failed => "Recusado", "Declined";
    status_expired => "Vencido", "Expired";
    status_withdrawn => "Retirado", "Withdrawn";
    status_refunded => "Devolvido", "Refunded";
    status_disputed => "Contestado", "Disputed";

    // The page that confirms a cancellation.
    cancel_question => "Cancelar a assinatura?", "Cancel the subscription?";
    when_to_cancel => "Quando", "When";
    cancel_at_end(date) => "No fim do período, em {date}", "At the end of the period, on {date}";
    cancel_at_end_note => "Você usa o que já pagou.", "You keep access until then.";
    cancel_now => "Agora", "Now";
    cancel_now_note => "O acesso pode terminar já. O que foi pago não volta.",
        "Your access may end at once. Payments are not refunded.";
    cancel_reason => "Por que você está saindo? (opcional)", "Why are you leaving? (optional)";
    keep_subscription => "Voltar sem cancelar", "Go back and keep it";
}
