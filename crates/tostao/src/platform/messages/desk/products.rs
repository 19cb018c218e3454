//! The list of products, a product, its form, and its deletion.

use crate::platform::messages::Lang;

messages! { PRODUCTS:
    products_title => "Produtos", "Products";
    products_search_hint => "Nome ou descrição", "Name or description";
    products_do_search => "Buscar produtos", "Search products";
    products_none_match => "Nenhum produto passa por este filtro", "No product passes this filter";
    products_none => "Nenhum produto ainda", "No product yet";
    products_none_note => "Um produto tem preço e, se você quiser, estoque. Links e cobranças o \
        vendem.",
        "A product has a price and, if you like, a stock. Links and charges sell it.";

    product_active => "À venda", "For sale";
    product_inactive => "Fora de venda", "Not for sale";
    product_sold_out => "Sem estoque", "Sold out";
    product_why_active => "Links e cobranças podem vendê-lo.", "Links and charges can sell it.";
    product_why_inactive => "Foi tirado de venda: links que o têm não vendem até você o pôr de \
        volta.",
        "It was taken off sale: links that have it do not sell until you put it back.";
    product_why_sold_out => "O estoque acabou: ninguém compra até você repor.",
        "The stock is used up: no buyer can have it until you restock.";
    product_why_all_reserved(count) => "Tudo o que resta está reservado por cobranças que esperam \
        pagamento ({count}). O que não for pago volta.",
        "All that is left is reserved by charges that await their payment ({count}). What is not \
        paid comes back.";
    product_deleted(name) => "{name} (apagado)", "{name} (deleted)";
    product_not_counted => "não contado", "not counted";
    product_stock_reserved(quantity, reserved) => "{quantity} ({reserved} com reserva)",
        "{quantity} ({reserved} reserved)";

    product_price => "Preço", "Price";
    product_stock => "Estoque", "Stock";
    product_reserved => "Com reserva", "Reserved";
    product_left => "Livre para vender", "Free to sell";
    product_kind => "Tipo", "Kind";
    product_digital => "Digital, sem envio", "Digital, not shipped";
    product_physical => "Físico", "Physical";
    product_is_digital => "É digital: não é enviado", "It is digital: it is not shipped";
    product_image => "Endereço da imagem", "Address of the image";
    product_image_hint => "Começa com https:// e aparece no checkout.",
        "It begins with https:// and is shown at the checkout.";
    product_counts => "Contar o estoque", "Count the stock";
    product_quantity => "Quantidade em estoque", "Quantity in stock";
    product_quantity_hint => "Com o que está reservado. Só precisa dela quem conta o estoque.",
        "With what is reserved. Only a counted stock needs it.";
    product_price_hint => "Cobranças já criadas guardam o preço delas.",
        "Charges that exist keep their price.";
    product_new => "Novo produto", "New product";
    product_make => "Criar produto", "Create product";
    product_made => "O produto foi criado.", "The product was created.";
    product_saved => "O produto foi salvo.", "The product was saved.";
    product_back => "Voltar ao produto", "Back to the product";

    product_switch_on => "Pôr à venda", "Put on sale";
    product_switch_off => "Tirar de venda", "Take off sale";
    product_inactive_sells_by_no_link => "Está fora de venda: um link não o venderia.",
        "It is not for sale: a link would not sell it.";
    product_was_switched_on => "O produto está à venda.", "The product is for sale.";
    product_was_switched_off => "O produto está fora de venda.", "The product is not for sale.";
    product_delete_of(name) => "Apagar o produto {name}", "Delete the product {name}";
    product_delete_gone => "Links que o têm param de vender. Não há volta.",
        "Links that have it stop selling. There is no way back.";
    product_delete_stays => "As cobranças já criadas guardam o nome e o preço.",
        "Charges that exist keep its name and price.";
    product_delete_now => "Apagar produto", "Delete product";
    product_was_deleted => "O produto foi apagado.", "The product was deleted.";
}
