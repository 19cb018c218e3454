//! Payment links: the list, a link, the forms that make and change one, and its carts.

use crate::platform::messages::Lang;

messages! { LINKS:
    links_title => "Links de pagamento", "Payment links";
    links_search_hint => "Título, descrição ou o fim do endereço",
        "Title, description or the end of the address";
    links_do_search => "Buscar links", "Search links";
    links_none_match => "Nenhum link passa por este filtro", "No link passes this filter";
    links_nothing_yet => "Nenhum link ainda", "No link yet";
    links_nothing_yet_note => "Um link é uma página que cobra por você: diga o que vende e por \
        quanto, e envie o endereço.",
        "A link is a page that charges for you: say what you sell and for how much, and send the \
        address.";
    links_make_first => "Criar o primeiro link", "Create the first link";
    links_make_one => "Criar um link", "Create a link";
    links_new => "Novo link", "New link";
    links_created => "Criado em", "Created";
    links_sales => "Vendas", "Sales";
    links_never_used => "Nenhuma cobrança", "No charge";
    links_sold(sold, used) => "{sold} pagas de {used} cobranças", "{sold} paid of {used} charges";
    links_not_for_sale => "fora de venda", "not for sale";

    links_on => "Ativo", "Active";
    links_off => "Desligado", "Off";
    links_over => "Vencido", "Over";
    cart_abandoned => "Abandonado", "Abandoned";
    cart_recovered => "Voltou", "Came back";

    links_title_field => "Título", "Title";
    links_first_title => "Café em grãos, 250 g", "Coffee beans, 250 g";
    links_price => "Preço", "Price";
    links_price_hint => "Em reais, como 49,90. Com produtos, vazio cobra a soma deles.",
        "In reais, such as 49.90. With products, empty charges their sum.";
    links_ways => "Formas de pagamento", "Ways to pay";
    links_no_way => "Escolha ao menos uma forma de pagamento.", "Choose at least one way to pay.";
    links_parts => "Parcelas do cartão", "Card installments";
    links_up_to => "Em até quantas vezes", "Up to how many";
    links_free_up_to => "Sem juros até", "Interest-free up to";
    links_rate => "Juros ao mês, em %", "Interest per month, in %";
    links_rate_hint => "De 0 a 20, como 2,99; valem a partir da parcela com juros.",
        "From 0 to 20, such as 2.99; charged where installments are not interest-free.";
    links_parts_of(most, free) => "até {most}x, sem juros até {free}x",
        "up to {most}, interest-free up to {free}";
    links_products => "Produtos", "Products";
    links_products_hint => "O que o link vende. O estoque de cada produto é respeitado.",
        "What the link sells. The stock of each product is respected.";
    links_product => "Produto", "Product";
    links_no_product => "Nenhum", "None";
    links_quantity => "Quantidade", "Quantity";
    links_product_off => "Um dos produtos está fora de venda. Escolha outro, ou ligue-o de novo.",
        "One of the products is not for sale. Choose another, or switch it on again.";
    links_stock => "Estoque", "Stock";
    links_stock_field => "Quantas vezes pode ser vendido", "How often it can be sold";
    links_stock_hint => "Vazio não limita.", "Empty does not limit it.";
    links_end => "Validade", "Validity";
    links_until => "Vale até o dia", "Valid until";
    links_until_hint => "Inclusive, no horário de Brasília. Vazio vale sempre.",
        "That day included, in Brasília's time. Empty is valid always.";
    links_after => "Depois de pagar", "After paying";
    links_redirect => "Levar o comprador para", "Lead the buyer to";
    links_redirect_hint => "Um endereço seu que começa com https://.",
        "An address of yours that begins with https://.";
    links_pixel => "Pixel da Meta", "Meta pixel";
    links_more => "Textos e dados pedidos", "Texts and what is asked";
    links_description => "Descrição", "Description";
    links_description_hint => "Aparece abaixo do título.", "Shown below the title.";
    links_about => "Sobre o produto", "About the product";
    links_about_hint => "Um texto mais longo, que o comprador abre.",
        "A longer text, which the buyer opens.";
    links_asks => "Pedir também ao comprador", "Ask the buyer for";
    links_ask_phone => "Telefone do comprador", "The buyer's phone";
    links_ask_address => "Endereço de entrega", "The delivery address";
    links_make => "Criar link", "Create link";
    links_preview => "Ver prévia", "Preview";
    links_preview_title => "Prévia do checkout", "Preview of the checkout";
    links_preview_note => "Nada foi criado ainda.", "Nothing was created yet.";
    links_preview_no_way => "Nenhuma dessas formas de pagamento pode ser usada aqui agora.",
        "None of these ways to pay can be used here now.";
    links_form_used => "Este formulário já foi enviado com outros valores. Confira a lista antes \
        de enviar de novo.",
        "This form was sent with other values already. Check the list before you send it again.";
    links_made => "O link foi criado. Envie o endereço ao comprador.",
        "The link was created. Send its address to the buyer.";

    links_edit => "Editar link", "Edit link";
    links_save => "Salvar", "Save";
    links_changed => "O link foi alterado.", "The link was changed.";
    links_back => "Voltar ao link", "Back to the link";
    links_new_date => "Dar nova data", "Give it a new date";
    links_duplicate => "Duplicar", "Duplicate";
    links_switch_off => "Desligar", "Switch off";
    links_switch_on => "Ligar", "Switch on";
    links_only_a_date => "O prazo terminou: dê uma nova data.", "It is over: give it a new date.";
    links_off_closes => "Quem abrir o endereço lerá que o link não aceita pagamentos agora.",
        "Buyers who open the address read that the link takes no payments now.";
    links_off_keeps_issued => "Cobranças já emitidas ainda podem ser pagas até o prazo delas.",
        "Charges that were issued already can still be paid until their deadlines.";
    links_off_comes_back => "O endereço continua seu: ligue o link de novo quando quiser.",
        "The address stays yours: switch the link on again whenever you like.";
    links_switch_off_now => "Desligar agora", "Switch off now";
    links_switched_off => "O link foi desligado.", "The link was switched off.";
    links_switched_on => "O link foi ligado.", "The link was switched on.";

    links_address => "Endereço", "Address";
    links_copy => "Copiar endereço", "Copy address";
    links_open => "Abrir o link", "Open the link";
    links_whatsapp => "Enviar por WhatsApp", "Send by WhatsApp";
    links_mail => "Enviar por e-mail", "Send by email";
    links_poster => "Baixar QR para imprimir", "Download the QR code to print";
    links_qr => "QR Code do endereço do link", "QR code of the link's address";
    links_share(title, price, url) => "{title}, {price}. Pague aqui: {url}",
        "{title}, {price}. Pay here: {url}";
    links_share_unpriced(title, url) => "{title}. Pague aqui: {url}", "{title}. Pay here: {url}";
    links_figures => "Até onde os compradores chegaram", "How far buyers came";
    links_issued => "Cobranças", "Charges";
    links_issued_note => "PIX, boletos e cartões emitidos pelo link",
        "PIX codes, slips and cards by the link";
    links_paid => "Pagas", "Paid";
    links_paid_note => "Também as devolvidas depois", "Those refunded later, too";
    links_left => "Abandonos", "Abandoned";
    links_left_note => "Deram o e-mail e não pagaram", "Gave an email and did not pay";
    links_began => "Carrinhos", "Carts";
    links_began_note => "Começaram e saíram, também os que voltaram",
        "Began and went, those who came back, too";
    links_facts => "O que o link cobra e pede", "What the link charges and asks for";

    links_carts => "Carrinhos abandonados", "Abandoned carts";
    links_carts_count(count) => "{count} no total", "{count} in all";
    links_cart_buyer => "Comprador", "Buyer";
    links_cart_payment => "ver pagamento", "see payment";
    links_no_cart => "Nenhum carrinho abandonado", "No abandoned cart";
    links_no_cart_note => "Um comprador que digita o e-mail e sai sem pagar aparece aqui.",
        "A buyer who enters an email and goes without paying shows up here.";
    links_no_cart_matches => "Nenhum carrinho passa por este filtro", "No cart passes this filter";

    why_link_on => "O link aceita pagamentos.", "The link takes payments.";
    why_link_on_action => "Envie o endereço ao comprador.", "Send the address to the buyer.";
    why_link_ends(at) => "Vale até {at}.", "It is valid until {at}.";
    why_link_never_ends => "Vale até ser desligado.", "It is valid until it is switched off.";
    why_link_sold_out => "O link está ativo, mas o estoque acabou: quem o abre não pode pagar.",
        "The link is active, but its stock is sold out: buyers who open it cannot pay.";
    why_link_restock => "Aumente o estoque do link ou dos seus produtos.",
        "Raise the stock of the link or of its products.";
    why_link_not_for_sale => "O link está ativo, mas um dos seus produtos está fora de venda.",
        "The link is active, but one of its products is not for sale.";
    why_link_not_for_sale_action => "Ligue o produto de novo, ou tire-o do link.",
        "Switch the product on again, or take it out of the link.";
    why_link_no_way => "O link está ativo, mas nenhuma das suas formas de pagamento funciona aqui \
        agora.",
        "The link is active, but none of its ways to pay works here now.";
    why_link_no_way_action => "Aceite outra forma de pagamento, ou espere a conexão com o banco.",
        "Accept another way to pay, or wait for the connection with the bank.";
    why_link_off => "O link foi desligado: quem o abre lê que não aceita pagamentos agora.",
        "The link was switched off: buyers who open it read that it takes no payments now.";
    why_link_off_next => "Cobranças já emitidas ainda podem ser pagas até o prazo delas.",
        "Charges that were issued already can still be paid until their deadlines.";
    why_link_off_action => "Ligue-o de novo quando quiser vender.",
        "Switch it on again when you want to sell.";
    why_link_expired(at) => "O prazo do link terminou em {at}.", "The link ended on {at}.";
    why_link_expired_before => "O prazo do link terminou.", "The link has ended.";
    why_link_expired_action => "Dê uma nova data, e o mesmo endereço volta a vender.",
        "Give it a new date, and the same address sells again.";
}
