//! The list of coupons, a coupon, its form, and its deletion.

use crate::platform::messages::Lang;

messages! { COUPONS:
    coupons_title => "Cupons", "Coupons";
    coupons_search_hint => "Código ou descrição", "Code or description";
    coupons_do_search => "Buscar cupons", "Search coupons";
    coupons_none_match => "Nenhum cupom passa por este filtro", "No coupon passes this filter";
    coupons_none => "Nenhum cupom ainda", "No coupon yet";
    coupons_none_note => "Um cupom é um código que dá desconto no checkout, com os limites que \
        você quiser.",
        "A coupon is a code that gives a discount at the checkout, within the limits that you set.";

    coupon_active => "Ativo", "Active";
    coupon_inactive => "Desligado", "Switched off";
    coupon_expired => "Terminado", "Expired";
    coupon_not_started => "Ainda não começou", "Not started";
    coupon_used_up => "Esgotado", "Used up";
    coupon_why => "Por que está assim", "Why it is so";
    coupon_why_active => "Vale agora, sem data para terminar.",
        "It is valid now, without an end.";
    coupon_why_active_until(at) => "Vale agora, até {at}.", "It is valid now, until {at}.";
    coupon_why_not_started(at) => "Está ligado e passa a valer em {at}.",
        "It is switched on and becomes valid on {at}.";
    coupon_why_used_up => "Todos os usos foram tomados. Um uso volta quando a cobrança não é paga; \
        para mais usos, aumente o limite.",
        "All uses are taken. A use comes back when its charge is not paid; for more uses, raise \
        the limit.";
    coupon_why_inactive => "Foi desligado: nenhum comprador consegue usar até você ligar.",
        "It was switched off: no buyer can use it until you switch it on.";
    coupon_why_expired(at) => "Terminou em {at}. Para voltar a valer, edite e dê outra data.",
        "It expired on {at}. To make it valid again, edit it and give another date.";

    coupon_discount => "Desconto", "Discount";
    coupon_uses => "Usos", "Uses";
    coupon_uses_of(count, limit) => "{count} de {limit}", "{count} of {limit}";
    coupon_paid_uses => "Usos já pagos", "Uses that were paid";
    coupon_products => "Só para estes produtos", "For these products only";
    coupon_since => "Criado em", "Created";
    coupon_new => "Novo cupom", "New coupon";
    coupon_make => "Criar cupom", "Create coupon";
    coupon_made => "O cupom foi criado.", "The coupon was created.";
    coupon_edit_of(code) => "Editar {code}", "Edit {code}";
    coupon_saved => "O cupom foi salvo. Descontos já dados ficam como estão.",
        "The coupon was saved. Discounts that were given stay as they are.";
    coupon_back => "Voltar ao cupom", "Back to the coupon";

    coupon_code => "Código", "Code";
    coupon_code_hint(least, most) => "De {least} a {most} letras sem acento, números, hífen e \
        sublinhado.",
        "{least} to {most} letters without accents, digits, hyphens and underscores.";
    coupon_kind => "Tipo de desconto", "Kind of discount";
    coupon_percentage => "Porcentagem", "Percentage";
    coupon_fixed => "Valor em reais", "Amount in reais";
    coupon_value => "Quanto desconta", "How much it takes off";
    coupon_value_hint => "Como 10 ou 12,5 por cento, ou 20,00 reais.",
        "Such as 10 or 12.5 percent, or 20.00 reais.";
    coupon_description => "Descrição", "Description";
    coupon_description_hint => "Quem digita o código no checkout pode vê-la.",
        "Buyers who enter the code at the checkout can see it.";
    coupon_limits => "Limites e validade", "Limits and validity";
    coupon_min_purchase => "Compra mínima", "Minimum purchase";
    coupon_max_discount => "Desconto máximo", "Maximum discount";
    coupon_max_discount_hint => "Para uma porcentagem.", "For a percentage.";
    coupon_usage_limit => "Limite de usos", "Limit of uses";
    coupon_per_user_limit => "Limite por comprador", "Limit per buyer";
    coupon_no_limit_hint => "Vazio não limita.", "Empty sets no limit.";
    coupon_valid_from => "Vale desde", "Valid from";
    coupon_valid_until => "Vale até", "Valid until";
    coupon_valid_until_hint => "Até o fim deste dia, no horário de Brasília.",
        "Until the end of this day, by the time of Brasília.";
    coupon_which_products => "Para quais produtos", "For which products";
    coupon_which_products_hint(count) => "Nenhum marcado vale para todos. Aqui estão os {count} \
        mais novos.",
        "None checked means all. These are the newest {count}.";
    coupon_taken(code) => "Você já tem um cupom com o código {code}: abrir",
        "You have a coupon with the code {code} already: open it";

    coupon_switch_on => "Ligar", "Switch on";
    coupon_switch_off => "Desligar", "Switch off";
    coupon_was_switched_on => "O cupom foi ligado.", "The coupon was switched on.";
    coupon_was_switched_off => "O cupom foi desligado.", "The coupon was switched off.";
    coupon_ended_is_not_switched => "Terminou: dê outra data para que volte a valer.",
        "It expired: give it another date to make it valid again.";
    coupon_delete => "Apagar", "Delete";
    coupon_delete_of(code) => "Apagar o cupom {code}", "Delete the coupon {code}";
    coupon_delete_code => "Nenhum comprador usa mais este código, que fica livre para outro cupom.",
        "No buyer can use this code any more; it is free for another coupon.";
    coupon_delete_stays => "As cobranças que o usaram guardam o desconto.",
        "Charges that used it keep their discount.";
    coupon_delete_now => "Apagar cupom", "Delete coupon";
    coupon_was_deleted => "O cupom foi apagado.", "The coupon was deleted.";
}
