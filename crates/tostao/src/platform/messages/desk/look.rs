//! How the checkout looks.

use crate::platform::messages::Lang;

messages! { LOOK:
    look_title => "Aparência do checkout", "Look of the checkout";
    look_note => "Quem compra vê a cor e o logotipo nas páginas de pagamento e nos recibos. A \
        página de um link pode mostrar os de antes por até um minuto.",
        "Buyers see the colour and the logo on payment pages and on receipts. The page of a link \
        may show the earlier ones for up to a minute.";
    look_accent => "Cor de destaque", "Accent colour";
    look_accent_hint => "Como #0a6b50. Deixe vazio para a cor de sempre. Precisa de contraste de \
        4,5:1 com branco e com a página.",
        "Like #0a6b50. Leave it empty for the usual colour. It needs a contrast of 4.5:1 with \
        white and with the page.";
    look_low_contrast(nearest) => "É clara demais para ser lida. A mais próxima que serve é \
        {nearest}.",
        "It is too light to be read. The nearest one that will do is {nearest}.";
    look_no_color => "Digite uma cor como #0a6b50.", "Enter a colour like #0a6b50.";
    look_logo => "Logotipo", "Logo";
    look_no_logo => "Ainda não há logotipo: as páginas mostram a primeira letra do nome da loja.",
        "There is no logo yet: pages show the first letter of the shop's name.";
    look_logo_file => "Arquivo do logotipo", "File of the logo";
    look_logo_hint => "PNG ou JPEG, até 64 KiB e até 1024 × 1024 pixels. Outro arquivo substitui o \
        de antes.",
        "PNG or JPEG, up to 64 KiB and up to 1024 × 1024 pixels. Another file replaces the earlier \
        one.";
    look_logo_save => "Enviar o logotipo", "Upload the logo";
    look_logo_remove => "Remover o logotipo", "Remove the logo";
    look_logo_saved => "O logotipo foi salvo.", "The logo was saved.";
    look_logo_removed => "O logotipo foi removido.", "The logo was removed.";
    look_logo_too_large => "O arquivo tem mais de 64 KiB. Salve-o menor e envie de novo.",
        "The file has more than 64 KiB. Save a smaller one and upload it again.";
    look_logo_too_wide => "A imagem tem mais de 1024 pixels de largura ou de altura.",
        "The picture has more than 1024 pixels of width or height.";
}
