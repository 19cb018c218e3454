//! The history of an account: every action of the audit log in words.

use crate::platform::messages::Lang;

messages! { AUDIT:
    audit_title => "Histórico", "History";
    audit_note => "Quem fez o quê nesta conta, de onde e quando. Nada aqui pode ser mudado, e \
        nada é apagado antes de um ano.",
        "Who did what in this account, from where and when. Nothing here can be changed, and \
        nothing is deleted before a year.";
    audit_none => "Nada aconteceu ainda", "Nothing has happened yet";
    audit_none_note => "Cada entrada, chave, saque e mudança na equipe aparece aqui.",
        "Each sign-in, key, withdrawal and change of the team appears here.";
    audit_none_match => "Nada no histórico passa por estes filtros.",
        "Nothing in the history passes these filters.";
    audit_who => "Quem", "Who";
    audit_anyone => "Qualquer pessoa", "Anyone";
    audit_what => "O quê", "What";
    audit_anything => "Qualquer coisa", "Anything";
    audit_from => "De", "From";
    audit_to => "Até", "To";
    audit_when => "Quando", "When";
    audit_where => "De onde", "From where";
    audit_filter => "Filtrar", "Filter";
    audit_period(from, to) => "De {from} a {to}.", "From {from} to {to}.";
    audit_beginning => "o começo", "the beginning";
    audit_today => "hoje", "today";
    audit_times(count) => "{count} vezes", "{count} times";
    audit_no_code => "sem código", "without a code";
    audit_code_of_app => "código do aplicativo", "code of the app";
    audit_backup_code => "código reserva", "backup code";
    audit_somebody => "Uma pessoa que saiu da equipe", "A person who has left the team";
    audit_key(name) => "Chave {name}", "Key {name}";
    audit_old_key => "Uma chave revogada", "A revoked key";
    audit_operator => "Quem opera o servidor", "The operator of the server";
    audit_system => "O próprio Tostão", "Tostão itself";
    audit_stranger => "Alguém sem entrar", "Somebody who was not signed in";
    audit_test => "teste", "test";
    audit_production => "produção", "production";
    audit_other => "Outra ação", "Another action";

    act_sign_in_succeeded => "Entrou na conta", "Signed in";
    act_sign_in_refused => "Entrada recusada: senha ou código errado",
        "Sign-in refused: wrong password or code";
    act_sign_in_password_only => "Senha certa sem o código certo",
        "Right password without the right code";
    act_session_refresh_reused => "Token de sessão usado duas vezes: a sessão terminou",
        "Session token used twice: the session has ended";
    act_session_ended => "Saiu da conta", "Signed out";
    act_session_revoked => "Encerrou uma sessão, ou todas as outras",
        "Ended a session, or all the others";
    act_session_ended_by_codes => "Cinco códigos errados em uma sessão, que terminou",
        "Five wrong codes in a session, which has ended";
    act_session_elevated => "Confirmou que é a própria pessoa", "Confirmed that it is them";
    act_password_changed => "Mudou a senha", "Changed the password";
    act_password_reset_requested => "Link de senha nova pedido",
        "Link to a new password asked for";
    act_email_change_requested => "Pediu a troca do e-mail", "Asked for another address";
    act_email_changed => "Trocou o e-mail", "Replaced their address";
    act_email_change_stopped => "Troca de e-mail impedida", "Change of address stopped";
    act_two_factor_enabled => "Ligou a segunda etapa", "Turned on the second step";
    act_two_factor_disabled => "Desligou a segunda etapa", "Turned off the second step";
    act_backup_codes_replaced => "Gerou códigos reserva novos", "Made new backup codes";
    act_member_invited => "Convidou uma pessoa", "Invited a person";
    act_invitation_revoked => "Retirou um convite", "Took an invitation back";
    act_member_joined => "Aceitou um convite", "Accepted an invitation";
    act_member_role_changed => "Mudou o papel de uma pessoa", "Changed the role of a person";
    act_member_removed => "Removeu uma pessoa da equipe", "Removed a person from the team";
    act_profile_updated => "Mudou o próprio nome", "Changed their own name";
    act_saved_view_created => "Salvou uma visão de uma lista", "Saved a view of a list";
    act_saved_view_deleted => "Apagou uma visão de uma lista", "Deleted a view of a list";
    act_account_updated => "Mudou os dados da empresa", "Changed the business";
    act_account_logo_changed => "Trocou o logotipo", "Changed the logo";
    act_account_logo_removed => "Removeu o logotipo", "Removed the logo";
    act_mail_preferences_changed => "Escolheu os e-mails que recebe",
        "Chose the mails that they get";
    act_account_closed => "Encerrou a conta", "Closed the account";
    act_api_key_created => "Criou uma chave de API", "Created an API key";
    act_api_key_rotated => "Trocou o segredo de uma chave de API",
        "Rotated the secret of an API key";
    act_api_key_revoked => "Revogou uma chave de API", "Revoked an API key";
    act_webhook_secret_rotated => "Trocou o segredo de um webhook",
        "Rotated the secret of a webhook";
    act_webhook_disabled => "Webhook desligado, porque o endereço falhou",
        "Webhook switched off, because its address failed";
    act_webhook_enabled => "Ligou um webhook de novo", "Switched a webhook on again";
    act_webhook_url_changed => "Mudou o endereço de um webhook",
        "Changed the address of a webhook";
    act_webhook_recovery_started => "Reenviou o que um webhook não aceitou",
        "Sent again what a webhook had not accepted";
    act_refund_requested => "Pediu uma devolução", "Asked for a refund";
    act_transaction_cancelled => "Cancelou um pagamento que esperava",
        "Cancelled a payment that waited";
    act_transaction_created => "Emitiu uma cobrança", "Issued a charge";
    act_transaction_simulated => "Simulou o desfecho de um pagamento de teste",
        "Simulated the outcome of a test payment";
    act_receipt_sent => "Reenviou um recibo ao comprador", "Had a receipt sent to its buyer";
    act_set_aside_accepted => "Aceitou um valor separado", "Accepted money that was set aside";
    act_set_aside_returned => "Devolveu um valor separado", "Returned money that was set aside";
    act_webhook_created => "Cadastrou um webhook", "Made a webhook";
    act_webhook_updated => "Mudou um webhook", "Changed a webhook";
    act_webhook_deleted => "Apagou um webhook", "Deleted a webhook";
    act_webhook_tested => "Enviou um evento de teste a um webhook",
        "Sent a test event to a webhook";
    act_event_redelivered => "Reenviou um evento", "Sent an event again";
    act_customer_document_shown => "Viu o documento inteiro de um cliente",
        "Looked at the whole document of a customer";
    act_customer_updated => "Mudou um cliente", "Changed a customer";
    act_customer_erased => "Apagou um cliente", "Erased a customer";
    act_coupon_created => "Criou um cupom", "Made a coupon";
    act_coupon_updated => "Mudou um cupom", "Changed a coupon";
    act_coupon_deleted => "Apagou um cupom", "Deleted a coupon";
    act_product_created => "Criou um produto", "Made a product";
    act_product_updated => "Mudou um produto", "Changed a product";
    act_product_deleted => "Apagou um produto", "Deleted a product";
    act_payment_link_created => "Criou um link de pagamento", "Made a payment link";
    act_payment_link_updated => "Mudou, ligou ou desligou um link de pagamento",
        "Changed a payment link, or switched it on or off";
    act_plan_created => "Criou um plano", "Made a plan";
    act_plan_updated => "Mudou, abriu ou fechou um plano", "Changed, opened or closed a plan";
    act_subscription_cancelled => "Cancelou uma assinatura", "Cancelled a subscription";
    act_subscription_reactivated => "Desfez o cancelamento de uma assinatura",
        "Undid the cancellation of a subscription";
    act_subscription_paused => "Pausou uma assinatura", "Paused a subscription";
    act_subscription_resumed => "Retomou uma assinatura", "Resumed a subscription";
    act_subscription_retried => "Tentou de novo a cobrança de uma assinatura",
        "Retried the charge of a subscription";
    act_subscription_plan_changed => "Trocou o plano de uma assinatura",
        "Changed the plan of a subscription";
    act_subscription_trial_extended => "Estendeu o teste de uma assinatura",
        "Extended the trial of a subscription";
    act_subscription_simulated => "Simulou o pagamento de uma assinatura de teste",
        "Simulated the payment of a test subscription";
    act_affiliate_program_created => "Criou um programa de afiliados", "Made an affiliate program";
    act_affiliate_program_updated => "Mudou, ligou ou desligou um programa de afiliados",
        "Changed an affiliate program, or switched it off or on";
    act_affiliate_program_deleted => "Encerrou um programa de afiliados",
        "Ended an affiliate program";
    act_affiliate_program_joined => "Entrou em um programa de afiliados",
        "Joined an affiliate program";
    act_affiliate_link_updated => "Ligou ou desligou o link de um afiliado",
        "Switched an affiliate link off or on";
    act_referral_code_created => "Criou o código de indicação", "Made the referral code";
    act_referral_rewards_withdrawn => "Passou recompensas de indicação para o saldo",
        "Moved referral rewards to the balance";
    act_clock_advanced => "Avançou o relógio de teste", "Advanced the test clock";
    act_development_reset => "Apagou os dados de teste", "Deleted the test data";
    act_withdrawal_requested => "Pediu um saque", "Asked for a withdrawal";
    act_payout_key_created => "Salvou uma chave PIX para saques",
        "Saved a PIX key to withdraw to";
    act_payout_key_deleted => "Apagou uma chave PIX de saques",
        "Deleted a PIX key to withdraw to";
    act_withdrawal_approved => "Saque aprovado", "Withdrawal approved";
    act_withdrawal_rejected => "Saque recusado", "Withdrawal rejected";
    act_withdrawal_cancelled => "Cancelou um saque", "Cancelled a withdrawal";
    act_withdrawal_resolved => "Saque decidido pelo extrato do banco",
        "Withdrawal decided by the statement of the bank";
    act_advance_requested => "Pediu uma antecipação", "Asked for an advance";
    act_advance_approved => "Antecipação aprovada e paga", "Advance approved and paid out";
    act_advance_rejected => "Antecipação recusada", "Advance rejected";
    act_advance_cancelled => "Cancelou uma antecipação", "Cancelled an advance";
    act_merchant_verified => "Empresa verificada", "Business verified";
    act_merchant_unverified => "Verificação da empresa retirada",
        "Verification of the business withdrawn";
    act_unmatched_matched => "Dinheiro sem cobrança atribuído a uma cobrança",
        "Money without a charge matched to a charge";
    act_unmatched_resolved => "PIX de um boleto conferido", "PIX of a bank slip checked";
    act_unmatched_returned => "Dinheiro sem cobrança devolvido",
        "Money without a charge sent back";
    act_unmatched_dismissed => "Aviso ilegível do banco encerrado",
        "Unreadable report of the bank closed";
    act_connection_added => "Conexão com um banco adicionada", "Connection with a bank added";
    act_connection_rotated => "Valores de uma conexão trocados", "Values of a connection replaced";
    act_connection_routed => "Cobranças ou saques passaram a outra conexão",
        "Charges or payouts moved to another connection";
    act_connection_tested => "Conexão testada", "Connection tested";
    act_connection_disabled => "Conexão desligada", "Connection switched off";
    act_connection_enabled => "Conexão ligada de novo", "Connection switched on again";
    act_difference_resolved => "Diferença com uma conexão encerrada",
        "Difference with a connection closed";
    act_dispute_resolved => "Disputa decidida", "Dispute resolved";
    act_refund_resolved => "Devolução pendente decidida", "Pending refund resolved";
    act_charge_resolved => "Cobrança de cartão indefinida decidida",
        "Undecided card charge resolved";
    act_mail_retried => "E-mail à espera tentado de novo", "Waiting mail tried again";
    act_administrator_created => "Conta de administração criada",
        "Account of an administrator opened";
    act_administrator_granted => "A conta passou a administrar o servidor",
        "The account became an administrator";
    act_administrator_revoked => "A conta deixou de administrar o servidor",
        "The account ceased to be an administrator";
}
