//! The code to invite with, those who came, and their rewards.

use crate::platform::messages::Lang;

messages! { REFERRALS:
    referrals_title => "Indicações", "Referrals";
    referral_invite => "Convide outra conta", "Invite another account";
    referral_code => "O seu código", "Your code";
    referral_code_none => "A conta ainda não tem um código de convite.",
        "The account has no code to invite with yet.";
    referral_code_make => "Criar código", "Create a code";
    referral_code_made => "O código foi criado.", "The code was created.";
    referral_address => "Endereço de cadastro com o código", "Address to sign up with the code";
    referral_qr => "QR Code do endereço de cadastro", "QR code of the address to sign up";
    referral_terms_rate(rate) => "Cada venda paga do convidado rende {rate} por doze meses.",
        "Every paid sale of the invited account earns {rate} for twelve months.";
    referral_terms_goal(reward, goal) => "{reward} uma vez, se o convidado vender {goal} em 90 \
        dias.",
        "{reward} once, if the invited account sells {goal} within 90 days.";
    referral_terms_held => "Cada recompensa espera 90 dias, até a venda não poder mais ser \
        devolvida.",
        "Every reward is held for 90 days, until its sale can no longer be refunded.";
    referral_invited => "Contas convidadas", "Invited accounts";
    referral_nameless => "Conta encerrada", "Closed account";
    referrals_none => "Nenhuma conta veio pelo código ainda", "No account came with the code yet";
    referrals_none_note => "Mande o endereço a quem vai abrir uma conta: a indicação conta no \
        cadastro.",
        "Send the address to people who will open an account: the referral counts when they sign \
        up.";
    referrals_none_match => "Nenhuma indicação passa por este filtro",
        "No referral passes this filter";
    referral_pending => "A caminho da meta", "On the way";
    referral_completed => "Chegou à meta", "Goal reached";
    referral_expired => "Passou do prazo", "Expired";
    referral_rejected => "Não conta", "Rejected";
    referral_why_pending(sold, goal, by, reward) => "Vendeu {sold} de {goal}; se chegar lá até \
        {by}, rende {reward}. As comissões de cada venda já contam.",
        "Sold {sold} of {goal}; if it gets there by {by}, it earns {reward}. The commissions of \
        each sale count already.";
    referral_why_completed(at, rate, until) => "Chegou à meta em {at}. Cada venda rende {rate} até \
        {until}.",
        "It reached the goal on {at}. Every sale earns {rate} until {until}.";
    referral_why_expired(goal, by) => "Não vendeu {goal} até {by}: vendas novas não rendem mais. O \
        que já rendeu fica.",
        "It did not sell {goal} by {by}: new sales earn nothing. What was earned stays.";
    referral_why_rejected => "O cadastro tem o documento, o telefone ou o aparelho desta conta: \
        ninguém indica a si mesmo, porque a recompensa é por trazer outra pessoa.",
        "It signed up with this account's document, phone or device: an account cannot refer \
        itself, as the reward is for bringing another person.";

    rewards_title => "Recompensas", "Rewards";
    rewards_available => "Recompensas disponíveis", "Rewards available";
    rewards_available_note => "liberadas menos movidas", "released less moved";
    rewards_released => "Recompensas liberadas", "Rewards released";
    rewards_released_note => "menos o que voltou a compradores", "less what went back to buyers";
    rewards_moved => "Movidas para o saldo", "Moved to the balance";
    rewards_moved_note => "desde o começo", "since the beginning";
    rewards_pending => "Recompensas a liberar", "Rewards pending";
    rewards_pending_note => "em espera de 90 dias", "held for 90 days";
    rewards_none => "Nenhuma recompensa ainda", "No reward yet";
    rewards_none_note => "Cada venda paga de uma conta convidada rende uma recompensa.",
        "Every paid sale of an invited account earns a reward.";
    rewards_none_match => "Nenhuma recompensa passa por este filtro",
        "No reward passes this filter";
    reward_of_goal => "Meta", "Goal";
    reward_of_sale => "Venda do convidado", "Sale of the invited account";
    reward_why_held(at) => "Será liberada em {at}, quando a venda não puder mais ser devolvida.",
        "It is released on {at}, when the sale can no longer be refunded.";
    reward_why_goal_held(at) => "Será liberada a partir de {at}, se as vendas que não podem mais \
        ser devolvidas chegarem à meta e o convidado for verificado.",
        "It is released from {at} on, if sales that can no longer be refunded reach the goal and \
        the invited account is verified.";
    reward_why_released(at) => "Foi liberada em {at} e pode ir para o saldo.",
        "It was released on {at} and can be moved to the balance.";
    reward_why_returned => "A venda foi devolvida ao comprador.",
        "The sale was refunded to the buyer.";
    reward_why_missed => "A meta deixou de ser alcançada, ou o convidado não foi verificado a \
        tempo.",
        "The goal was missed after all, or the invited account was not verified in time.";
    reward_was_more(amount, taken) => "Era {amount}; {taken} voltaram com devoluções.",
        "It was {amount}; {taken} went back with refunds.";

    moved_none => "Nada foi movido ainda", "Nothing was moved yet";
    moved_none_note => "Recompensas liberadas vão para o saldo quando você as move, e de lá podem \
        ser sacadas.",
        "Released rewards go to the balance when you move them, and from there they can be \
        withdrawn.";
    rewards_move => "Mover para o saldo", "Move to the balance";
    rewards_to_move(amount) => "Disponíveis para mover: {amount}.", "Available to move: {amount}.";
    rewards_review(amount) => "Mover {amount} de recompensas para o saldo",
        "Move {amount} of rewards to the balance";
    rewards_do(amount) => "Mover {amount}", "Move {amount}";
    rewards_cost_nothing => "Não há taxa. No saldo, o valor pode ser sacado como qualquer outro.",
        "There is no fee. On the balance, the amount can be withdrawn like any other.";
    rewards_were_moved => "As recompensas foram movidas para o saldo.",
        "The rewards were moved to the balance.";
    rewards_too_much(available) => "Só {available} estão liberados. O resto ainda espera os 90 \
        dias.",
        "Only {available} are released. The rest is still held for its 90 days.";
}
