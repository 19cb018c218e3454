//! Efí's API Cobranças: payment slips, on another host and with another token.

pub mod notification;
pub mod pay;
pub mod reminders;
pub mod requests;
pub mod routes;
pub mod slips;
