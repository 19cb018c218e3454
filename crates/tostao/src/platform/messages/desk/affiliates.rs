//! Programs, those who joined them, commissions, the marketplace, and own links.

use crate::platform::messages::Lang;

messages! { AFFILIATES:
    affiliates_title => "Afiliados", "Affiliates";
    programs_title => "Os seus programas", "Your programs";
    programs_none => "Nenhum programa ainda", "No program yet";
    programs_none_note => "Num programa, outras contas divulgam um produto seu e ganham comissão \
        por venda paga.",
        "In a program, other accounts promote a product of yours and earn a commission on paid \
        sales.";
    program_new => "Novo programa", "New program";
    program_make => "Criar programa", "Create program";
    program_made => "O programa foi criado e está aberto a afiliados.",
        "The program was created and is open to affiliates.";
    program_edit_of(name) => "Editar o programa de {name}", "Edit the program of {name}";
    program_saved => "O programa foi salvo. Cobranças já criadas guardam a comissão prometida.",
        "The program was saved. Charges that exist keep the commission that was promised.";
    program_back => "Voltar ao programa", "Back to the program";
    program_taken => "Este produto já tem um programa. Edite esse, ou escolha outro produto.",
        "This product has a program already. Edit that one, or choose another product.";

    program_open => "Aberto", "Open";
    program_closed => "Desligado", "Switched off";
    program_ended => "Sem produto", "No product";
    program_why_open => "Aceita afiliados, e cada venda paga que eles trazem rende comissão.",
        "It takes affiliates, and every paid sale that they bring earns commission.";
    program_why_closed => "Foi desligado: ninguém entra, e vendas novas não rendem. Comissões já \
        prometidas são pagas.",
        "It was switched off: no account can join, and new sales earn nothing. Commissions already \
        promised are paid.";
    program_why_ended => "O produto foi apagado: não há mais o que vender. Comissões já prometidas \
        são pagas.",
        "The product was deleted: nothing is left to sell. Commissions already promised are paid.";
    program_switch_on => "Ligar", "Switch on";
    program_switch_off => "Desligar", "Switch off";
    program_was_opened => "O programa foi ligado.", "The program was switched on.";
    program_was_closed => "O programa foi desligado.", "The program was switched off.";
    program_delete_of(name) => "Encerrar o programa de {name}", "End the program of {name}";
    program_delete_ends => "Os links dos afiliados deixam de contar, e o produto fica livre para \
        outro programa.",
        "The affiliates' links stop counting, and the product is free for another program.";
    program_delete_keeps => "As comissões já prometidas são pagas.",
        "Commissions already promised are paid.";
    program_delete_now => "Encerrar programa", "End the program";
    program_was_deleted => "O programa foi encerrado.", "The program was ended.";

    program_product => "Produto", "Product";
    program_no_product => "Produto apagado", "Deleted product";
    program_product_hint(count) => "Cada produto tem no máximo um programa. Aqui estão os {count} \
        mais novos.",
        "Each product has at most one program. These are the newest {count}.";
    program_choose => "Escolha um produto", "Choose a product";
    program_needs_product => "Um programa é de um produto, e a conta não tem nenhum.",
        "A program is about a product, and the account has none.";
    program_kind => "Tipo de comissão", "Kind of commission";
    program_percentage => "Porcentagem da venda", "Percentage of the sale";
    program_fixed => "Valor em reais por item", "Amount in reais for each item";
    program_commission => "Comissão", "Commission";
    program_commission_hint => "Como 10 ou 12,5 por cento, ou 5,00 reais, até o preço do produto.",
        "Such as 10 or 12.5 percent, or 5.00 reais, up to the product's price.";
    program_per_item(amount) => "{amount} por item", "{amount} an item";
    program_cookie => "Por quanto tempo um clique conta", "For how long a click counts";
    program_cookie_hint => "De 1 a 365 dias.", "From 1 to 365 days.";
    program_one_day => "1 dia", "1 day";
    program_days(days) => "{days} dias", "{days} days";
    program_counts_on => "O que rende", "What earns it";
    program_own_product => "Só este produto, na primeira compra.",
        "This product alone, in the first purchase.";
    program_whole_order => "O pedido inteiro e cada renovação de assinatura.",
        "The whole order, and every renewal of a subscription.";
    program_extended => "Rende sobre o pedido inteiro e cada renovação de assinatura",
        "Earned on the whole order and on every renewal of a subscription";
    program_description_hint => "Afiliados a leem antes de entrar.",
        "Affiliates read it before they join.";
    program_rules => "Regras", "Rules";
    program_rules_hint => "O que afiliados podem e não podem fazer.",
        "What affiliates may and may not do.";
    program_affiliate_page => "Página para afiliados", "Page for affiliates";
    program_affiliate_page_hint => "Com material de divulgação, se houver.",
        "With material to promote it, if there is any.";
    program_sales_page => "Página de venda", "Sales page";
    program_sales_page_hint => "Para onde os links levam enquanto nenhum link de pagamento vende o \
        produto.",
        "Where links lead while no payment link sells the product.";
    program_outcome => "O que trouxe", "What came of it";
    program_counts(affiliates, clicks, sales) => "Afiliados: {affiliates} · cliques: {clicks} · \
        vendas: {sales}",
        "Affiliates: {affiliates} · clicks: {clicks} · sales: {sales}";
    program_joined => "Afiliados no programa", "Affiliates in the program";
    program_joined_note => "contas que entraram", "accounts that joined";
    program_affiliate => "Afiliado", "Affiliate";
    program_terms => "Termos", "Terms";
    program_owner => "De quem é", "Whose it is";
    affiliates_none => "Nenhum afiliado ainda", "No affiliate yet";
    affiliates_none_note => "Outras contas deste servidor acham o programa em Programas abertos e \
        entram sozinhas.",
        "Other accounts of this server find the program among the open programs and join by \
        themselves.";

    partner_clicks => "Cliques", "Clicks";
    partner_clicks_note => "um por visitante e hora", "one a visitor and hour";
    partner_sales => "Vendas pagas", "Paid sales";
    partner_sales_note => "que renderam comissão", "that earned a commission";
    partner_counts(clicks, sales) => "Cliques: {clicks} · vendas: {sales}",
        "Clicks: {clicks} · sales: {sales}";
    partner_code => "Código", "Affiliate code";
    partner_address => "Endereço para divulgar", "Address to promote";
    partner_since => "Entrou em", "Joined on";
    partner_link_on => "Contando", "Counting";
    partner_link_off => "Não conta", "Not counting";
    partner_link_unsold => "Sem página de venda", "Not on sale";
    partner_link_why_on(days) => "Quem compra em até {days} depois do clique conta como venda sua.",
        "A purchase within {days} after the click counts as your sale.";
    partner_link_why_off => "O dono do programa desligou o seu link: vendas novas não rendem. Fale \
        com ele; comissões já prometidas são pagas.",
        "The program's owner switched your link off: new sales earn nothing. Contact the owner; \
        commissions already promised are paid.";
    partner_link_why_program_off => "O programa foi desligado ou encerrado: vendas novas não \
        rendem. Comissões já prometidas são pagas.",
        "The program was switched off or ended: new sales earn nothing. Commissions already \
        promised are paid.";
    partner_link_why_no_product => "O produto foi apagado: não há mais o que vender.",
        "The product was deleted: nothing is left to sell.";
    partner_link_why_unsold => "Nenhum link de pagamento vende o produto agora, e o programa não \
        tem página de venda. O código vale nas cobranças que o dono criar.",
        "No payment link sells the product now, and the program has no sales page. The code counts \
        in charges that the owner makes.";
    partner_was_let_in => "O link do afiliado foi ligado.", "The affiliate's link was switched on.";
    partner_was_shut_out => "O link do afiliado foi desligado: vendas novas não rendem mais.",
        "The affiliate's link was switched off: new sales earn nothing.";
    partner_own_link => "Ver o meu link", "See my link";

    commissions_title => "Comissões", "Commissions";
    commissions_of(name) => "Comissões: {name}", "Commissions: {name}";
    commissions_pending => "Comissões a liberar", "Commissions pending";
    commissions_pending_note => "liberadas quando a venda liquida",
        "released when the sale settles";
    commissions_paid => "Comissões liberadas", "Commissions released";
    commissions_paid_note => "menos o que foi estornado", "less what was taken back";
    commissions_to_come => "a liberar", "pending";
    commissions_none => "Nenhuma comissão ainda", "No commission yet";
    commissions_none_note => "Uma comissão nasce quando uma venda trazida por um afiliado é paga.",
        "A commission comes to be when a sale that an affiliate brought is paid.";
    commissions_none_match => "Nenhuma comissão passa por este filtro",
        "No commission passes this filter";
    commission_pending => "A liberar", "Pending";
    commission_paid => "Liberada", "Released";
    commission_cancelled => "Cancelada", "Cancelled";
    commission_of_sale => "Venda", "Sale";
    commission_of_renewal => "Renovação", "Renewal";
    commission_of_clawback => "Estorno de comissão", "Commission taken back";
    commission_why_pending(at) => "Será liberada em {at}, quando a venda liquida.",
        "It is released on {at}, when the sale settles.";
    commission_why_held(amount) => "{amount} esperam o fim de uma devolução ou contestação da \
        venda; até lá, nada é liberado.",
        "{amount} wait for the end of a refund or a dispute of the sale; until then nothing is \
        released.";
    commission_why_debt => "Espera o vendedor cobrir o que falta; o servidor tenta de novo a cada \
        dia.",
        "It waits until the seller covers what is missing; the server tries again every day.";
    commission_why_paid(at) => "Foi para o saldo disponível do afiliado em {at}.",
        "It went to the affiliate's available balance on {at}.";
    commission_why_refunded => "A venda foi devolvida ao comprador, e a parte da comissão voltou \
        com ela.",
        "The sale was refunded to the buyer, and its part of the commission went back with it.";
    commission_why_dispute => "O comprador ganhou a contestação da venda, e a parte da comissão \
        voltou com ela.",
        "The buyer won the dispute of the sale, and its part of the commission went back with it.";
    commission_was_more(earned, returned) => "Eram {earned}; {returned} voltaram ao comprador.",
        "It was {earned}; {returned} went back to the buyer.";
    commission_repaid(amount) => "{amount} pagaram estornos que o afiliado devia a este vendedor.",
        "{amount} repaid clawbacks that the affiliate owed to this seller.";
    commission_owed(amount) => "Faltam {amount}, que as próximas comissões deste vendedor pagam.",
        "{amount} are missing; the next commissions from this seller repay them.";

    market_title => "Programas abertos", "Open programs";
    market_none => "Nenhum programa aberto", "No open program";
    market_none_note => "Aqui aparecem os programas que qualquer conta deste servidor abre a \
        afiliados.",
        "The programs that any account of this server opens to affiliates are listed here.";
    market_own => "É seu", "Your own";
    market_joined => "Você participa", "Joined";
    program_join => "Entrar no programa", "Join the program";
    program_join_note => "Entrando, você recebe um link com o seu código. Cada venda paga por ele \
        rende a comissão dos termos abaixo, que chega ao seu saldo quando a venda liquida.",
        "By joining you get a link with your code. Every sale that is paid through it earns the \
        commission of the terms below, which reaches your balance when the sale settles.";
    program_was_joined => "Você entrou no programa. Este é o seu link.",
        "You joined the program. This is your link.";
    program_joined_already => "A sua conta já participa deste programa.",
        "Your account is in this program already.";
    program_is_own => "Este programa é da sua própria conta.",
        "This program is your own account's.";
    program_is_own_why => "A comissão sai da parte do vendedor. Numa venda sua ela iria de você \
        para você, só faria parecer que um afiliado vendeu; por isso ninguém é afiliado de si \
        mesmo.",
        "The commission is taken from the seller's share. On your own sale it would go from you to \
        you and only look as if an affiliate had sold; so no account can be its own affiliate.";

    mine_title => "Sou afiliado", "My affiliate links";
    mine_none => "Você não participa de nenhum programa", "You are in no program";
    mine_none_note => "Entre num programa para divulgar o produto de outra conta e ganhar \
        comissão.",
        "Join a program to promote another account's product and earn commission.";
}
