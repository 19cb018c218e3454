//! The keys to withdraw to.

use crate::platform::messages::Lang;

messages! { PAYOUT_KEYS:
    payout_keys_title => "Chaves para saque", "Payout keys";
    payout_keys_none => "Nenhuma chave salva ainda", "No key saved yet";
    payout_keys_none_note => "As pessoas da conta sacam para chaves PIX salvas. Em produção, uma \
        chave pode ser usada 24 horas depois de salva.",
        "The people of the account withdraw to saved PIX keys. In production, a key can be used \
        24 hours after it was saved.";
    payout_key_new => "Nova chave", "New key";
    payout_key_save => "Salvar chave", "Save the key";
    payout_key_label => "Nome", "Name";
    payout_key_label_hint => "Como você a reconhece, por exemplo Conta da empresa.",
        "How you recognize it, such as Company account.";
    payout_key_at_once => "A chave pode ser usada em seguida.", "The key can be used at once.";
    payout_key_a_day_later => "A chave pode ser usada 24 horas depois de salva, e quem abriu a \
        conta recebe um e-mail: assim ninguém que entre em seu nome leva o saldo no mesmo dia.",
        "The key can be used 24 hours after it is saved, and the owner who opened the account gets \
        an email: so somebody who signs in in your name cannot take the balance on the same day.";
    payout_key_was_added => "A chave foi salva.", "The key is saved.";
    payout_key_known => "Esta chave PIX já está salva.", "This PIX key is saved already.";
    payout_keys_too_many => "A conta já tem 20 chaves. Apague uma que não use mais.",
        "The account has 20 keys already. Delete one that is not in use.";
    payout_key_usable => "Pronta", "Usable";
    payout_key_waits => "Em espera", "Waiting";
    payout_key_from(at) => "Recebe saques desde {at}.", "Usable from {at} on.";
    payout_key_added_at => "Salva em", "Saved at";
    payout_key_delete => "Apagar", "Delete";
    payout_key_delete_of(label) => "Apagar a chave {label}", "Delete the key {label}";
    payout_key_delete_effect => "Ninguém mais saca para esta chave no painel. Para usá-la de novo, \
        é preciso salvá-la outra vez e, em produção, esperar 24 horas.",
        "People cannot withdraw to this key in the dashboard any more. To use it again, it has to \
        be saved again and, in production, waits 24 hours.";
    payout_key_delete_stays => "Os saques que já foram pedidos continuam.",
        "Withdrawals that were requested already go on.";
    payout_key_delete_now => "Apagar a chave", "Delete the key";
    payout_key_was_deleted => "A chave foi apagada.", "The key is deleted.";
    withdraw_to => "Para qual chave", "To which key";
    withdraw_to_other => "Outra chave, que digito abaixo", "Another key, which I type below";
    withdraw_key_from(at) => "a partir de {at}", "from {at} on";
    withdraw_key_waits(at) => "Esta chave só pode ser usada a partir de {at}.",
        "This key can only be used from {at} on.";
    withdraw_key_unsaved => "Em produção, você saca para uma chave salva. Escolha uma, ou salve \
        esta e use-a 24 horas depois.",
        "In production, you withdraw to a saved key. Choose one, or save this one and use it 24 \
        hours later.";
    withdraw_key_needed => "Antes, salve uma chave PIX", "Save a PIX key first";
    withdraw_key_needed_note => "Em produção, você saca para uma chave salva há 24 horas ou mais. \
        Saque assim que ela estiver pronta.",
        "In production, you withdraw to a key that was saved 24 hours ago or earlier. Withdraw as \
        soon as it is usable.";
    withdraw_keys_wait => "Suas chaves ainda não estão prontas", "Your keys are not usable yet";
}
