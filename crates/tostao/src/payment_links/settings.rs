//! The payment methods and the required fields of a link.

use brazil::installments::{MOST, Terms};
use rails::profile::RailKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::payment_links::rate::{DecimalText, MonthlyRatePpm};
use crate::platform::error::{FieldErrors, FieldFault};
use crate::platform::http::patch::Omittable;
use crate::platform::ids::Mode;
use crate::providers::{Providers, Service};

/// The checkout settings of a payment link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the settings object")]
pub struct PaymentLinkSettings {
    pub pix_enabled: bool,
    pub boleto_enabled: bool,
    pub credit_card_enabled: bool,
    #[schemars(range(min = 1, max = 12))]
    pub max_installments: u8,
    /// The number of installments up to which the merchant bears the interest.
    #[schemars(range(min = 0, max = 12))]
    pub interest_free_installments: u8,
    pub interest_rate: MonthlyRatePpm,
    pub require_phone: bool,
    pub require_address: bool,
}

/// The checkout settings of a new payment link; omitted settings have their defaults.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CreatePaymentLinkSettings {
    /// Whether it is enabled. Defaults to true.
    pub pix_enabled: Option<bool>,
    /// Whether it is enabled. Defaults to true.
    pub boleto_enabled: Option<bool>,
    /// Whether it is enabled. Defaults to true.
    pub credit_card_enabled: Option<bool>,
    /// The maximum number of installments. Defaults to 1.
    #[schemars(range(min = 1, max = 12))]
    pub max_installments: Option<i64>,
    /// The number of installments without interest, at most `maxInstallments`. Defaults to 1.
    #[schemars(range(min = 0, max = 12))]
    pub interest_free_installments: Option<i64>,
    /// The monthly interest rate in percent, 0 to 20, with at most 4 decimal places. Defaults to 0.
    pub interest_rate: Option<DecimalText>,
    pub require_phone: Option<bool>,
    pub require_address: Option<bool>,
}

/// The checkout settings to update; omitted settings keep their values.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "UpdatePaymentLinkSettings")]
pub struct PaymentLinkSettingsParams {
    /// Whether it is enabled. Defaults to true.
    pub pix_enabled: Omittable<bool>,
    /// Whether it is enabled. Defaults to true.
    pub boleto_enabled: Omittable<bool>,
    /// Whether it is enabled. Defaults to true.
    pub credit_card_enabled: Omittable<bool>,
    /// The maximum number of installments. Defaults to 1.
    #[schemars(range(min = 1, max = 12))]
    pub max_installments: Omittable<i64>,
    /// The number of installments without interest, at most `maxInstallments`. Defaults to 1.
    #[schemars(range(min = 0, max = 12))]
    pub interest_free_installments: Omittable<i64>,
    /// The monthly interest rate in percent, 0 to 20, with at most 4 decimal places. Defaults to 0.
    pub interest_rate: Omittable<DecimalText>,
    pub require_phone: Omittable<bool>,
    pub require_address: Omittable<bool>,
}

impl Default for PaymentLinkSettings {
    fn default() -> Self {
        Self {
            pix_enabled: true,
            boleto_enabled: true,
            credit_card_enabled: true,
            max_installments: 1,
            interest_free_installments: 1,
            interest_rate: MonthlyRatePpm::default(),
            require_phone: false,
            require_address: false,
        }
    }
}

impl PaymentLinkSettings {
    /// Whether any payment method is enabled.
    pub fn takes_payments(&self) -> bool {
        self.pix_enabled || self.boleto_enabled || self.credit_card_enabled
    }

    /// Selects, from the values for PIX, boleto and card, those whose service is as asked.
    pub fn methods_with<T>(
        &self,
        service: Service,
        (providers, mode): (&Providers, Mode),
        methods: [T; 3],
    ) -> Vec<T> {
        let has = |rail| providers.service(rail, mode) == service;
        let taken = [
            self.pix_enabled && has(RailKind::Pix),
            self.boleto_enabled && has(RailKind::Boleto),
            self.credit_card_enabled && has(RailKind::Card),
        ];
        methods.into_iter().zip(taken).filter_map(|(it, taken)| taken.then_some(it)).collect()
    }

    /// The terms of card installments.
    pub fn installment_terms(&self) -> Terms {
        Terms {
            max_installments: self.max_installments,
            interest_free: self.interest_free_installments,
            monthly_rate_ppm: self.interest_rate.ppm(),
        }
    }
}

impl From<CreatePaymentLinkSettings> for PaymentLinkSettingsParams {
    fn from(body: CreatePaymentLinkSettings) -> Self {
        Self {
            pix_enabled: body.pix_enabled.into(),
            boleto_enabled: body.boleto_enabled.into(),
            credit_card_enabled: body.credit_card_enabled.into(),
            max_installments: body.max_installments.into(),
            interest_free_installments: body.interest_free_installments.into(),
            interest_rate: body.interest_rate.into(),
            require_phone: body.require_phone.into(),
            require_address: body.require_address.into(),
        }
    }
}

impl PaymentLinkSettingsParams {
    /// Sets the fields that were sent, and records their errors.
    pub fn apply(&self, wrong: &mut FieldErrors, settings: &mut PaymentLinkSettings) {
        let set = |slot: &mut bool, sent: Omittable<bool>| *slot = sent.unwrap_or(*slot);
        set(&mut settings.pix_enabled, self.pix_enabled);
        set(&mut settings.boleto_enabled, self.boleto_enabled);
        set(&mut settings.credit_card_enabled, self.credit_card_enabled);
        set(&mut settings.require_phone, self.require_phone);
        set(&mut settings.require_address, self.require_address);
        let most = self.max_installments.map(|count| installments(count, 1));
        let is_most_known = most.as_ref().is_none_or(Result::is_ok);
        wrong.assign("settings.maxInstallments", &mut settings.max_installments, most);
        let free = self.interest_free_installments.map(|count| installments(count, 0));
        let path = "settings.interestFreeInstallments";
        wrong.assign(path, &mut settings.interest_free_installments, free);
        let rate = self.interest_rate.as_ref().map(|DecimalText(text)| MonthlyRatePpm::parse(text));
        wrong.assign("settings.interestRate", &mut settings.interest_rate, rate);
        if is_most_known && settings.interest_free_installments > settings.max_installments {
            let message = "must not be more than maxInstallments";
            wrong.add(path, FieldFault::new("OUT_OF_RANGE", message));
        }
    }
}

fn installments(count: i64, least: u8) -> Result<u8, FieldFault> {
    let fault = || FieldFault::new("OUT_OF_RANGE", format!("must be from {least} to {MOST}"));
    let count = u8::try_from(count).map_err(|_| fault())?;
    if (least..=MOST).contains(&count) { Ok(count) } else { Err(fault()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{PaymentLinkSettings, PaymentLinkSettingsParams};
    use crate::platform::error::{Error, FieldErrors};

    fn apply(sent: Value) -> Result<PaymentLinkSettings, Vec<String>> {
        let params: PaymentLinkSettingsParams = serde_json::from_value(sent).unwrap();
        let (mut wrong, mut settings) = (FieldErrors::new(), PaymentLinkSettings::default());
        params.apply(&mut wrong, &mut settings);
        match wrong.finish() {
            Ok(()) => Ok(settings),
            Err(Error::Invalid(fields)) => Err(fields.into_iter().map(|f| f.field).collect()),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let settings = apply(json!({})).unwrap();
        let expected = json!({
            "pixEnabled": true, "boletoEnabled": true, "creditCardEnabled": true,
            "maxInstallments": 1, "interestFreeInstallments": 1, "interestRate": 0,
            "requirePhone": false, "requireAddress": false,
        });
        assert_eq!(serde_json::to_value(settings).unwrap(), expected);
    }

    #[test]
    fn settings_read_back_what_they_print() {
        let sent = json!({
            "maxInstallments": 12, "interestFreeInstallments": 3, "interestRate": "2.99",
            "boletoEnabled": false, "requirePhone": true,
        });
        let settings = apply(sent).unwrap();
        let text = serde_json::to_string(&settings).unwrap();
        assert!(text.contains(r#""interestRate":2.99"#), "{text}");
        assert_eq!(serde_json::from_str::<PaymentLinkSettings>(&text).unwrap(), settings);
    }

    #[test]
    fn numbers_have_their_limits() {
        let free = "settings.interestFreeInstallments";
        let table = [
            (json!({ "maxInstallments": 12, "interestFreeInstallments": 12 }), vec![]),
            (json!({ "interestFreeInstallments": 0 }), vec![]),
            (json!({ "interestRate": 20 }), vec![]),
            (json!({ "maxInstallments": 0 }), vec!["settings.maxInstallments"]),
            (json!({ "maxInstallments": 13 }), vec!["settings.maxInstallments"]),
            (json!({ "maxInstallments": 300 }), vec!["settings.maxInstallments"]),
            (
                json!({ "maxInstallments": 13, "interestFreeInstallments": 3 }),
                vec!["settings.maxInstallments"],
            ),
            (json!({ "interestFreeInstallments": -1 }), vec![free]),
            (json!({ "interestFreeInstallments": 2 }), vec![free]),
            (json!({ "interestRate": 20.5 }), vec!["settings.interestRate"]),
            (json!({ "interestRate": "much" }), vec!["settings.interestRate"]),
        ];
        for (sent, faults) in table {
            assert_eq!(apply(sent.clone()).err().unwrap_or_default(), faults, "{sent}");
        }
    }

    #[test]
    fn one_way_to_pay_is_enough() {
        let none = json!({
            "pixEnabled": false, "boletoEnabled": false, "creditCardEnabled": false,
        });
        assert!(!apply(none).unwrap().takes_payments());
        let one = json!({ "boletoEnabled": false, "creditCardEnabled": false });
        assert!(apply(one).unwrap().takes_payments());
    }
}
