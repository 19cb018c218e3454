//! Errors in two forms: Efí's own and the central bank's.

use serde_json::json;

use super::book::Bank;
use crate::call::Call;
use crate::reply::Reply;

/// An error with its name at Efí and its type at the central bank.
#[derive(Debug, Clone, Copy)]
pub struct Refusal {
    efi: (u16, &'static str, &'static str),
    standard: (u16, &'static str, &'static str),
}

impl Refusal {
    pub fn reply(self, call: &Call) -> Reply {
        let bank = Bank::of(call);
        let (status, name, text) = self.efi;
        if bank.speaks_standard(call) {
            let (status, kind, title) = self.standard;
            return Reply::problem(status, kind, title, text);
        }
        Reply::named(status, name, text)
    }

    /// The same with Efí's status for what it does not know.
    #[must_use]
    pub fn at(self, status: u16) -> Self {
        Self { efi: (status, self.efi.1, self.efi.2), ..self }
    }
}

/// A body that does not follow the schema.
pub fn malformed(call: &Call, path: &str, text: &str) -> Reply {
    if Bank::of(call).speaks_standard(call) {
        let detail = format!("{path}: {text}");
        return Reply::problem(400, "RequisicaoInvalida", "Requisição inválida", &detail);
    }
    Reply::json(
        400,
        &json!({
            "nome": "json_invalido",
            "mensagem": "Valores ou tipos de campo inválidos",
            "erros": [{ "chave": "schema", "caminho": path, "mensagem": text }],
        }),
    )
}

const fn invalid(text: &'static str) -> Refusal {
    Refusal {
        efi: (400, "valor_invalido", text),
        standard: (400, "CobOperacaoInvalida", "Cobrança inválida"),
    }
}

const fn unknown(name: &'static str, text: &'static str, kind: &'static str) -> Refusal {
    Refusal { efi: (400, name, text), standard: (404, kind, "Não Encontrado") }
}

pub const AMOUNT_IS_ZERO: Refusal = invalid("Campo valor.original deve ser maior que zero");
pub const EXPIRY_IS_ZERO: Refusal = invalid("Campo calendario.expiracao deve ser maior que zero");
pub const BAD_CPF: Refusal = invalid("Documento CPF em devedor.cpf é inválido");
pub const BAD_CNPJ: Refusal = invalid("Documento CNPJ em devedor.cnpj é inválido");
pub const WINDOW_IS_REVERSED: Refusal = Refusal {
    efi: (
        400,
        "valor_invalido",
        "Campo de data fim deve ser maior ou igual ao campo de data inicio",
    ),
    standard: (400, "CobConsultaInvalida", "Consulta inválida"),
};
pub const KEY_IS_NOT_OURS: Refusal = Refusal {
    efi: (400, "chave_invalida", "A chave informada não faz referência à conta Efí autenticada"),
    standard: (400, "CobOperacaoInvalida", "Cobrança inválida"),
};
pub const TXID_IS_USED: Refusal = Refusal {
    efi: (409, "txid_duplicado", "Campo txid informado já foi utilizado em outra cobrança"),
    standard: (400, "CobOperacaoInvalida", "Cobrança inválida"),
};
pub const COB_IS_NOT_ACTIVE: Refusal = Refusal {
    efi: (400, "status_cobranca_invalido", "A cobrança não está mais com o status ATIVA"),
    standard: (400, "CobOperacaoInvalida", "Cobrança inválida"),
};
pub const COB_IS_UNKNOWN: Refusal = unknown(
    "cobranca_nao_encontrada",
    "Nenhuma cobrança encontrada para o txid informado",
    "CobNaoEncontrado",
);
pub const PIX_IS_UNKNOWN: Refusal = unknown(
    "pix_nao_encontrado",
    "Nenhum pix encontrado para o identificador informado",
    "PixNaoEncontrado",
);
pub const REFUND_IS_UNKNOWN: Refusal = unknown(
    "devolucao_nao_encontrada",
    "Nenhuma devolução encontrada para o identificador informado",
    "PixDevolucaoNaoEncontrada",
);
pub const WEBHOOK_IS_UNKNOWN: Refusal = unknown(
    "webhook_nao_encontrado",
    "Nenhum webhook encontrado para a chave informada",
    "WebhookNaoEncontrado",
);
pub const REFUND_ID_IS_USED: Refusal = Refusal {
    efi: (409, "devolucao_id_duplicado", "O id informado já foi utilizado em outra devolução"),
    standard: (400, "PixDevolucaoInvalida", "Devolução inválida"),
};
pub const REFUND_IS_TOO_MUCH: Refusal = Refusal {
    efi: (400, "valor_invalido", "A soma das devoluções não pode ser maior que o valor do Pix"),
    standard: (400, "PixDevolucaoInvalida", "Devolução inválida"),
};
pub const REFUND_IS_TOO_LATE: Refusal = Refusal {
    efi: (400, "devolucao_fora_do_prazo", "O prazo de 90 dias para devolução foi ultrapassado"),
    standard: (400, "PixDevolucaoInvalida", "Devolução inválida"),
};
pub const URL_IS_INVALID: Refusal = Refusal {
    efi: (400, "valor_invalido", "URL inválida"),
    standard: (400, "WebhookOperacaoInvalida", "Webhook inválido"),
};
pub const URL_IS_NOT_HTTPS: Refusal = Refusal {
    efi: (400, "valor_invalido", "A URL do webhook deve usar o protocolo HTTPS"),
    standard: (400, "WebhookOperacaoInvalida", "Webhook inválido"),
};
