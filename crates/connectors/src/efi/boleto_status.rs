//! What Efí's words for the state of a boleto mean.

/// What has become of a boleto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Open,
    /// A payment was seen, and its money has not come yet.
    Identified,
    Paid,
    /// Marked as paid by a person, though no money came.
    SettledByHand,
    /// Nothing can be paid to it any more.
    Ended,
    /// Its payment was contested, or went back.
    TakenBack,
}

impl Status {
    /// Reads a word; `None` for one that Efí does not document.
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "new" | "waiting" | "link" | "unpaid" => Some(Self::Open),
            "identified" | "approved" => Some(Self::Identified),
            "paid" => Some(Self::Paid),
            "settled" => Some(Self::SettledByHand),
            "canceled" | "expired" => Some(Self::Ended),
            "refunded" | "contested" => Some(Self::TakenBack),
            _ => None,
        }
    }

    /// Logs what an operator must know of a boleto that is not paid, or not any more.
    pub fn log(self, charge_id: u64) {
        match self {
            Self::SettledByHand => {
                tracing::error!(
                    charge_id,
                    "a boleto was marked as paid at the bank, and no money came"
                );
            }
            Self::TakenBack => {
                tracing::error!(charge_id, "the payment of a boleto was contested, or went back");
            }
            Self::Open | Self::Identified | Self::Paid | Self::Ended => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;
    use crate::status_tables::{self, Means};

    impl Means for Status {
        fn meaning(&self) -> &'static str {
            match self {
                Self::Open => "open",
                Self::Identified => "open: a payment was seen, and its money has not come yet",
                Self::Paid => "paid",
                Self::SettledByHand => "marked by a person; no money came",
                Self::Ended => "ended",
                Self::TakenBack => "contested or paid back: an alarm, nothing is booked",
            }
        }
    }

    #[test]
    fn each_status_of_a_boleto_has_our_word_and_an_unknown_one_has_none() {
        let table = [
            ("new", Status::Open),
            ("waiting", Status::Open),
            ("link", Status::Open),
            ("unpaid", Status::Open),
            ("identified", Status::Identified),
            ("approved", Status::Identified),
            ("paid", Status::Paid),
            ("settled", Status::SettledByHand),
            ("canceled", Status::Ended),
            ("expired", Status::Ended),
            ("refunded", Status::TakenBack),
            ("contested", Status::TakenBack),
        ];
        for (word, status) in table {
            assert_eq!(Status::read(word), Some(status), "{word}");
        }
        for unknown in ["algo_novo", "PAID", ""] {
            assert_eq!(Status::read(unknown), None, "{unknown}");
        }
        let words = table.map(|(word, _)| (format!("`{word}`"), Status::read(word)));
        status_tables::check("statuses of Efí's boletos", words);
    }
}
