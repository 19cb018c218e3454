//! What is wrong with a field, by the code of its error.

use crate::platform::messages::Lang;

messages! { FIELDS:
    field_required => "Preencha este campo.", "Fill in this field.";
    field_length => "O texto é curto ou longo demais.", "The text is too short or too long.";
    field_entries => "São itens demais.", "There are too many entries.";
    field_password_length => "Use de 8 a 128 caracteres.", "Use 8 to 128 characters.";
    field_blank_password => "A senha não pode ter só espaços.",
        "The password cannot be spaces only.";
    field_common_password => "Esta senha está entre as mais usadas. Escolha outra.",
        "This password is among the most common ones. Choose another.";
    field_type => "Este valor não é do tipo esperado.", "This value is not of the expected kind.";
    field_choice => "Escolha um dos valores oferecidos.", "Choose one of the values on offer.";
    field_pix_key => "Esta chave não é do tipo escolhido. Confira o tipo e a chave.",
        "This key is not of the chosen type. Check the type and the key.";
    field_permissions => "Marque ao menos uma permissão.", "Tick at least one permission.";
    field_amount => "Digite um valor em reais, como 49,90.",
        "Enter an amount in reais, such as 49.90.";
    field_count => "Digite um número inteiro.", "Enter a whole number.";
    field_range => "O valor é pequeno ou grande demais.", "The value is too small or too large.";
    field_period => "O fim da validade vem antes do começo.",
        "The end of the validity comes before its start.";
    field_discount(least, most) => "Use de 1 a 100 %, ou um valor de {least} a {most}.",
        "Use 1 to 100 %, or an amount from {least} to {most}.";
    field_past => "Escolha um momento no futuro.", "Choose a time in the future.";
    field_date => "Digite uma data completa.", "Enter a complete date.";
    field_id => "Este código não identifica nada. Copie-o inteiro.",
        "This ID names nothing. Copy all of it.";
    field_webhook_url => "Use um endereço https completo, na porta 443 ou 8443, alcançável pela \
        internet.",
        "Use a whole https address, on port 443 or 8443, that is reachable from the internet.";
    field_url => "Digite um endereço que começa com https://.",
        "Enter an address that begins with https://.";
    field_ip => "Digite um endereço IP ou uma rede, como 203.0.113.0/24.",
        "Enter an IP address or a network, such as 203.0.113.0/24.";
    field_pixel => "O código do pixel tem de 1 a 64 letras, números, hífens e sublinhados.",
        "A pixel's code has 1 to 64 letters, digits, hyphens and underscores.";
    field_card => "O cartão não foi aceito. Digite outro.",
        "The card was not accepted. Try another.";
    field_below_fee => "O valor não cobre a taxa do saque.",
        "The amount does not cover the withdrawal's fee.";
    field_currency => "Só valores em reais são aceitos.", "Only amounts in reais are accepted.";
    field_low_contrast => "A cor é clara demais para ser lida. Escolha uma mais escura.",
        "The colour is too light to be read. Choose a darker one.";
    field_image => "Escolha um arquivo PNG ou JPEG.", "Choose a PNG or JPEG file.";
    field_unknown => "Isto não existe nesta conta.", "This does not exist in this account.";
}
