//! A postal address in Brazil, as banks and acquirers ask for it.

/// A postal address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Eight digits.
    pub postal_code: String,
    pub street: String,
    pub number: String,
    pub complement: Option<String>,
    pub district: String,
    pub city: String,
    /// The two letters of the state.
    pub state: String,
}
