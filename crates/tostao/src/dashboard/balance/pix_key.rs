//! The types of PIX keys, as the forms list them.

use brazil::pix_key::PixKeyType;

use crate::dashboard::parts::Choice;
use crate::platform::messages::Lang;

/// The types of keys, the most usual ones first.
const TYPES: [PixKeyType; 5] =
    [PixKeyType::Cnpj, PixKeyType::Cpf, PixKeyType::Email, PixKeyType::Phone, PixKeyType::Random];

/// The types to choose from.
pub fn types(chosen: &str, lang: Lang) -> Vec<Choice> {
    let choice = |of: PixKeyType| Choice {
        value: of.as_str(),
        name: name(of, lang),
        is_chosen: of.as_str() == chosen,
    };
    TYPES.map(choice).into()
}

/// What a type is called.
pub fn name(of: PixKeyType, lang: Lang) -> &'static str {
    match of {
        PixKeyType::Cnpj => lang.withdraw_cnpj(),
        PixKeyType::Cpf => lang.withdraw_cpf(),
        PixKeyType::Email => lang.withdraw_email(),
        PixKeyType::Phone => lang.withdraw_phone(),
        PixKeyType::Random => lang.withdraw_random(),
    }
}
