//! The kinds of jobs, in words that stand after their number.

use crate::platform::messages::Lang;

/// Kind, Portuguese and English.
const WORK: [(&str, &str, &str); 33] = [
    ("ask_and_expire_transaction", "pagamento expira", "payment expires"),
    ("await_boleto", "boleto é pedido ao banco", "boleto is fetched from the bank"),
    ("begin_password_reset", "link de senha nova é criado", "password link is created"),
    ("close_account", "conta é encerrada", "account is closed"),
    ("close_charge_at_bank", "cobrança é encerrada no banco", "charge is closed at the bank"),
    ("close_lost_boleto", "boleto perdido é encerrado", "lost boleto is closed"),
    (
        "compare_connection_balance",
        "saldo de conexão é conferido",
        "connection's balance is compared",
    ),
    ("deliver_webhook", "webhook é entregue", "webhook is delivered"),
    ("erase_cart", "carrinho é apagado", "cart is erased"),
    ("erase_client", "cliente é apagado", "customer is erased"),
    ("expire_coupon", "cupom expira", "coupon expires"),
    ("expire_payment_link", "link de pagamento expira", "payment link expires"),
    ("expire_referral", "indicação expira", "referral expires"),
    ("expire_transaction", "pagamento expira", "payment expires"),
    ("keep_connection_registered", "conexão é registrada", "connection is registered"),
    ("look_into_notice", "aviso de banco é lido", "bank's notice is read"),
    ("prove_ledger", "razão é conferido", "ledger is verified"),
    ("read_connection_window", "extrato de banco é lido", "bank's list is read"),
    ("recover_cart", "carrinho é recuperado", "cart is recovered"),
    ("recover_webhook", "eventos de webhook são reenviados", "webhook's events are sent again"),
    ("release_commission", "comissão é liberada", "commission is released"),
    ("release_reward", "prêmio de indicação é liberado", "referral reward is released"),
    ("release_waiting_commissions", "comissões são liberadas", "waiting commissions are released"),
    ("resolve_charge", "cobrança de cartão é esclarecida", "card charge is resolved"),
    ("sandbox_bank_calls", "banco simulado confirma", "simulated bank confirms"),
    ("sandbox_payout_calls", "banco simulado confirma o saque", "simulated bank confirms a payout"),
    ("send_mail", "e-mail é enviado", "mail is sent"),
    ("send_payout", "saque é enviado", "withdrawal is sent"),
    ("send_refund", "reembolso é enviado", "refund is sent"),
    ("send_return", "devolução é enviada", "return is sent"),
    ("settle_receivable", "recebível é liquidado", "receivable is settled"),
    ("tell_of_cart", "carrinho é abandonado", "cart is abandoned"),
    (
        "wake_subscription",
        "assinatura cobra, repete ou termina",
        "subscription charges, retries or ends",
    ),
];

impl Lang {
    /// A kind of jobs in words; `None` for an unknown one.
    pub fn work(self, kind: &str) -> Option<&'static str> {
        let (_, portuguese, english) = WORK.iter().find(|(name, _, _)| *name == kind)?;
        Some(match self {
            Self::PtBr => portuguese,
            Self::En => english,
        })
    }
}
