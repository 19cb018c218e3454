//! What fields mean that stand in most objects, where their schema does not say more.

/// The fields by name.
const MEANINGS: &[(&str, &str)] = &[
    ("id", "The ID."),
    ("success", "Whether it succeeded."),
    ("message", "What was done, in English; it may change."),
    ("data", "What was asked for or done."),
    ("name", "The name."),
    ("title", "The title."),
    ("description", "A description, free text."),
    ("productDescription", "A longer description, free text."),
    ("currency", "Always BRL."),
    ("devMode", "Whether it is of the development environment, with simulated money."),
    ("environment", "Of which environment it is."),
    ("email", "The email address."),
    ("phone", "The phone number."),
    ("externalId", "The merchant's own reference."),
    ("reason", "Why, as it was given."),
    ("quantity", "How many of it."),
    ("imageUrl", "The address of a picture."),
    ("redirectUrl", "Where the buyer's browser goes after the payment."),
    ("receiptUrl", "The page of the receipt."),
    ("idempotencyKey", "The key that it was requested with."),
    ("brand", "The brand of the card."),
    ("last4", "The last four digits of the card."),
    ("couponCode", "The code of the coupon."),
    ("createdAt", "When it was created."),
    ("updatedAt", "When it was last changed."),
    ("expiresAt", "When it expires."),
    ("expiredAt", "When it expired."),
    ("paidAt", "When it was paid."),
    ("failedAt", "When it failed."),
    ("cancelledAt", "When it was cancelled."),
    ("completedAt", "When it was completed."),
    ("decidedAt", "When it was decided on."),
    ("approvedAt", "When it was approved."),
    ("rejectedAt", "When it was rejected."),
    ("refundedAt", "When it was refunded."),
    ("pausedAt", "When it was paused."),
    ("endedAt", "When it ended."),
    ("planId", "The ID of the plan."),
    ("productId", "The ID of the product."),
    ("programId", "The ID of the affiliate program."),
    ("connectionId", "The ID of the connection."),
    ("transactionId", "The ID of the transaction."),
    ("subscriptionId", "The ID of the subscription."),
    ("paymentLinkId", "The ID of the payment link."),
    ("clientId", "The ID of the customer."),
];

/// What a field means, by the last name of its path; empty if that says nothing.
pub fn meaning(path: &str) -> &'static str {
    let name = path.rsplit('.').next().unwrap_or_default();
    MEANINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::meaning;

    #[test]
    fn a_field_has_the_usual_meaning_of_its_name() {
        let table = [
            ("data.createdAt", "When it was created."),
            ("data[].id", "The ID."),
            ("id", "The ID."),
            ("identity", ""),
        ];
        for (path, expected) in table {
            assert_eq!(meaning(path), expected, "{path}");
        }
    }
}
