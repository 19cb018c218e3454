//! Messages of the demo: its steps, what it shows of each, and how it goes on.

use crate::platform::messages::Lang;

messages! { DEMO:
    demo_title => "Tostão: a história de uma venda, do link ao saldo. O dinheiro é de mentira.",
        "Tostão: the story of a sale, from the link to the balance. The money is simulated.";
    demo_opens_account => "Uma loja abre a conta e cria uma chave de desenvolvimento",
        "A shop opens an account and creates a development key";
    demo_key_name => "Demonstração", "Demonstration";
    demo_subscribes => "O sistema da loja assina os avisos de pagamento",
        "The shop's system subscribes to the webhooks of payments";
    demo_creates_link => "A loja cria um link de pagamento", "The shop creates a payment link";
    demo_checks_out => "O comprador abre o link e escolhe pagar com PIX",
        "The buyer opens the link and chooses PIX";
    demo_pays => "O banco simulado confirma o pagamento",
        "The simulated bank confirms the payment";
    demo_delivers => "O aviso chega ao sistema da loja, assinado",
        "The webhook arrives at the shop's system, signed";
    demo_settles => "O dinheiro está no saldo, e os livros fecham",
        "The money is on the balance, and the ledger agrees";
    demo_done => "Tudo certo: cada passo foi conferido.", "All good: every step was checked.";
    demo_your_turn => "Agora é com você. O servidor continua no ar:",
        "Now it is your turn. The server keeps running:";
    demo_stop => "Ctrl+C encerra.", "Ctrl+C stops it.";

    // what is shown
    demo_dashboard => "Painel", "Dashboard";
    demo_enters_once => "Entra sem senha, uma vez e por meia hora.",
        "It signs in without a password, once and for half an hour.";
    demo_documentation => "Documentação", "Documentation";
    demo_login(email, password) => "{email}  senha {password}", "{email}  password {password}";
    demo_shown_once(key) => "{key}… (mostrada inteira uma única vez)", "{key}… (shown whole once)";
    demo_product => "Produto", "Product";
    demo_code => "Copia e cola", "PIX code";
    demo_status => "Situação", "Status";
    demo_event => "Evento", "Event";
    demo_signature => "Assinatura", "Signature";
    demo_recomputed => "HMAC-SHA256 recalculado e igual", "HMAC-SHA256 computed again and equal";
    demo_available => "Disponível", "Available";
    demo_ledger => "Razão", "Ledger";
    demo_verified(accounts, transfers) => "contas {accounts}, lançamentos {transfers}, tudo \
        confere",
        "accounts {accounts}, transfers {transfers}, all verified";
    demo_signed(event) => "{event}, assinatura conferida", "{event}, signature verified";
    demo_forged(event) => "{event}, assinatura INVÁLIDA", "{event}, INVALID signature";

    // production
    demo_production_title => "Tostão em produção, com bancos falsos: o dinheiro não existe, e \
        nenhum banco é chamado.",
        "Tostão in production, with fake banks: the money does not exist, and no bank is called.";
    demo_connects => "A operadora do gateway liga um banco",
        "The operator of the gateway connects a bank";
    demo_opens_production => "Uma loja abre a conta e cria uma chave de produção",
        "A shop opens an account and creates a production key";
    demo_loses_notice => "Um PIX é pago enquanto os workers estão parados, e o aviso se perde",
        "A PIX charge is paid while the workers stand still, and the bank's notice is lost";
    demo_reconciles => "Os workers começam: a conciliação lê a lista do banco e acha o PIX",
        "The workers start: the reconciliation reads the bank's list and finds the PIX payment";
    demo_reads_late(minutes) => "Ela lê o que tem mais de dois minutos: o relógio deste banco \
        falso atrasa {minutes}.",
        "It reads what is older than two minutes: the clock of this fake bank is {minutes} behind.";
    demo_hears => "Um PIX é pago, o banco avisa, e o servidor pergunta antes de lançar",
        "A PIX charge is paid, the bank sends a notice, and the server asks before it posts";
    demo_boleto_is_paid => "Um boleto é pago pelo código de barras",
        "A boleto is paid by its barcode";
    demo_charges_card => "Um cartão é cobrado em 3 vezes", "A card is charged in 3 installments";
    demo_pays_out => "A loja saca, e o banco paga por PIX",
        "The shop withdraws, and the bank pays by PIX";
    demo_refunds => "Cada venda é devolvida pelo caminho por onde veio",
        "Each sale is refunded the way it came";
    demo_takes_back => "O banco do pagador alega fraude, e o MED toma o dinheiro de volta",
        "The payer's bank reports fraud, and the MED takes the money back";
    demo_proves => "Os livros fecham, e o dinheiro nos bancos é o dos livros",
        "The ledger agrees, and the banks have the money that it says";
    demo_left_out(rails) => "Fora desta história, porque não se roteia ainda: {rails}.",
        "Not in this story, because it cannot be routed yet: {rails}.";
    demo_and => " e ", " and ";
    demo_operator => "Operadora", "Operator";
    demo_shop => "Loja", "Shop";
    demo_fake_bank => "Banco falso", "Fake bank";
    demo_connection => "Conexão", "Connection";
    demo_by_certificate(connection) => "{connection}, por TLS com certificado de cliente",
        "{connection}, over TLS with a client certificate";
    demo_routes => "Rotas", "Routes";
    demo_rails => "pix e payout", "pix and payout";
    demo_not_routed => "Não ligado", "Not routed";
    demo_route_refused(rail, reason) => "o servidor recusa a rota {rail}: {reason}",
        "the server refuses the route {rail}: {reason}";
    demo_at_the_bank => "No banco", "At the bank";
    demo_paid(amount, payment) => "{amount} pagos, {payment}", "{amount} paid, {payment}";
    demo_at_the_shop => "Na loja", "At the shop";
    demo_unheard => "PENDING: nenhum aviso chegou", "PENDING: no notice arrived";
    demo_without_notice => "PAID, sem nenhum aviso", "PAID, without any notice";
    demo_line => "Linha", "Typed line";
    demo_in_parts(amount, parts) => "{amount} em {parts}x, PAID", "{amount} in {parts}×, PAID";
    demo_withdrawal => "Saque", "Withdrawal";
    demo_card => "Cartão", "Card";
    demo_refunded(amount) => "{amount} devolvidos, COMPLETED", "{amount} refunded, COMPLETED";
    demo_at_banks => "Nos bancos", "At the banks";
    demo_in_books => "Nos livros", "In the ledger";
    demo_difference => "Diferença", "Difference";
}
