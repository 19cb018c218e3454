//! The list of clients, a client, their form, and their erasure.

use crate::platform::messages::Lang;

messages! { CLIENTS:
    clients_title => "Clientes", "Customers";
    clients_search_hint => "Nome, e-mail, CPF ou CNPJ", "Name, email, CPF or CNPJ";
    clients_do_search => "Buscar clientes", "Search customers";
    clients_none_match => "Nenhum cliente passa por este filtro",
        "No customer passes this filter";
    clients_none => "Nenhum cliente ainda", "No customer yet";
    clients_none_note => "Quem compra aparece aqui sozinho, com a primeira cobrança. Também dá \
        para cadastrar pela API.",
        "Buyers appear here by themselves, with their first charge. They can also be created by \
        the API.";
    clients_how => "Como criar um cliente", "How to create a customer";
    clients_who => "Quem", "Who";
    clients_since => "Desde", "Since";

    client_name => "Nome", "Name";
    client_email => "Endereço de e-mail", "Email address";
    client_data => "Dados", "Details";
    client_document_masked => "O seu papel nesta conta vê documentos só em parte.",
        "Your role in this account sees documents only in part.";
    client_show_document => "Mostrar o documento", "Show the document";
    client_show_document_note => "Fica anotado no registro de auditoria.",
        "It is noted in the audit log.";
    client_document_shown => "Esta consulta foi anotada no registro de auditoria.",
        "This look was noted in the audit log.";
    client_no_document => "sem documento", "no document";
    client_bought => "Compras", "Purchases";
    client_bought_nothing => "Nenhuma cobrança a este cliente.", "No charge to this customer.";
    client_bought_all => "Ver todas as transações do cliente",
        "See all transactions of the customer";
    client_what => "O quê", "What";
    client_owed => "A pagar", "To be paid";
    client_owes_nothing => "Nenhuma cobrança espera pagamento.", "No charge awaits its payment.";
    client_owed_all => "Ver todas as que esperam pagamento", "See all that await their payment";
    client_subscriptions => "Assinaturas", "Subscriptions";
    client_subscribes_to_nothing => "Nenhuma assinatura.", "No subscription.";
    client_subscriptions_all => "Ver todas as assinaturas do cliente",
        "See all subscriptions of the customer";
    client_next_charge(day) => "próxima cobrança {day}", "next charge {day}";
    client_edit => "Editar", "Edit";
    client_back => "Voltar ao cliente", "Back to the customer";
    client_document_hint(masked) => "Vazio mantém {masked}.", "Empty keeps {masked}.";
    client_document_none_hint => "CPF ou CNPJ, com ou sem pontuação.",
        "A CPF or CNPJ, with or without punctuation.";
    client_remove_document => "Remover o documento", "Remove the document";
    client_copies_stay => "As cobranças já criadas guardam os dados de quando foram criadas.",
        "Charges that exist keep the details from when they were created.";
    client_save => "Salvar", "Save";
    client_saved => "Os dados foram salvos.", "The details were saved.";
    client_is_another => "Outro cliente seu já tem este documento ou, sem documento, este e-mail.",
        "Another customer of yours has this document or, without one, this email.";

    client_erase => "Apagar os dados", "Erase the data";
    client_erase_title(name) => "Apagar os dados de {name}", "Erase the data of {name}";
    client_erase_step(step) => "Passo {step} de 2", "Step {step} of 2";
    client_erase_what => "O que é apagado", "What is erased";
    client_erase_record => "Nome, e-mail, documento e telefone deste cliente.",
        "This customer's name, email, document and phone.";
    client_erase_unpaid => "Os dados do comprador em cobranças que nunca foram pagas e em \
        carrinhos.",
        "The buyer's details in charges that were never paid and in carts.";
    client_erase_log => "As respostas guardadas da API e os eventos que nenhum webhook espera \
        mais.",
        "Stored answers of the API, and events that no webhook waits for any more.";
    client_erase_ends => "Assinaturas em andamento são canceladas: quem pediu para ser esquecido \
        não é mais cobrado.",
        "Running subscriptions are canceled: a person who asked to be forgotten is charged no \
        more.";
    client_erase_what_stays => "O que fica, e por quê", "What stays, and why";
    client_erase_stays_paid(years) => "As transações pagas guardam o comprador por {years} anos, \
        porque a lei manda guardar documentos fiscais (LGPD, art. 16, I). Depois são apagadas \
        sozinhas.",
        "Paid transactions keep their buyer for {years} years, because the law requires tax \
        records to be kept (LGPD, art. 16, I). Then they are erased by themselves.";
    client_erase_stays_books => "Os valores no razão, que não dizem de quem vieram.",
        "The amounts in the ledger, which do not say whose they were.";
    client_erase_go_on => "Ver o que acontece com este cliente",
        "See what happens to this customer";
    client_erase_of(name) => "Apagar {name} para sempre", "Erase {name} for good";
    client_erase_now => "Apagar para sempre", "Erase for good";
    client_erase_gone => "Os dados deste cliente são apagados. Não há volta.",
        "This customer's data is erased. There is no way back.";
    client_erase_subscription => "1 assinatura é cancelada agora.",
        "1 subscription is canceled now.";
    client_erase_subscriptions(count) => "{count} assinaturas são canceladas agora.",
        "{count} subscriptions are canceled now.";
    client_erase_stays(day) => "As transações pagas guardam o comprador até {day}, como a lei \
        manda.",
        "Paid transactions keep their buyer until {day}, as the law requires.";
    client_erase_nothing_stays => "Nenhuma transação paga precisa ser guardada: nada fica.",
        "No paid transaction has to be kept: nothing stays.";
    client_was_erased => "Os dados do cliente foram apagados.", "The customer's data was erased.";
    client_was_erased_until(day) => "Os dados do cliente foram apagados. As transações pagas os \
        guardam até {day}.",
        "The customer's data was erased. Paid transactions keep it until {day}.";
}
