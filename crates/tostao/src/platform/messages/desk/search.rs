//! The search over everything.

use crate::platform::messages::Lang;

messages! { SEARCH:
    search_title => "Busca", "Search everything";
    search_hint => "Nome, e-mail, CPF ou CNPJ, valor, código, sua referência, nosso ID ou txid",
        "Name, email, CPF or CNPJ, amount, code, your reference, our ID or txid";
    search_subscriptions => "Assinaturas", "Subscriptions";
    search_looked_in(names) => "Procuramos em: {names}. Transações por texto, só dos últimos 30 \
        dias.",
        "Searched in: {names}. Transactions by text, of the last 30 days only.";
    search_any_date => "Buscar transações de qualquer data", "Search transactions of any date";
    search_name => "Nome", "Name";
    search_nothing => "Nada foi encontrado.", "Nothing was found.";
    search_no_key => "Nenhuma chave desta conta é essa.", "No key of this account is that one.";
    search_all_of(name) => "Ver todos os resultados em {name}", "See all results in {name}";
}
