//! Efí's API Pix: the central bank's operations, and Efí's own under `gn`.
//!
//! From Efí's documents of 2024: the token door, both error forms and their names, 409 for ids
//! that were used, the notices and their retries, the two requests that prove mutual TLS, the need
//! of a webhook for payouts, the amounts of the test environment, fraud reports. From the schemas
//! of its SDK 2.0.1: `endToEndId` in the answer to a payout, `favorecido` with the key alone, and
//! that payouts and refunds take no unknown field.
//!
//! Inferred:
//! - What is not found is 400 with `nome`, as the documents list it; `efi_not_found` makes it 404.
//! - Registering an address answers 200, as the central bank says, where Efí's documents say 201.
//! - The names `webhook_nao_encontrado`, `webhook_nao_cadastrado`, `saldo_insuficiente` and
//!   `devolucao_fora_do_prazo`; their place is documented, their spelling is not.
//! - `devolucoes` in the notice of a payout that comes back, and 202 for sending notices again.
//! - The body of the test notice at a registration.
//! - Plain HTTP is taken for an address on this machine, which no real bank does.

pub mod account;
pub mod payout;
pub mod routes;
pub mod sent;
pub mod token;
