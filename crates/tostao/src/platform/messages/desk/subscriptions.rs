//! Subscriptions: their list, one of them, what is done with it, plans and recurring revenue.

use crate::platform::messages::Lang;

messages! { SUBSCRIPTIONS:
    // The list.
    subscriptions_search_hint => "Nome ou e-mail do assinante, ou nome do plano",
        "Subscriber's name or email, or the plan's name";
    subscriptions_do_search => "Buscar assinaturas", "Search subscriptions";
    subscriptions_none_match => "Nenhuma assinatura passa por este filtro",
        "No subscription passes this filter";
    subscriptions_none => "Nenhuma assinatura ainda", "No subscription yet";
    subscriptions_none_note => "Crie um plano e envie o endereço dele: quem assinar aparece aqui.",
        "Create a plan and send its address: subscribers appear here.";
    subscriptions_sum(count, amount) => "{count} assinaturas, {amount} por mês",
        "{count} subscriptions, {amount} a month";
    subscriptions_sum_one(amount) => "1 assinatura, {amount} por mês",
        "1 subscription, {amount} a month";
    subscriptions_paying => "Só as que contam na receita mensal.",
        "Only those that count as recurring revenue.";
    subscriptions_of_client => "Só as de um cliente.", "Only those of one customer.";
    subscriptions_late => "Em atraso", "Past due";
    subscriptions_late_count(count) => "Em atraso: {count}", "Past due: {count}";
    subscriptions_late_all => "Ver todas as que estão em atraso", "See all that are past due";
    subscription_plan => "Plano", "Plan";
    subscription_any_plan => "Todos os planos", "All plans";
    subscription_price => "Preço", "Price";
    subscription_subscriber_hidden => "Assinante", "Subscriber";

    // Why, and what comes next.
    why_subscription_incomplete => "O primeiro pagamento ainda não foi feito.",
        "The first payment is not made yet.";
    why_subscription_trialing(at) => "O teste grátis vai até {at}.", "The free trial ends on {at}.";
    why_subscription_active(at) => "Está paga até {at}.", "It is paid until {at}.";
    why_subscription_past_due(day, why) => "Em atraso desde {day}. {why}",
        "Past due since {day}. {why}";
    why_subscription_code_unpaid => "O código PIX não foi pago no prazo.",
        "The PIX code was not paid in time.";
    why_subscription_paused(at) => "Foi pausada em {at}: nada é cobrado.",
        "It was paused on {at}: nothing is charged.";
    why_subscription_cancelled(at) => "Foi cancelada em {at}.", "It was canceled on {at}.";
    why_subscription_cancelled_for(at, reason) => "Foi cancelada em {at}. Motivo: {reason}",
        "It was canceled on {at}. Reason: {reason}";
    why_subscription_given_up(at) => "Terminou em {at}, porque nenhuma tentativa de cobrança deu \
        certo.",
        "It ended on {at}, because no attempt to charge it succeeded.";
    why_subscription_expired(at) => "O primeiro pagamento não foi feito até {at}: a assinatura \
        não começou.",
        "The first payment was not made by {at}: the subscription never began.";
    why_subscription_over => "Nada mais é cobrado.", "Nothing more is charged.";
    why_subscription_first_code => "Começa quando o código PIX for pago; sem pagamento em 24 \
        horas, não começa.",
        "It begins when the PIX code is paid; without a payment within 24 hours it does not begin.";
    why_subscription_first_card => "A adquirente ainda não disse se o cartão foi aceito.",
        "The acquirer has not said yet whether the card was accepted.";
    why_subscription_awaits_code => "Um código PIX espera o pagamento do assinante.",
        "A PIX code awaits the subscriber's payment.";
    why_subscription_awaits_card => "Uma cobrança do cartão está em andamento.",
        "A charge of the card is under way.";
    why_subscription_stays_paused => "Fica pausada até ser retomada.",
        "It stays paused until it is resumed.";
    why_subscription_ends(at) => "Termina em {at}, e nada mais é cobrado.",
        "It ends on {at}, and nothing more is charged.";
    why_subscription_gives_up(at) => "Espera outro cartão até {at}; sem ele, é cancelada.",
        "It waits for another card until {at}; without one it is canceled.";
    why_subscription_resumes(at) => "Retoma sozinha em {at}.", "It resumes by itself on {at}.";
    why_subscription_changes_plan(at) => "Muda de plano em {at}, e cobra o preço do novo.",
        "It changes to another plan on {at}, and charges its price.";
    why_subscription_retries(at, number, most) => "Tenta de novo em {at} ({number} de {most}).",
        "It tries again on {at} ({number} of {most}).";
    why_subscription_charges(at, price, last4) => "Em {at} cobra {price} no cartão final {last4}.",
        "On {at} it charges {price} to the card ending in {last4}.";
    why_subscription_issues(at, price) => "Em {at} emite um código PIX de {price}.",
        "On {at} it issues a PIX code of {price}.";
    why_subscription_wait_for_first => "Espere o primeiro pagamento, ou cancele a cobrança.",
        "Wait for the first payment, or cancel the charge.";
    why_subscription_can_stay => "Até lá o cancelamento pode ser desfeito.",
        "Until then the cancellation can be undone.";
    why_subscription_ask_for_card => "O mesmo cartão será recusado de novo: peça outro cartão.",
        "The same card will be declined again: ask for another card.";
    why_subscription_retry_or_ask => "Tente cobrar agora, ou peça outro cartão.",
        "Try to charge it now, or ask for another card.";
    why_subscription_can_resume => "Você ou o assinante pode retomar.",
        "You or the subscriber can resume it.";
    why_subscription_again => "Para voltar, o assinante assina de novo na página do plano.",
        "To come back, the subscriber subscribes again on the plan's page.";

    // One subscription.
    subscription_of(name, plan) => "{name} · {plan}", "{name}: {plan}";
    subscription_of_hidden(plan) => "Assinante de {plan}", "Subscriber of {plan}";
    subscription_back => "Voltar à assinatura", "Back to the subscription";
    subscription_payments => "Cobranças de cada período", "Charges of each period";
    subscription_no_payment => "Nada foi cobrado ainda.", "Nothing was charged yet.";
    subscription_period => "Período desde", "Period from";
    subscription_attempt(number) => "tentativa {number}", "attempt {number}";
    subscription_method => "Como paga", "How it is paid";
    subscription_by_card(brand, last4) => "{brand} final {last4}", "{brand} ending in {last4}";
    subscription_by_pix => "Um código PIX por período", "A PIX code for each period";
    subscription_client => "Assinante", "Subscriber";
    subscription_period_now => "Período atual", "Present period";
    subscription_period_from_to(from, to) => "{from} a {to}", "{from} to {to}";
    subscription_failures => "Falhas seguidas", "Failures in a row";
    subscription_manual(count, most) => "{count} de {most}", "{count} of {most}";
    subscription_manual_retries => "Tentativas manuais", "Manual attempts";
    subscription_next_plan => "Próximo plano", "Next plan";
    subscription_comment => "Comentário", "Comment";
    subscription_id => "ID da assinatura", "Subscription ID";
    subscription_step_created => "Assinou", "Subscribed";
    subscription_step_trial => "Fim do teste grátis", "End of the free trial";
    subscription_step_paid(amount) => "{amount} pagos", "{amount} paid";
    subscription_step_failed(amount) => "{amount} não pagos", "{amount} not paid";
    subscription_step_past_due => "Entrou em atraso", "Became past due";
    subscription_step_paused => "Foi pausada", "Was paused";
    subscription_step_cancelled => "Cancelamento", "Cancellation";
    subscription_step_ended => "Terminou", "Ended";
    subscription_simulate => "Simular a próxima cobrança", "Simulate the next charge";
    subscription_simulate_note => "Só no modo de teste: decide a cobrança que espera ou, se não \
        houver, a próxima.",
        "In test mode alone: decides the charge that waits or, without one, the next.";
    subscription_simulate_paid => "Simular pagamento", "Simulate a payment";
    subscription_simulate_failed => "Simular recusa", "Simulate a decline";
    subscription_was_simulated => "A cobrança foi simulada.", "The charge was simulated.";
    subscription_simulate_over => "Não há cobrança a simular neste estado.",
        "There is no charge to simulate in this state.";

    // Its subscriber's own address.
    subscription_link => "Pedir outro cartão", "Ask for another card";
    subscription_link_title => "Endereço do assinante", "The subscriber's own address";
    subscription_link_note => "Quem o tem troca o cartão, pausa e cancela esta assinatura. Envie \
        só ao assinante.",
        "It opens this subscription to change the card, pause and cancel. Send it to the \
        subscriber alone.";
    subscription_link_card => "Para dar outro cartão", "To give another card";
    subscription_link_portal => "Para ver e gerenciar a assinatura",
        "To see and manage the subscription";
    subscription_link_share(plan, address) => "Para continuar com {plan}, informe outro cartão \
        aqui: {address}",
        "To go on with {plan}, give another card here: {address}";
    subscription_link_over => "A assinatura terminou: não há mais o que pagar.",
        "The subscription has ended: there is nothing to pay any more.";

    // What is done with it.
    subscription_retry => "Tentar agora", "Try now";
    subscription_retry_title(amount) => "Cobrar {amount} agora", "Charge {amount} now";
    subscription_retry_effect(amount, last4) => "O cartão final {last4} é cobrado em {amount}.",
        "The card ending in {last4} is charged {amount}.";
    subscription_retry_code(amount) => "É emitido um código PIX de {amount}, que o assinante vê \
        na página dele.",
        "A PIX code of {amount} is issued, which the subscriber sees on their page.";
    subscription_retry_keeps => "As tentativas já marcadas ficam como estão.",
        "The attempts that are scheduled stay as they are.";
    subscription_retry_awaits => "Uma cobrança já está em andamento: nenhuma outra é feita.",
        "A charge is under way already: no other one is made.";
    subscription_retry_count(number, most) => "É a tentativa manual {number} de {most}.",
        "It is manual attempt {number} of {most}.";
    subscription_was_paid => "A cobrança foi paga, e a assinatura está em dia.",
        "The charge was paid, and the subscription is up to date.";
    subscription_was_declined(why) => "A cobrança não foi paga. {why}",
        "The charge was not paid. {why}";
    subscription_is_charged => "A cobrança foi feita, e o resultado ainda não veio.",
        "The charge was made, and its outcome is not known yet.";
    subscription_retry_none => "Nada está em atraso.", "Nothing is past due.";
    subscription_retry_limit => "As tentativas manuais acabaram: peça outro cartão.",
        "There are no manual attempts left: ask for another card.";

    subscription_pause => "Pausar", "Pause it";
    subscription_pause_title => "Pausar a assinatura", "Pause the subscription";
    subscription_pause_keeps(at) => "O que está pago vale até {at}; depois nada é cobrado.",
        "What is paid lasts until {at}; nothing is charged afterwards.";
    subscription_pause_revenue(amount) => "{amount} por mês saem da receita até retomar.",
        "{amount} a month leave the revenue until it is resumed.";
    subscription_pause_until => "Retomar sozinha em", "Resume by itself on";
    subscription_pause_until_hint => "Vazio pausa até alguém retomar.",
        "Empty pauses it until it is resumed.";
    subscription_was_paused => "A assinatura foi pausada.", "The subscription was paused.";
    subscription_not_pausable => "Só uma assinatura em dia ou em teste grátis pode ser pausada.",
        "Only a subscription that is up to date or on trial can be paused.";

    subscription_resume => "Retomar", "Resume it";
    subscription_resume_title => "Retomar a assinatura", "Resume the subscription";
    subscription_resume_free(at) => "Nada é cobrado agora: a próxima cobrança é em {at}.",
        "Nothing is charged now: the next charge is on {at}.";
    subscription_resume_starts => "Um novo período começa agora, e o dia da cobrança passa a ser \
        o de hoje.",
        "A new period starts now, and today becomes the day of the charge.";
    subscription_was_resumed => "A assinatura foi retomada.", "The subscription was resumed.";
    subscription_not_paused => "Não está pausada.", "It is not paused.";

    subscription_cancel => "Cancelar", "Cancel it";
    subscription_cancel_title => "Cancelar a assinatura", "Cancel the subscription";
    subscription_cancel_reason => "Motivo", "Reason";
    subscription_cancel_reason_hint => "Opcional, curto; os seus webhooks o recebem.",
        "Optional, short; your webhooks get it.";
    subscription_cancel_ends_now => "A assinatura termina agora. Não há volta.",
        "The subscription ends now. There is no way back.";
    subscription_cancel_pending => "A cobrança que espera pagamento é cancelada.",
        "The charge that awaits its payment is canceled.";
    subscription_cancel_no_refund => "O que foi pago não volta: devolva na própria cobrança, se \
        quiser.",
        "Nothing is refunded: refund the charge itself if you want to.";
    subscription_cancel_do => "Cancelar assinatura", "Cancel subscription";
    subscription_was_cancelled => "A assinatura foi cancelada.", "The subscription was canceled.";
    subscription_will_end => "A assinatura termina com o período.",
        "The subscription ends with its period.";
    subscription_not_cancellable => "Já terminou, ou ainda não começou.",
        "It has ended already, or never began.";

    subscription_reactivate => "Desfazer o cancelamento", "Undo the cancellation";
    subscription_reactivate_title => "Manter a assinatura", "Keep the subscription";
    subscription_was_reactivated => "A assinatura continua.", "The subscription continues.";

    subscription_change_plan => "Mudar de plano", "Change the plan";
    subscription_change_plan_hint => "Os 100 mais novos que aceitam assinantes. O atual desfaz uma \
        mudança marcada.",
        "The newest 100 that take subscribers. The present one undoes a scheduled change.";
    subscription_change_to(plan) => "Mudar para {plan}", "Change to {plan}";
    subscription_change_effect(at, price) => "Em {at} passa a cobrar {price}.",
        "On {at} it starts to charge {price}.";
    subscription_change_until(price) => "Até lá continua em {price}.",
        "Until then it stays {price}.";
    subscription_change_slot => "A vaga no novo plano fica reservada agora.",
        "The place in the new plan is reserved now.";
    subscription_change_none => "Continua no plano atual: uma mudança marcada é desfeita.",
        "It stays with its present plan: a scheduled change is undone.";
    subscription_plan_was_changed => "A mudança de plano foi marcada.",
        "The change of plan is scheduled.";
    subscription_plan_stays => "A assinatura continua no plano atual.",
        "The subscription stays with its present plan.";
    subscription_plan_full => "Este plano não tem mais vagas.", "This plan has no place left.";
    subscription_plan_closed => "Este plano não aceita assinantes.",
        "This plan takes no subscribers.";
    subscription_plan_taken => "O assinante já assina este plano.",
        "The subscriber subscribes to this plan already.";
    subscription_over => "Terminou, ou ainda não começou.", "It has ended, or never began.";

    subscription_extend_trial => "Estender o teste", "Extend the trial";
    subscription_extend_title => "Estender o teste grátis", "Extend the free trial";
    subscription_extend_until => "Novo fim do teste", "New end of the trial";
    subscription_extend_hint(at) => "Depois de {at}; vai até o fim deste dia.",
        "After {at}; it lasts until the end of this day.";
    subscription_extend_effect => "Nada é cobrado até lá; o dia da cobrança passa a ser o do novo \
        fim.",
        "Nothing is charged until then; the day of the charge becomes that of the new end.";
    subscription_trial_was_extended => "O teste grátis foi estendido.",
        "The free trial was extended.";
    subscription_trial_over => "O teste grátis já terminou, ou a cobrança está em andamento.",
        "The free trial is over, or its charge is under way.";
    subscription_no_provider => "Quem opera o servidor precisa ligar o banco ou a adquirente desta \
        cobrança.",
        "The operator of the server has to connect the bank or the acquirer of this charge.";
    subscription_no_answer => "O banco ou a adquirente não respondeu, e nada foi feito. Tente de \
        novo em instantes.",
        "The bank or the acquirer did not answer, and nothing was done. Try again in a moment.";

    // Plans.
    plans_title => "Planos", "Plans";
    plans_search_hint => "Nome ou descrição do plano", "The plan's name or description";
    plans_do_search => "Buscar planos", "Search plans";
    plans_none_match => "Nenhum plano passa por este filtro", "No plan passes this filter";
    plans_none => "Nenhum plano ainda", "No plan yet";
    plans_none_note => "Um plano é um preço que se repete. Cada um tem uma página para assinar.",
        "A plan is a price that recurs. Each has a page to subscribe on.";
    plan_open => "Aceita assinantes", "Takes subscribers";
    plan_closed => "Fechado", "Closed";
    plan_taken => "Sem vagas", "Full";
    plan_why_open => "Está ligado: quem abre a página dele pode assinar.",
        "It is switched on: buyers can subscribe on its page.";
    plan_why_closed => "Foi desligado: ninguém novo assina. Quem já assina continua.",
        "It was switched off: it takes no new subscribers. Existing ones continue.";
    plan_why_full => "Todas as vagas estão tomadas. Aumente o limite para aceitar mais.",
        "All places are taken. Raise the limit to take more.";
    plan_new => "Novo plano", "New plan";
    plan_make => "Criar plano", "Create plan";
    plan_made => "O plano foi criado. Envie o endereço dele a quem vai assinar.",
        "The plan was created. Send its address to those who are to subscribe.";
    plan_saved => "O plano foi salvo. Quem já assina fica com o preço que tinha.",
        "The plan was saved. Existing subscribers keep their price.";
    plan_back => "Voltar ao plano", "Back to the plan";
    plan_price_hint => "Por período, a partir de 5,00. Mudar vale só para novos assinantes.",
        "For each period, from 5.00. A change applies to new subscribers alone.";
    plan_interval => "Cobra a cada", "Charges every";
    plan_interval_stays => "Não muda depois de criado.", "It cannot be changed later.";
    plan_monthly => "Mês", "Month";
    plan_quarterly => "3 meses", "3 months";
    plan_semiannual => "6 meses", "6 months";
    plan_annual => "Ano", "Year";
    plan_trial_days => "Dias de teste grátis", "Days of free trial";
    plan_trial_hint => "De 0 a 730; vazio é sem teste.", "0 to 730; empty means no trial.";
    plan_max_subscribers => "Máximo de assinantes", "Most subscribers";
    plan_retries => "Quando a cobrança falha", "When a charge fails";
    plan_retry_default => "Vazios: tenta de novo 2, 7, 14 e 21 dias depois.",
        "Empty: it tries again 2, 7, 14 and 21 days later.";
    plan_retry_max => "Quantas vezes tentar de novo", "How often to try again";
    plan_retry_every => "Dias entre as tentativas", "Days between attempts";
    plan_retries_of(count, days) => "{count} vezes, a cada {days} dias",
        "{count} times, every {days} days";
    plan_retries_usual => "2, 7, 14 e 21 dias depois", "2, 7, 14 and 21 days later";
    plan_product => "Produto que vende", "Product that it sells";
    plan_no_product => "Nenhum produto", "No product";
    plan_subscribers => "Assinantes", "Subscribers";
    plan_subscribers_of(count, most) => "{count} de {most}", "{count} of {most}";
    plan_subscribers_all => "Ver as assinaturas deste plano", "See the subscriptions of this plan";
    plan_address => "Endereço para assinar", "Address to subscribe";
    plan_switch_on => "Abrir a assinantes", "Open to subscribers";
    plan_switch_off => "Fechar a assinantes", "Close to subscribers";
    plan_was_switched_on => "O plano aceita assinantes de novo.",
        "The plan takes subscribers again.";
    plan_was_switched_off => "O plano foi fechado. Quem já assina continua.",
        "The plan was closed. Existing subscribers continue.";
    plan_too_many => "O plano já tem mais assinantes do que este limite.",
        "The plan has more subscribers than this limit already.";

    // Recurring revenue.
    revenue_title => "Receita recorrente", "Recurring revenue";
    revenue_period(from, to) => "De {from} a {to}", "{from} to {to}";
    revenue_mrr => "Receita mensal (MRR)", "Monthly revenue (MRR)";
    revenue_mrr_note => "O que as assinaturas em dia e em atraso pagam por mês",
        "What active and past due subscriptions pay in a month";
    revenue_churn => "Cancelamento (churn)", "Churn";
    revenue_churn_note => "Dos que pagavam no início do período, quantos saíram",
        "Of those paying at the start of the period, how many left";
    revenue_lost_note => "Receita perdida e reduzida, da que havia no início",
        "Revenue lost and reduced, of what there was at the start";
    revenue_churn_rate => "Perda de receita", "Revenue churn";
    revenue_arpu => "Média por assinante", "Average for each subscriber";
    revenue_arpu_note => "Por mês", "Per month";
    revenue_active => "Ativas", "Active ones";
    revenue_trialing => "Em teste grátis agora", "On trial now";
    revenue_paused => "Pausadas", "Paused ones";
    revenue_now => "Agora", "At present";
    revenue_start => "Início", "Start";
    revenue_new => "Nova", "New";
    revenue_expansion => "Maior", "Expansion";
    revenue_contraction => "Menor", "Contraction";
    revenue_churned => "Perdida", "Lost";
    revenue_end => "Fim", "End";
    revenue_new_note => "De quem começou a pagar", "From those who started to pay";
    revenue_expansion_note => "De planos mais caros e pausas que terminaram",
        "From dearer plans and ended pauses";
    revenue_contraction_note => "De planos mais baratos e pausas", "To cheaper plans and pauses";
    revenue_churned_note => "De quem saiu", "From those who left";
    revenue_chart => "De onde a receita mensal partiu e aonde chegou",
        "Where the monthly revenue started and where it went";
    revenue_step => "Passo", "Step";
    revenue_nothing => "Nenhuma assinatura pagava neste período.",
        "No subscription was paying in this period.";
    revenue_show => "Mostrar o período", "Show the period";
    revenue_changes => "Mudanças da receita mensal", "Changes of the monthly revenue";
    revenue_changes_of(name) => "Mudanças da receita mensal: {name}",
        "Changes of the monthly revenue: {name}";
    revenue_no_change => "Nada mudou neste período.", "Nothing changed in this period.";
    revenue_lost_one => "1 assinante que pagava saiu.", "1 paying subscriber left.";
    revenue_lost_count(count) => "{count} assinantes que pagavam saíram.",
        "{count} paying subscribers left.";
    revenue_a_month => "Por mês", "A month";
    revenue_what => "O que mudou", "What changed";
}
