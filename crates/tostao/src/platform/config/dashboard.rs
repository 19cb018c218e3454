//! The settings of the dashboard.

use std::time::Duration;

use clap::Args;

/// How long people stay signed in to the dashboard.
#[derive(Debug, Clone, Args)]
pub struct DashboardSettings {
    /// How many minutes after its last use a session of the dashboard ends
    #[arg(
        long,
        env = "TOSTAO_DASHBOARD_IDLE_MINUTES",
        default_value_t = 30,
        value_name = "MINUTES"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(5..=720))]
    pub dashboard_idle_minutes: u32,
    /// How many hours after the sign-in a session of the dashboard ends, however much it is used
    #[arg(
        long,
        env = "TOSTAO_DASHBOARD_SESSION_HOURS",
        default_value_t = 12,
        value_name = "HOURS"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=168))]
    pub dashboard_session_hours: u32,
}

/// How long a session lasts: after its last use, and in all.
#[derive(Debug, Clone, Copy)]
pub struct SessionLifetime {
    pub idle: Duration,
    pub most: Duration,
}

impl DashboardSettings {
    /// How long a browser's session lasts.
    pub fn lifetime(&self) -> SessionLifetime {
        SessionLifetime {
            idle: Duration::from_mins(self.dashboard_idle_minutes.into()),
            most: Duration::from_hours(self.dashboard_session_hours.into()),
        }
    }

    /// The settings in force.
    pub fn shown(&self) -> [(&'static str, String); 2] {
        [
            ("TOSTAO_DASHBOARD_IDLE_MINUTES", self.dashboard_idle_minutes.to_string()),
            ("TOSTAO_DASHBOARD_SESSION_HOURS", self.dashboard_session_hours.to_string()),
        ]
    }
}
