//! The names of columns in files for spreadsheets.

use crate::platform::messages::Lang;

messages! { EXPORTS:
    export_as => "Exportar:", "Export:";
    export_created => "Criado em", "Created at";
    export_paid => "Pago em", "Paid at";
    export_state => "Situação", "State";
    export_method => "Forma de pagamento", "Payment method";
    export_description => "Descrição", "Description";
    export_reference => "Sua referência", "Your reference";
    export_buyer => "Comprador", "Buyer";
    export_email => "E-mail", "Email";
    export_document => "CPF/CNPJ", "CPF or CNPJ";
    export_amount => "Valor", "Amount";
    export_fee => "Taxa", "Fee";
    export_refunded => "Devolvido", "Refunded";
    export_discount => "Desconto", "Discount";
    export_interest => "Juros", "Interest";
    export_installments => "Parcelas", "Installments";
    export_coupon => "Cupom", "Coupon";
    export_affiliate => "Afiliado", "Affiliate";
    export_product => "ID do produto", "Product ID";
    export_origin => "Origem", "Origin";
    export_payment => "ID do pagamento", "Payment ID";
    export_base => "Valor que conta", "Amount that counts";
    export_owed => "Ainda devido", "Still owed";
    export_available => "Libera em", "Released from";
    export_cancelled_at => "Cancelado em", "Cancelled at";
    export_why => "Por quê", "Why";
    export_program => "ID do programa", "Program ID";
    export_link => "Link", "Payment link";
    export_id => "ID", "Our ID";
    export_number => "Número", "Number";
    export_when => "Quando", "When";
    export_what => "O que foi", "What it was";
    export_balance => "Saldo depois", "Balance after";
    export_reserved => "Reservado", "Reserved";
    export_uses_max => "Limite de usos", "Limit of uses";
    export_slug => "Endereço", "Address";
    export_started => "Pagamentos iniciados", "Payments started";
    export_expires => "Validade", "Expires at";
    export_next_charge => "Próxima cobrança", "Next charge";
    export_cancelled => "Cancelada em", "Cancelled at";
    export_ended => "Terminou em", "Ended at";
    export_key => "Chave PIX", "PIX key";
    export_bank_reference => "Referência no banco", "Reference at the bank";
    export_end_to_end => "Identificador do PIX", "PIX end-to-end ID";
    export_about => "Objeto", "Object";
    export_actor => "ID de quem fez", "ID of who did it";
    export_mode => "Modo", "Mode";
    export_count => "Vezes", "Times";
    export_request => "Requisição", "Request";
    export_details => "Detalhes", "Details";
}
