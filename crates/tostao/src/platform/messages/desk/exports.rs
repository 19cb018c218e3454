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
    export_link => "Link", "Payment link";
    export_id => "ID", "Our ID";
    export_number => "Número", "Number";
    export_when => "Quando", "When";
    export_what => "O que foi", "What it was";
    export_balance => "Saldo depois", "Balance after";
    export_about => "Objeto", "Object";
}
