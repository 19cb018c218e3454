//! An authenticator app, which knows a secret as a person types it.

use db::time::Timestamp;
use tostao::people::second_step::totp;

/// An app with one secret.
pub struct Authenticator {
    pub secret: Vec<u8>,
}

impl Authenticator {
    /// Adds a secret in base32.
    pub fn with(typed: &str) -> Self {
        let (mut secret, mut held, mut bits) = (Vec::new(), 0_u32, 0);
        for letter in typed.chars() {
            let value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).expect("is base32");
            held = (held << 5 | u32::try_from(value).expect("is small")) & 0xfff;
            bits += 5;
            if bits >= 8 {
                bits -= 8;
                secret.push(u8::try_from(held >> bits & 0xff).expect("is a byte"));
            }
        }
        Self { secret }
    }

    /// The code that it shows so many time steps after an instant.
    pub fn code(&self, now: Timestamp, steps: i64) -> String {
        totp::code(&self.secret, totp::time_step(now) + steps)
    }
}
