//! Words that several sections of the dashboard use: roles and states.

use crate::platform::messages::Lang;

messages! { WORDS:
    role_owner => "Titular", "Owner";
    role_manager => "Gerente", "Manager";
    role_finance => "Financeiro", "Finance";
    role_support => "Atendimento", "Support";
    role_developer => "Desenvolvimento", "Developer";
    role_viewer => "Leitura", "Viewer";

    payment_pending => "Aguardando", "Waiting";
    payment_processing => "Em análise", "Being processed";
    payment_paid => "Pago", "Paid";
    payment_failed => "Recusado", "Declined";
    payment_expired => "Expirado", "Expired";
    payment_cancelled => "Cancelado", "Cancelled";
    payment_refunded => "Devolvido", "Refunded";
    payment_disputed => "Em disputa", "Disputed";
    payment_charged_back => "Perdido em disputa", "Charged back";

    subscription_incomplete => "Primeira cobrança pendente", "First charge pending";
    subscription_trialing => "Em teste grátis", "On trial";
    subscription_active => "Ativa", "Active";
    subscription_past_due => "Em atraso", "Past due";
    subscription_paused => "Pausada", "Paused";
    subscription_cancelled => "Cancelada", "Canceled";
    subscription_expired => "Não começou", "Never began";

    by_pix => "por PIX", "by PIX";
    by_boleto => "por boleto", "by bank slip";
    by_card => "por cartão", "by card";
    by_card_in(parts) => "por cartão em {parts}x", "by card in {parts} installments";
    by_coupon => "coberto por cupom", "covered by a coupon";
}
